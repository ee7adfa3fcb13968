"""Sums over spans of time, worked out the simple way, to compare with."""

from __future__ import annotations

from collections.abc import Iterable

from tui_agent.ui.projection.timeline import Span, length, overlap, union

__all__ = ["time_saved"]


def time_saved(runs: Iterable[Span], stream: Iterable[Span]) -> float:
    """Return the time that early start and concurrency saved, against running one by one after the reply had ended.

    `runs` is when tools really ran, waiting for a user left out; `stream` is when the model was talking.
    """
    ran = list(runs)
    together = union(ran)
    return length(ran) - length(together) + length(overlap(together, union(stream)))
