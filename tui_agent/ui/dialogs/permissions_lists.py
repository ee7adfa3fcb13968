"""The lists of the permissions screen: the rules by list and source, and what was refused in this session."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len, set_cell_size
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from tui_agent.ui.screen_text.rule_text import LISTS, near, source_words, why_fixed
from tui_agent.viewkit.tool_text import one_line

if TYPE_CHECKING:
    from tui_agent.queries import Denial, PermissionsReport, RuleRow

__all__ = ["DenialsPane", "RulesPane"]

_WIDE: Final = 64  # from here on a rule and its source stand side by side
_MEANINGS: Final = {"deny": "always denied", "ask": "asked every time", "allow": "allowed without asking"}


class _List(OptionList):
    """A list that stays where it was when it is filled anew."""

    def fill(self, options: list[Option]) -> None:
        """Show other options; the cursor stays at its number, or goes to the first that can be chosen."""
        at = self.highlighted
        self.clear_options()
        self.add_options(options)
        chosen = [number for number, option in enumerate(options) if not option.disabled]
        if chosen:
            self.highlighted = min(chosen, key=lambda number: abs(number - (at if at is not None else 0)))


class RulesPane(Vertical):
    """Every rule there is. Below the list stand the whole of the one under the cursor, and the working folders."""

    class Moved(Message):
        """The cursor is on another rule."""

    def __init__(self, report: PermissionsReport, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._report = report
        self._rows: list[RuleRow | None] = []
        self._longest = 0  # of the words for where the rules come from, in cells

    def compose(self) -> ComposeResult:
        yield _List(markup=False, compact=True)
        yield Static(id="about-rule", markup=False)
        yield Static(id="folders", classes="muted", markup=False)

    def on_mount(self) -> None:
        self.refill()

    def on_resize(self, _event: events.Resize) -> None:
        self.call_after_refresh(self.refill)

    @property
    def current(self) -> RuleRow | None:
        """The rule under the cursor."""
        at = self.query_one(_List).highlighted
        return self._rows[at] if at is not None and at < len(self._rows) else None

    @property
    def count(self) -> int:
        """How many rules there are."""
        return sum(row is not None for row in self._rows)

    def focus_first(self) -> None:
        """Let keys go to the list."""
        self.screen.set_focus(self.query_one(_List))

    def show(self, report: PermissionsReport) -> None:
        """Show the rules that there are now."""
        self._report = report
        self.refill()

    def refill(self) -> None:
        """Show them for the room there is."""
        rows = self._report.rules
        width = max(20, self.query_one(_List).size.width - 2)
        options: list[Option] = []
        self._rows = []
        self._longest = max((cell_len(self._source(row)) for row in rows), default=0)
        for behavior, name in LISTS.items():
            mine = [row for row in rows if row.behavior == behavior]
            words = f"{name} {len(mine)}"
            heading = Content.assemble((words, "bold $text-primary"), (f"  {_MEANINGS[behavior]}", "$foreground-muted"))
            options.append(Option(heading, disabled=True))
            self._rows.append(None)
            for row in mine:
                options.append(Option(self._line(row, width)))
                self._rows.append(row)
        self.query_one(_List).fill(options)
        cwd, *others = self._report.folders
        folders = ", ".join([self._near(cwd, ""), *(self._near(folder, cwd) for folder in others)])
        self.query_one("#folders", Static).update(f"working folders: {folders}")
        self._show_about()

    def _near(self, path: str, cwd: str) -> str:
        return near(path, cwd, str(Path.home()))

    def _source(self, row: RuleRow) -> str:
        return source_words(row, self._report.folders[0], str(Path.home()))

    def _line(self, row: RuleRow, width: int) -> Content:
        is_narrow = width < _WIDE
        room = width - 2 if is_narrow else max(width - self._longest - 4, width // 2)
        mark, ending, style = ("! ", " · has no effect", "$text-warning") if row.problem else ("  ", "", "")
        text = _cut(one_line(row.text), max(8, room - len(ending))) + ending
        if is_narrow:
            place = Content.styled(f"    {_cut_left(self._source(row), width - 4)}", "$foreground-muted")
            return Content("\n").join([Content.assemble((mark, style), (text, style)), place])
        place = Content.styled(_cut_left(self._source(row), width - room - 4), "$foreground-muted")
        return Content.assemble((mark, style), (_padded(text, room), style), "  ", place)

    def _show_about(self) -> None:
        row = self.current
        about = self.query_one("#about-rule", Static)
        if row is None:
            about.update("There are no rules yet: press a to add one.")
            return
        lines = [Content.assemble((LISTS[row.behavior], "bold"), " ", one_line(row.text))]
        if row.problem:
            lines.append(Content.styled(f"! {one_line(row.problem)}", "$text-warning"))
        if fixed := why_fixed(row):
            lines.append(Content.styled(f"cannot be changed here: {fixed}", "$foreground-muted"))
        about.update(Content("\n").join(lines))

    @on(OptionList.OptionHighlighted)
    def _moved(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self._show_about()
        self.post_message(self.Moved())


class DenialsPane(Vertical):
    """What did not run in this session, newest first."""

    def __init__(self, report: PermissionsReport, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._denials = report.denials[::-1]

    def compose(self) -> ComposeResult:
        yield _List(markup=False, compact=True)
        yield Static(id="about-denial", markup=False)

    def on_mount(self) -> None:
        self.refill()

    def on_resize(self, _event: events.Resize) -> None:
        self.call_after_refresh(self.refill)

    @property
    def current(self) -> Denial | None:
        """The refusal under the cursor."""
        at = self.query_one(_List).highlighted
        return self._denials[at] if at is not None and at < len(self._denials) else None

    def focus_first(self) -> None:
        """Let keys go to the list."""
        self.screen.set_focus(self.query_one(_List))

    def show(self, report: PermissionsReport) -> None:
        """Show what was refused until now."""
        self._denials = report.denials[::-1]
        self.refill()

    def refill(self) -> None:
        """Show it for the room there is."""
        width = max(20, self.query_one(_List).size.width - 2)
        self.query_one(_List).fill([Option(_denied(denial, width)) for denial in self._denials])
        self._show_about()

    def _show_about(self) -> None:
        denial = self.current
        about = self.query_one("#about-denial", Static)
        if denial is None:
            about.update("No calls were denied in this session.")
            return
        lines = [
            Content.assemble((one_line(denial.tool), "bold"), " ", one_line(denial.subject)),
            Content.assemble((f"{_who(denial)}: ", "$foreground-muted"), one_line(denial.reason)),
        ]
        about.update(Content("\n").join(lines))

    @on(OptionList.OptionHighlighted)
    def _moved(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self._show_about()


def _denied(denial: Denial, width: int) -> Content:
    at = time.strftime("%H:%M:%S", time.localtime(denial.time))
    tool, who = _padded(one_line(denial.tool), 12 if width >= _WIDE else 8), _padded(_who(denial), 8)
    subject = _cut(one_line(denial.subject, 4 * width), max(4, width - cell_len(f"{at}{tool}{who}") - 6))
    return Content.assemble(
        (f"{at}  ", "$foreground-muted"), (tool, "bold"), (f"  {who}  ", "$foreground-muted"), subject
    )


def _who(denial: Denial) -> str:
    """Return who refused a call, in a word or two."""
    words = {"person": "you", "hook": "a hook", "rule": "a rule", "mode": "the mode", "tool": "the tool"}
    return words.get(denial.by, "a check")


def _cut(text: str, width: int) -> str:
    return text if cell_len(text) <= width else set_cell_size(text, max(0, width - 1)) + "…"


def _cut_left(text: str, width: int) -> str:
    """Return a text cut at its beginning: of a file's place the end says most."""
    if cell_len(text) <= width:
        return text
    while text and cell_len(text) >= width:
        text = text[1:]
    return "…" + text


def _padded(text: str, width: int) -> str:
    return set_cell_size(_cut(text, width), width)
