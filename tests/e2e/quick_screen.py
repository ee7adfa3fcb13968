"""pyte's screen, which draws and reads a character at a time, with a shorter way for text that is one cell a character."""

from __future__ import annotations

import re
from typing import Any, Final

import pyte
from pyte import charsets, modes
from pyte.screens import Char, wcwidth

__all__ = ["QuickScreen"]

# ASCII, and the lines and blocks that boxes and bars are drawn with.
_PLAIN: Final = re.compile("[ -~\u2500-\u259f]*")


class QuickScreen(pyte.Screen):
    """Shows what `pyte.Screen` shows."""

    def draw(self, data: str) -> None:
        cursor: Any = self.cursor
        if (
            self.charset
            or self.g0_charset is not charsets.LAT1_MAP
            or modes.IRM in self.mode
            or cursor.x + len(data) > self.columns
            or not _PLAIN.fullmatch(data)
        ):
            super().draw(data)
            return
        line, look = self.buffer[cursor.y], cursor.attrs[1:]
        for column, character in enumerate(data, cursor.x):
            line[column] = tuple.__new__(Char, (character, *look))
        cursor.x += len(data)
        self.dirty.add(cursor.y)

    @property
    def display(self) -> list[str]:
        return [self._line(row) for row in range(self.lines)]

    def _line(self, row: int) -> str:
        line = self.buffer[row]
        cells = [line[column].data for column in range(self.columns)]
        text = "".join(cells)
        if _PLAIN.fullmatch(text):
            return text
        shown: list[str] = []
        is_covered = False  # by the right half of the character before
        for cell in cells:
            if not is_covered:
                shown.append(cell)
            is_covered = not is_covered and cell != "" and wcwidth(cell[0]) == 2
        return "".join(shown)
