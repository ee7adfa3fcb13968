"""A turn's time line as it is drawn: long stretches in which nothing was done are shortened, and marked as broken. Pure.

Work keeps its length, so that the bars of tools can be compared; who was asked something and went for lunch does not squeeze
them into a corner.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import Final

from tui_agent.ui.projection.timeline import Span, union

__all__ = ["SHORTEST_BREAK_MS", "TimeAxis"]

SHORTEST_BREAK_MS: Final = 1000.0  # a shorter stretch is drawn as long as it was
_SHARE: Final = 8  # of the work: no idle stretch is drawn longer than this part of it


class TimeAxis:
    """Maps moments of `whole` to milliseconds from the left end of what is drawn.

    Args:
        whole: from the turn's beginning to its end, or to now.
        idle: stretches in which nothing was done, in order, each longer than `SHORTEST_BREAK_MS`; others don't matter.
    """

    def __init__(self, whole: Span, idle: Iterable[Span]) -> None:
        self.start = whole[0]
        self._stop = max(whole)
        stretches = [
            (max(start, self.start), min(stop, self._stop))
            for start, stop in idle
            if min(stop, self._stop) - max(start, self.start) > SHORTEST_BREAK_MS
        ]
        work = self._stop - self.start - sum(stop - start for start, stop in stretches)
        longest = max(SHORTEST_BREAK_MS, work / _SHARE)
        self._starts: list[float] = []  # of what is shortened
        self._shortened: list[tuple[float, float, float, float]] = []  # start, stop, both as drawn
        left_out = 0.0
        for start, stop in stretches:
            if stop - start > longest:
                drawn = start - self.start - left_out
                self._starts.append(start)
                self._shortened.append((start, stop, drawn, drawn + longest))
                left_out += stop - start - longest
        self.length = self._stop - self.start - left_out
        self.left_out = left_out

    @classmethod
    def of(cls, whole: Span, work: Iterable[Span]) -> TimeAxis:
        """Return the axis on which all that is not `work` is idle."""
        edges = [whole[0]]
        for start, stop in union(work):
            edges += [start, stop]
        edges.append(whole[1])
        return cls(whole, zip(edges[::2], edges[1::2], strict=True))

    def place(self, moment: float) -> float:
        """Return where a moment is drawn; one outside of the turn is drawn at its edge."""
        moment = min(max(moment, self.start), self._stop)
        found = bisect_right(self._starts, moment) - 1
        if found < 0:
            return moment - self.start
        start, stop, drawn_start, drawn_stop = self._shortened[found]
        if moment >= stop:
            return drawn_stop + (moment - stop)
        return drawn_start + (moment - start) * (drawn_stop - drawn_start) / (stop - start)

    def span(self, span: Span) -> Span:
        """Return where a span is drawn."""
        return self.place(span[0]), self.place(span[1])

    @property
    def breaks(self) -> Sequence[float]:
        """Where the marks of what was shortened stand: the middle of each such stretch, as drawn."""
        return [(drawn_start + drawn_stop) / 2 for _, _, drawn_start, drawn_stop in self._shortened]
