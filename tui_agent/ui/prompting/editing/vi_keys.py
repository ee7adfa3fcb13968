"""The grammar of vi's keys: which command a row of them is, once it is whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tui_agent.ui.prompting.editing.vi_motions import FINDS, MOTIONS
from tui_agent.ui.prompting.editing.vi_objects import OBJECTS

__all__ = ["OPERATORS", "Command", "NoCommandError", "read_keys"]

OPERATORS: Final = frozenset("dcy<>")
_SIMPLE: Final = frozenset("xXDCsSYpPuJ~.iIaAoOvV;,/")
_VISUAL: Final = frozenset("xXDCsSYpPuUJ~ovV;,/")
_LINEWISE: Final = frozenset("jk")
_OTHER_NAMES: Final = {
    "left": "h", "right": "l", "up": "k", "down": "j", "home": "0", "end": "$", "delete": "x", "backspace": "h", " ": "l",
    "\x7f": "h",
}  # fmt: skip


class NoCommandError(ValueError):
    """These keys are the beginning of nothing."""


@dataclass(frozen=True, slots=True)
class Command:
    """A whole command. `count` 0 is none given.

    `name` is the operator or the command itself; `motion` what an operator is for: a motion, `iw` and the like, or the operator
    again for whole lines. `char` is what `f`, `r` and their like are given.
    """

    name: str
    count: int = 0
    motion: str = ""
    char: str = ""


def read_keys(keys: Sequence[str], *, is_visual: bool) -> Command | None:
    """Return the command that the keys are; None where more have to come.

    Raises:
        NoCommandError: there is no such command.
    """
    keys = [key if _takes_any(keys[:number]) else _OTHER_NAMES.get(key, key) for number, key in enumerate(keys)]
    count, rest = _count(keys)
    if not rest:
        return None
    first = rest[0]
    if first in OPERATORS and not is_visual:
        return _operation(first, count, rest[1:])
    if is_visual and first in OPERATORS and len(rest) == 1:
        return Command(first, count)
    if is_visual and first in "ia":
        motion, char = _motion(rest, takes_objects=True) or ("", "")
        return Command(motion, count, char=char) if motion else None
    if first == "r":
        return Command("r", count, char=rest[1]) if len(rest) > 1 else None
    if first in (_VISUAL if is_visual else _SIMPLE) or first == "ctrl+r":
        return Command(first, count)
    moved = _motion(rest, takes_objects=False)
    return None if moved is None else Command(moved[0], count, char=moved[1])


def _takes_any(keys: Sequence[str]) -> bool:
    """Whether the key after these stands for itself."""
    return bool(keys) and (keys[-1] in FINDS or keys[-1] == "r") and not (len(keys) > 1 and _takes_any(keys[:-1]))


def _count(keys: Sequence[str]) -> tuple[int, Sequence[str]]:
    number = 0
    while (
        number < len(keys) and keys[number].isdecimal() and keys[number].isascii() and (number or keys[number] != "0")
    ):
        number += 1
    return min(int("".join(keys[:number]) or 0), 99_999), keys[number:]


def _operation(name: str, count: int, keys: Sequence[str]) -> Command | None:
    more, rest = _count(keys)
    if not rest:
        return None
    count = min(max(1, count) * max(1, more), 99_999) if count or more else 0
    if rest[0] == name:
        return Command(name, count, motion=name)
    motion = _motion(rest, takes_objects=True)
    return None if motion is None else Command(name, count, motion[0], motion[1])


def _motion(keys: Sequence[str], *, takes_objects: bool) -> tuple[str, str] | None:
    first = keys[0]
    if first in FINDS or first == "g" or (takes_objects and first in "ia"):
        if len(keys) == 1:
            return None
        if first in FINDS:
            return first, keys[1]
        both = first + keys[1]
        if both in MOTIONS or (first in "ia" and keys[1] in OBJECTS):
            return both, ""
    elif first in MOTIONS or first in _LINEWISE or first in ";,":
        return first, ""
    raise NoCommandError("".join(keys))
