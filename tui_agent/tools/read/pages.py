"""Which lines of a text one read shows: all that are asked for where they fit the conversation, else a first page of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

__all__ = ["LINE_CHARS", "Filled", "TextPage", "fill", "page_of"]

LINE_CHARS: Final = 2000  # shown of a longer line, where not everything that is asked for fits
_STRIDE: Final = 1 << 18


@dataclass(frozen=True, slots=True)
class TextPage:
    """Some lines of a file as they are shown, without their endings. `start` is the 1-based number of the first.

    `total` is how many lines the file has, None where it was too large to count. `has_more` says that lines follow in the file,
    `is_complete` that all lines that were asked for are there, `is_cut` that some are shown only in part.
    """

    lines: tuple[str, ...]
    start: int
    total: int | None
    has_more: bool
    is_complete: bool = True
    is_cut: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether the file is shown from its first line to its last."""
        return self.total == 0 or (self.start == 1 and bool(self.lines) and not self.has_more)

    @property
    def last(self) -> int:
        """The 1-based number of the last line."""
        return self.start + len(self.lines) - 1

    def numbered(self) -> str:
        """Return the lines as the model gets them: number, tab, text."""
        return "\n".join(f"{number}\t{line}" for number, line in enumerate(self.lines, self.start))


@dataclass(frozen=True, slots=True)
class Filled:
    """The lines of a page, and whether some of them are cut."""

    lines: tuple[str, ...]
    is_cut: bool


def page_of(text: str, offset: int, limit: int | None, budget: int) -> TextPage:
    """Return the page of a whole text that begins at line `offset` (1-based): `limit` lines, or all to the end (None).

    Where they do not fit `budget` characters as the model gets them, lines over `LINE_CHARS` are cut, and the page ends
    where the budget does, but not before its first line.
    """
    total = text.count("\n") + (0 if not text or text.endswith("\n") else 1)
    if offset > total:
        return TextPage((), offset, total, has_more=False)
    at = _start_of(text, offset - 1)
    wanted = min(total - offset + 1, limit or total)
    filled = fill(_lines(text, at, budget), offset, wanted, budget, budget)
    if len(filled.lines) < wanted or filled.is_cut:
        filled = fill(_lines(text, at, LINE_CHARS), offset, wanted, budget, LINE_CHARS)
    shown = len(filled.lines)
    return TextPage(filled.lines, offset, total, offset - 1 + shown < total, shown == wanted, filled.is_cut)


def fill(lines: Iterable[tuple[str, int]], start: int, wanted: int, budget: int, longest: int) -> Filled:
    """Take up to `wanted` lines, as many as fit `budget` characters but at least one, each cut to `longest` characters.

    Each of `lines` is its text, of which no more than is shown needs to be there, and its real length.
    """
    out: list[str] = []
    used = 0
    is_cut = False
    for number, (text, length) in enumerate(islice(lines, wanted), start):
        if cut := length > longest:
            hint = f"; offset={number} limit=1 shows all of it" if longest < length <= budget else ""
            text = f"{text[:longest]}… [line cut: {longest:,} of {length:,} characters{hint}]"
        used += len(text) + len(str(number)) + 2
        if out and used > budget:
            break
        out.append(text)
        is_cut = is_cut or cut
    return Filled(tuple(out), is_cut)


def _lines(text: str, at: int, longest: int) -> Iterator[tuple[str, int]]:
    """Yield the lines from position `at` on, without endings: no more than `longest` characters of each, and its length."""
    while at < len(text):
        stop = text.find("\n", at)
        stop = stop if stop >= 0 else len(text)
        end = stop - 1 if stop > at and text[stop - 1] == "\r" else stop
        yield text[at : min(end, at + longest)], end - at
        at = stop + 1


def _start_of(text: str, number: int) -> int:
    """Return where line `number` (0-based), which there is, begins. Counts in strides: a search for each line is slow."""
    at = 0
    while number:
        newlines = text.count("\n", at, at + _STRIDE)
        if newlines < number:
            number -= newlines
            at += _STRIDE
            continue
        for _ in range(number):
            at = text.find("\n", at) + 1
        number = 0
    return at
