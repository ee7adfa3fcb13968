"""When the tools of one turn ran and the model talked, kept up as it grows: what was saved, and when nothing was done.

Adding a run takes time in proportion to what overlaps it, and what was saved to what is still open, however many tools the turn
has used. The axis takes time in proportion to the breaks in it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence

from tui_agent.ui.projection.time_axis import SHORTEST_BREAK_MS, TimeAxis
from tui_agent.ui.projection.timeline import Span, length, overlap, union

__all__ = ["SpanSet", "TurnSpans"]


class SpanSet:
    """Moments as spans that neither touch nor overlap. `total` is their length."""

    def __init__(self) -> None:
        self.starts: list[float] = []
        self.stops: list[float] = []
        self.total = 0.0

    def add(self, span: Span) -> list[Span]:
        """Add a span and return those parts of it that were not in the set; an empty or backward one has none."""
        start, stop = span
        if stop <= start:
            return []
        first, last = bisect_left(self.stops, start), bisect_right(self.starts, stop)
        taken = list(zip(self.starts[first:last], self.stops[first:last], strict=True))
        fresh: list[Span] = []
        at = start
        for begun, ended in taken:
            if begun > at:
                fresh.append((at, begun))
            at = max(at, ended)
        if stop > at:
            fresh.append((at, stop))
        self.starts[first:last] = [min(start, taken[0][0]) if taken else start]
        self.stops[first:last] = [max(stop, taken[-1][1]) if taken else stop]
        self.total += length(fresh)
        return fresh

    def between(self, start: float, stop: float) -> list[Span]:
        """Return what of the set lies within a span."""
        first, last = bisect_right(self.stops, start), bisect_left(self.starts, stop)
        return [
            (max(begun, start), min(ended, stop))
            for begun, ended in zip(self.starts[first:last], self.stops[first:last], strict=True)
        ]


class TurnSpans:
    """Run spans of tools and spans of the model's stream, of one turn. All times are milliseconds."""

    def __init__(self) -> None:
        self._ran = 0.0  # all runs, one by one
        self._runs = SpanSet()
        self._stream = SpanSet()
        self._early = 0.0  # what of the runs lies in the stream
        self._work = SpanSet()
        self._spans: list[Span] = []
        self._counted = 0.0

    def add_run(self, run: Span) -> None:
        """A tool ran; waiting for a user is no part of it."""
        self._ran += max(0.0, run[1] - run[0])
        for start, stop in self._runs.add(run):
            self._early += length(self._stream.between(start, stop))
        self._work.add(run)

    @property
    def ran(self) -> float:
        """For how long at least one tool ran that has ended since."""
        return self._runs.total

    def add_stream(self, span: Span) -> None:
        """The model was talking."""
        for start, stop in self._stream.add(span):
            self._early += length(self._runs.between(start, stop))
        self._work.add(span)

    def saved(self, running_since: Iterable[float], stream_since: float | None, now_ms: float) -> float:
        """Return the milliseconds that early start and concurrency saved, against running one by one after the reply had ended.

        Args:
            running_since: when the runs began that are still going on.
            stream_since: when the model began to talk, if it does.
            now_ms: until when these count.
        """
        runs = [(start, now_ms) for start in running_since if start < now_ms]
        stream = [(stream_since, now_ms)] if stream_since is not None and stream_since < now_ms else []
        if not runs and not stream:
            return self._ran - self._runs.total + self._early
        since = min(start for start, _ in (*runs, *stream))
        known, talked = self._runs.between(since, now_ms), self._stream.between(since, now_ms)
        together = union([*known, *runs])
        total = self._runs.total - length(known) + length(together)
        early = self._early - length(overlap(known, talked)) + length(overlap(together, union([*talked, *stream])))
        return self._ran + length(runs) - total + early

    def time_axis(self, whole: Span, running_since: Sequence[float], stream_since: float | None) -> TimeAxis:
        """Return the turn's time line as it is drawn; `whole` ends now while the turn runs."""
        now = whole[1]
        since = min([*running_since, now if stream_since is None else stream_since])
        idle: list[Span] = []
        at = whole[0]
        for start, stop in self._spells():
            if start >= since:
                break
            if start - at > SHORTEST_BREAK_MS:
                idle.append((at, start))
            at = max(at, stop)
        if since - at > SHORTEST_BREAK_MS:
            idle.append((at, since))
        return TimeAxis(whole, idle)

    def _spells(self) -> list[Span]:
        """Return the work as spans between which there is more than a short break; counted anew when work was added."""
        if self._counted != self._work.total or not self._spans:
            self._counted, self._spans = self._work.total, []
            for start, stop in zip(self._work.starts, self._work.stops, strict=True):
                if self._spans and start - self._spans[-1][1] <= SHORTEST_BREAK_MS:
                    self._spans[-1] = (self._spans[-1][0], stop)
                else:
                    self._spans.append((start, stop))
        return self._spans
