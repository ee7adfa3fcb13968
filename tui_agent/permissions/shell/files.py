"""The files a script names, for rules that forbid or ask: what its redirections write and read, and what its programs open.

Rather a file too many than one too few: a word that may be a path counts as one. Only for programs of which it is known which
words are paths does anything else not count.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from tui_agent.git_index import repository_top
from tui_agent.permissions.path_context import PathContext
from tui_agent.permissions.shell.analysis import Analysis, Part
from tui_agent.permissions.shell.cwd import standing
from tui_agent.permissions.shell.effective_command import EffectiveCommand, base_name, unfolded
from tui_agent.permissions.shell.git_reads import GitReads, Shows, git_reads
from tui_agent.permissions.shell.isolation import runs_out_of_order
from tui_agent.permissions.shell.parse import ParsedScript, Redirect
from tui_agent.permissions.shell.path_expansion import Places, places, possible, stands
from tui_agent.permissions.shell.words import Word
from tui_agent.permissions.shell.written_files import part_of_word, written_words

__all__ = ["FileUse", "LooseRead", "files", "loose_roots", "path_words"]

_READERS: Final = frozenset({
    "cat", "head", "tail", "sed", "grep", "egrep", "fgrep", "rg", "less", "more", "nl", "tac", "rev", "sort",
    "uniq", "cut", "awk", "gawk", "od", "xxd", "hexdump", "strings", "base64", "wc", "diff", "cmp", "comm", "paste", "tr",
    "file", "stat", "cp", "mv", "source", ".", "bat", "tee", "ln", "tar", "zip", "gzip", "dd", "install", "rsync",
    "scp", "md5sum", "sha1sum", "sha256sum", "jq", "yq", "fold", "fmt", "column", "ls",
})  # fmt: skip
# Programs that go through the folders they are given, or the one they run in; and those of them that need not be given any.
_WALKERS: Final = frozenset({
    "grep", "egrep", "fgrep", "rgrep", "zgrep", "rg", "ripgrep", "ag", "ack", "ugrep", "diff", "cp", "rsync", "scp", "tar",
    "bsdtar", "gtar", "zip", "7z", "7za", "7zz", "cpio", "pax", "ar", "install", "find", "fd", "fdfind", "bat", "jar",
    "docker", "mv",
})  # fmt: skip
_SEARCHERS: Final = frozenset(
    {"grep", "egrep", "fgrep", "rgrep", "rg", "ripgrep", "ag", "ack", "ugrep", "find", "fd", "fdfind"}
)
_COPIERS: Final = frozenset({"cp", "mv", "rsync", "scp", "install"})
_FINDERS: Final = frozenset({"find", "fd", "fdfind"})
_VCS_SHOWS: Final = frozenset(
    {"cat", "diff", "di", "log", "history", "annotate", "blame", "praise", "export", "grep", "incoming"}
)
_GLOB: Final = re.compile(r"[*?\[]")
_VALUE: Final = re.compile(r"(?:--?[\w-]+=|\w+=|-\w|@)(.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class LooseRead:
    """A read of files that nothing names: the folders that all of them lie below, or None where they may lie anywhere.

    `is_reading` says that the command which does it is known to only read.
    """

    roots: tuple[str, ...] | None
    is_reading: bool = False


@dataclass(frozen=True, slots=True)
class FileUse:
    """Absolute paths a script may read and write, and whether it names some that cannot be told before it runs.

    `loose` are the reads of files that nothing names. `git` are the calls of git that show contents of files, each with the
    folders that it may run in.
    """

    reads: tuple[str, ...]
    writes: tuple[str, ...]
    has_unknown_read: bool
    has_unknown_write: bool
    loose: tuple[LooseRead, ...] = ()
    git: tuple[tuple[GitReads, Places], ...] = ()


class _Collector:
    def __init__(self, where: PathContext, *, is_guarded: bool) -> None:
        self.where = where
        self.is_guarded = is_guarded
        self.reads: dict[str, None] = {}
        self.writes: dict[str, None] = {}
        self.has_unknown_read = False
        self.has_unknown_write = False
        self.loose: dict[LooseRead, None] = {}
        self.git: dict[tuple[GitReads, Places], None] = {}

    def read(self, words: Iterable[Word], folders: Places) -> None:
        for word in dict.fromkeys(words):
            found = places(word, folders, self.where)
            self.has_unknown_read = self.has_unknown_read or not found.is_certain
            self.reads.update(dict.fromkeys(found.paths))
            if not (word.is_literal and found.is_certain):  # else its text means nothing else
                self.reads.update(dict.fromkeys(possible(word, folders, self.where)))

    def write(self, words: Iterable[Word], folders: Places) -> None:
        for word in dict.fromkeys(words):
            found = places(word, folders, self.where)
            self.has_unknown_write = self.has_unknown_write or not found.is_certain
            self.writes.update(dict.fromkeys(found.paths))
            if not (word.is_literal and found.is_certain):
                self.writes.update(dict.fromkeys(possible(word, folders, self.where)))

    def folder(self, redirect: Redirect, folders: Places) -> None:
        """Take in a folder that is opened for a program, which may go on from there by `/dev/fd/3`."""
        if self.is_guarded and not redirect.is_output and redirect.target is not None:
            opened = tuple(filter(os.path.isdir, places(redirect.target, folders, self.where).paths))
            if opened:
                self.loose[LooseRead(opened)] = None

    def guess(self, one: EffectiveCommand, folders: Places) -> None:
        """Take in what a command reads and writes of which only the program is known."""
        name = base_name(one.words[0])
        if self.is_guarded:
            self.git_shows(one, folders)
        if self.is_guarded and name in _WALKERS:
            self._walk(name, one.words, folders)
        elif name == "xargs" and any(base_name(inner.words[0]) in _READERS for inner in unfolded(one.words)[1:]):
            self.loose[LooseRead(None)] = None
        if name in _READERS:
            self.read((inner for word in dict.fromkeys(one.words[1:]) for inner in path_words(word)), folders)
        self.write(written_words(name, one.words[1:]), folders)

    def _walk(self, name: str, words: tuple[Word, ...], folders: Places) -> None:
        """Take in the folders that a program may go through, and whose files it may show."""
        if name in _FINDERS and not any(base_name(inner.words[0]) in _READERS for inner in unfolded(words)[1:]):
            return
        options = {word.value for word in words[1:] if word.value.startswith("-")}
        if name == "find" and options & {"-files0-from"}:
            self.loose[LooseRead(None)] = None
        roots = [
            path for word in words[1:] for inner in path_words(word) for path in possible(inner, folders, self.where)
        ]
        roots = [path for path in dict.fromkeys(roots) if os.path.isdir(path)]  # noqa: PTH112
        if not roots and name in _SEARCHERS and not any("{}" in word.value for word in words):
            roots = list(folders.paths)
        if roots:
            self.loose[LooseRead(tuple(roots))] = None

    def stray(self, part: Part, folders: Places) -> None:
        """Take in what a command that is known reads beside the files that it names."""
        loose = part.judgement.loose
        if part.judgement.kind == "edit" and part.words and (name := base_name(part.words[0])) in _COPIERS:
            self._walk(name, part.words, folders)
        if "lists" in loose:
            self.loose[LooseRead(None, is_reading=True)] = None
        elif loose & {"contents", "names"}:
            self.loose[LooseRead(loose_roots(part, folders, self.where), is_reading=True)] = None

    def git_shows(
        self, one: EffectiveCommand, folders: Places, *, is_reading: bool = False, is_changed: bool = True
    ) -> None:
        """Take in what git shows of the contents of files; with `is_changed` its index may be another by then."""
        name = base_name(one.words[0])
        if name in {"hg", "svn", "jj", "sl", "fossil", "bzr"}:
            if any(word.value in _VCS_SHOWS or not word.is_known for word in one.words[1:]):
                self.git[GitReads(Shows.EVERYTHING), folders] = None
            return
        if name != "git":
            return
        found = git_reads(one.words)
        for value in found.folders:
            moved = [os.path.normpath(os.path.join(folder, value)) for folder in folders.paths]  # noqa: PTH118
            folders = Places(tuple(moved), folders.is_certain and "$" not in value)
        for folder in folders.paths:
            tops = {folder, repository_top(folder) or folder} if found.paths else {folder}
            for text in (*found.paths, *found.limits, *found.operands):
                self.reads.update(dict.fromkeys(os.path.normpath(os.path.join(top, text)) for top in tops))  # noqa: PTH118
        if found.is_outside:
            joined = (os.path.join(folder, text) for folder in folders.paths for text in found.limits)  # noqa: PTH118
            self.loose[LooseRead(tuple(dict.fromkeys(map(os.path.normpath, joined))), is_reading)] = None
        if found.shows is not Shows.NOTHING or found.paths:
            found = replace(found, is_current=found.is_current and not is_changed)
            self.git[found, folders] = None


def is_deep(word: Word) -> bool:
    """Whether a word stands for names at any depth: those count among what is read without being named."""
    return word.has_glob and "**" in word.value


def loose_roots(part: Part, folders: Places, where: PathContext) -> tuple[str, ...]:
    """Return the folders below which a command reads more than it names."""
    found: dict[str, None] = {}
    for word in part.judgement.reads:
        first = _GLOB.search(word.value)
        if is_deep(word) and first is not None:
            fixed = word.value[: first.start()].rpartition("/")[0] or ("/" if word.value.startswith("/") else ".")
            word = Word(fixed, fixed, fixed, is_plain=True, is_literal=True)
        paths = places(word, folders, where).paths
        found.update(dict.fromkeys(path for path in paths if not word.has_glob or os.path.lexists(path)))
    return tuple(found)


def files(script: ParsedScript, analysis: Analysis, where: PathContext, *, is_guarded: bool = True) -> FileUse:
    """Return the files that a script names. Programs other than the well-known ones open what they like, unseen.

    Where no rule is about reading (`is_guarded`) it is not worth looking for what is read without being named.
    """
    found = _Collector(where, is_guarded=is_guarded)
    moved = standing(script, where)
    anywhere = Places(moved.folders, moved.is_certain)
    is_changed = is_guarded and not all(map(_leaves_index, analysis.parts))
    is_changed = is_changed and (analysis.script is None or runs_out_of_order(analysis.script))
    for part in analysis.parts:
        folders = stands(part.folders, where) if analysis.is_understood else anywhere
        for redirect in part.redirects:
            if not redirect.is_free and redirect.target is not None:
                (found.write if redirect.is_output else found.read)((redirect.target,), folders)
                found.folder(redirect, folders)
        if part.judgement.kind != "unknown" and analysis.is_understood:
            found.read((word for word in part.judgement.reads if not (is_guarded and is_deep(word))), folders)
            found.write(part.judgement.writes, folders)
            if is_guarded:
                found.stray(part, folders)
        elif (
            analysis.is_understood
        ):  # with what is known of variables put in; the others count as they are written, below
            for one in part.reached:
                found.write(written_words(base_name(one.words[0]), one.words[1:]), folders)
        for one in part.reached if is_guarded else ():
            is_reading = part.judgement.kind == "read_only"
            found.git_shows(one, folders, is_reading=is_reading, is_changed=is_changed)
        is_changed = is_changed or not _leaves_index(part)
    # Those of the parts were taken in with what is known of variables put in.
    for redirect in analysis.other_redirects:
        if not redirect.is_free and redirect.target is not None:
            (found.write if redirect.is_output else found.read)((redirect.target,), anywhere)
            found.folder(redirect, anywhere)
    for one, own in analysis.other_commands:
        found.guess(one, _folders_of(own, where, anywhere, is_sure=analysis.is_understood))
    return FileUse(
        reads=tuple(found.reads),
        writes=tuple(found.writes),
        has_unknown_read=found.has_unknown_read,
        has_unknown_write=found.has_unknown_write,
        loose=tuple(found.loose),
        git=tuple(found.git),
    )


def _leaves_index(part: Part) -> bool:
    """Whether git tracks the same files behind a command as before it."""
    if any(redirect.is_output for redirect in part.redirects):
        return False
    is_small_edit = part.judgement.kind == "edit" and part.programs <= {"mkdir", "rmdir", "touch"}
    return part.judgement.kind == "read_only" or is_small_edit


def _folders_of(part: Part | None, where: PathContext, anywhere: Places, *, is_sure: bool) -> Places:
    return stands(part.folders, where) if part is not None and is_sure else anywhere


def path_words(word: Word) -> Iterator[Word]:
    """Yield what of an argument may be a path: itself, or the value of an option."""
    if not word.value.startswith("-"):
        yield word
    option = _VALUE.fullmatch(word.value)
    if option is not None:
        yield part_of_word(word, option[1])
