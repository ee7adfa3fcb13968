"""Where the shell stands: the folders that a script's relative paths may start at."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Final

from tui_agent.permissions.path_context import PathContext
from tui_agent.permissions.shell.effective_command import reached
from tui_agent.permissions.shell.parse import ParsedScript
from tui_agent.permissions.shell.path_expansion import expanded

__all__ = ["Cwd", "standing"]

_MAX_FOLDERS: Final = 32


@dataclass(frozen=True, slots=True)
class Cwd:
    """The folders a command of a script may run in; `is_certain` says that there are no others."""

    folders: tuple[str, ...]
    is_certain: bool


def standing(script: ParsedScript, where: PathContext) -> Cwd:
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
    return Cwd(tuple(dict.fromkeys(folders)), is_certain)
