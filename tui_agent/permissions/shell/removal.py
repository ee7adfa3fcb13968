"""Removals that nobody should approve in advance: `rm` of a root, a home, the folder one works in, or of who knows what."""

from __future__ import annotations

import os
import re
from typing import Final

from tui_agent.permissions.path_context import PathContext
from tui_agent.permissions.shell.cwd import standing
from tui_agent.permissions.shell.effective_command import base_name, reached
from tui_agent.permissions.shell.parse import ParsedScript
from tui_agent.permissions.shell.path_expansion import expanded
from tui_agent.permissions.shell.words import Word

__all__ = ["critical_removal"]

_REMOVERS: Final = frozenset({"rm", "rmdir", "unlink", "shred"})
_VARIABLE_TOP: Final = re.compile(r"\$(?:\w+|\{\w+\})(?:/|/+[*?\[.].*|\*.*)")
_BRACES: Final = re.compile(r"\{.*(?:,|\.\.).*\}")
_EVERYTHING: Final = re.compile(r"[*?.\[\]!]*\*[*?.\[\]!]*")


def critical_removal(script: ParsedScript, where: PathContext) -> str | None:
    """Return why a removal anywhere in the script needs a user each time, or None."""
    commands = reached(script)
    folders = standing(script, where).folders
    for one in commands:
        if base_name(one.words[0]) not in _REMOVERS:
            continue
        is_option = True
        for word in one.words[1:]:
            if is_option and word.value == "--":
                is_option = False
            elif not (is_option and word.value.startswith("-")):
                reason = next(filter(None, (_critical(word, folder, where) for folder in folders)), None)
                if reason:
                    return f"`{base_name(one.words[0])} {word.raw}` {reason}"
    return None


def _critical(word: Word, here: str, where: PathContext) -> str | None:
    """Return why removing what a word names, in the folder `here`, is critical, or None."""
    if word.raw.startswith("~") and not re.match(r"~(?:/|$)", word.raw):
        return "may remove a home folder"
    value = expanded(word, where, here)
    if _VARIABLE_TOP.fullmatch(value):
        return "removes everything, should the variable be empty"
    is_climbing = "$" in value and ".." in value.split("/")
    if not word.is_plain or is_climbing or _BRACES.search(word.raw):
        return "removes something that is unknown before it runs"
    path = "/" + os.path.normpath(os.path.join(here, value)).lstrip("/")  # noqa: PTH118
    folder, _, last = path.rpartition("/")
    if word.has_glob and any(char in last for char in "*?["):
        return _critical_glob(folder or "/", last, where)
    for face in where.faces(path):
        if where.lies_in(where.home, face):
            return "removes the home folder"
        if face.count("/") == 1:
            return "removes a folder at the top of the file system"
        if any(where.lies_in(base, face) for base in where.bases(where.cwd)) or where.lies_in(here, face):
            return "removes the folder one works in"
    return None


def _critical_glob(folder: str, last: str, where: PathContext) -> str | None:
    if folder == "/" or any(char in folder.split("/")[1] for char in "*?["):
        return "removes what lies at the top of the file system"
    if folder == where.home:
        return "removes what lies in the home folder"
    if _EVERYTHING.fullmatch(last) and any(
        where.lies_in(base, face)
        for work in where.folders
        for base in where.bases(work)
        for face in where.faces(folder)
    ):
        return "removes everything in a folder that belongs to the work"
    return None
