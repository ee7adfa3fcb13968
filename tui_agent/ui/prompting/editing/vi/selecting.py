"""What is being selected: from where to the cursor, by characters or by lines."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tui_agent.ui.prompting.editing.offsets import line_start
from tui_agent.ui.prompting.editing.vi.objects import BRACKETS, QUOTES, text_object
from tui_agent.ui.prompting.editing.vi.spans import ViSpan, lines

__all__ = ["ViSelection"]


@dataclass(frozen=True, slots=True)
class ViSelection:
    """Where selecting began and how: the cursor, which may stand behind the end of a line, is its other end."""

    anchor: int
    is_lines: bool = False

    def span(self, text: str, cursor: int) -> ViSpan:
        """Return what is selected."""
        if self.is_lines:
            return self.rows(text, cursor)
        first, last = sorted((min(self.anchor, len(text)), cursor))
        return ViSpan(first, min(last + 1, len(text)))

    def rows(self, text: str, cursor: int) -> ViSpan:
        """Return the lines of which something is selected."""
        anchor = min(self.anchor, len(text))
        span = lines(text, anchor, cursor)
        is_upward = line_start(text, cursor) < line_start(text, anchor)
        return replace(span, origin=cursor) if is_upward else span

    def widened(self, text: str, cursor: int, name: str, count: int) -> tuple[ViSelection, int]:
        """Return the selection with an object more, and the cursor. It begins anew where it is of one character only."""
        if self.anchor == cursor or name[1] in QUOTES:
            found = text_object(text, cursor, name, count)
        elif name[1] in ("w", "W", "p"):
            return self._further(text, cursor, name, count)
        else:
            found = self._around(text, cursor, name, count)
        if found is None or (found.start == found.stop and not found.is_lines):
            return self, cursor
        is_inner = name[0] == "i" and name[1] in BRACKETS
        is_block = is_inner and text[found.start - 1] == text[found.stop : found.stop + 1] == "\n"
        return ViSelection(found.start, found.is_lines), found.stop if is_block else _last(text, found)

    def _further(self, text: str, cursor: int, name: str, count: int) -> tuple[ViSelection, int]:
        """Go on over the objects behind."""
        stop = self.span(text, cursor).stop
        begin = stop + (text[stop : stop + 1] == "\n")
        found = text_object(text, begin, name, count) if cursor >= self.anchor and begin < len(text) else None
        if found is None or found.stop <= stop:
            return self, cursor
        return replace(self, is_lines=found.is_lines), _last(text, found)

    def _around(self, text: str, cursor: int, name: str, count: int) -> ViSpan | None:
        """Return the innermost object that takes more than is selected."""
        chosen = self.span(text, cursor)
        names = ("it", "at") if name == "it" else (name,)  # tags come right after what stands between them
        larger = (
            found
            for found in _outwards(text, chosen.start, names)
            if found.start <= chosen.start and found.stop >= chosen.stop and found != chosen
        )
        return next(itertools.islice(larger, count - 1, None), None)


def _last(text: str, span: ViSpan) -> int:
    """Return where the cursor stands that has a part selected."""
    return line_start(text, span.stop) if span.is_lines else span.stop - 1


def _outwards(text: str, at: int, names: Sequence[str]) -> Iterator[ViSpan]:
    """Yield the objects of these names around a place, from the inside out."""
    for outer in itertools.count(1):
        for name in names:
            if (found := text_object(text, at, name, outer)) is None:
                return
            yield found
