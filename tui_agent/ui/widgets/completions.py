"""The list that opens above the prompt: what could be meant by what is being typed."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from tui_agent.ui.looks import muted

__all__ = ["Completions"]


class Completions(Widget):
    """Names with words on them, one of them marked. It lies over the conversation, so that opening it moves nothing."""

    class Taken(Message):
        """The person clicked a name."""

        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

    def __init__(self) -> None:
        super().__init__()
        self._rows: Sequence[tuple[str, str]] = ()
        self._current = 0
        self.display = False

    @property
    def is_open(self) -> bool:
        """Whether the list is shown."""
        return bool(self._rows)

    @property
    def current(self) -> str:
        """The marked name."""
        return self._rows[self._current][0] if self._rows else ""

    def offer(self, rows: Sequence[tuple[str, str]]) -> None:
        """Show these names with their words; none closes the list."""
        if list(rows) == list(self._rows):
            return
        self._rows, self._current = tuple(rows), 0
        self.display = bool(rows)
        self.styles.height = len(rows) + self.gutter.height
        self.styles.offset = (0, -len(rows) - self.gutter.height)
        self.refresh()

    def move(self, step: int) -> None:
        """Mark the next name, or the one before, round the ends."""
        if self._rows:
            self._current = (self._current + step) % len(self._rows)
            self.refresh()

    def render(self) -> Content:
        widest = max((len(name) for name, _ in self._rows), default=0)
        lines = []
        for number, (name, words) in enumerate(self._rows):
            is_current = number == self._current
            lines.append(
                Content.assemble(
                    ("❯ " if is_current else "  ", "$text-accent"),
                    (name.ljust(widest), "bold" if is_current else ""),
                    (f"   {words}", muted(self.app)),
                )
            )
        return Content("\n").join(lines)

    def on_click(self, event: events.Click) -> None:
        """Take the name under the mouse."""
        row = event.get_content_offset_capture(self).y
        if 0 <= row < len(self._rows):
            event.stop()
            self.post_message(self.Taken(self._rows[row][0]))
