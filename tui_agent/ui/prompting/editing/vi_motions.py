"""The motions of vi over a text: from an offset to another, and how an operator takes what lies between.

The offset of a newline, or of the text's end, is the place behind a line's last character. A cursor that rests is never there,
unless the line is empty; on its way a motion may be.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from tui_agent.ui.prompting.editing.places import first_column, is_empty_line, kind, line_end, line_start

__all__ = ["FINDS", "MOTIONS", "Find", "Target", "change_word", "find", "match_bracket", "vertical"]

Reach = Literal["exclusive", "inclusive", "linewise"]
FINDS: Final = frozenset("fFtT")
_PAIRS: Final = {"(": ")", "[": "]", "{": "}"}
_CLOSING: Final = {closing: opening for opening, closing in _PAIRS.items()}


@dataclass(frozen=True, slots=True)
class Target:
    """Where a motion leads, and what an operator takes of the way: with its end, without it, or whole lines."""

    at: int
    reach: Reach = "exclusive"


@dataclass(frozen=True, slots=True)
class Find:
    """A search for a character in its line: one of `f F t T`, and the character."""

    name: str
    char: str

    @property
    def turned(self) -> Find:
        """The same search the other way."""
        return Find(self.name.swapcase(), self.char)


Motion = Callable[[str, int, int, bool], Target | None]
"""Text, offset, count, and whether an operator waits for it; None where it leads nowhere."""


def _left(text: str, at: int, count: int, _is_operated: bool) -> Target | None:
    target = max(line_start(text, at), at - count)
    return Target(target) if target < at else None


def _right(text: str, at: int, count: int, is_operated: bool) -> Target | None:
    end = line_end(text, at)
    target = min(at + count, end if is_operated else max(line_start(text, at), end - 1))
    return Target(target) if target > at else None


def vertical(text: str, at: int, rows: int, column: int) -> Target | None:
    """Go `rows` lines down (up where negative), as far as there are any, to `column` or the nearest place.

    None where there is not one.
    """
    if rows and (line_end(text, at) == len(text) if rows > 0 else line_start(text, at) == 0):
        return None
    for _ in range(abs(rows)):
        there = line_end(text, at) + 1 if rows > 0 else line_start(text, at) - 1
        if not 0 <= there <= len(text):
            break
        at = there
    start, end = line_start(text, at), line_end(text, at)
    return Target(min(start + column, max(start, end - 1)), "linewise")


def _line_begin(text: str, at: int, _count: int, _is_operated: bool) -> Target:
    return Target(line_start(text, at))


def _first_column(text: str, at: int, _count: int, _is_operated: bool) -> Target:
    return Target(first_column(text, at))


def _line_last(text: str, at: int, count: int, _is_operated: bool) -> Target | None:
    for _ in range(count - 1):
        end = line_end(text, at)
        if end == len(text):
            return None
        at = end + 1
    start, end = line_start(text, at), line_end(text, at)
    return Target(max(start, end - 1), "inclusive") if end > start else Target(start)


def _line_number(text: str, count: int) -> Target:
    at = 0
    for _ in range(count - 1):
        end = line_end(text, at)
        if end == len(text):
            break
        at = end + 1
    return Target(first_column(text, at), "linewise")


def _top(text: str, _at: int, count: int, _is_operated: bool) -> Target:
    return _line_number(text, count)


def _bottom(text: str, _at: int, count: int, _is_operated: bool) -> Target:
    return _line_number(text, count) if count else Target(first_column(text, len(text)), "linewise")


# --- words -----------------------------------------------------------------------------------------------------------


def _forward(*, is_big: bool) -> Motion:
    def move(text: str, at: int, count: int, is_operated: bool) -> Target | None:
        begin = at
        for left in range(count - 1, -1, -1):
            ends_with_line = (
                is_operated and not left
            )  # an operator on the last word of a line leaves the next one alone
            was = kind(text, at, is_big=is_big)
            if at == len(text):
                break
            at += 1
            if ends_with_line and (text[at - 1] == "\n" or _is_line_end(text, at)):
                break
            while was and at < len(text) and kind(text, at, is_big=is_big) == was:
                at += 1
            while at < len(text) and kind(text, at, is_big=is_big) == 0 and not is_empty_line(text, at):
                if ends_with_line and text[at] == "\n":
                    break
                at += 1
        return Target(at) if at > begin else None

    return move


def _backward(*, is_big: bool) -> Motion:
    def move(text: str, at: int, count: int, _is_operated: bool) -> Target | None:
        begin = at
        for _ in range(count):
            if at == 0:
                break
            at -= 1
            while at and kind(text, at, is_big=is_big) == 0 and not is_empty_line(text, at):
                at -= 1
            here = kind(text, at, is_big=is_big)
            while here and at and kind(text, at - 1, is_big=is_big) == here:
                at -= 1
        return Target(at) if at < begin else None

    return move


def _word_end(*, is_big: bool, may_stay: bool = False) -> Motion:
    """Return the motion to the end of a word; `may_stay` where the cursor is at the end of one already."""

    def move(text: str, at: int, count: int, is_operated: bool) -> Target | None:
        begin = at
        for number in range(count):
            was = kind(text, at, is_big=is_big)
            if at >= len(text):
                break
            at += 1
            if not (was and kind(text, at, is_big=is_big) == was):
                if was and may_stay and number == 0:
                    at -= 1
                    continue
                while at < len(text) and kind(text, at, is_big=is_big) == 0:
                    at += 1
                if at == len(text) and is_empty_line(text, at):
                    break
            here = kind(text, at, is_big=is_big)
            while here and at < len(text) and kind(text, at, is_big=is_big) == here:
                at += 1
            at -= 1
        return Target(at, "inclusive") if at > begin or may_stay or is_operated else None

    return move


def change_word(name: str) -> Motion:
    """Return what `cw` and `cW` take: a word without the blanks behind it, and on blanks these."""
    to_end = _word_end(is_big=name == "W", may_stay=True)

    def move(text: str, at: int, count: int, is_operated: bool) -> Target | None:
        return (to_end if kind(text, at) else MOTIONS[name])(text, at, count, is_operated)

    return move


def _is_line_end(text: str, at: int) -> bool:
    return at == len(text) or text[at] == "\n"


# --- paragraphs, brackets, characters --------------------------------------------------------------------------------


def _paragraph_down(text: str, at: int, count: int, _is_operated: bool) -> Target | None:
    begin = at
    for _ in range(count):
        while at < len(text) and is_empty_line(text, at):
            at += 1
        while at < len(text) and not is_empty_line(text, at):
            at = min(len(text), line_end(text, at) + 1)
    if at == len(text) and not is_empty_line(text, at):
        return Target(at - 1, "inclusive")
    return Target(at) if at > begin else None


def _paragraph_up(text: str, at: int, count: int, _is_operated: bool) -> Target | None:
    begin, at = at, line_start(text, at)
    for _ in range(count):
        while at and is_empty_line(text, at):
            at = line_start(text, at - 1)
        while at and not is_empty_line(text, at):
            at = line_start(text, at - 1)
    return Target(at) if at < begin else None


def match_bracket(text: str, at: int, _count: int = 1, _is_operated: bool = False) -> Target | None:
    """Go to the bracket that belongs to the one at the cursor, or to the next in its line."""
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


def find(text: str, at: int, count: int, wanted: Find, *, is_again: bool = False) -> Target | None:
    """Go to a character in the line, or next to it. `is_again` does not stay where `t` has stopped before."""
    start, end = line_start(text, at), line_end(text, at)
    is_till = wanted.name in "tT"
    if wanted.name in "ft":
        place = at + (1 if is_again and is_till and count == 1 else 0)
        for _ in range(count):
            place = text.find(wanted.char, place + 1, end)
            if place < 0:
                return None
        return Target(place - is_till, "inclusive")
    place = at - (1 if is_again and is_till and count == 1 else 0)
    for _ in range(count):
        place = text.rfind(wanted.char, start, max(start, place))
        if place < 0:
            return None
    return Target(place + is_till)


MOTIONS: Final[dict[str, Motion]] = {
    "h": _left, "l": _right, "0": _line_begin, "^": _first_column, "$": _line_last, "gg": _top, "G": _bottom,
    "w": _forward(is_big=False), "W": _forward(is_big=True), "b": _backward(is_big=False), "B": _backward(is_big=True),
    "e": _word_end(is_big=False), "E": _word_end(is_big=True), "}": _paragraph_down, "{": _paragraph_up, "%": match_bracket,
}  # fmt: skip
