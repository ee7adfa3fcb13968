"""Places in a text that vi has marked. They stay with the characters they were set on, however the text changes."""

from __future__ import annotations

from string import ascii_letters
from typing import Final

from tui_agent.ui.prompting.editing.offsets import alike

__all__ = ["JUMP", "Marks"]

_SETTABLE: Final = frozenset(ascii_letters)
JUMP: Final = "'"
_SAME: Final = {"`": JUMP}


class Marks:
    """The marks of one text."""

    def __init__(self) -> None:
        self._text = ""
        self._places: dict[str, int] = {}

    def clear(self) -> None:
        """Forget them: the text is another one."""
        self._text = ""
        self._places.clear()

    def set(self, name: str, at: int) -> None:
        """Mark a place; what cannot be the name of a mark marks none."""
        name = _SAME.get(name, name)
        if name in _SETTABLE or name == JUMP:
            self._places[name] = at

    def place(self, name: str) -> int | None:
        """Return where a mark is; None where there is no such mark. Where the last jump began is a mark too (`'`)."""
        return self._places.get(_SAME.get(name, name))

    def follow(self, text: str) -> None:
        """Move with the characters into what the text has become. What was marked and is gone leaves its place."""
        if text == self._text:
            return
        old, self._text = self._text, text
        if not self._places:
            return
        first = alike(old, text)
        last = alike(old[first:][::-1], text[first:][::-1])
        for name, at in self._places.items():
            if at >= len(old) - last and at >= first:
                self._places[name] = at + len(text) - len(old)
            elif at > first:
                self._places[name] = min(at, len(text) - last)
