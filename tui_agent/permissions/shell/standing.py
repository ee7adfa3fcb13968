"""Where the shell stands: the folders that a script's relative paths may start at."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import Final

from tui_agent.permissions.shell.parse import Script
from tui_agent.permissions.shell.reach import reached
from tui_agent.permissions.shell.words import Word
from tui_agent.permissions.surroundings import Surroundings

__all__ = ["Standing", "expanded", "standing"]

_HOME: Final = re.compile(r"\$(?:HOME|\{HOME\})(?=/|$)")
_HERE: Final = re.compile(r"\$(?:PWD|\{PWD\})(?=/|$)")
_MAX_FOLDERS: Final = 32


@dataclass(frozen=True, slots=True)
class Standing:
    """The folders a command of a script may run in; `is_certain` says that there are no others."""

    folders: tuple[str, ...]
    is_certain: bool


def standing(script: Script, where: Surroundings) -> Standing:
    """Return where the shell stands at first, and wherever the script may go from there."""
    folders = [where.shell_cwd or where.cwd]
    is_certain = True
    for one in reached(script):
        if one.words[0].value not in {"cd", "pushd", "popd"}:
            continue
        targets = [word for word in one.words[1:] if not word.value.startswith("-")]
        is_named = targets[0].is_known if targets else len(one.words) == 1 and one.words[0].value == "cd"
        is_certain = is_certain and is_named and len(folders) < _MAX_FOLDERS
        for here in tuple(folders[:_MAX_FOLDERS]):
            target = expanded(targets[0], where, here) if targets else where.home
            folders.append(os.path.normpath(os.path.join(here, target)))  # noqa: PTH118
    return Standing(tuple(dict.fromkeys(folders)), is_certain)


def expanded(word: Word, where: Surroundings, here: str) -> str:
    """Return a word with what is known of `~`, `$HOME` and `$PWD` put in."""
    value = word.value
    if value.startswith("~"):
        is_home = word.raw.startswith("~") and (value == "~" or value.startswith("~/"))
        value = where.home + value[1:] if is_home else f"./{value}"
    return _HERE.sub(lambda _match: here, _HOME.sub(lambda _match: where.home, value))
