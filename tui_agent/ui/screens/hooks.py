"""The user's hooks, by event: what each runs, when, from which file, and how it has fared. Read only: files are changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from rich.cells import cell_len
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.types import CSSPathType
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from tui_agent.hooks.catalog import EVENTS
from tui_agent.text import clean_line, is_odd, reveal, reveal_parts
from tui_agent.ui.dialogs.dialog import Dialog
from tui_agent.ui.dialogs.dialog_box import DialogBox
from tui_agent.ui.projection.hook_reducer import HookRuns
from tui_agent.ui.short_path import short_path
from tui_agent.ui.styles_path import style_sheet
from tui_agent.ui.widgets.key_line import KeyLine
from tui_agent.viewkit.tool_text import count, duration

if TYPE_CHECKING:
    from tui_agent.queries import HookRow, HooksReport
    from tui_agent.settings.problems import Problem

__all__ = ["HooksScreen"]

_OUTCOMES: Final = {
    "ok": ("succeeded", "$text-success"),
    "blocked": ("blocked", "$text-warning"),
    "failed": ("failed", "$text-error"),
    "timeout": ("timed out", "$text-error"),
    "cancelled": ("was cancelled", "$text-warning"),
}
_NONE: Final = """\
There are no hooks. Add them under `hooks` in a settings file, by event: commands to run, URLs that get a message, or \
questions to the small model, before and after tools, for messages, and when a session begins or ends."""


@dataclass(frozen=True, slots=True)
class _Row:
    """One line: an event's name, a hook, or what is wrong with one."""

    event: str = ""
    handler: HookRow | None = None
    problem: Problem | None = None


