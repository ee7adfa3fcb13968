"""The last lines that a server has said: on its error output, and in messages for the log. Bounded, whatever comes."""

from __future__ import annotations

from collections import deque
from typing import Final

from tui_agent.text import clean_line

__all__ = ["LogTail"]

_MOST_LINES: Final = 200
_LONGEST_LINE: Final = 500  # characters that are kept of one
_LONGEST_PART: Final = 8192  # of a line without an end


class LogTail:
    """Keeps the end of what is written. Lines are cleaned: they are foreign text."""

    def __init__(self) -> None:
        self._lines: deque[str] = deque(maxlen=_MOST_LINES)
        self._part = ""

    def write(self, text: str) -> None:
        """Take text as it comes; a line may come in pieces."""
        *whole, self._part = (self._part + text[-_MOST_LINES * _LONGEST_PART :]).split("\n")
        for line in whole[-_MOST_LINES:]:
            self.line(line)
        if len(self._part) > _LONGEST_PART:
            self.line(self._part)
            self._part = ""

    def line(self, text: str) -> None:
        """Take one line."""
        if cleaned := clean_line(text, _LONGEST_LINE):
            self._lines.append(cleaned)

    @property
    def lines(self) -> tuple[str, ...]:
        """The newest lines, oldest first."""
        part = clean_line(self._part, _LONGEST_LINE)
        return (*self._lines, part) if part else tuple(self._lines)
