"""The text objects of vi: the word, quotation, bracket, tag or paragraph around the cursor."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from tui_agent.ui.prompting.editing.offsets import is_empty_line, kind, line_end, line_start
from tui_agent.ui.prompting.editing.vi.spans import ViSpan
from tui_agent.ui.prompting.editing.vi.tags import tagged

__all__ = ["BRACKETS", "OBJECTS", "QUOTES", "text_object"]

Part = tuple[int, int]  # from, up to and without
_PAIRS: Final = ("()b", "[]", "{}B", "<>")
BRACKETS: Final = {name: names[:2] for names in _PAIRS for name in names}
QUOTES: Final = frozenset("\"'`")
OBJECTS: Final = frozenset({"w", "W", "p", "t", *QUOTES, *BRACKETS})


def text_object(text: str, at: int, name: str, count: int) -> ViSpan | None:
    """Return what an object takes; None where there is no such object here.

    `name` begins with `a` (with the quotes, brackets, tags or blanks around) or with `i`.
    """
    is_around, kind_of = name[0] == "a", name[1]
    if kind_of in ("w", "W"):
        part: Part | None = _words(text, at, count, is_big=kind_of == "W", is_around=is_around)
    elif kind_of == "p":
        part = _paragraphs(text, at, count, is_around=is_around)
    elif kind_of == "t":
        part = tagged(text, at, count, is_around=is_around)
    elif kind_of in QUOTES:
        part = _quoted(text, at, kind_of, count, is_around=is_around)
    else:
        part = _bracketed(text, at, BRACKETS[kind_of], count, is_around=is_around)
    return None if part is None else ViSpan(*part, is_lines=kind_of == "p")


def _run(text: str, at: int, same: Callable[[int], bool]) -> Part:
    """Return the run of places around `at`, within its line, of which `same` holds."""
    start, end = line_start(text, at), line_end(text, at)
    first = last = at
    while first > start and same(first - 1):
        first -= 1
    while last < end and same(last):
        last += 1
    return first, last


def _words(text: str, at: int, count: int, *, is_big: bool, is_around: bool) -> Part | None:
    """Return so many words, and with `is_around` the blanks behind them; without, blanks count like words."""

    def run(place: int) -> Part:
        here = kind(text, place, is_big=is_big)
        return _run(text, place, lambda other: kind(text, other, is_big=is_big) == here)

    first, last = run(at)
    begins_blank = kind(text, at) == 0
    for number in range(count):
        if number and last == len(text):
            return None
        at = last + (text[last] == "\n") if number else first  # on into the next line
        if is_around and begins_blank:
            while at < len(text) and kind(text, at) == 0 and not (at > first and is_empty_line(text, at)):
                at += 1
            if at == len(text):
                return None
        last = run(at)[1]
        if is_around and not begins_blank and kind(text, last) == 0:
            last = run(last)[1]
    if is_around and not begins_blank and kind(text, last - 1) != 0 and first and kind(text, first - 1) == 0:
        # No blank behind the word: those before it go instead, unless they are the line's indent.
        before = _run(text, first - 1, lambda place: kind(text, place) == 0)[0]
        first = before if before > line_start(text, at) else first
    return first, last


def _quoted(text: str, at: int, quote: str, count: int, *, is_around: bool) -> Part | None:
    """Return what stands between the quotes before and after a place, with `is_around` or a count with these.

    Only where a place is a quote itself the line is read from its beginning, to see whether it opens or closes.
    """
    start, end = line_start(text, at), line_end(text, at)
    if text[at : at + 1] == quote:
        part = next((pair for pair in _quotations(text, start, end, quote) if pair[0] <= at <= pair[1]), None)
    else:
        before = next((place for place in range(at - 1, start - 1, -1) if _quotes(text, start, place, quote)), None)
        opening = text.find(quote, at, end) if before is None else before
        part = next(_quotations(text, opening, end, quote), None) if opening >= 0 else None
    if part is None:
        return None
    opening, closing = part
    if not is_around:
        return (opening + 1, closing) if count == 1 else (opening, closing + 1)
    behind = closing + 1
    while behind < end and text[behind] in " \t":
        behind += 1
    while behind == closing + 1 and opening > start and text[opening - 1] in " \t":
        opening -= 1
    return opening, behind


def _quotations(text: str, start: int, end: int, quote: str) -> Iterator[Part]:
    """Yield where quotations open and close, the first of them at `start` or behind."""
    opening = text.find(quote, start, end)
    while opening >= 0:
        closing = next((place for place in range(opening + 1, end) if _quotes(text, opening + 1, place, quote)), None)
        if closing is None:
            return
        yield opening, closing
        opening = text.find(quote, closing + 1, end)


def _quotes(text: str, start: int, at: int, quote: str) -> bool:
    return text[at] == quote and not _is_escaped(text, start, at)


def _is_escaped(text: str, start: int, at: int) -> bool:
    backslashes = 0
    while at - backslashes > start and text[at - backslashes - 1] == "\\":
        backslashes += 1
    return backslashes % 2 == 1


def _bracketed(text: str, at: int, pair: str, count: int, *, is_around: bool) -> Part | None:
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


def _without_ends(text: str, first: int, last: int) -> Part:
    """Leave out the newline behind an opening bracket, and the line of a closing one that has only blanks before it."""
    begin = line_start(text, last)
    if text[first : first + 1] == "\n" and begin > first and not text[begin:last].strip():
        return first + 1, max(first + 1, begin - 1)
    return first, last


def _paragraphs(text: str, at: int, count: int, *, is_around: bool) -> Part | None:
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
    further = count * 2 - 1 if is_around else count - 1
    for number in range(further):
        if last >= len(text):
            if is_around and not blank and number == further - 1:
                break
            return None
        last = run_end(last + 1)
    if is_around and not blank and not is_blank(last):
        while first and is_blank(first - 1):
            first = line_start(text, first - 1)
    return first, last
