"""What is typed between the beginning and the end of INSERT, and over the text with `R`."""

from __future__ import annotations

from dataclasses import dataclass

from tui_agent.ui.prompting.editing.offsets import is_line_end, line_start
from tui_agent.ui.prompting.editing.vi.changes import LONGEST, overtyped
from tui_agent.ui.prompting.editing.vi.steps import ViStep

__all__ = ["ReplaceTyping", "Typing"]


@dataclass(frozen=True, slots=True)
class Typing:
    """INSERT, from its beginning: text and cursor then, and how often what is typed is wanted.

    `in_lines`: each time in a line of its own. `indent`: so many characters before the cursor were put there for the user,
    and go again when nothing is typed behind.
    """

    text: str
    cursor: int
    count: int = 1
    in_lines: bool = False
    indent: int = 0

    def typed(self, text: str) -> str:
        """Return what was typed to make this text of that at the beginning; nothing where it was more than typing."""
        before, behind = self.text[: self.cursor], self.text[self.cursor :]
        is_plain = len(text) >= len(self.text) and text.startswith(before) and text.endswith(behind)
        return text[len(before) : len(text) - len(behind)] if is_plain else ""

    def ended(self, text: str, cursor: int) -> ViStep:
        """Return the text at the end, with what was typed as often as it is wanted."""
        typed = self.typed(text)
        if not typed and text == self.text and cursor == self.cursor and self.indent:
            start = cursor - self.indent
            return ViStep(text[:start] + text[cursor:], start)
        if not typed or self.count == 1 or len(typed) * self.count >= LONGEST:
            return ViStep(text, cursor)
        if self.in_lines:
            begin = line_start(text, self.cursor)
            more = ("\n" + text[begin : self.cursor] + typed) * (self.count - 1)
        else:
            more = typed * (self.count - 1)
        at = self.cursor + len(typed)
        return ViStep(text[:at] + more + text[at:], at + len(more))


class ReplaceTyping:
    """Typing over the text, from its beginning to its end. What was typed over comes back by going back over it."""

    def __init__(self, text: str, cursor: int, count: int) -> None:
        self._text, self._cursor, self._count = text, cursor, count
        self._under: list[str] = []  # what each character typed stands in the place of
        self._typed = ""

    def take(self, key: str, text: str, cursor: int) -> ViStep:
        """Take a key: a character is written, and going back takes back; others are for whoever holds the text."""
        if (text, cursor) != (self._text, self._cursor):  # something else has changed the text, or moved the cursor
            self._under.clear()
            self._typed = ""
        if key in ("backspace", "\x7f"):
            step = self._back(text, cursor)
        elif len(key) == 1:
            under = "" if is_line_end(text, cursor) else text[cursor]
            self._under.append(under)
            self._typed += key
            step = ViStep(text[:cursor] + key + text[cursor + len(under) :], cursor + 1)
        else:
            step = ViStep(text, cursor, is_taken=False)
        self._text, self._cursor = step.text, step.cursor
        return step

    def typed(self, text: str) -> str:
        """Return what was typed last without anything between."""
        return self._typed if text == self._text else ""

    def ended(self, text: str, cursor: int) -> ViStep:
        """Return the text at the end, with what was typed as often as it is wanted."""
        typed = self.typed(text)
        if not typed or len(typed) * self._count >= LONGEST:
            return ViStep(text, cursor)
        return overtyped(text, cursor, typed * (self._count - 1))

    def _back(self, text: str, cursor: int) -> ViStep:
        if not self._under:
            return ViStep(text, max(0, cursor - 1))
        under, self._typed = self._under.pop(), self._typed[:-1]
        return ViStep(text[: cursor - 1] + under + text[cursor:], cursor - 1)