class HooksScreen(Dialog[None]):
    """All hooks, those that do not run included. `runs` tells how they have fared, by their ids."""

    CSS_PATH: ClassVar[CSSPathType | None] = [style_sheet("dialogs"), style_sheet("hooks")]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", "Close"),
        Binding("tab", "details", "Read the details, or go back", priority=True),
    ]

    def __init__(self, report: HooksReport, runs: Mapping[str, HookRuns]) -> None:
        super().__init__()
        self._report = report
        self._runs = runs
        self._rows = tuple(_rows(report))

    def compose(self) -> ComposeResult:
        with DialogBox():
            if not self._rows:
                yield Static(_NONE, markup=False)
            yield OptionList(markup=False, compact=True)
            with VerticalScroll(id="details"):
                yield Static()
            yield KeyLine()

    def on_mount(self) -> None:
        running = sum(row.handler is not None and not row.handler.why_not for row in self._rows)
        self.query_one("#dialog").border_title = Content("Hooks")
        if self._rows:
            self.query_one("#dialog").border_subtitle = Content(
                f"{running} of {count(len(self._report.hooks), 'hook')} in force"
            )
        keys = "↑↓ choose · tab details · esc close" if self._rows else "esc close"
        self.query_one("#keys", Static).update(keys)
        self.set_class(not self._rows, "-empty")
        for part in (OptionList, "#details"):
            self.query_one(part).display = bool(self._rows)
        self._fill()
        self.set_focus(self.query_one(OptionList) if self._rows else None)

    def on_resize(self, _event: events.Resize) -> None:
        self.call_after_refresh(self._fill)

    def _fill(self) -> None:
        """Make the list for the room there is; the cursor stays where it was."""
        options = self.query_one(OptionList)
        at = options.highlighted
        room = max(16, options.size.width - 2)
        options.clear_options()
        options.add_options(
            Option(self._line(row, room), disabled=row.handler is None and row.problem is None) for row in self._rows
        )
        first = next((place for place, row in enumerate(self._rows) if row.handler or row.problem), None)
        options.highlighted = at if at is not None else first
        self._show()

    def _line(self, row: _Row, room: int) -> Content:
        if row.problem is not None:
            return Content.styled(_fitted("  ! " + clean_line(row.problem.text), room), "$text-warning")
        if row.handler is None:
            words = EVENTS[row.event].words if row.event in EVENTS else ""
            line = Content.assemble((row.event, "bold $text-primary"), (f"  {words}", "$foreground-muted"))
            return line.truncate(room, ellipsis=True)
        handler = row.handler
        runs = self._runs.get(handler.id)
        state, style = ("off", "$foreground-muted") if handler.why_not else _fared(runs)
        matcher = reveal(clean_line(handler.matcher, 40)) if handler.matcher.strip() else "*"
        name = reveal(" ".join(handler.what.split())) if is_odd(handler.what) else handler.name
        left = f"  {matcher}  {name}" if EVENTS[handler.event].matcher != "none" else f"  {name}"
        left = _fitted(left, max(4, room - cell_len(state) - 2))
        gap = " " * max(1, room - cell_len(left) - cell_len(state))
        return Content.assemble((left, "$foreground-muted" if handler.why_not else ""), gap, (state, style))

    def _show(self) -> None:
        """Show all that is known of what the cursor is on."""
        at = self.query_one(OptionList).highlighted
        row = self._rows[at] if at is not None and at < len(self._rows) else None
        lines: list[Content] = []
        if row is not None and row.problem is not None:
            lines = [
                Content.styled(reveal(row.problem.text), "$text-warning"),
                _place(row.problem.file, row.problem.line),
            ]
        elif row is not None and row.handler is not None:
            lines = list(_details(row.handler, self._runs.get(row.handler.id)))
        box = self.query_one("#details")
        box.query_one(Static).update(Content("\n").join(lines))
        box.scroll_home(animate=False)

    @on(OptionList.OptionHighlighted)
    def _moved(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self._show()

    @on(OptionList.OptionSelected)
    def _take(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self._show()

    def action_details(self) -> None:
        """Go to the details, to scroll them, or back to the list."""
        options, box = self.query_one(OptionList), self.query_one("#details")
        self.set_focus(options if box.has_focus or not self._rows else box)

    def action_close(self) -> None:
        self.dismiss(None)


def _rows(report: HooksReport) -> Iterator[_Row]:
    """Yield events in the order in which they happen, each with its hooks; what is wrong comes first."""
    for problem in report.problems:
        yield _Row(problem=problem)
    for event in EVENTS:
        handlers = [handler for handler in report.hooks if handler.event == event]
        if handlers:
            yield _Row(event)
            yield from (_Row(event, handler) for handler in handlers)


def _fared(runs: HookRuns | None) -> tuple[str, str]:
    if runs is None:
        return "not run yet", "$foreground-muted"
    words, style = _OUTCOMES.get(runs.outcome, (clean_line(runs.outcome, 20), ""))
    return f"{runs.count}× · {words}", style


def _details(handler: HookRow, runs: HookRuns | None) -> Iterator[Content]:
    shown = [(text, "$text-warning" if is_odd else "bold") for text, is_odd in reveal_parts(handler.what)]
    yield Content.assemble((f"{handler.type}  ", "$foreground-muted"), *shown)
    yield _place(handler.file, handler.line)
    yield Content(" · ".join(_terms(handler)))
    if handler.rule:
        yield Content(f"only for {reveal(clean_line(handler.rule))}")
    if handler.status_message:
        yield Content(f"shows “{reveal(clean_line(handler.status_message, 200))}” while it runs")
    for name, value in handler.headers:
        yield Content.styled(reveal(clean_line(f"{name}: {value}", 200)), "$foreground-muted")
    if handler.why_not:
        yield Content.styled(f"Does not run: {reveal(handler.why_not)}.", "$text-warning")
    for note in handler.notes:
        yield Content.styled(f"{note}.", "$text-warning")
    if runs is not None:
        words, style = _OUTCOMES.get(runs.outcome, (runs.outcome, ""))
        yield Content.assemble(
            f"Ran {count(runs.count, 'time')}; last: ", (words, style), f" after {duration(runs.ms)}"
        )
        if runs.message:
            yield Content.styled(reveal(clean_line(runs.message, 300)), style)


def _terms(handler: HookRow) -> Iterator[str]:
    event = EVENTS[handler.event]
    if event.matcher != "none":
        yield (f"for {reveal(clean_line(handler.matcher, 100))}" if handler.matcher.strip(" *") else "for everything")
    yield f"at most {handler.limit_s:g} s"
    if handler.is_async:
        yield "in the background; tells the model when it blocks" if handler.wakes else "in the background"
    if handler.blocks_on_failure:
        yield "blocks on failure"
    if handler.shell != "sh":
        yield f"run by {handler.shell}"
    elif handler.has_arguments:
        yield "run without a shell"


def _place(file: str, line: int) -> Content:
    return Content.styled(f"{reveal(short_path(file, 200))}:{line}", "$foreground-muted")


def _fitted(text: str, room: int) -> str:
    return Content(text).truncate(room, ellipsis=True).plain
