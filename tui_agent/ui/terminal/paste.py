"""Pastes as terminals send them, taken out of what was typed before anything in them can be read as keys.

Textual goes on looking for keys inside of a paste. An escape sequence in a pasted text would vanish there or, worse, come out
as keys that nobody has pressed. Here everything between the marks of a paste is text, cleaned in the thread that reads the
terminal, and however long it is, it comes as one event at once. What is no UTF-8 is replaced: Textual ends the program over it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from textual import events
from textual.message import Message

from tui_agent.text import clean
from tui_agent.ui.textual_patches.parser_layers import read_by, replace_undecodable

__all__ = ["Pieces", "read_pastes"]

_BEGIN: Final = "\x1b[200~"
_END: Final = "\x1b[201~"


def read_pastes() -> None:
    """Have the terminal's driver read pastes this way."""
    read_by(_parser)
    replace_undecodable()


def _parser(base: type) -> type:
    class PasteParser(base):  # type: ignore[misc]
        """Reads what the terminal sends."""

        _pieces: Pieces | None = None

        def feed(self, data: str) -> Iterable[Message]:
            if not data:  # the end
                yield from super().feed(data)
                return
            if self._pieces is None:
                self._pieces = Pieces()
            for piece, is_pasted in self._pieces.take(data):
                if is_pasted:
                    yield events.Paste(clean(piece))
                else:
                    yield from super().feed(piece)

    return PasteParser


class Pieces:
    """Parts what comes from a terminal, in chunks, into what was typed and what was pasted.

    The chunks may be cut anywhere, but for the first two letters of a mark: these may be keys, which are not kept waiting.
    """

    def __init__(self) -> None:
        self._pasted: list[str] | None = None  # while a paste comes
        self._end = ""  # the end of what came of it, as long as a mark without its last letter
        self._held = ""  # typed, but it may be the beginning of a mark

    def take(self, data: str) -> list[tuple[str, bool]]:
        """Return what is whole now, each piece with whether it was pasted. Of a paste, nothing before it has ended."""
        found: list[tuple[str, bool]] = []
        data, self._held = self._held + data, ""
        while data:
            if self._pasted is None:
                typed, mark, data = data.partition(_BEGIN)
                if mark:
                    self._pasted, self._end = [], ""
                else:
                    typed, self._held = _without_beginning(typed)
                if typed:
                    found.append((typed, False))
                continue
            seam = self._end + data
            at = seam.find(_END)
            if at < 0:
                self._pasted.append(data)
                self._end = seam[-len(_END) + 1 :]
                break
            whole = "".join(self._pasted) + data
            stop = len(whole) - len(seam) + at
            found.append((whole[:stop].replace("\0", ""), True))
            data, self._pasted = whole[stop + len(_END) :], None
        return found


def _without_beginning(typed: str) -> tuple[str, str]:
    """Part what may be the beginning of a mark from the end. Escape, or Alt and a bracket, may be keys of their own."""
    for length in range(len(_BEGIN) - 1, 2, -1):
        if typed.endswith(_BEGIN[:length]):
            return typed[:-length], typed[-length:]
    return typed, ""
