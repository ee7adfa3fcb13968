"""A list over the conversation with what is known of the entry under the cursor, beside it or below.

Whoever makes one of it says what is found, how an entry looks in a line, and what there is to say of it. What is typed searches
where there is a search field, which then has the focus from the start; up, down and Enter always mean the list.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final, Generic, TypeVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.types import CSSPathType
from textual.widget import Widget
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from tui_agent.ui.dialogs.dialog import Dialog
from tui_agent.ui.dialogs.dialog_box import DialogBox
from tui_agent.ui.styles_path import style_sheet
from tui_agent.ui.widgets.field import Field
from tui_agent.ui.widgets.key_line import KeyLine

__all__ = ["Browser"]

EntryT = TypeVar("EntryT")
AnswerT = TypeVar("AnswerT")

BESIDE: Final = 100  # columns from which the details stand beside the list
MOST: Final = 500  # entries that are listed; a search finds the others


class _List(OptionList):
    """The list. It says when its width has changed: its lines are made for that."""

    class Resized(Message):
        """It has another size."""

    def on_resize(self, _event: events.Resize) -> None:
        self.post_message(self.Resized())


class Browser(Dialog[AnswerT], Generic[EntryT, AnswerT]):
    """Override `found`, `line`, `details` and `chosen`; call `refill` when what is found has changed.

    `TITLE`, `KEYS` and `EMPTY` are its words; `SEARCH` is what the search field asks for, empty: there is none.
    """

    CSS_PATH: ClassVar[CSSPathType | None] = [style_sheet("dialogs"), style_sheet("browsers")]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Close"),
        Binding("up", "move(-1)", "Up", show=False),
        Binding("down", "move(1)", "Down", show=False),
        Binding("pageup", "page(-1)", "A page up", show=False),
        Binding("pagedown", "page(1)", "A page down", show=False),
        Binding("tab", "details", "Read the details, or go back", priority=True),
    ]
    TITLE = ""
    KEYS: ClassVar[str] = "↑↓ choose · esc close"
    EMPTY: ClassVar[str] = "Nothing here."
    SEARCH: ClassVar[str] = ""

    def __init__(self) -> None:
        super().__init__()
        self.entries: Sequence[EntryT] = ()
        self._query = ""

    # --- what there is, said by whoever makes one of it --------------------------------------------------------------

    def found(self, query: str) -> Sequence[EntryT]:
        """Return the entries that a search finds; an empty one finds all."""
        raise NotImplementedError

    def line(self, entry: EntryT, room: int) -> Content:
        """Return an entry in one line of at most `room` columns."""
        raise NotImplementedError

    def details(self, entry: EntryT, room: int) -> Content:
        """Return what there is to say of an entry, for `room` columns."""
        raise NotImplementedError

    def head(self, room: int) -> Content | None:
        """Return what stands above the list; None: nothing."""

    async def chosen(self, entry: EntryT) -> None:
        """The user pressed Enter on an entry, or clicked it. Keys behind that one wait until this is done."""

    def moved(self, entry: EntryT) -> None:
        """The cursor is on an entry."""

    def first(self) -> int:
        """Return the place of the entry that the cursor starts at."""
        return 0

    # --- building ----------------------------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        with DialogBox():
            if self.SEARCH:
                yield Field(placeholder=self.SEARCH, id="search")
            yield Static(id="head", markup=False)
            with Container(id="halves"):
                yield _List(id="list", markup=False, compact=True)
                with VerticalScroll(id="details"):
                    yield Static(id="text", markup=False)
            yield from self.more()
            yield KeyLine(self.KEYS)

    def more(self) -> ComposeResult:
        """Yield what stands between the list and the keys."""
        yield from ()

    def on_mount(self) -> None:
        self.query_one("#dialog").border_title = Content(self.TITLE)
        self.set_focus(self._home)
        self.refill(self.first())

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.width >= BESIDE, "-beside")

    @on(_List.Resized)
    def _resized(self) -> None:
        self.refill()

    # --- the list ----------------------------------------------------------------------------------------------------

    @property
    def current(self) -> EntryT | None:
        """The entry under the cursor."""
        at = self.query_one(OptionList).highlighted
        return self.entries[at] if at is not None and at < len(self.entries) else None

    def refill(self, at: int | None = None) -> None:
        """List what is found, for the room there is; the cursor stays with its entry, or goes to the one at `at`."""
        options = self.query_one(OptionList)
        before, place = self.current, options.highlighted or 0
        found = self.found(self._query)
        self.entries = found[:MOST]
        room = max(10, (options.size.width or self.app.size.width) - 2)
        # What moved the cursor here is this, and no wish of the user's.
        with options.prevent(OptionList.OptionHighlighted):
            options.clear_options()
            options.add_options(Option(self.line(entry, room)) for entry in self.entries)
            if at is None:
                at = next((number for number, entry in enumerate(self.entries) if entry == before), place)
            options.highlighted = min(at, len(self.entries) - 1) if self.entries else None
        rest = len(found) - len(self.entries)
        self.query_one("#dialog").border_subtitle = Content(f"and {rest:,} more: search" if rest else self.count())
        head = self.head(max(10, self.query_one("#head").size.width or room))
        self.query_one("#head").display = head is not None
        if head is not None:
            self.query_one("#head", Static).update(head)
        self.show_details()

    def count(self) -> str:
        """Return how many entries there are, in words; empty: nothing is said."""
        return ""

    def show_details(self) -> None:
        """Say what there is to say of the entry under the cursor."""
        box = self.query_one("#details")
        room = max(10, box.size.width - 2)
        entry = self.current
        nothing = "No matches." if self._query.strip() else self.EMPTY
        text = Content.styled(nothing, "$foreground-muted") if entry is None else self.details(entry, room)
        box.query_one(Static).update(text)
        box.scroll_home(animate=False)
        if entry is not None:
            self.moved(entry)

    def show_message(self, words: str) -> None:
        """Put words in the place of the keys, until the cursor moves or something is searched."""
        self.query_one("#keys", Static).update(Content.styled(words, "$text-warning"))

    def _show_keys(self) -> None:
        self.query_one("#keys", Static).update(self.KEYS)

    @on(OptionList.OptionHighlighted)
    def _moved(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self._show_keys()
        self.show_details()

    @on(OptionList.OptionSelected)
    async def _taken(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if event.option_index < len(self.entries):
            await self.chosen(self.entries[event.option_index])

    # --- keys --------------------------------------------------------------------------------------------------------

    @on(Input.Changed, "#search")
    def _search(self, event: Input.Changed) -> None:
        event.stop()
        self._query = event.value.strip().lstrip("/")  # which many press to search, and need not here
        self._show_keys()
        self.refill(0)

    @on(Input.Submitted, "#search")
    async def _searched(self, event: Input.Submitted) -> None:
        event.stop()
        entry = self.current
        if entry is not None:
            await self.chosen(entry)

    @property
    def _home(self) -> Widget:
        """What has the focus unless the details are read."""
        return self.query_one("#search") if self.SEARCH else self.query_one(OptionList)

    def action_page(self, step: int) -> None:
        """Move the cursor by what fits, wherever the focus is; in the details, scroll them."""
        box = self.query_one("#details")
        if box.has_focus:
            (box.action_page_up if step < 0 else box.action_page_down)()
            return
        self._show_keys()
        options = self.query_one(OptionList)
        (options.action_page_up if step < 0 else options.action_page_down)()  # type: ignore[no-untyped-call]

    def action_move(self, step: int) -> None:
        """Move the cursor, wherever the focus is."""
        box = self.query_one("#details")
        if box.has_focus:
            box.scroll_relative(y=step, animate=False)
            return
        options = self.query_one(OptionList)
        self._show_keys()  # where there is one entry only, the cursor stays
        if step < 0:
            options.action_cursor_up()
        else:
            options.action_cursor_down()

    def action_details(self) -> None:
        """Go to the details, to scroll them, or back to the list."""
        box = self.query_one("#details")
        self.set_focus(self._home if box.has_focus or not box.display else box)

    def action_leave(self) -> None:
        """Leave, whatever was searched for."""
        self.close()

    def close(self) -> None:
        """Leave without an answer."""
        self.dismiss(None)
