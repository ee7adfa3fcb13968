"""What is set, what it is, and where it comes from: a table to read, with every source of the key under the cursor."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, ClassVar, Final

from rich.cells import cell_len, set_cell_size
from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.types import CSSPathType
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from tui_agent.text import clean_line, reveal
from tui_agent.ui.dialogs.dialog import Dialog
from tui_agent.ui.dialogs.dialog_box import DialogBox
from tui_agent.ui.styles_path import style_sheet
from tui_agent.ui.widgets.key_line import KeyLine

if TYPE_CHECKING:
    from tui_agent.queries import SettingRow, SettingsReport

__all__ = ["SettingsScreen"]

_GAP: Final = 2
_MOST_PROBLEMS: Final = 3


class SettingsScreen(Dialog[None]):
    """The settings in force. Nothing is changed here: the user's editor opens files, which are read anew when they changed.

    `reload` reads them; without it no file is opened.
    """

    CSS_PATH: ClassVar[CSSPathType | None] = [style_sheet("dialogs"), style_sheet("settings")]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", "Close"),
        Binding("a", "defaults", "All keys, or those that are set"),
        Binding("e", "edit", "Open the file in your editor"),
        Binding("shift+down,ctrl+n", "read_sources(1)", "Scroll the sources down", show=False),
        Binding("shift+up,ctrl+p", "read_sources(-1)", "Scroll the sources up", show=False),
        Binding("q", "close", "Close", show=False),
    ]

    def __init__(
        self, report: SettingsReport, reload: Callable[[], Awaitable[SettingsReport | None]] | None = None
    ) -> None:
        super().__init__()
        self._report = report
        self._reload = reload
        self._has_defaults = False
        self._is_open = False  # the sources of the key under the cursor are shown
        self._rows: tuple[SettingRow, ...] = ()

    def compose(self) -> ComposeResult:
        with DialogBox():
            yield Static(id="problems", classes="warning", markup=False)
            yield Static(id="columns", classes="muted", markup=False)
            yield OptionList(markup=False, compact=True)
            with VerticalScroll(id="sources", can_focus=False):
                yield Static()
            yield KeyLine()

    def on_mount(self) -> None:
        self.query_one("#dialog").border_title = Content("Settings")
        self._show_problems()
        self._fill()
        self._show_sources()
        self.set_focus(self.query_one(OptionList))

    def on_resize(self, _event: events.Resize) -> None:
        self.call_after_refresh(self._fill)

    def _show_problems(self, besides: str = "") -> None:
        problems = self._report.problems
        lines = [reveal(clean_line(str(problem), 300)) for problem in problems[:_MOST_PROBLEMS]]
        if len(problems) > _MOST_PROBLEMS:
            lines.append(f"and {len(problems) - _MOST_PROBLEMS} more: `tui-agent doctor` lists them")
        said = self.query_one("#problems", Static)
        said.update("\n".join([besides, *lines] if besides else lines))
        said.display = bool(besides or lines)

    def _fill(self) -> None:
        """Make the table for the room there is; the cursor stays at its key."""
        options = self.query_one(OptionList)
        at = options.highlighted
        key = self._rows[at].key if at is not None and at < len(self._rows) else ""
        rows = self._report.rows + (self._report.defaults if self._has_defaults else ())
        self._rows = rows
        widths = self._widths(max(20, options.size.width - 2))
        self.query_one("#columns", Static).update(_columns(("Setting", "Value", "From"), widths))
        options.clear_options()
        options.add_options(Option(self._line(row, widths)) for row in rows)
        if rows:
            options.highlighted = next((place for place, row in enumerate(rows) if row.key == key), 0)
        else:
            self.query_one("#columns", Static).update("All settings have their default values.")

    def _widths(self, room: int) -> tuple[int, int, int]:
        """Return how many cells key, value and source get; in a narrow place the source does without."""
        key = min(max((len(row.key) for row in self._rows), default=10), max(16, room * 2 // 5))
        source = min(max((len(row.source) for row in self._rows), default=0), room // 4) if room >= 60 else 0
        return key, max(4, room - key - source - _GAP * (1 + bool(source))), source

    def _line(self, row: SettingRow, widths: tuple[int, int, int]) -> Content:
        value = ", ".join(row.parts) if row.state in {"set", "default"} else ""
        line = _columns((row.key, value, row.source), widths)
        return Content(line) if row.state == "set" else Content.styled(line, "$foreground-muted")

    def _show_sources(self) -> None:
        """Show what each source says on the key under the cursor, where that is wanted."""
        self.set_class(self._is_open, "-open")
        at = self.query_one(OptionList).highlighted
        if self._is_open and at is not None and at < len(self._rows):
            box = self.query_one("#sources")
            box.query_one(Static).update(Content("\n").join(self._told(self._rows[at])))
            box.scroll_home(animate=False)
        all_or_set = "a what is set" if self._has_defaults else "a all"
        keys = ["⇧↑↓ read"] if self._is_open else ["enter sources", all_or_set]
        keys = ["↑↓ choose", *keys] if self._rows else [all_or_set]
        keys += ["e edit"] if self._reload else []
        self.query_one("#keys", Static).update(" · ".join([*keys, "esc close"]))

    def _told(self, row: SettingRow) -> Iterator[Content]:
        yield Content.styled(clean_line(row.key), "bold")
        if row.meaning:
            yield Content.styled(row.meaning, "$foreground-muted")
        if not row.said:
            yield Content(f"{', '.join(row.parts)}, the default: no file sets it.")
        for item in row.said:
            style = "" if item.counts else "$foreground-muted"
            place = f"{item.source}, {reveal(self._near(item.file))}:{item.line}"
            yield Content.assemble(("● " if item.counts else "○ ", style), (place, style))
            for part in item.parts:
                yield Content.assemble("    ", (reveal(part), "bold" if item.counts else style))
            if item.reason:
                yield Content.styled(f"    does not count: {item.reason}", "$text-warning")

    def _near(self, file: str) -> str:
        """Return a file's name as people read it: from the project's root, or from home."""
        path = PurePath(file)
        for folder, sign in ((Path(self._report.project_root), ""), (Path.home(), "~/")):
            if path.is_relative_to(folder):
                return f"{sign}{path.relative_to(folder)}"
        return file

    @on(OptionList.OptionHighlighted)
    def _moved(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self._show_sources()

    @on(OptionList.OptionSelected)
    def _take(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self._is_open = not self._is_open
        self._show_sources()
        self.call_after_refresh(event.option_list.scroll_to_highlight)  # there may be less room for the table now

    def action_defaults(self) -> None:
        self._has_defaults = not self._has_defaults
        self._fill()
        self._show_sources()

    def action_edit(self) -> None:
        """Open the file that the key under the cursor comes from, at its line."""
        at = self.query_one(OptionList).highlighted
        row = self._rows[at] if at is not None and at < len(self._rows) else None
        found = next(iter(sorted(row.said, key=lambda item: not item.counts)), None) if row else None
        if self._reload is not None and found is not None and Path(found.file).is_file():
            self._edit(Path(found.file), found.line)
        else:
            self._show_problems("No file sets it.")

    @work(exclusive=True, exit_on_error=False)
    async def _edit(self, file: Path, line: int) -> None:
        from tui_agent.ui.terminal.editor import EditorError, open_outside

        assert self._reload is not None
        problem = ""
        try:
            await open_outside(self.app, file, line)
        except EditorError as error:
            problem = str(error)
        self._report = await self._reload() or self._report
        self._show_problems(problem)
        self._fill()
        self._show_sources()

    def action_read_sources(self, direction: int) -> None:
        """Scroll what each source says."""
        box = self.query_one("#sources")
        box.scroll_relative(y=direction * max(1, box.size.height - 2), animate=False)

    def action_back(self) -> None:
        """Close the sources, then the screen."""
        if self._is_open:
            self._is_open = False
            self._show_sources()
        else:
            self.dismiss(None)

    def action_close(self) -> None:
        self.dismiss(None)


def _columns(texts: tuple[str, str, str], widths: tuple[int, int, int]) -> str:
    """Return texts in columns of so many cells each; what is too long is cut, a column without room left out."""
    return (" " * _GAP).join(_fitted(text, width) for text, width in zip(texts, widths, strict=True) if width)


def _fitted(text: str, width: int) -> str:
    line = clean_line(text, 4 * width)
    return set_cell_size(line, width) if cell_len(line) <= width else set_cell_size(line, width - 1) + "…"
