"""Places in a text: lines and words around an offset.

Offsets count characters. The end of a line is where its newline is.
"""

from __future__ import annotations

from bisect import bisect
from typing import Final

__all__ = [
    "Location", "alike", "first_column", "is_empty_line", "is_line_end", "kind", "line_end", "line_start", "location_of",
    "offset_of", "word_left", "word_right",
]  # fmt: skip

Location = tuple[int, int]  # row and column, from zero
# Where scripts begin that have no blanks between words, and where they end: a word goes on as long as its script.
# The kinds are 3 Hiragana, 4 Katakana, 5 ideographs, 6 Hangul, and 2 for what is between them.
_SCRIPTS: Final = (0x3040, 0x30A0, 0x3100, 0x3300, 0xA000, 0xAC00, 0xD7A4, 0xF900, 0xFB00, 0x20000, 0x2FA20)
_KINDS: Final = (2, 3, 4, 2, 5, 2, 6, 2, 5, 2, 5, 2)


def line_start(text: str, at: int) -> int:
    """Return where the line of `at` begins."""
    return text.rfind("\n", 0, at) + 1


def line_end(text: str, at: int) -> int:
    """Return where the line of `at` ends: at its newline, or at the end of the text."""
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def first_column(text: str, at: int) -> int:
    """Return the first place of the line that is not blank; of a blank line its last character."""
    start, end = line_start(text, at), line_end(text, at)
    indent = len(text[start:end]) - len(text[start:end].lstrip())
    return start + indent if start + indent < end else max(start, end - 1)


def is_empty_line(text: str, at: int) -> bool:
    """Whether the line of `at` has no character at all."""
    return is_line_end(text, at) and (at == 0 or text[at - 1] == "\n")


def is_line_end(text: str, at: int) -> bool:
    """Whether no character of a line stands here."""
    return at == len(text) or text[at] == "\n"


def kind(text: str, at: int, *, is_big: bool = False) -> int:
    """Return what stands at a place: 0 for a blank or the end of a line, 1 for a sign, else a part of a word by its script.

    `is_big` takes everything between blanks for a word.
    """
    char = text[at : at + 1]
    if not char or char.isspace():
        return 0
    if is_big or char == "_":
        return 2
    return _KINDS[bisect(_SCRIPTS, ord(char))] if char.isalnum() else 1


def word_left(text: str, at: int, *, is_big: bool = False) -> int:
    """Return where the word before `at` begins. Signs between words are passed over, unless `is_big`."""
    while at and not _is_word(text[at - 1], is_big=is_big):
        at -= 1
    while at and _is_word(text[at - 1], is_big=is_big):
        at -= 1
    return at


def word_right(text: str, at: int) -> int:
    """Return where the word after `at` ends."""
    while at < len(text) and not _is_word(text[at], is_big=False):
        at += 1
    while at < len(text) and _is_word(text[at], is_big=False):
        at += 1
    return at


def _is_word(char: str, *, is_big: bool) -> bool:
    return not char.isspace() if is_big else char.isalnum() or char == "_"


def offset_of(text: str, location: Location) -> int:
    """Return the offset of a row and column; what lies outside is moved to the nearest place."""
    row, column = location
    start = 0
    for _ in range(row):
        end = text.find("\n", start)
        if end < 0:
            return len(text)
        start = end + 1
    return min(start + column, line_end(text, start))


def location_of(text: str, at: int) -> Location:
    """Return the row and column of an offset."""
    at = max(0, min(at, len(text)))
    return text.count("\n", 0, at), at - line_start(text, at)


def alike(first: str, second: str) -> int:
    """Return how many characters two texts begin with alike."""
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
