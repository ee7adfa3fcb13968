"""Text that streams in, as lines that are written when they are whole: broken at blanks, never inside a word that fits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from tui_agent.text import clean

__all__ = ["LineStream", "wrapped"]

_LEAD: Final = re.compile(r"\s*(?:[-*+•]\s+|\d{1,3}[.)]\s+|>\s?)?")
_DEEPEST: Final = 16
_FENCE: Final = re.compile(r"\s*(```|~~~)")
_HELD: Final = 100_000  # characters of one line without a break; nobody waits for more


class LineStream:
    """Takes pieces of Markdown and gives its lines, cleaned. `width` is that of the terminal, 0 for lines of any length.

    What stands in a block of code is never broken.
    """

    def __init__(self, width: int) -> None:
        self._width = width
        self._rest = ""
        self._is_code = False

    def feed(self, text: str) -> Iterator[str]:
        """Take more text and yield the lines that are whole by now."""
        self._rest += text
        *whole, self._rest = self._rest.split("\n")
        for line in whole:
            yield from self._line(line)
        if len(self._rest) > _HELD:
            yield from self.end()

    def end(self) -> Iterator[str]:
        """Yield what is left of a last line without an end."""
        rest, self._rest = self._rest, ""
        if rest:
            yield from self._line(rest)

    def _line(self, line: str) -> Iterator[str]:
        line = clean(line).rstrip()
        if _FENCE.match(line):
            self._is_code = not self._is_code
        if self._is_code or line.lstrip().startswith("|"):
            yield from line.split("\n")
        else:
            yield from wrapped(line, self._width)


def wrapped(text: str, width: int) -> Iterator[str]:
    """Yield a line in pieces of at most `width` characters, broken at blanks; what follows a list's mark stays below it."""
    for line in text.split("\n"):
        lead = _LEAD.match(line)
        indent = " " * min(len(lead[0]) if lead else 0, _DEEPEST)
        while width > 0 and len(line) > width:
            cut = line.rfind(" ", len(indent) + 1, width + 1)
            if cut <= 0 or not line[:cut].strip():
                cut = line.find(" ", width)
            if cut < 0:
                break
            yield line[:cut].rstrip()
            line = indent + line[cut:].lstrip()
        yield line
