"""Characters that nobody sees and that cut a secret in two: colour codes, NUL as in UTF-16, blanks without width.

What looks for secrets gets the text without them, and what was found is carried over to the text as it is.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Final

__all__ = ["VisibleText", "has_unseen"]

_SIGNS: Final = "\0\x1b\x9b\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\u2061\u2062\u2063\ufeff"
_UNSEEN: Final = re.compile(
    r"(?:\x1b\[|\x9b)[0-9;:]{0,40}(?:[A-Za-z]|\Z)|\x1b\]8;[^\x07\x1b\n]{0,2000}(?:\x07|\x1b\\|\Z)|\x1b\Z"
    r"|[\0\u00ad\u200b-\u200f\u2060-\u2063\ufeff]+"
)


def has_unseen(text: str) -> bool:
    """Whether such characters stand in a text."""
    return any(sign in text for sign in _SIGNS)


class VisibleText:
    """A text without them: `text`."""

    def __init__(self, text: str) -> None:
        self._starts: list[int] = []  # in the plain text, of each piece
        self._origins: list[int] = []
        pieces: list[str] = []
        at = size = 0
        for found in _UNSEEN.finditer(text):
            if found.start() > at:
                self._add(size, at)
                pieces.append(text[at : found.start()])
                size += found.start() - at
            at = found.end()
        if at < len(text):
            self._add(size, at)
            pieces.append(text[at:])
        self.text = "".join(pieces)

    def _add(self, start: int, origin: int) -> None:
        self._starts.append(start)
        self._origins.append(origin)

    def original(self, place: int) -> int:
        """Return where in the text a character of the plain one stands."""
        at = bisect_right(self._starts, place) - 1
        return self._origins[at] + place - self._starts[at]
