"""A text area whose places are offsets: how many characters stand before them."""

from __future__ import annotations

from textual.widgets import TextArea
from textual.widgets.text_area import Location, Selection

from tui_agent.ui.prompting.editing.offsets import location_of, offset_of

__all__ = ["OffsetTextArea"]


class OffsetTextArea(TextArea):
    """Reads and changes its text by offsets."""

    @property
    def at(self) -> int:
        """The offset of the cursor."""
        return self.offset_at(self.cursor_location)

    def offset_at(self, location: Location) -> int:
        """Return how many characters stand before a row and column."""
        return offset_of(self.text, location)

    def selected_range(self) -> tuple[int, int]:
        """Return from where to where is selected."""
        first, second = map(self.offset_at, self.selection)
        return min(first, second), max(first, second)

    def go_to(self, at: int, *, is_selecting: bool = False) -> None:
        """Put the cursor at an offset; `is_selecting` keeps the other end of the selection."""
        location = location_of(self.text, at)
        self.selection = Selection(self.selection.start if is_selecting else location, location)
        self.record_cursor_width()

    def rewrite(self, text: str, at: int) -> None:
        """Make the text this one, with the cursor at an offset. What is the same at both ends is left alone."""
        old = self.text
        if text != old:
            first = _common(old, text)
            last = _common(old[first:][::-1], text[first:][::-1])
            self.history.checkpoint()
            self.replace(
                text[first : len(text) - last],
                location_of(old, first),
                location_of(old, len(old) - last),
                maintain_selection_offset=False,
            )
            self.history.checkpoint()
        self.go_to(at)


def _common(first: str, second: str) -> int:
    """Return how many characters two texts begin with alike."""
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        if first[:middle] == second[:middle]:
            low = middle
        else:
            high = middle - 1
    return low
