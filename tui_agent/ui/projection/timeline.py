"""When things ran: arithmetic on spans of time, in milliseconds on the events' monotonic clock."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["Span", "length", "overlap", "union"]

Span = tuple[float, float]


def union(spans: Iterable[Span]) -> list[Span]:
    """Return the same time as spans that neither touch nor overlap, in order; empty and backward ones vanish."""
    merged: list[Span] = []
    for start, stop in sorted(span for span in spans if span[1] > span[0]):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], stop))
        else:
            merged.append((start, stop))
    return merged


def length(spans: Iterable[Span]) -> float:
    """Return the summed length of the spans; what two of them share counts twice."""
    return sum(stop - start for start, stop in spans if stop > start)


def overlap(left: Sequence[Span], right: Sequence[Span]) -> list[Span]:
    """Return what two lists of spans, each as `union` gives them, have in common."""
    common: list[Span] = []
    i = j = 0
    while i < len(left) and j < len(right):
        start, stop = max(left[i][0], right[j][0]), min(left[i][1], right[j][1])
        if stop > start:
            common.append((start, stop))
        if left[i][1] < right[j][1]:
            i += 1
        else:
            j += 1
    return common
