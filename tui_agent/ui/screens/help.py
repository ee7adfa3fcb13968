"""A screen of short lines in sections: all keys, read from the bindings themselves so that it cannot say what is not so; or how
things stand.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar, Final

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from tui_agent.ui.dialogs.dialog import Dialog
from tui_agent.ui.dialogs.dialog_box import DialogBox
from tui_agent.ui.screen_text.sections import Section
from tui_agent.ui.widgets.field import Field
from tui_agent.ui.widgets.key_line import KeyLine

__all__ = ["HelpScreen", "drawn", "matching"]

_WIDEST: Final = 24  # columns of names; a longer one stands in a line of its own
_INDENT: Final = 2


def matching(sections: Iterable[Section], query: str) -> list[Section]:
    """Return the rows in which each word of a search stands, in the name, the words or the section's title."""
    words = query.lower().split()
    found: list[Section] = []
    for title, rows in sections:
        kept = [row for row in rows if all(word in f"{title} {row[0]} {row[1]}".lower() for word in words)]
        if kept:
            found.append((title, kept))
    return found


def drawn(sections: Sequence[Section], width: int) -> tuple[Content, dict[str, int]]:
    """Return sections as text for `width` columns, and the line at which each begins. Names are never broken."""
    lines: list[Content] = []
    begins: dict[str, int] = {}
    names = [len(name) for _, rows in sections for name, _ in rows]
    column = min(max((size for size in names if size <= _WIDEST), default=0), max(6, width // 3))
    room = max(8, width - column - 2 * _INDENT)
    for title, rows in sections:
        if lines:
            lines.append(Content(""))
        begins[title] = len(lines)
        lines.append(Content.styled(title, "bold $text-primary"))
        for name, words in rows:
            told = Content(words).wrap(room) if words else [Content("")]
            if len(name) > column:
                lines.append(Content.assemble(" " * _INDENT, (name, "bold")).truncate(width, ellipsis=True))
            else:
                lines.append(Content.assemble(" " * _INDENT, (name.ljust(column + _INDENT), "bold"), told.pop(0)))
            lines += [Content.assemble(" " * (column + 2 * _INDENT), line) for line in told]
    return Content("\n").join(lines), begins


class _Box(VerticalScroll, can_focus=False):
    """What scrolls. It says when its width has changed: what it holds is drawn for that."""

    class Resized(Message):
        """It has another size."""

    def on_resize(self, _event: events.Resize) -> None:
        self.post_message(self.Resized())


class HelpScreen(Dialog[None]):
    """Sections of names and what is to be said of them, opened at the section `at`. With `searches` what is typed filters."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Close"),
        Binding("f1,enter", "close", "Close", show=False),
        Binding("up", "scroll(-1)", "Scroll", show=False),
        Binding("down", "scroll(1)", "Scroll", show=False),
        Binding("pageup", "page(-1)", "Scroll a page", show=False),
        Binding("pagedown", "page(1)", "Scroll a page", show=False),
    ]

    def __init__(
        self, sections: Sequence[Section], title: str = "Keys", *, at: str = "", searches: bool = True
    ) -> None:
        super().__init__()
        self._title = title
        self._sections = sections
        self._at = at
        self._searches = searches

    def compose(self) -> ComposeResult:
        with DialogBox():
            if self._searches:
                yield Field(placeholder="type to search", id="search")
            with _Box(id="sections"):
                yield Static(id="text", markup=False)
            keys = "type to search · ↑↓ pgup/dn scroll · esc close" if self._searches else "↑↓ scroll · esc close"
            yield KeyLine(keys)

    def on_mount(self) -> None:
        self.query_one("#dialog").border_title = Content(self._title)
        if self._searches:
            self.set_focus(self.query_one("#search"))

    @on(_Box.Resized)
    def _resized(self) -> None:
        self._show()

    def _show(self) -> None:
        """Draw for the room there is; until the user moves, stay at where they were."""
        box = self.query_one("#sections")
        query = self.query_one("#search", Input).value if self._searches else ""
        found = matching(self._sections, query)
        text, begins = drawn(found, max(20, box.size.width - 2))
        if not found:
            text = Content.styled("No matches.", "$foreground-muted")
        self.query_one("#text", Static).update(text)
        if self._at in begins and not query:
            self.call_after_refresh(box.scroll_to, y=begins[self._at], animate=False, immediate=True)

    @on(Input.Changed)
    def _search(self, event: Input.Changed) -> None:
        event.stop()
        self._at = ""
        self.query_one("#sections").scroll_home(animate=False)
        self._show()

    @on(Input.Submitted)
    def _done(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_close()

    def action_scroll(self, step: int) -> None:
        """Scroll by a line, wherever the focus is."""
        self._at = ""
        self.query_one("#sections").scroll_relative(y=step, animate=False)

    def action_page(self, step: int) -> None:
        """Scroll by what fits."""
        self._at = ""
        box = self.query_one("#sections")
        box.scroll_relative(y=step * max(1, box.size.height - 2), animate=False)

    def action_leave(self) -> None:
        """Close, whatever was searched for."""
        self.dismiss(None)

    def action_close(self) -> None:
        self.dismiss(None)
