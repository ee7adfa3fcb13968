"""The motions of vi over a text, but those over words: in a line, from line to line, to brackets and characters."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Final

from rich.cells import cell_len

from tui_agent.ui.prompting.editing.offsets import first_column, is_empty_line, line_end, line_start, offset_of
from tui_agent.ui.prompting.editing.vi.targets import Motion, MotionWalk, Target
from tui_agent.ui.prompting.editing.vi.words import word_back, word_end, word_end_back, word_forward

__all__ = ["FINDS", "MOTIONS", "Find", "find", "lines_away", "vertical"]

FINDS: Final = frozenset("fFtT")
_PAIRS: Final = {"(": ")", "[": "]", "{": "}"}
_CLOSING: Final = {closing: opening for opening, closing in _PAIRS.items()}


@dataclass(frozen=True, slots=True)
class Find:
    """A search for a character in its line: one of `f F t T`, and the character."""

    name: str
    char: str

    @property
    def turned(self) -> Find:
        """The same search the other way."""
        return Find(self.name.swapcase(), self.char)


# --- in a line -------------------------------------------------------------------------------------------------------


def _left(walk: MotionWalk) -> Target | None:
    target = max(line_start(walk.text, walk.at), walk.at - walk.times)
    return Target(target) if target < walk.at or walk.is_operated else None


def _right(walk: MotionWalk) -> Target | None:
    start, end = line_start(walk.text, walk.at), line_end(walk.text, walk.at)
    target = min(walk.at + walk.times, end if walk.is_operated or walk.is_visual else max(start, end - 1))
    return Target(target) if target > walk.at or walk.is_operated else None


def _line_begin(walk: MotionWalk) -> Target:
    return Target(line_start(walk.text, walk.at))


def _first_column(walk: MotionWalk) -> Target:
    return Target(first_column(walk.text, walk.at))


def _column(walk: MotionWalk) -> Target:
    start, end = line_start(walk.text, walk.at), line_end(walk.text, walk.at)
    return Target(_in_column(walk.text, start, max(start, end - 1), walk.times - 1))


def _line_last(walk: MotionWalk) -> Target | None:
    there = lines_away(walk.text, walk.at, walk.times - 1)
    if there is None:
        return None
    end = line_end(walk.text, there)
    return Target(end if walk.is_visual else max(line_start(walk.text, there), end - 1), "inclusive")


def _last_column(walk: MotionWalk) -> Target | None:
    """Go to the last character of a line that is not blank (`g_`)."""
    there = lines_away(walk.text, walk.at, walk.times - 1)
    if there is None:
        return None
    start = line_start(walk.text, there)
    shown = walk.text[start : line_end(walk.text, there)].rstrip(" \t")
    return Target(start + max(0, len(shown) - 1), "inclusive")


def find(walk: MotionWalk, wanted: Find, *, is_again: bool = False) -> Target | None:
    """Go to a character in the line, or next to it. `is_again` does not stay where `t` has stopped before."""
    text, at = walk.text, walk.at
    start, end = line_start(text, at), line_end(text, at)
    is_till = wanted.name in "tT"
    passes = 1 if is_again and is_till and walk.times == 1 else 0
    if wanted.name in "ft":
        place = at + passes
        for _ in range(walk.times):
            place = text.find(wanted.char, place + 1, end)
            if place < 0:
                return None
        return Target(place - is_till, "inclusive")
    place = at - passes
    for _ in range(walk.times):
        place = text.rfind(wanted.char, start, max(start, place))
        if place < 0:
            return None
    return Target(place + is_till)


# --- from line to line -----------------------------------------------------------------------------------------------


def lines_away(text: str, at: int, rows: int) -> int | None:
    """Return a place `rows` lines below (above where negative), or as far as there are lines; None where there is not one."""
    if rows and (line_end(text, at) == len(text) if rows > 0 else line_start(text, at) == 0):
        return None
    for _ in range(abs(rows)):
        there = line_end(text, at) + 1 if rows > 0 else line_start(text, at) - 1
        if not 0 <= there <= len(text):
            break
        at = there
    return at


def vertical(text: str, at: int, rows: int, column: int, *, may_end: bool = False) -> Target | None:
    """Go `rows` lines down (up where negative), as far as there are any, to `column` in cells or the nearest place.

    `may_end`: that may be behind the last character, as while selecting.
    """
    there = lines_away(text, at, rows)
    if there is None:
        return None
    start, end = line_start(text, there), line_end(text, there)
    return Target(_in_column(text, start, end if may_end else max(start, end - 1), column), "linewise")


def _in_column(text: str, start: int, last: int, column: int) -> int:
    """Return the place from `start` up to `last` that is drawn in a column, in cells, or the nearest."""
    for place in range(start, last):
        column -= cell_len(text[place])
        if column < 0:
            return place
    return last


def _line_begins(walk: MotionWalk, *, direction: int, less: int = 0) -> Target | None:
    """Go to the first character that is not blank of a line below or above (`+`, `-`, `_`)."""
    there = lines_away(walk.text, walk.at, (walk.times - less) * direction)
    return None if there is None else Target(first_column(walk.text, there), "linewise")


def _line_number(walk: MotionWalk) -> Target:
    return Target(first_column(walk.text, offset_of(walk.text, (walk.times - 1, 0))), "linewise")


def _bottom(walk: MotionWalk) -> Target:
    return _line_number(walk) if walk.count else Target(first_column(walk.text, len(walk.text)), "linewise")


def _paragraph_down(walk: MotionWalk) -> Target | None:
    text, at = walk.text, walk.at
    for left in range(walk.times - 1, -1, -1):
        begin = at
        while at < len(text) and is_empty_line(text, at):
            at += 1
        while at < len(text) and not is_empty_line(text, at):
            at = min(len(text), line_end(text, at) + 1)
        if left and at == len(text) and (at == begin or not is_empty_line(text, at)):
            return None
    if at == len(text) and not is_empty_line(text, at):
        return Target(at - 1, "inclusive")
    return Target(at)


def _paragraph_up(walk: MotionWalk) -> Target | None:
    text, at = walk.text, line_start(walk.text, walk.at)
    for number in range(walk.times):
        if number and at == 0:
            return None
        while at and is_empty_line(text, at):
            at = line_start(text, at - 1)
        while at and not is_empty_line(text, at):
            at = line_start(text, at - 1)
    return Target(at)


# --- brackets --------------------------------------------------------------------------------------------------------


def _percent(walk: MotionWalk) -> Target | None:
    """Go to the bracket that belongs to the one at the cursor, or to the next in its line; with a count, into the text."""
    if walk.count:
        return _part(walk)
    text, at = walk.text, walk.at
    end = line_end(text, at)
    while at < end and text[at] not in _PAIRS and text[at] not in _CLOSING:
        at += 1
    if at >= end:
        return None
    char = text[at]
    other, step = (_PAIRS[char], 1) if char in _PAIRS else (_CLOSING[char], -1)
    depth = 0
    while 0 <= at < len(text):
        depth += (text[at] == char) - (text[at] == other)
        if depth == 0:
            return Target(at, "inclusive")
        at += step
    return None


def _part(walk: MotionWalk) -> Target | None:
    """Go to the line that is so many hundredths of the way down."""
    if walk.count > 100:
        return None
    lines = walk.text.count("\n") + 1
    row = (walk.count * lines + 99) // 100 - 1
    return Target(first_column(walk.text, offset_of(walk.text, (row, 0))), "linewise")


MOTIONS: Final[dict[str, Motion]] = {
    "h": _left, "l": _right, "0": _line_begin, "^": _first_column, "$": _line_last, "g_": _last_column, "|": _column,
    "gg": _line_number, "G": _bottom, "}": _paragraph_down, "{": _paragraph_up, "%": _percent,
    "+": partial(_line_begins, direction=1), "-": partial(_line_begins, direction=-1),
    "_": partial(_line_begins, direction=1, less=1),
    "w": partial(word_forward, is_big=False), "W": partial(word_forward, is_big=True),
    "b": partial(word_back, is_big=False), "B": partial(word_back, is_big=True),
    "e": partial(word_end, is_big=False), "E": partial(word_end, is_big=True),
    "ge": partial(word_end_back, is_big=False), "gE": partial(word_end_back, is_big=True),
}  # fmt: skip
