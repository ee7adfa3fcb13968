"""The list that opens above the prompt: what could be meant by what is being typed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from tui_agent.text import clean_line, is_odd, reveal
from tui_agent.ui.prompting.completion_row import CompletionRow
from tui_agent.ui.render_style import muted

__all__ = ["Completions"]

_MOST_SHOWN: Final = 10
_ROWS_FREE: Final = 8  # of the screen: what the list leaves of the conversation, with the prompt and the lines round it
_LEFT: Final = 2  # columns of the mark before a name
_GAP: Final = 3  # columns between a name and its words


class Completions(Widget):
    """Names with words on them, one of them marked. It lies over the conversation, so that opening it moves nothing.

    More than fit are moved through: the list scrolls with the mark.
    """

    class Taken(Message):
        """The user clicked a name."""

        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

    def __init__(self) -> None:
        super().__init__()
        self._rows: Sequence[CompletionRow] = ()
        self._note = ""
        self._current = 0
        self._first = 0  # the first row that is shown
        self.display = False

    @property
    def is_open(self) -> bool:
        """Whether there is something to take."""
        return bool(self._rows)

    @property
    def current(self) -> str:
        """The marked name; empty where none is."""
        return self._rows[self._current].name if 0 <= self._current < len(self._rows) else ""

    @property
    def names(self) -> list[str]:
        """All names that are offered."""
        return [row.name for row in self._rows]

    def offer(self, rows: Sequence[CompletionRow], *, note: str = "", is_marked: bool = True) -> None:
        """Show these; none, and no note, closes the list. Without `is_marked` none of them is marked, until one is moved to."""
        if list(rows) == list(self._rows) and note == self._note:
            return
        self._rows, self._note = tuple(rows), note
        self._current, self._first = (0 if is_marked else -1), 0
        self.display = bool(rows) or bool(note)
        self.fit()
        self.refresh()

    def fit(self) -> None:
        """Take as much room as there is and as is needed."""
        height = self._shown + bool(self._foot) + self.gutter.height
        self.styles.height = height
        self.styles.offset = (0, -height)

    @property
    def _shown(self) -> int:
        return min(len(self._rows), _MOST_SHOWN, max(3, self.app.size.height - _ROWS_FREE))

    @property
    def _foot(self) -> str:
        """What stands below the names: which of them these are, where there are more than fit, and the note."""
        shown = self._shown
        if shown >= len(self._rows):
            return self._note
        where = f"{self._first + 1}-{self._first + shown} of {len(self._rows)}"
        return f"{where} · {self._note}" if self._note else where

    def move(self, step: int) -> None:
        """Mark the next name, or the one before, round the ends."""
        if self._rows:
            self._current = 0 if self._current < 0 and step > 0 else (self._current + step) % len(self._rows)
            shown = self._shown
            self._first = min(max(self._first, self._current - shown + 1), self._current)
            self.refresh()

    def get_content_width(self, container: object, viewport: object) -> int:  # noqa: ARG002
        """Return how wide the list would be with all that is offered, so that scrolling it does not change its width."""
        widest = max((_width(row) for row in self._rows), default=0)
        words = max((cell_len(row.words) + _GAP for row in self._rows if row.words), default=0)
        return max(_LEFT + widest + words, cell_len(self._foot) + _LEFT)

    def render(self) -> Content:
        quiet = muted(self.app)
        rows = self._rows[self._first : self._first + self._shown]
        room = max(8, self.size.width - _LEFT)
        widest = min(room, max((_width(row) for row in self._rows), default=0))
        lines = []
        for number, row in enumerate(rows, self._first):
            is_current = number == self._current
            name = _name(row, room, is_current=is_current)
            line = Content.assemble(("❯ " if is_current else "  ", "$text-accent"), name)
            if row.words:
                line = Content.assemble(line, " " * (widest - name.cell_length + _GAP), (row.words, quiet))
            line = line.truncate(self.size.width, ellipsis=True)
            if is_current:
                line = line.pad_right(max(0, self.size.width - line.cell_length)).stylize("on $boost")
            lines.append(line)
        if self._foot:
            lines.append(Content.styled(f"  {self._foot}", quiet))
        return Content("\n").join(lines)

    def on_click(self, event: events.Click) -> None:
        """Take the name under the mouse."""
        row = event.get_content_offset_capture(self).y + self._first
        if 0 <= row < len(self._rows):
            event.stop()
            self.post_message(self.Taken(self._rows[row].name))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self.move(1)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self.move(-1)


def _width(row: CompletionRow) -> int:
    return cell_len(reveal(row.name) if is_odd(row.name) else row.name)


def _name(row: CompletionRow, room: int, *, is_current: bool) -> Content:
    """Return a name with the letters that were typed marked; of a long one the end counts."""
    style = "bold" if is_current else ""
    if is_odd(row.name):
        return Content.styled(clean_line(reveal(row.name)), style).truncate(room, ellipsis=True)
    cut = 0
    if cell_len(row.name) > room:
        while cell_len(row.name[cut:]) > room - 1:
            cut += 1
    shown = Content.styled(("…" if cut else "") + row.name[cut:], style)
    for mark in row.marks:
        at = mark - cut + bool(cut)
        if at >= bool(cut):
            shown = shown.stylize("bold underline $text-accent", at, at + 1)
    return shown
