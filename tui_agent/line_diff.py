"""Which lines of two texts differ, and which words of two lines.

Matching is a longest common subsequence by rapidfuzz (bit-parallel: 20,000 shuffled lines take 40 ms), imported when the
first two texts are compared. It takes a bit of memory for each pair of lines, and holds all threads up meanwhile; so long
texts are cut first at their landmarks: lines that both have once.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Final

__all__ = ["Range", "Span", "changed_lines", "changed_ranges", "common_ends", "split_lines", "word_spans"]

_WORDS: Final = re.compile(r"\w+|\s+|[^\w\s]")
_MANY_CELLS: Final = 40_000_000  # pairs of lines compared at once; all other threads stand still for as long
_MOST_CELLS: Final = 500_000_000  # the same where there are no landmarks: 60 MB
_LONGEST_WORD_DIFF: Final = 4000  # characters; a longer line (minified code) is marked whole

Span = tuple[int, int]
Range = tuple[int, int, int, int]  # old start, old stop, new start, new stop


def split_lines(text: str) -> list[str]:
    r"""Split after each `\n`, endings kept. Only `\n` ends a line, as in git; `str.splitlines` knows nine more."""
    if not text:
        return []
    lines = text.split("\n")
    last = lines.pop()
    out = [line + "\n" for line in lines]
    if last:
        out.append(last)
    return out


@lru_cache(maxsize=4096)
def word_spans(removed: str, added: str) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """Return which character ranges of two lines differ, word by word; whole lines when they have little in common."""
    if len(removed) + len(added) > _LONGEST_WORD_DIFF:
        return ((0, len(removed)),), ((0, len(added)),)
    old, new = _WORDS.findall(removed), _WORDS.findall(added)
    pairs = list(changed_ranges(old, new))
    kept = len(removed) - sum(len("".join(old[a:b])) for a, b, _, _ in pairs)
    if kept * 3 < max(len(removed), len(added)):
        return (((0, len(removed)),) if removed else ()), (((0, len(added)),) if added else ())
    return tuple(_spans(old, [(a, b) for a, b, _, _ in pairs])), tuple(_spans(new, [(c, d) for _, _, c, d in pairs]))


def _spans(words: Sequence[str], ranges: Iterable[Span]) -> Iterable[Span]:
    offsets = [0]
    for word in words:
        offsets.append(offsets[-1] + len(word))
    return ((offsets[start], offsets[stop]) for start, stop in ranges if stop > start)


def changed_ranges(old: Sequence[str], new: Sequence[str]) -> Iterable[Range]:
    """Yield the ranges in which two sequences differ, in order."""
    numbers: dict[str, int] = {}
    left = [numbers.setdefault(item, len(numbers)) for item in old]
    right = [numbers.setdefault(item, len(numbers)) for item in new]
    pending: Range | None = None
    for found in _differences(left, right, 0, 0):
        if pending and pending[1] == found[0] and pending[3] == found[2]:
            pending = (pending[0], found[1], pending[2], found[3])
            continue
        if pending:
            yield pending
        pending = found
    if pending:
        yield pending


def _differences(left: Sequence[int], right: Sequence[int], old_at: int, new_at: int) -> Iterable[Range]:
    """Yield the ranges in which two sequences differ, which begin at these positions of the whole."""
    head, tail = _same_ends(left, right)
    left, right = left[head : len(left) - tail], right[head : len(right) - tail]
    old_at, new_at = old_at + head, new_at + head
    if not left or not right:
        if left or right:
            yield old_at, old_at + len(left), new_at, new_at + len(right)
        return
    cells = len(left) * len(right)
    landmarks = _landmarks(left, right) if cells > _MANY_CELLS else []
    if landmarks:
        at = other = 0
        for place, new_place in (*landmarks, (len(left), len(right))):
            yield from _differences(left[at:place], right[other:new_place], old_at + at, new_at + other)
            at, other = place + 1, new_place + 1
        return
    if cells > _MOST_CELLS or (cells > _MANY_CELLS and set(left).isdisjoint(right)):
        yield old_at, old_at + len(left), new_at, new_at + len(right)
        return
    from rapidfuzz.distance import LCSseq  # compiled, 50 ms to import: only a process that compares files pays

    at = other = 0
    for place, new_place, size in LCSseq.editops(left, right).as_matching_blocks():  # the last one is empty, at the end
        if place > at or new_place > other:
            yield old_at + at, old_at + place, new_at + other, new_at + new_place
        at, other = place + size, new_place + size


def _landmarks(left: Sequence[int], right: Sequence[int]) -> list[tuple[int, int]]:
    """Return where items stand that each side has once, as many as are in the same order on both sides."""
    old_places, new_places = _single_places(left), _single_places(right)
    return _longest_rise([(place, new_places[item]) for item, place in old_places.items() if item in new_places])


def _single_places(items: Sequence[int]) -> dict[int, int]:
    """Return where each item stands that is there once."""
    counts = Counter(items)
    return {item: place for place, item in enumerate(items) if counts[item] == 1}


def _longest_rise(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest choice of pairs, given by rising first number, in which the second numbers rise too."""
    tops: list[int] = []  # the lowest second number that a rise of each length ends with, and the pair that has it
    ends: list[int] = []
    before: list[int] = []
    for number, (_, second) in enumerate(pairs):
        length = bisect_left(tops, second)
        before.append(ends[length - 1] if length else -1)
        tops[length : length + 1] = [second]
        ends[length : length + 1] = [number]
    chosen: list[tuple[int, int]] = []
    at = ends[-1] if ends else -1
    while at >= 0:
        chosen.append(pairs[at])
        at = before[at]
    return chosen[::-1]


