"""Parts of a text that operators take."""

from __future__ import annotations

from dataclasses import dataclass

from tui_agent.ui.prompting.editing.offsets import line_end, line_start
from tui_agent.ui.prompting.editing.vi.targets import Target

__all__ = ["Extent", "ViSpan", "lines", "or_lines", "taken", "without_last_start"]


@dataclass(frozen=True, slots=True)
class ViSpan:
    """A part of a text: from, up to and without; whole lines without the newline behind the last.

    `origin` is where the cursor goes if nothing is taken away; None: the start.
    """

    start: int
    stop: int
    is_lines: bool = False
    origin: int | None = None

    def of(self, text: str) -> str:
        """Return the part itself."""
        return text[self.start : self.stop]

    @property
    def rest(self) -> int:
        """Where the cursor goes if nothing is taken away."""
        return self.start if self.origin is None else self.origin


@dataclass(frozen=True, slots=True)
class Extent:
    """How much was selected, to be taken once more elsewhere: rows further down, and characters in the last."""

    rows: int
    chars: int
    is_lines: bool
    is_to_end: bool  # and the newline behind the last

    @classmethod
    def of(cls, text: str, span: ViSpan) -> Extent:
        """Return how much a part of a text is."""
        chosen = span.of(text)
        start = chosen.rfind("\n", 0, -1) + 1
        return cls(
            chosen.count("\n", 0, -1), len(chosen) - start, span.is_lines, len(chosen) > 1 and chosen[-1] == "\n"
        )

    def at(self, text: str, cursor: int) -> ViSpan:
        """Return as much of the text from the cursor on, as far as there is."""
        last = cursor
        for _ in range(self.rows):
            end = line_end(text, last)
            if end == len(text):
                break
            last = end + 1
        if self.is_lines:
            return lines(text, cursor, last)
        end = line_end(text, last)
        behind = min(end + 1, len(text))
        return ViSpan(cursor, behind if self.is_to_end or end == last else min(last + self.chars, end))


def lines(text: str, first: int, second: int, origin: int | None = None) -> ViSpan:
    """Return the lines from that of one place to that of another."""
    low, high = sorted((first, second))
    return ViSpan(line_start(text, low), line_end(text, high), is_lines=True, origin=origin)


def taken(text: str, cursor: int, target: Target) -> ViSpan:
    """Return what an operator takes between the cursor and where a motion leads."""
    start, stop = sorted((cursor, target.at))
    if target.reach == "linewise":
        return lines(text, start, stop, start)
    if target.reach == "inclusive":
        return ViSpan(start, min(stop + 1, line_end(text, stop)))
    span = without_last_start(text, ViSpan(start, stop))
    if span.stop < stop and not text[line_start(text, start) : start].strip():
        return lines(text, start, span.stop, start)
    return span


def without_last_start(text: str, span: ViSpan) -> ViSpan:
    """Leave alone the line before whose first character a part ends, where it begins in another one."""
    ends_at_start = span.stop > span.start and line_start(text, span.stop) == span.stop and not span.is_lines
    return ViSpan(span.start, span.stop - 1) if ends_at_start else span


def or_lines(text: str, span: ViSpan) -> ViSpan:
    """Return the whole lines where nothing but blanks would be left of more than one."""
    rest = text[line_start(text, span.start) : span.start] + text[span.stop : line_end(text, span.stop)]
    is_whole = "\n" in span.of(text) and not rest.strip()
    return lines(text, span.start, span.stop) if is_whole else span
