"""The grammar of vi's keys: which command a row of them is, once it is whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tui_agent.ui.prompting.editing.vi.motions import FINDS, MOTIONS
from tui_agent.ui.prompting.editing.vi.objects import OBJECTS
from tui_agent.ui.prompting.editing.vi.registers import REGISTERS

__all__ = ["OPERATORS", "NoCommandError", "ViCommand", "read_keys"]

OPERATORS: Final = frozenset({"d", "c", "y", "<", ">", "gu", "gU", "g~"})
_SIMPLE: Final = frozenset({*"xXDCsSYpPuJ~.iIaAoOvVR/", "gJ", "gv", "ctrl+r"})
_VISUAL: Final = frozenset({*"xXDCsSRYpPuUJ~oOvV/", "gJ", "gv", "ctrl+r"}) | OPERATORS
_WITH_CHAR: Final = FINDS | frozenset("`'")
_MOTIONS: Final = frozenset({*MOTIONS, *"jk;,"})
_OTHER_NAMES: Final = {
    "left": "h", "right": "l", "up": "k", "down": "j", "home": "0", "end": "$", "delete": "x", "backspace": "h", " ": "l",
    "\x7f": "h",
}  # fmt: skip
_MOST: Final = 99_999


class NoCommandError(ValueError):
    """These keys are the beginning of nothing."""


class _UnfinishedError(Exception):
    """More keys have to come."""


@dataclass(frozen=True, slots=True)
class ViCommand:
    """A whole command. `count` 0 is none given, and no `register` the one that needs no name.

    `name` is the operator or the command itself; `motion` what an operator is for: a motion, `iw` and the like, or the operator
    again for whole lines. `char` is what `f`, `r`, `m` and their like are given.
    """

    name: str
    count: int = 0
    motion: str = ""
    char: str = ""
    register: str = ""

    @property
    def times(self) -> int:
        """How often, where no count means once."""
        return max(1, self.count)


def read_keys(keys: Sequence[str], *, is_visual: bool) -> ViCommand | None:
    """Return the command that the keys are; None where more have to come.

    Raises:
        NoCommandError: there is no such command.
    """
    try:
        return _Reader(keys).command(is_visual=is_visual)
    except _UnfinishedError:
        return None


class _Reader:
    """Reads keys from the first to the last."""

    def __init__(self, keys: Sequence[str]) -> None:
        self._keys = keys
        self._at = 0

    def command(self, *, is_visual: bool) -> ViCommand:
        count, register = self._prefix()
        name = self._name()
        if name in OPERATORS and not is_visual:
            return self._operation(name, count, register)
        if name in ("r", "m"):
            return ViCommand(name, count, char=self._char(), register=register)
        if name in (_VISUAL if is_visual else _SIMPLE):
            return ViCommand(name, count, register=register)
        motion, char = self._motion(name, takes_objects=is_visual)
        return ViCommand(motion, count, char=char, register=register)

    def _prefix(self) -> tuple[int, str]:
        """Read a count and the name of a register, in whatever order."""
        count, register = self._count(), ""
        while self._peek() == '"':
            self._at += 1
            register = self._char()
            if register not in REGISTERS:
                raise NoCommandError("".join(self._keys))
            more = self._count()
            count = _product(count, more)
        return count, register

    def _operation(self, name: str, count: int, register: str) -> ViCommand:
        count = _product(count, self._count())
        key = self._name()
        if key in (name, name[-1]):
            return ViCommand(name, count, name, register=register)
        motion, char = self._motion(key, takes_objects=True)
        return ViCommand(name, count, motion, char, register)

    def _motion(self, name: str, *, takes_objects: bool) -> tuple[str, str]:
        if name in _WITH_CHAR:
            return name, self._char()
        if takes_objects and name in ("i", "a"):
            kind = self._char()
            if kind in OBJECTS:
                return name + kind, ""
        elif name in _MOTIONS:
            return name, ""
        raise NoCommandError("".join(self._keys))

    def _name(self) -> str:
        """Read the name of a command, of which those that begin with `g` have two keys."""
        key = self._char()
        key = _OTHER_NAMES.get(key, key)
        return key + self._char() if key == "g" else key

    def _count(self) -> int:
        begin = self._at
        while (key := self._peek()) and key.isdecimal() and key.isascii() and (self._at > begin or key != "0"):
            self._at += 1
        return min(int("".join(self._keys[begin : self._at]) or 0), _MOST)

    def _peek(self) -> str:
        return self._keys[self._at] if self._at < len(self._keys) else ""

    def _char(self) -> str:
        """Read a key that stands for itself."""
        if self._at == len(self._keys):
            raise _UnfinishedError
        self._at += 1
        return self._keys[self._at - 1]


def _product(count: int, more: int) -> int:
    return min(max(1, count) * max(1, more), _MOST) if count or more else 0
