"""The text objects of vi: the word, quotation or bracket around the cursor, as the part of the text that an operator takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tui_agent.ui.prompting.editing.places import kind, line_end, line_start

__all__ = ["OBJECTS", "text_object"]

Span = tuple[int, int]  # from, up to and without
_PAIRS: Final = ("()b", "[]", "{}B", "<>")
_BRACKETS: Final = {name: names[:2] for names in _PAIRS for name in names}
_QUOTES: Final = frozenset("\"'`")
OBJECTS: Final = frozenset({"w", "W", "p", *_QUOTES, *_BRACKETS})


def text_object(text: str, at: int, name: str, count: int, *, is_around: bool) -> tuple[Span, bool] | None:
    """Return what an object takes, and whether it takes whole lines; None where there is no such object here.

    `is_around` is `a` (with the quotes, brackets or blanks around), else `i`.
    """
    if name in "wW":
        return _words(text, at, count, is_big=name == "W", is_around=is_around), False
    if name == "p":
        return _paragraphs(text, at, count, is_around=is_around), True
    span = (
        _quoted(text, at, name, is_around=is_around)
        if name in _QUOTES
        else _bracketed(text, at, _BRACKETS[name], count, is_around=is_around)
    )
    return None if span is None else (span, False)


def _run(text: str, at: int, same: Callable[[int], bool]) -> Span:
    """Return the run of places around `at`, within its line, of which `same` holds."""
    start, end = line_start(text, at), line_end(text, at)
    first = last = at
    while first > start and same(first - 1):
        first -= 1
    while last < end and same(last):
        last += 1
    return first, last


def _words(text: str, at: int, count: int, *, is_big: bool, is_around: bool) -> Span:
    def run(place: int) -> Span:
        here = kind(text, place, is_big=is_big)
        return _run(text, place, lambda other: kind(text, other, is_big=is_big) == here)

    end = line_end(text, at)
    if at >= end:
        return at, at
    first, last = run(at)
    begins_blank = kind(text, at) == 0
    if not is_around:
        for _ in range(count - 1):
            last = run(last)[1] if last < end else last
        return first, last
    for number in range(count):
        if last >= end and number:
            break
        if number:
            last = run(last)[1]
        if last < end and (begins_blank or kind(text, last) == 0):
            last = run(last)[1]
    if not begins_blank and kind(text, last - 1) != 0 and first and kind(text, first - 1) == 0:
        # No blank behind the word: those before it go instead, unless they are the line's indent.
        before = _run(text, first - 1, lambda place: kind(text, place) == 0)[0]
        first = before if before > line_start(text, at) else first
    return first, last


def _quoted(text: str, at: int, quote: str, *, is_around: bool) -> Span | None:
    start, end = line_start(text, at), line_end(text, at)
    places = [place for place in range(start, end) if text[place] == quote and not _is_escaped(text, start, place)]
    for opening, closing in zip(places[::2], places[1::2], strict=False):
        if at <= closing:
            if not is_around:
                return opening + 1, closing
            behind = closing + 1
            while behind < end and text[behind] in " \t":
                behind += 1
            while behind == closing + 1 and opening > start and text[opening - 1] in " \t":
                opening -= 1
            return opening, behind
    return None


def _is_escaped(text: str, start: int, at: int) -> bool:
    backslashes = 0
    while at - backslashes > start and text[at - backslashes - 1] == "\\":
        backslashes += 1
    return backslashes % 2 == 1


def _bracketed(text: str, at: int, pair: str, count: int, *, is_around: bool) -> Span | None:
    opening, closing = pair[0], pair[1]
    first = at if text[at : at + 1] == opening else _opening_before(text, at, opening, closing)
    if first is None and count == 1:
        first = text.find(opening, at)  # none around: the next one is meant
    for _ in range(count - 1):
        first = None if first is None else _opening_before(text, first, opening, closing)
    if first is None or first < 0:
        return None
    depth = 0
    for last in range(first, len(text)):
        depth += (text[last] == opening) - (text[last] == closing)
        if depth == 0:
            return (first, last + 1) if is_around else _without_ends(text, first + 1, last)
    return None


def _opening_before(text: str, at: int, opening: str, closing: str) -> int | None:
    """Return the opening bracket that encloses a place."""
    depth = 0
    for place in range(min(at, len(text)) - 1, -1, -1):
        depth += (text[place] == closing) - (text[place] == opening)
        if depth < 0:
            return place
    return None


def _without_ends(text: str, first: int, last: int) -> Span:
    """Leave out the newline behind an opening bracket, and the line of a closing one that has only blanks before it."""
    begin = line_start(text, last)
    if text[first : first + 1] == "\n" and begin > first and not text[begin:last].strip():
        return first + 1, max(first + 1, begin - 1)
    return first, last


def _paragraphs(text: str, at: int, count: int, *, is_around: bool) -> Span:
    def is_blank(place: int) -> bool:
        return not text[line_start(text, place) : line_end(text, place)].strip()

    def run_end(place: int) -> int:
        blank = is_blank(place)
        end = line_end(text, place)
        while end < len(text) and is_blank(end + 1) == blank:
            end = line_end(text, end + 1)
        return end

    first, blank = line_start(text, at), is_blank(at)
    while first and is_blank(first - 1) == blank:
        first = line_start(text, first - 1)
    last = run_end(at)
    for _ in range(count * 2 - 1 if is_around else count - 1):
        if last >= len(text):
            break
        last = run_end(last + 1)
    if is_around and not blank and not is_blank(last):
        while first and is_blank(first - 1):
            first = line_start(text, first - 1)
    return first, last
