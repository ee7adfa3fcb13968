"""Selected text of a conversation: where it begins and ends, and how cells of a line and characters of a text relate.

A place is a block's position and an offset into its logical text, which has no gutters and no line breaks made for the
width; so a selection survives scrolling, resizing and new text, and what is copied is what was written.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len

from tui_agent.viewkit.view import Line, Rendered
from tui_agent.viewkit.wrap import cells_to

__all__ = ["Place", "Selection", "cell_range", "line_at", "line_of_offset", "offset_at", "word_at"]

Place = tuple[int, int]
_WORD: Final = re.compile(r"[\w./~@:+-]+|\s+|.", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Selection:
    """What is selected between two places, in whatever order they were given."""

    anchor: Place
    head: Place

    @property
    def start(self) -> Place:
        """The earlier place."""
        return min(self.anchor, self.head)

    @property
    def stop(self) -> Place:
        """The later place; the character there is not part of it."""
        return max(self.anchor, self.head)

    @property
    def is_empty(self) -> bool:
        """Whether nothing lies between the two."""
        return self.anchor == self.head

    def part(self, position: int, length: int) -> tuple[int, int] | None:
        """Return which characters of the block at `position`, whose text has `length`, are selected."""
        first, last = self.start, self.stop
        if not first[0] <= position <= last[0]:
            return None
        begin = first[1] if position == first[0] else 0
        end = min(last[1], length) if position == last[0] else length
        return (begin, end) if end > begin or first[0] < position < last[0] else None


def body_of(line: Line) -> str:
    """Return the characters of a painted line that are text."""
    text = line.text[: -line.tail] if line.tail else line.text
    return text[_index_of_cell(text, line.gutter) :].rstrip()


def offset_at(rendered: Rendered, number: int, cell: int) -> int:
    """Return the offset into the logical text of what is painted at a cell of line `number`, clamped to that line."""
    if not rendered.lines:
        return 0
    if number < 0:
        return 0
    if number >= len(rendered.lines):
        return len(rendered.text)
    line = rendered.lines[number]
    body = body_of(line)
    return line.start + _index_of_cell(body, cell - line.gutter)


def cell_range(line: Line, start: int, stop: int) -> tuple[int, int] | None:
    """Return the cells of a line at which the characters `start` to `stop` of the logical text are painted."""
    body = body_of(line)
    first, last = max(start, line.start) - line.start, min(stop, line.start + len(body)) - line.start
    if last <= first:
        return None
    begin = line.gutter + cell_len(body[:first])
    return begin, begin + cell_len(body[first:last])


def line_of_offset(rendered: Rendered, offset: int) -> int:
    """Return the number of the painted line that has the character at `offset`."""
    low, high = 0, len(rendered.lines)
    while low < high:
        middle = (low + high) // 2
        if rendered.lines[middle].start <= offset:
            low = middle + 1
        else:
            high = middle
    return max(0, low - 1)


def word_at(text: str, offset: int) -> tuple[int, int]:
    """Return the start and stop of the word, path or address around `offset`."""
    begin = text.rfind("\n", 0, offset) + 1
    for match in _WORD.finditer(text, begin):
        if match.end() > offset:
            return match.span()
    return offset, offset


def line_at(text: str, offset: int) -> tuple[int, int]:
    """Return the start and stop of the line around `offset`, however it is wrapped."""
    stop = text.find("\n", offset)
    return text.rfind("\n", 0, offset) + 1, len(text) if stop < 0 else stop


def _index_of_cell(text: str, cell: int) -> int:
    """Return the index of the sign that is painted at a cell."""
    return cells_to(text, 0, max(0, cell))
