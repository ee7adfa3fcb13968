"""`find … -exec PROGRAM … {} +`: the command that is run on what was found, as far as it is known to only read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from tui_agent.permissions.shell.programs.options import OptionDoubt
from tui_agent.permissions.shell.programs.shapes import Shape, beginning, shape
from tui_agent.permissions.shell.programs.table import has_subcommands
from tui_agent.permissions.shell.words import Word

__all__ = ["commands_run", "ending"]

_MARK: Final = "{}"
_ROOT: Final = re.compile(r"[A-Za-z0-9_.][A-Za-z0-9_./-]*")
# What is found may be a repository, a folder with settings, a script: these take it for more than something to read, or run
# what stands behind them.
_NEVER: Final = frozenset({
    "find", "xargs", "sh", "bash", "dash", "zsh", "ksh", "ash", "cd", "env", "timeout", "time", "nice", "nohup", "stdbuf",
    "command", "builtin",
})  # fmt: skip


def ending(words: Sequence[Word]) -> int:
    """Return where the command behind `-exec` ends, or -1 where that is not the same for every `find`."""
    for at, word in enumerate(words):
        if word.is_known and word.value == ";":
            return at
        if word.is_known and word.value == "+":
            return at if at and words[at - 1].is_known and words[at - 1].value == _MARK else -1
        # A word that is not known might be the `;`, and what follows it an action.
        if not word.is_known and (shape(word) is not Shape.ONE or beginning(word)[:1] in {"", ";", "+"}):
            return -1
    return -1


def commands_run(
    command: Sequence[Word], roots: Sequence[Word], *, is_many: bool
) -> tuple[list[tuple[Word, ...]], OptionDoubt | None]:
    """Return what is run on the files below `roots`, one command for each of these, or why that is not known.

    Args:
        command: the words between `-exec` and its end.
        roots: where `find` begins. The name of whatever it finds begins with one of them, and so is never an option.
        is_many: whether one command is given many names.
    """
    if not command or not command[0].is_known or _MARK in command[0].value:
        return [], OptionDoubt("find-action", "which program `find` runs is unknown before it runs")
    name = command[0].value.rpartition("/")[2]
    if name in _NEVER or has_subcommands(name):
        return [], OptionDoubt("find-action", f"`find` runs `{name}` on whatever it finds")
    if not all(_is_plain(root) for root in roots):
        return [], OptionDoubt("find-action", "what the names begin with that `find` hands on is not known")
    starts = dict.fromkeys(root.value.rstrip("/") for root in roots) or ["."]
    return [tuple(_filled(word, start, is_many=is_many) for word in command) for start in starts], None


def _is_plain(root: Word) -> bool:
    return root.is_known and _ROOT.fullmatch(root.value) is not None and ".." not in root.value.split("/")


def _filled(word: Word, start: str, *, is_many: bool) -> Word:
    """Return a word with a name in place of `{}`."""
    if _MARK not in word.value:
        return word
    if word.is_known and word.value == _MARK:
        found = f"{start}/**"  # at any depth
        return Word(found, found, found[:-2], is_plain=True, is_literal=True, has_glob=True, is_one=not is_many)
    return Word('"$_"', "$_", word.known.partition(_MARK)[0], is_plain=True, is_literal=False)
