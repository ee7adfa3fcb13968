"""Command patterns of rules: `npm run test *`, matched against one simple command's whole text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

__all__ = ["CommandPattern", "normalise"]

_BLANKS = re.compile(r"[ \t]+")


def normalise(text: str) -> str:
    """Return `text` with runs of blanks as one space. Only for text whose blanks separate words."""
    return _BLANKS.sub(" ", text).strip(" ")


@dataclass(frozen=True)
class CommandPattern:
    """`*` stands for any characters. ` *` at the end also matches nothing at all, so `ls *` covers `ls` but not `lsof`.

    `:*` at the end is an older way to write ` *`.
    """

    text: str
    parts: tuple[str, ...]
    is_open: bool

    @classmethod
    def parse(cls, body: str) -> CommandPattern:
        """Compile what stands in a rule's brackets."""
        text = normalise(body)
        if text.endswith(":*"):
            text = text[:-2] + " *"
        is_open = text.endswith(" *")
        return cls(text, tuple((text[:-2] if is_open else text).split("*")), is_open)

    @cached_property
    def name(self) -> str | None:
        """The first word of every command that fits, or None where it may be another one each time."""
        first, blank, _rest = self.parts[0].partition(" ")
        return first if blank or (len(self.parts) == 1 and (self.is_open or "*" not in self.text)) else None

    @property
    def is_exact(self) -> bool:
        """Whether the pattern names one command and no other."""
        return not self.is_open and len(self.parts) == 1

    def says(self, word: str) -> bool:
        """Whether a word, or an option with whatever value, stands in the pattern itself."""
        said = (one for part in self.parts for one in part.split(" "))
        return any(one == word or one.startswith(f"{word}=") for one in said)

    def matches(self, command: str) -> bool:
        """Whether the whole of a command, blanks normalised, fits."""
        if not self.is_open:
            return _fits(self.parts, command)
        return _fits(self.parts, command) or _fits((*self.parts[:-1], self.parts[-1] + " ", ""), command)

    def covers_what_begins(self, beginning: str) -> bool:
        """Whether whatever command begins with these whole words fits, however it goes on."""
        return self.is_open and len(self.parts) == 1 and f"{beginning} ".startswith(f"{self.parts[0]} ")

    def might_match(self, beginning: str) -> bool:
        """Whether some command that begins so, its rest unknown until it runs, could fit."""
        fixed = self.parts[0]
        if len(self.parts) == 1 and not self.is_open:
            return fixed.startswith(beginning)
        return fixed.startswith(beginning) or beginning.startswith(fixed)


def _fits(parts: tuple[str, ...], text: str) -> bool:
    """Match the literal parts in turn, each as far left as it goes: linear, whatever the pattern."""
    if len(parts) == 1:
        return text == parts[0]
    if not text.startswith(parts[0]):
        return False
    at = len(parts[0])
    for part in parts[1:-1]:
        at = text.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return len(text) - at >= len(parts[-1]) and text.endswith(parts[-1])
