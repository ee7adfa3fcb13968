"""The long words of a text: keys are some of them, and there are far fewer of them than of text.

Looking for two hundred beginnings in ten megabytes takes a while, and so it does in the same few words at each piece of a
text that streams. Words in prose, code and logs are short, so the long ones are put together first, and the beginnings are
looked for in those alone.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import Final

__all__ = ["LongWords"]

_SHORTEST: Final = 18  # characters that a key has at least, with its beginning
_SIGNS: Final = frozenset(b"_-+/=.~%$:{}?&!")
_TABLE: Final = bytes(97 if chr(code).isalnum() or code in _SIGNS else 32 for code in range(128)) + b" " * 128
_RUN: Final = b"a" * _SHORTEST


class LongWords:
    """The words of a text that are long enough, one to a line. `text` is looked through; `original` turns places back."""

    def __init__(self, text: str) -> None:
        self._origins: list[int] = []
        self._starts: list[int] = []
        self.text = self._joined(text)

    def _joined(self, text: str) -> str:
        data = text.encode("ascii", "replace").translate(_TABLE)  # as many bytes as the text has characters
        words: list[str] = []
        size = 0
        at = data.find(_RUN)
        while at >= 0:
            end = data.find(b" ", at + _SHORTEST)
            end = len(data) if end < 0 else end
            self._origins.append(at)
            self._starts.append(size)
            words.append(text[at:end])
            size += end - at + 1
            at = data.find(_RUN, end)
        return "\n".join(words)

    def original(self, place: int) -> int:
        """Return where in the text a place in the long words is."""
        at = bisect_right(self._starts, place) - 1
        return self._origins[at] + place - self._starts[at]

    def places(self, literal: str) -> Iterator[int]:
        """Yield where in the text a literal stands that is part of a long word."""
        at = self.text.find(literal)
        while at >= 0:
            yield self.original(at)
            at = self.text.find(literal, at + len(literal))
