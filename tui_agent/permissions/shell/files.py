"""The files a script names, for rules that forbid or ask: what its redirections write and read, and what its programs open.

Rather a file too many than one too few: a word that may be a path counts as one. Only for programs of which it is known which
words are paths does anything else not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from tui_agent.permissions.shell.analysis import Analysis, Part
from tui_agent.permissions.shell.parse import Script
from tui_agent.permissions.shell.places import Places, places, possible, stands
from tui_agent.permissions.shell.reach import Reached, base_name, reached, unfolded
from tui_agent.permissions.shell.standing import standing
from tui_agent.permissions.shell.words import Word
from tui_agent.permissions.surroundings import Surroundings

__all__ = ["FileUse", "files"]

_READERS: Final = frozenset({
    "cat", "head", "tail", "sed", "grep", "egrep", "fgrep", "rg", "less", "more", "nl", "tac", "rev", "sort",
    "uniq", "cut", "awk", "gawk", "od", "xxd", "hexdump", "strings", "base64", "wc", "diff", "cmp", "comm", "paste", "tr",
    "file", "stat", "cp", "mv", "source", ".", "bat", "tee", "ln", "tar", "zip", "gzip", "dd", "install", "rsync",
    "scp", "md5sum", "sha1sum", "sha256sum", "jq", "yq", "fold", "fmt", "column", "ls",
})  # fmt: skip
_WRITERS: Final = frozenset(
    {"cp", "mv", "tee", "rm", "rmdir", "touch", "mkdir", "ln", "chmod", "chown", "truncate", "install"}
)
_VALUE: Final = re.compile(r"(?:--?[\w-]+=|\w+=|-\w|@)(.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class FileUse:
    """Absolute paths a script may read and write, and whether it names some that cannot be told before it runs.

    `has_loose_read` says that something may read files whose names it is given by another command.
    """

    reads: tuple[str, ...]
    writes: tuple[str, ...]
    has_unknown_read: bool
    has_unknown_write: bool
    has_loose_read: bool


class _Collector:
    def __init__(self, where: Surroundings) -> None:
        self.where = where
        self.reads: dict[str, None] = {}
        self.writes: dict[str, None] = {}
        self.has_unknown_read = False
        self.has_unknown_write = False

    def read(self, words: Iterable[Word], folders: Places) -> None:
        for word in dict.fromkeys(words):
            found = places(word, folders, self.where)
            self.has_unknown_read = self.has_unknown_read or not found.is_certain
            self.reads.update(dict.fromkeys((*found.paths, *possible(word, folders, self.where))))

    def write(self, words: Iterable[Word], folders: Places) -> None:
        for word in dict.fromkeys(words):
            found = places(word, folders, self.where)
            self.has_unknown_write = self.has_unknown_write or not found.is_certain
            self.writes.update(dict.fromkeys((*found.paths, *possible(word, folders, self.where))))

    def guess(self, one: Reached, folders: Places) -> None:
        """Take in what a command reads and writes of which only the program is known."""
        name = base_name(one.words[0])
        if name in _READERS:
            self.read((inner for word in dict.fromkeys(one.words[1:]) for inner in _path_words(word)), folders)
        if name in _WRITERS:
            self.write(_written(name, one.words[1:]), folders)


def files(script: Script, analysis: Analysis, where: Surroundings) -> FileUse:
    """Return the files that a script names. Programs other than the well-known ones open what they like, unseen."""
    found = _Collector(where)
    moved = standing(script, where)
    anywhere = Places(moved.folders, moved.is_certain)
    judged: set[tuple[Word, ...]] = set()
    for part in analysis.parts:
        folders = stands(part.folders, where) if analysis.is_understood else anywhere
        for redirect in part.redirects:
            if not redirect.is_free and redirect.target is not None:
                (found.write if redirect.is_output else found.read)((redirect.target,), folders)
        if part.judgement.kind != "unknown" and analysis.is_understood:
            found.read(part.judgement.reads, folders)
            found.write(part.judgement.writes, folders)
            judged.add(part.command.words)
            judged.update(one.words for one in unfolded(part.command.words))
    known = {id(redirect) for part in analysis.parts for redirect in part.redirects}
    for redirect in script.redirects:
        if id(redirect) not in known and not redirect.is_free and redirect.target is not None:
            (found.write if redirect.is_output else found.read)((redirect.target,), anywhere)
    own = {part.command.words: part for part in analysis.parts}
    for one in reached(script):
        if one.words not in judged:
            found.guess(one, _folders_of(own.get(one.words), where, anywhere, is_sure=analysis.is_understood))
    return FileUse(
        reads=tuple(found.reads),
        writes=tuple(found.writes),
        has_unknown_read=found.has_unknown_read,
        has_unknown_write=found.has_unknown_write,
        has_loose_read=any(_reads_loosely(one.words) for one in reached(script))
        or any(part.judgement.runs for part in analysis.parts)
        or _reads_what_is_printed(analysis),
    )


def _reads_what_is_printed(analysis: Analysis) -> bool:
    """Whether a substitution may print the names of the files that are read: of these a pattern is all that is known."""
    if "$(" not in analysis.source and "`" not in analysis.source:
        return False
    return any(word.has_glob for part in analysis.parts for word in part.judgement.reads)


def _reads_loosely(words: tuple[Word, ...]) -> bool:
    """Whether a command hands names that come from elsewhere to a program that shows files."""
    if base_name(words[0]) != "xargs":
        return False
    return any(base_name(one.words[0]) in _READERS for one in unfolded(words)[1:])


def _folders_of(part: Part | None, where: Surroundings, anywhere: Places, *, is_sure: bool) -> Places:
    return stands(part.folders, where) if part is not None and is_sure else anywhere


def _path_words(word: Word) -> Iterator[Word]:
    """Yield what of an argument may be a path: itself, or the value of an option."""
    if not word.value.startswith("-"):
        yield word
    option = _VALUE.fullmatch(word.value)
    if option is None:
        return
    is_literal = word.is_literal
    yield Word(
        option[1], option[1], option[1] if is_literal else "", is_plain=word.is_plain, is_literal=is_literal,
        has_glob=word.has_glob,
    )  # fmt: skip


def _written(name: str, words: tuple[Word, ...]) -> tuple[Word, ...]:
    """Return the arguments that name what is changed; programs that copy change only their last one."""
    operands = tuple(word for word in words if not word.value.startswith("-"))
    is_told = any(word.value.startswith(("-t", "--target")) for word in words)
    return operands[-1:] if name in {"cp", "install", "ln"} and not is_told else (operands or words)
