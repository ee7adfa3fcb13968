"""Views put together of others: several one below the other, one moved to the right, one stepping back.

Each line is drawn when it is looked at, and the text is put together when somebody asks for it.
"""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Sequence
from typing import overload

from rich.segment import Segment
from rich.style import Style

from tui_agent.viewkit.view import Hit, Line, Palette, Rendered

__all__ = ["indented", "stack", "stepping_back"]


def stack(parts: Sequence[Rendered]) -> Rendered:
    """Return the parts as one. Their lines must not become more later."""
    parts = [part for part in parts if len(part.lines)]
    lines = _Stacked(parts)
    hits = [
        Hit(first + hit.line, hit.start, hit.stop, hit.action, hit.argument)
        for part, first in zip(parts, lines.first, strict=False)
        for hit in part.hits
    ]
    return _StackedRendered(lines, hits, parts)


def indented(rendered: Rendered, cells: int) -> Rendered:
    """Return the same with so many blank cells before each line."""
    hits = [Hit(hit.line, hit.start + cells, hit.stop + cells, hit.action, hit.argument) for hit in rendered.hits]
    return _StackedRendered(_Indented(rendered.lines, cells), hits, (rendered,))


def stepping_back(rendered: Rendered, palette: Palette) -> Rendered:
    """Return the same in one quiet colour on the pane's own ground: what was meant to happen and did not.

    Not the colours made dim, which can fall below what can be read.
    """
    return _StackedRendered(_SteppingBack(rendered.lines, palette.faint), rendered.hits, (rendered,))


class _StackedRendered(Rendered):
    """What is made of some parts; its text is theirs, one below the other."""

    def __init__(self, lines: Sequence[Line], hits: Sequence[Hit], parts: Sequence[Rendered]) -> None:
        self.lines = lines
        self.hits = hits
        self._parts = parts

    @property
    def text(self) -> str:  # type: ignore[override]
        """The logical text."""
        return "\n".join(part.text for part in self._parts)

    @property
    def length(self) -> int:
        """How many characters the text has."""
        return sum(part.length for part in self._parts) + max(0, len(self._parts) - 1)


class _Changed(Sequence[Line]):
    """A view of other lines, each built when it is read."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self._lines = lines

    def __len__(self) -> int:
        return len(self._lines)

    @overload
    def __getitem__(self, index: int) -> Line: ...
    @overload
    def __getitem__(self, index: slice) -> list[Line]: ...
    def __getitem__(self, index: int | slice) -> Line | list[Line]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        return self._changed(self._lines[index])

    @abstractmethod
    def _changed(self, line: Line) -> Line: ...


class _SteppingBack(_Changed):
    def __init__(self, lines: Sequence[Line], style: Style) -> None:
        super().__init__(lines)
        self._style = style

    def _changed(self, line: Line) -> Line:
        segments = tuple(Segment(text, self._style) for text, _, _ in line.segments)
        return Line(segments, line.start, line.gutter)


class _Indented(_Changed):
    def __init__(self, lines: Sequence[Line], cells: int) -> None:
        super().__init__(lines)
        self._cells = cells
        self._room = Segment(" " * cells)

    def _changed(self, line: Line) -> Line:
        return Line((self._room, *line.segments), line.start, line.gutter + self._cells)


class _Stacked(Sequence[Line]):
    """The lines of all parts; what a part draws on demand stays undrawn until then."""

    def __init__(self, parts: Sequence[Rendered]) -> None:
        self._parts = parts
        self.first: list[int] = []  # each part's first line, and the number of all lines
        self._starts: list[int] = []  # each part's first character of the logical text
        lines = length = 0
        for part in parts:
            self.first.append(lines)
            self._starts.append(length)
            lines += len(part.lines)
            length += part.length + 1
        self.first.append(lines)

    def __len__(self) -> int:
        return self.first[-1]

    @overload
    def __getitem__(self, index: int) -> Line: ...
    @overload
    def __getitem__(self, index: slice) -> list[Line]: ...
    def __getitem__(self, index: int | slice) -> Line | list[Line]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        if index < 0:
            index += len(self)
        if not 0 <= index < len(self):
            raise IndexError(index)
        number = bisect_right(self.first, index) - 1
        line = self._parts[number].lines[index - self.first[number]]
        return Line(line.segments, self._starts[number] + line.start, line.gutter)