def _same_ends(left: Sequence[int], right: Sequence[int]) -> tuple[int, int]:
    """Return how many items two sequences share at their start, and how many of the rest at their end."""
    head = tail = 0
    shortest = min(len(left), len(right))
    while head < shortest and left[head] == right[head]:
        head += 1
    while tail < shortest - head and left[-1 - tail] == right[-1 - tail]:
        tail += 1
    return head, tail


def changed_lines(old: Sequence[str], new: Sequence[str]) -> list[Range]:
    """Return the ranges in which two texts' lines differ, placed where a user would say they are.

    Pure insertions and deletions move down while that says the same, so that a new function starts at its own `def`.
    """
    ranges = list(changed_ranges(old, new))
    for index, (a, b, c, d) in enumerate(ranges):
        limit_old = ranges[index + 1][0] if index + 1 < len(ranges) else len(old)
        side, start, stop = (new, c, d) if a == b else (old, a, b)
        if a != b and c != d:
            continue
        moved = 0
        # one unchanged line must stay between this range and the next, or the two would touch
        while (
            b + moved + 1 < limit_old + (index + 1 == len(ranges))
            and stop + moved < len(side)
            and side[start + moved] == side[stop + moved]
        ):
            moved += 1
        ranges[index] = (a + moved, b + moved, c + moved, d + moved)
    return ranges


def common_ends(before: str, after: str) -> tuple[int, int]:
    """Return how many characters two texts share at their start, and how many of the rest at their end."""
    shortest = min(len(before), len(after))
    head = _shared(shortest, lambda at, size: before[at : at + size] == after[at : at + size])
    tail = _shared(
        shortest - head,
        lambda at, size: (
            before[len(before) - at - size : len(before) - at] == after[len(after) - at - size : len(after) - at]
        ),
    )
    return head, tail


def _shared(limit: int, is_same: Callable[[int, int], bool]) -> int:
    """Return how far `is_same(from, size)` holds, of at most `limit`: in growing steps, then in halves."""
    at, size = 0, 1 << 16
    while at < limit:
        step = min(size, limit - at)
        if is_same(at, step):
            at += step
        elif step == 1:
            break
        else:
            size = step // 2
    return at
