"""Other names of files that rules are about: a hard link is the file itself, under a name that no rule may match.

A file has as many names as its status says. Only where a file that a rule is about has more names than were found by the rule
are the working folders looked through for the rest. What is a link to another name is not meant here: links are followed.
"""

from __future__ import annotations

import os
import stat
import threading
import time
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from tui_agent.permissions.matching_files import MatchingFiles, PatternMatcher, TooManyFilesError
from tui_agent.permissions.path_context import FileId, PathContext, is_within, status_of_many
from tui_agent.permissions.paths import PathPattern
from tui_agent.permissions.rules import RuleSet
from tui_agent.permissions.secret_files import is_secret_file

__all__ = ["HardLinkFinder", "OutsideLinkFinder", "RuledHardLinks"]

_MOST_BELOW: Final = 100_000  # files in folders that rules are about
_MOST_S: Final = 1.0  # of one look before a decision; what was found in that time is kept for the next one
_FRESH_S: Final = 1.0  # a call that meets many such files looks once
_MOST_SECRET_ENTRIES: Final = 20_000
_MOST_SECRET_S: Final = 0.2
_MOST_LINKED: Final = 5_000  # names of files that have several
_MOST_OUTSIDE: Final = 400
# Package managers link what is in these, and in virtual environments, with their caches, and git its objects. To change such a
# file they put another in its place, which cannot be done where it is kept.
_LINKED_TO_CACHES: Final = frozenset({"node_modules", "site-packages"})
_NO_SECRETS_IN: Final = frozenset({".git", "node_modules"})


class HardLinkFinder:
    """Finds the other names of forbidden files, for a sandbox that hides names. May be used from several threads."""

    def __init__(self) -> None:
        self._below = MatchingFiles(most_matches=_MOST_BELOW)
        self._elsewhere = MatchingFiles()

    def find(self, known: Iterable[str], roots: Iterable[str]) -> tuple[str, ...]:
        """Return the names in `roots` of files that have one in `known`, or below a folder in it. All are real paths.

        Raises:
            TooManyFilesError: there is too much to look through.
        """
        roots = tuple(roots)
        names = several(files_of(known, roots, self._below))
        missing = frozenset(key for key, (count, found) in names.items() if len(found) < count)
        if not missing:
            return ()
        return self._elsewhere.find(_SameFiles(missing, frozenset(known)), roots)


class OutsideLinkFinder:
    """Finds names of files that have others outside of some folders, where whoever writes in these would change them.

    Packages, virtual environments and git's objects are left aside. May be used from several threads.
    """

    def __init__(self) -> None:
        self._linked = MatchingFiles(most_matches=_MOST_LINKED)

    def find(self, roots: Iterable[str]) -> tuple[str, ...]:
        """Return the names in `roots`, which are real paths and apart from each other.

        Nothing where there is too much to look through, or more than a sandbox can treat one by one: a copy of the whole
        folder that was made of links, as a rule.
        """
        try:
            names = self._linked.find(_Linked(), roots)
        except TooManyFilesError:
            return ()
        counts: dict[FileId, int] = {}
        found: dict[FileId, list[str]] = {}
        for name in names:
            if (status := status_of_many(name)) is not None:
                file = status.st_dev, status.st_ino
                counts[file] = status.st_nlink
                found.setdefault(file, []).append(name)
        outside = [name for file, inside in found.items() if len(inside) < counts[file] for name in inside]
        return tuple(outside) if len(outside) <= _MOST_OUTSIDE else ()


