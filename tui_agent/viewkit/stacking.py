"""Views put together of others, each line drawn when it is looked at: several one below the other, or one stepping back."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import overload

from rich.segment import Segment
from rich.style import Style

from tui_agent.viewkit.view import Hit, Line, Palette, Rendered

__all__ = ["stack", "stepping_back"]


def stack(parts: Sequence[Rendered]) -> Rendered:
    """Return the parts as one. Their lines must not become more later."""
    parts = [part for part in parts if len(part.lines)]
    lines = _Stacked(parts)
    hits = [
        Hit(first + hit.line, hit.start, hit.stop, hit.action, hit.argument)
        for part, first in zip(parts, lines.first, strict=False)
        for hit in part.hits
    ]
    return Rendered(lines, hits, "\n".join(part.text for part in parts))


def stepping_back(rendered: Rendered, palette: Palette) -> Rendered:
    """Return the same in one quiet colour on the pane's own ground: what was meant to happen and did not.

    Not the colours made dim, which can fall below what can be read.
    """
    return Rendered(_SteppingBack(rendered.lines, palette.faint), rendered.hits, rendered.text)


class _SteppingBack(Sequence[Line]):
    def __init__(self, lines: Sequence[Line], style: Style) -> None:
        self._lines = lines
        self._style = style

    def __len__(self) -> int:
        return len(self._lines)

    @overload
    def __getitem__(self, index: int) -> Line: ...
    @overload
    def __getitem__(self, index: slice) -> list[Line]: ...
    def __getitem__(self, index: int | slice) -> Line | list[Line]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        line = self._lines[index]
        segments = tuple(Segment(text, self._style) for text, _, _ in line.segments)
        return Line(segments, line.start, line.gutter)


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
            length += len(part.text) + 1
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
