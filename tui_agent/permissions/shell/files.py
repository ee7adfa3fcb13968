"""The files a script names: what its redirections write and read, and what well-known programs open."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import Final

from tui_agent.permissions.shell.parse import Script
from tui_agent.permissions.shell.reach import base_name, reached
from tui_agent.permissions.shell.standing import Standing, expanded, standing
from tui_agent.permissions.shell.words import Word
from tui_agent.permissions.surroundings import Surroundings

__all__ = ["FileUse", "files"]

_READERS: Final = frozenset({
    "cat", "head", "tail", "sed", "grep", "egrep", "fgrep", "rg", "less", "more", "nl", "tac", "rev", "sort",
    "uniq", "cut", "awk", "od", "xxd", "hexdump", "strings", "base64", "wc", "diff", "cmp", "comm", "paste", "tr",
    "file", "stat", "cp", "mv", "source", ".", "bat", "tee", "ln", "tar", "zip", "gzip", "dd", "install", "rsync",
    "scp", "md5sum", "sha1sum", "sha256sum",
})  # fmt: skip
_WRITERS: Final = frozenset(
    {"cp", "mv", "tee", "rm", "rmdir", "touch", "mkdir", "ln", "chmod", "chown", "truncate", "install"}
)
_VALUE: Final = re.compile(r"(?:--?[\w-]+=|\w+=|-\w|@)(.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class FileUse:
    """Absolute paths a script surely reads and writes, and whether it names some that cannot be told before it runs.

    What its redirections read and write is kept apart: a rule on the command does not cover it.
    """

    reads: tuple[str, ...]
    writes: tuple[str, ...]
    redirected_reads: tuple[str, ...]
    redirected_writes: tuple[str, ...]
    has_unknown_input: bool
    has_unknown_output: bool
    has_unknown_read: bool
    has_unknown_write: bool


def files(script: Script, where: Surroundings) -> FileUse:
    """Return the files that a script names. Programs other than the well-known ones open what they like, unseen."""
    reads: list[str] = []
    writes: list[str] = []
    inputs: list[str] = []
    outputs: list[str] = []
    unknown_input = unknown_output = unknown_read = unknown_write = False
    stands = standing(script, where)
    for redirect in script.redirects:
        if redirect.is_free or redirect.target is None:
            continue
        paths = _certain(redirect.target, stands)
        if redirect.is_output:
            unknown_output = unknown_output or not paths
            outputs.extend(paths)
            writes.extend(_possible(redirect.target, where, stands))
        else:
            unknown_input = unknown_input or not paths
            inputs.extend(paths)
            reads.extend(_possible(redirect.target, where, stands))
    for one in reached(script):
        name = base_name(one.words[0])
        if name in _READERS:
            unknown_read = unknown_read or not (stands.is_certain and all(word.is_known for word in one.words[1:]))
            reads.extend(path for word in one.words[1:] for path in _possible(word, where, stands))
        if name in _WRITERS:
            changed = _written(name, one.words[1:])
            unknown_write = unknown_write or not (stands.is_certain and all(word.is_known for word in changed))
            writes.extend(path for word in changed for path in _possible(word, where, stands))
    return FileUse(
        reads=tuple(reads),
        writes=tuple(writes),
        redirected_reads=tuple(inputs),
        redirected_writes=tuple(outputs),
        has_unknown_input=unknown_input,
        has_unknown_output=unknown_output,
        has_unknown_read=unknown_input or unknown_read,
        has_unknown_write=unknown_output or unknown_write,
    )


def _written(name: str, words: tuple[Word, ...]) -> tuple[Word, ...]:
    """Return the arguments that name what is changed; programs that copy change only their last one."""
    operands = tuple(word for word in words if not word.value.startswith("-"))
    is_told = any(word.value.startswith(("-t", "--target")) for word in words)
    return operands[-1:] if name in {"cp", "install", "ln"} and not is_told else words


def _is_device(target: Word) -> bool:
    """Whether bash opens a network connection instead of a file."""
    return target.value.startswith(("/dev/tcp/", "/dev/udp/"))


def _certain(word: Word, stands: Standing) -> list[str]:
    """Return the file a redirection surely names, from wherever the shell may stand; nothing where that is not certain."""
    if not word.is_known or not word.value or word.raw.startswith("~") or _is_device(word) or not stands.is_certain:
        return []
    return [_joined(folder, word.value) for folder in stands.folders]


def _possible(word: Word, where: Surroundings, stands: Standing) -> list[str]:
    """Return the paths an argument may name, itself or as the value of an option."""
    found: list[str] = []
    for folder in stands.folders:
        value = expanded(word, where, folder)
        if not value.startswith("-"):
            found.append(_joined(folder, value))
        option = _VALUE.fullmatch(word.value)
        if option:
            found.append(_joined(folder, option[1]))
    return found


def _joined(folder: str, path: str) -> str:
    return os.path.normpath(os.path.join(folder, path))  # noqa: PTH118 - lexical on purpose
