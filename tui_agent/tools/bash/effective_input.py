"""A call's command as permissions judge it: with its folder and its variables, as if they were written before it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from typing import Final

from tui_agent.tools.bash.environment import is_shells_own

__all__ = ["as_judged", "env_problem"]

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_MOST_VARIABLES: Final = 50
# A command that assignments may stand before without becoming another: it begins with a plain word that is none of these.
_PLAIN_START: Final = re.compile(r"([A-Za-z0-9_./+-]+)(?=[ \t\n]|$)")
_RESERVED: Final = frozenset(
    {"if", "then", "elif", "else", "fi", "for", "while", "until", "do", "done", "case", "esac", "select", "function", "time",
     "coproc", "in"}
)  # fmt: skip


def as_judged(command: str, *, cwd: str | None = None, env: Mapping[str, str] | None = None) -> str:
    """Return the command with what is set for it in front: `cd FOLDER && NAME=value command`.

    Only a plain command keeps being one this way. Before anything else the variables stand on a line of their own, so that
    no rule for a single command covers it.
    """
    text = command
    if env:
        assignments = " ".join(f"{name}={shlex.quote(value)}" for name, value in env.items())
        bare = command.lstrip(" \t")
        start = _PLAIN_START.match(bare)
        is_plain = start is not None and start[1] not in _RESERVED
        text = f"{assignments} {bare}" if is_plain else f"{assignments}\n{command}"
    return text if cwd is None else f"cd -- {_quoted(cwd)} && {text}"


def _quoted(folder: str) -> str:
    """Return a folder for the shell, with `~` still meaning home."""
    if folder == "~":
        return folder
    return f"~/{shlex.quote(folder[2:])}" if folder.startswith("~/") else shlex.quote(folder)


def env_problem(env: Mapping[str, str]) -> str:
    """Return what is wrong with the variables of a call, or nothing."""
    if len(env) > _MOST_VARIABLES:
        return f"env has {len(env)} variables; at most {_MOST_VARIABLES} can be set."
    for name, value in env.items():
        if not _NAME.fullmatch(name):
            return f"{name!r} in env is not the name of a variable."
        if is_shells_own(name):
            return f"{name} in env would change how bash itself runs; leave it out."
        if "\0" in value:
            return f"The value of {name} in env holds a NUL character, which no program can be given."
    return ""
