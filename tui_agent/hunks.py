"""The hunks of a change: where two texts differ, line by line, and how that is written as a unified diff."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Final, Literal

from tui_agent.line_diff import changed_lines, common_ends, split_lines

__all__ = ["DiffLine", "Hunk", "hunks_between", "unified"]

CONTEXT_LINES: Final = 3
_MANY_LINES: Final = 20_000


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line of a hunk: kept (` `), removed (`-`) or added (`+`). `text` holds its line ending, if it has one."""

    kind: Literal[" ", "-", "+"]
    text: str


@dataclass(frozen=True, slots=True)
class Hunk:
    """One place that changes. `before_start` and `after_start` are 0-based line numbers of its first changed line.

    `lead` and `trail` are up to three unchanged lines around it, for showing; they are not part of what is replaced and
    may overlap with those of the next hunk.
    """

    before_start: int
    after_start: int
    lines: tuple[DiffLine, ...]
    lead: tuple[str, ...] = ()
    trail: tuple[str, ...] = ()

    @property
    def removed(self) -> tuple[str, ...]:
        """The lines that were there, with their endings."""
        return tuple(line.text for line in self.lines if line.kind != "+")

    @property
    def added(self) -> tuple[str, ...]:
        """The lines that come in their place, with their endings."""
        return tuple(line.text for line in self.lines if line.kind != "-")

    def count(self, kind: Literal["-", "+"]) -> int:
        """Return how many lines are removed or added."""
        return sum(1 for line in self.lines if line.kind == kind)


def hunks_between(before: str, after: str) -> tuple[Hunk, ...]:
    """Compare two texts. What they share at both ends is passed over whole: a small change in a large file stays cheap."""
    start, end = common_ends(before, after)
    # back to the start of the line, and over the lines shown before the first change; forward likewise after the last
    for _ in range(CONTEXT_LINES + 1):
        start = before.rfind("\n", 0, max(0, start - 1)) + 1
    cut = len(before) - end
    for _ in range(CONTEXT_LINES + 1):
        cut = before.find("\n", cut) + 1 or len(before)
    end = len(before) - cut
    old, new = split_lines(before[start:cut]), split_lines(after[start : len(after) - end])
    skipped = before.count("\n", 0, start)
    with _without_garbage_collection() if len(old) + len(new) > _MANY_LINES else nullcontext():
        hunks = tuple(_hunks(old, new, skipped))
    if end and hunks and len(old) + skipped - hunks[-1].before_start - len(hunks[-1].removed) < CONTEXT_LINES:
        return tuple(_hunks(split_lines(before), split_lines(after)))  # it slid to where only the whole text will do
    return hunks


_paused = 0
_was_on = True  # before the first of those who want it off now
_pausing: Final = threading.Lock()


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Look for no garbage meanwhile: each search through hundreds of thousands of new lines would stop every thread."""
    global _paused, _was_on
    with _pausing:
        _was_on = _was_on if _paused else gc.isenabled()
        _paused += 1
        gc.disable()
    try:
        yield
    finally:
        with _pausing:
            _paused -= 1
            if _was_on and not _paused:
                gc.enable()


def _hunks(old: Sequence[str], new: Sequence[str], skipped: int = 0) -> Iterable[Hunk]:
    """Yield the hunks between two texts as lines; `skipped` equal lines before them are in neither list."""
    for a, b, c, d in changed_lines(old, new):
        lines = [DiffLine("-", line) for line in old[a:b]] + [DiffLine("+", line) for line in new[c:d]]
        yield Hunk(
            before_start=a + skipped,
            after_start=c + skipped,
            lines=tuple(lines),
            lead=tuple(old[max(0, a - CONTEXT_LINES) : a]),
            trail=tuple(old[b : b + CONTEXT_LINES]),
        )


def unified(hunks: Sequence[Hunk]) -> str:
    """Return hunks with their context as unified diff text, from the first `@@`."""
    return "".join(line for group in _group(hunks) for line in _section(group))


def _group(hunks: Sequence[Hunk]) -> Iterable[list[Hunk]]:
    """Put hunks whose context lines meet into one `@@` section, as unified diffs want it."""
    group: list[Hunk] = []
    for hunk in hunks:
        if group:
            last = group[-1]
            gap = hunk.before_start - (last.before_start + len(last.removed))
            if gap > len(last.trail) + len(hunk.lead) or gap > 2 * CONTEXT_LINES:
                yield group
                group = []
        group.append(hunk)
    if group:
        yield group


def _section(group: Sequence[Hunk]) -> list[str]:
    first, last = group[0], group[-1]
    body: list[tuple[str, str]] = [(" ", line) for line in first.lead]
    for index, hunk in enumerate(group):
        body += [(line.kind, line.text) for line in hunk.lines]
        if index + 1 < len(group):
            following = group[index + 1]
            gap = following.before_start - (hunk.before_start + len(hunk.removed))
            between = [*hunk.trail[:gap], *following.lead[len(following.lead) - max(0, gap - len(hunk.trail)) :]]
            body += [(" ", line) for line in between[:gap]]
    body += [(" ", line) for line in last.trail]
    old = sum(1 for kind, _ in body if kind != "+")
    new = sum(1 for kind, _ in body if kind != "-")
    old_start = first.before_start - len(first.lead)
    new_start = first.after_start - len(first.lead)
    header = f"@@ -{_range(old_start, old)} +{_range(new_start, new)} @@\n"
    return [
        header,
        *(kind + (text if text.endswith("\n") else text + "\n\\ No newline at end of file\n") for kind, text in body),
    ]


def _range(start: int, count: int) -> str:
    """Write a range as unified diffs do: 1-based, an empty one named by the line before it."""
    return f"{start + 1 if count else start},{count}"
