"""One-cell stand-ins for characters that no terminal shows, while a text with them is edited.

A text area paints what it holds. A control character, or one that hides or reorders others, would reach the terminal by it, and
the widget would count its width wrongly; spelling it out would let a user delete half of a character. So each such character
is held as one private character while it is edited, painted as a mark, and given back when the text is read.
"""

from __future__ import annotations

from typing import Final

from tui_agent.text import is_odd, reveal

__all__ = ["ODD_MARK", "TAB_MARK", "Placeholders", "places"]

TAB_MARK: Final = "⇥"
ODD_MARK: Final = "◆"
_FIRST: Final = 0x10F000  # in a plane nobody writes in; what a text holds of it is held by stand-ins too
_LAST: Final = 0x10FFFD


class Placeholders:
    """The stand-ins of one text. Line breaks stand for themselves."""

    def __init__(self) -> None:
        self._of: dict[str, str] = {}
        self._for: dict[str, str] = {}

    def hide(self, text: str) -> str:
        """Return `text` with a stand-in for each character that would not show, as long as before."""
        return "".join(map(self._stand_in, text))

    def restore(self, text: str) -> str:
        """Return the text that `hide` was given, as it was changed since."""
        return "".join(self._for.get(character, character) for character in text)

    def mark(self, character: str) -> str:
        """Return how to paint one character of a hidden text: itself, unless it is a stand-in."""
        real = self._for.get(character)
        return character if real is None else TAB_MARK if real == "\t" else ODD_MARK

    def _stand_in(self, character: str) -> str:
        if not _needs_one(character):
            return character
        found = self._of.get(character)
        if found is None:
            found = chr(_FIRST + len(self._of))
            self._of[character], self._for[found] = found, character
        return found


def _needs_one(character: str) -> bool:
    return character == "\t" or (character != "\n" and is_odd(character)) or _FIRST <= ord(character) <= _LAST


def places(text: str, limit: int = 3) -> str:
    """Return where a text has characters that do not show, and which: `⟨RLO⟩ in line 1, column 9`; empty where none is."""
    found: list[str] = []
    total = 0
    for number, line in enumerate(text.split("\n"), 1):
        for column, character in enumerate(line, 1):
            if character != "\t" and is_odd(character):
                total += 1
                if len(found) < limit:
                    where = f"line {number}, column {column}" if "\n" in text else f"column {column}"
                    found.append(f"{reveal(character)} in {where}")
    return ", ".join(found) + (f" and {total - len(found)} more" if total > len(found) else "")
