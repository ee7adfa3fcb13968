"""Characters that nobody sees and that cut a secret in two: colour codes, NUL as in UTF-16, blanks without width, bytes that
are no text. And what a terminal or a shell makes one word of: letters struck over, returns, lines that go on in the next one.

What looks for secrets gets the text without them, and what was found is carried over to the text as it is.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final

__all__ = ["VisibleText", "broken_parts", "has_unseen", "rejoined"]

_SIGNS: Final = (
    "\0\x1b\x7f\x9b\u00ad\u061c\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e"
    "\u2060\u2061\u2062\u2063\u2066\u2067\u2068\u2069\ufeff\ufffd"
)
_ASCII_SIGNS: Final = tuple(filter(str.isascii, _SIGNS))
_ONE: Final = r"\0\x7f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2063\u2066-\u2069\ufeff\ufffd\udc80-\udcff"
_CODES: Final = r"(?:\x1b\[|\x9b)[0-9;:]{0,40}(?:[A-Za-z]|\Z)|\x1b\]8;[^\x07\x1b\n]{0,2000}(?:\x07|\x1b\\|\Z)|\x1b\Z"
_UNSEEN: Final = re.compile(rf"{_CODES}|[{_ONE}]+")
# A character struck over, a return to the beginning of the line, and a line that goes on in the next one, each within a word.
_WORD: Final = "[A-Za-z0-9_+/=.~-]"
_REJOINED: Final = re.compile(rf"{_CODES}|[^\n\x08]\x08|[\x08{_ONE}]+|(?<={_WORD})(?:\r(?!\n)|\\\r?\n)(?={_WORD})")
_STRUCK_ONLY: Final = re.compile(rf"{_CODES}|[\x08{_ONE}]+|(?<={_WORD})(?:\r(?!\n)|\\\r?\n)(?={_WORD})")
# Each begins with the sign itself, which is found fast.
_BREAKS: Final = tuple(
    (sign, re.compile(rule))
    for sign, rule in (
        ("\x08", r"\x08"),
        ("\r", rf"\r(?!\n)(?<={_WORD}{{4}}\r)(?={_WORD}{{4}})"),
        ("\\\n", rf"\\\n(?<={_WORD}{{4}}\\\n)(?={_WORD}{{4}})"),
        ("\\\r\n", rf"\\\r\n(?<={_WORD}{{4}}\\\r\n)(?={_WORD}{{4}})"),
    )
)
_AROUND: Final = 400  # characters around such a break in which a broken word lies


def has_unseen(text: str) -> bool:
    """Whether such characters stand in a text."""
    if text.isascii():
        return any(sign in text for sign in _ASCII_SIGNS)
    return any(sign in text for sign in _SIGNS) or _has_escaped_bytes(text)


def _has_escaped_bytes(text: str) -> bool:
    """Whether bytes that are no UTF-8 stand in a text, as surrogates. To write it is the fastest way to know."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def broken_parts(text: str) -> list[tuple[int, int]]:
    """Return the parts of a text in which words may be broken up by what a terminal, or a shell, puts together again."""
    places = sorted(
        found.start()
        for sign, rule in _BREAKS
        if sign in text and (sign != "\r" or text.count("\r") != text.count("\r\n"))
        for found in rule.finditer(text)
    )
    parts: list[tuple[int, int]] = []
    for at in places:
        if parts and at - _AROUND <= parts[-1][1]:
            parts[-1] = (parts[-1][0], min(len(text), at + _AROUND))
        else:
            parts.append((max(0, at - _AROUND), min(len(text), at + _AROUND)))
    return parts


def rejoined(text: str) -> Iterator[VisibleText]:
    """Yield a text with its broken words put together: what is struck over goes, or only the sign that strikes it."""
    yield VisibleText(text, _REJOINED)
    if "\x08" in text:
        yield VisibleText(text, _STRUCK_ONLY)


class VisibleText:
    """A text without them: `text`. `signs` says what else is left out."""

    def __init__(self, text: str, signs: re.Pattern[str] = _UNSEEN) -> None:
        self._original_text = text
        self._signs = signs
        self._starts: list[int] = []  # in the plain text, of each piece
        self._origins: list[int] = []
        self.text = signs.sub("", text)

    def original(self, place: int) -> int:
        """Return where in the text a character of the plain one stands."""
        if not self._starts:
            self._find_pieces()  # only now: most texts have no secret to be found again
        at = bisect_right(self._starts, place) - 1
        return self._origins[at] + place - self._starts[at]

    def _find_pieces(self) -> None:
        at = size = 0
        for found in self._signs.finditer(self._original_text):
            if found.start() > at:
                self._starts.append(size)
                self._origins.append(at)
                size += found.start() - at
            at = found.end()
        if at < len(self._original_text):
            self._starts.append(size)
            self._origins.append(at)