class RuledHardLinks:
    """Tells for a file with several names which of these rules of a list, or of secrets, are about.

    `forget` what was found as soon as rules or folders are others.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ruled = MatchingFiles(most_s=_MOST_S)
        self._below = MatchingFiles(most_matches=_MOST_BELOW, most_s=_MOST_S)
        self._known: dict[FileId, tuple[str, ...]] = {}
        self._are_all = True
        self._until = 0.0

    def forget(self) -> None:
        """Look anew."""
        with self._lock:
            self._until = 0.0

    def of(self, file: FileId, rules: RuleSet, where: PathContext) -> tuple[str, ...] | None:
        """Return the names of a file that rules, or secrets, are about; None where there is too much to look through."""
        with self._lock:
            if time.monotonic() >= self._until:
                self._scan(rules, where)
                self._until = time.monotonic() + _FRESH_S
            return self._known.get(file, () if self._are_all else None)

    def _scan(self, rules: RuleSet, where: PathContext) -> None:
        roots = tuple(dict.fromkeys(map(where.resolve, where.folders)))
        secrets = several(_secrets(roots))
        known = {file: set(names) for file, (_, names) in secrets.items()}
        patterns = _patterns(rules)
        self._are_all = True
        try:
            if patterns:
                matches = self._ruled.find(PatternMatcher(patterns, where), roots)
                places = (pattern.place(where) for pattern in patterns)
                listed = (*matches, *filter(None, places))
                for file, (_, names) in several(files_of(listed, roots, self._below)).items():
                    known.setdefault(file, set()).update(names)
        except TooManyFilesError:
            self._are_all = False
        self._known = {file: tuple(sorted(names)) for file, names in known.items()}


def files_of(paths: Iterable[str], roots: Iterable[str], below: MatchingFiles) -> Iterator[str]:
    """Yield files, and those in folders; of what lies outside of the roots only files.

    Raises:
        TooManyFilesError: there are too many in folders.
    """
    roots = tuple(roots)
    folders: list[str] = []
    for path in dict.fromkeys(paths):
        if not os.path.isdir(path) or os.path.islink(path):  # noqa: PTH112, PTH114 - text
            yield path
        elif any(is_within(path, root) and path != root for root in roots):
            folders.append(path)
    if folders:
        yield from below.find(_AllFiles(), folders)


def several(paths: Iterable[str]) -> dict[FileId, tuple[int, set[str]]]:
    """Return the files that have several names: how many, and which of these are among the paths."""
    found: dict[FileId, tuple[int, set[str]]] = {}
    for path in paths:
        if (status := status_of_many(path)) is not None:
            known = found.setdefault((status.st_dev, status.st_ino), (status.st_nlink, set()))
            known[1].add(os.path.realpath(path))
    return found


@dataclass(frozen=True, slots=True)
class _AllFiles:
    """Every regular file."""

    @property
    def key(self) -> Hashable:
        return None

    def matches(self, path: str, name: str) -> bool:  # noqa: ARG002 - see `FileMatcher`
        try:
            return stat.S_ISREG(os.lstat(path).st_mode)
        except (OSError, ValueError):
            return False

    def skips(self, path: str, name: str) -> bool:  # noqa: ARG002 - see `FileMatcher`
        return False


@dataclass(frozen=True, slots=True)
class _Linked:
    """Regular files that have several names."""

    @property
    def key(self) -> Hashable:
        return None

    def matches(self, path: str, name: str) -> bool:  # noqa: ARG002 - see `FileMatcher`
        return status_of_many(path) is not None

    def skips(self, path: str, name: str) -> bool:
        if name in _LINKED_TO_CACHES or (name == "objects" and path.endswith("/.git")):
            return True
        return os.path.lexists(f"{path}/{name}/pyvenv.cfg")


@dataclass(frozen=True, slots=True)
class _SameFiles:
    """The names of some files, without those that are known and what lies below these."""

    files: frozenset[FileId]
    known: frozenset[str]

    @property
    def key(self) -> Hashable:
        return self.files, self.known

    def matches(self, path: str, name: str) -> bool:  # noqa: ARG002 - see `FileMatcher`
        status = status_of_many(path)
        return status is not None and (status.st_dev, status.st_ino) in self.files and path not in self.known

    def skips(self, path: str, name: str) -> bool:
        return f"{path}/{name}" in self.known


def _patterns(rules: RuleSet) -> list[PathPattern]:
    rows = (row for one in ("deny", "ask") for kind in ("read", "edit") for row in rules.path_rules(one, kind))
    return list(dict.fromkeys(pattern for _rule, pattern in rows if pattern is not None and not pattern.covers_all))


def _secrets(roots: Iterable[str]) -> Iterator[str]:
    """Yield files that are there to hold secrets, nearest first, until there is too much to look through."""
    waiting = list(roots)
    left, deadline = _MOST_SECRET_ENTRIES, time.monotonic() + _MOST_SECRET_S
    for folder in waiting:  # grows meanwhile
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    left -= 1
                    if entry.is_dir(follow_symlinks=False):
                        waiting += [] if entry.name in _NO_SECRETS_IN else [entry.path]
                    elif is_secret_file(entry.path):
                        yield entry.path
        except OSError:
            continue
        if left < 0 or time.monotonic() > deadline:
            return
