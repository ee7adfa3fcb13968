"""Taking back what one made of a text, in what others have made of that since: place by place, where it stands as it was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tui_agent.line_diff import changed_ranges, split_lines

__all__ = ["Reversal", "reverse", "reverse_all"]


@dataclass(frozen=True, slots=True)
class Reversal:
    """The text with what could be taken back taken back; how many places that were, and how many others have changed."""

    text: str
    taken: int
    clashes: int


def reverse(first: str, left: str, now: str) -> Reversal:
    """Take the change from `first` to `left` back in `now`, which others made of `left`.

    A place is left alone where others have changed the same lines, or lines that touch them. Takes time in proportion to what
    differs; blocks.
    """
    old, mine, new = split_lines(first), split_lines(left), split_lines(now)
    theirs = list(changed_ranges(mine, new))
    out: list[str] = []
    at = shift = number = (
        0  # the next line of `new`; how much later lines of `mine` stand in it; the next of their changes
    )
    taken = clashes = 0
    for old_start, old_stop, start, stop in changed_ranges(old, mine):
        while number < len(theirs) and theirs[number][1] < start:
            shift += (theirs[number][3] - theirs[number][2]) - (theirs[number][1] - theirs[number][0])
            number += 1
        if number < len(theirs) and theirs[number][0] <= stop:
            clashes += 1
            continue
        out += new[at : start + shift]
        out += old[old_start:old_stop]
        at = stop + shift
        taken += 1
    out += new[at:]
    return Reversal("".join(_joinable(out)), taken, clashes)


def reverse_all(runs: Sequence[tuple[str, str]], now: str) -> Reversal:
    """Take several changes back in `now`, each a text before and after; between them, and since, others changed the text.

    The newest goes first, so that each is taken back where it was made. What has to be left alone of a later one is for those
    before it as if others had done it.
    """
    text, taken, clashes = now, 0, 0
    for before, after in reversed(runs):
        result = reverse(before, after, text)
        text, taken, clashes = result.text, taken + result.taken, clashes + result.clashes
    return Reversal(text, taken, clashes)


def _joinable(lines: list[str]) -> list[str]:
    """Give a line without an end one, where another now follows it."""
    last = len(lines) - 1
    return [line if at == last or line.endswith("\n") else line + "\n" for at, line in enumerate(lines)]
