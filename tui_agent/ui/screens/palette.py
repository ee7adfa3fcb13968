"""The command palette: everything that can be done, found by a few letters, with the key that does it beside it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, ClassVar, Final

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.types import CSSPathType
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from tui_agent.text import clean_line
from tui_agent.ui.dialogs.dialog import Dialog
from tui_agent.ui.dialogs.dialog_box import YIELDS, DialogBox
from tui_agent.ui.prompting.palette_search import found
from tui_agent.ui.styles_path import style_sheet
from tui_agent.ui.widgets.field import Field
from tui_agent.ui.widgets.key_line import KeyLine

if TYPE_CHECKING:
    from tui_agent.ui.prompting.palette_search import PaletteEntry

__all__ = ["PaletteScreen"]

_MOST: Final = 200  # entries that are listed
_KIND_ROOM: Final = 9  # columns


class PaletteScreen(Dialog["PaletteEntry | None"]):
    """Dismissed with the entry that was taken, or None. `more` gives entries that have to be asked for."""

    CSS_PATH: ClassVar[CSSPathType | None] = [style_sheet("dialogs"), style_sheet("palette")]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Close"),
        Binding("ctrl+p", "close", "Close", show=False),
        Binding("up,ctrl+k", "move(-1)", "Up", show=False),
        Binding("down,ctrl+j", "move(1)", "Down", show=False),
        Binding("pageup", "page(-1)", "A page up", show=False),
        Binding("pagedown", "page(1)", "A page down", show=False),
    ]

    def __init__(
        self, entries: Sequence[PaletteEntry], more: Callable[[], Awaitable[Sequence[PaletteEntry]]] | None = None
    ) -> None:
        super().__init__()
        self._all = list(entries)
        self._more = more
        self._shown: list[PaletteEntry] = []

    def compose(self) -> ComposeResult:
        with DialogBox():
            yield Field(placeholder="type what you want to do", id="search")
            yield OptionList(id="list", classes=YIELDS, markup=False, compact=True)
            yield Static(id="told", markup=False)
            yield KeyLine("↑↓ choose · enter select · esc close")

    def on_mount(self) -> None:
        self.query_one("#dialog").border_title = Content("Commands")
        self.query_one(OptionList).can_focus = False
        self.set_focus(self.query_one("#search"))
        self._read()

    @work(exit_on_error=False)
    async def _read(self) -> None:
        """Bring in what has to be asked for."""
        if self._more is None:
            return
        self._all += await self._more()
        if self.is_attached:
            self._fill(keep=True)

    def on_resize(self, _event: events.Resize) -> None:
        self.call_after_refresh(self._fill, keep=True)

    def _fill(self, *, keep: bool = False) -> None:
        """List what the search finds; `keep` leaves the cursor at its place."""
        options = self.query_one(OptionList)
        at = options.highlighted if keep else 0
        hits = found(self._all, self.query_one("#search", Input).value)
        self._shown = hits[:_MOST]
        room = max(10, (options.size.width or self.app.size.width) - 2)
        options.clear_options()
        options.add_options(Option(_line(entry, room)) for entry in self._shown)
        options.highlighted = min(at or 0, len(self._shown) - 1) if self._shown else None
        rest = len(hits) - len(self._shown)
        self.query_one("#dialog").border_subtitle = Content(f"and {rest} more" if rest else "")
        self._describe()

    def _describe(self) -> None:
        """Say what the entry under the cursor does; its line may have had no room for that."""
        at = self.query_one(OptionList).highlighted
        told = clean_line(self._shown[at].words, 300) if at is not None and self._shown else ""
        if not self._shown:
            told = "No matching command."
        self.query_one("#told", Static).update(Content.styled(told, "$foreground-muted"))

    @on(Input.Changed)
    def _searched(self, event: Input.Changed) -> None:
        event.stop()
        self._fill()

    @on(OptionList.OptionHighlighted)
    def _moved(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self._describe()

    @on(OptionList.OptionSelected)
    def _clicked(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(self._shown[event.option_index])

    @on(Input.Submitted)
    def _take(self, event: Input.Submitted) -> None:
        event.stop()
        at = self.query_one(OptionList).highlighted
        if at is not None and self._shown:
            self.dismiss(self._shown[at])

    def action_move(self, step: int) -> None:
        """Move the cursor; the field keeps the focus."""
        options = self.query_one(OptionList)
        if step < 0:
            options.action_cursor_up()
        else:
            options.action_cursor_down()

    def action_page(self, step: int) -> None:
        """Move the cursor by what fits."""
        options = self.query_one(OptionList)
        (options.action_page_up if step < 0 else options.action_page_down)()  # type: ignore[no-untyped-call]

    def action_leave(self) -> None:
        """Close, whatever was searched for."""
        self.dismiss(None)

    def action_close(self) -> None:
        self.dismiss(None)


def _line(entry: PaletteEntry, room: int) -> Content:
    """Return an entry in one line: its kind, its name, what it does, and the key at the right."""
    kind = "" if room < 40 else entry.kind.ljust(_KIND_ROOM)
    key = clean_line(entry.key, 20)
    name = clean_line(entry.name, 200)
    words = f"  {clean_line(entry.words, 300)}" if entry.words and room >= 56 else ""
    left = Content.assemble((kind, "$foreground-muted"), name, (words, "$foreground-muted"))
    left = left.truncate(max(8, room - len(key) - 2), ellipsis=True)
    gap = " " * max(1, room - left.cell_length - len(key))
    return Content.assemble(left, gap, (key, "bold $text-accent"))
