"""Where a call is judged: the folders that count as the work, home, trust, and how links are resolved."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from tui_agent.permissions.public_files import is_public
from tui_agent.permissions.secret_files import is_secret_file
from tui_agent.settings.standard_paths import claude_dir, config_dir, state_home

__all__ = ["FileId", "PathContext", "SandboxTerms", "is_within", "names_fold", "status_of_many"]


FileId = tuple[int, int]
"""The device and the number of a file, which all its names share."""


def is_within(path: str, folder: str) -> bool:
    """Whether an absolute, normal `path` is `folder` or lies below it, by its text alone."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def follow_links(path: str) -> str:
    """Return where `path` really is. What no file can be called (a NUL in it, say) leads nowhere, so it stays as it is."""
    try:
        return os.path.realpath(path)
    except ValueError:
        return path


class _CachingResolver:
    """Follows links, and remembers where each path and each folder on its way leads."""

    def __init__(self, resolve: Callable[[str], str], known: Mapping[str, str]) -> None:
        self._resolve = resolve
        self._known: dict[str, str] = {"/": "/", **known}

    def __call__(self, path: str) -> str:
        real = self._known.get(path)
        if real is None:
            is_plain = self._resolve is follow_links and path.startswith("/") and "/." not in path and "//" not in path
            real = self._known[path] = self._step(path) if is_plain else self._resolve(path)
        return real

    def _step(self, path: str) -> str:
        """Follow the last name of a path alone; the folder it lies in is usually known."""
        folder, _, name = path.rpartition("/")
        if not name:
            return self._resolve(path)
        here = f"{self(folder or '/').rstrip('/')}/{name}"
        try:
            return self._resolve(here) if os.path.islink(here) else here  # noqa: PTH114
        except ValueError:
            return path


def status_of_many(path: str) -> os.stat_result | None:
    """Return the status of a regular file that has several names; None for all else. Blocks for a moment."""
    try:
        found = os.lstat(path)
    except (OSError, ValueError):
        return None
    return found if found.st_nlink > 1 and stat.S_ISREG(found.st_mode) else None


def names_fold(folder: str) -> bool:
    """Whether the file system takes another case of this folder's name for the same folder."""
    try:
        return folder != folder.swapcase() and os.path.samefile(folder, folder.swapcase())  # noqa: PTH121
    except (OSError, ValueError):
        return sys.platform == "darwin"


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxTerms:
    """What the sandbox means for decisions on commands.

    `is_there` says that this machine has one; without it a read-only command is let through only where `read_only_without`
    consents. `holds_inside` is that it can protect single files in folders that may be written, `holds_sockets` that it can
    open single local sockets and no others.

    `is_enabled` is that commands which are not known to only read run in it too, able to write in the working folders; then
    `auto_allow` lets them through without asking. Commands that match `excluded` (bodies of Bash rules) run outside, as do
    those that ask to where `may_leave`. `cannot_hide` says why not every file that rules forbid to read can be hidden in it,
    once that was found out; empty as long as they can.
    """

    is_there: bool = True
    holds_inside: bool = True
    holds_sockets: bool = True
    read_only_without: bool = False
    is_enabled: bool = False
    auto_allow: bool = True
    may_leave: bool = True
    excluded: tuple[str, ...] = ()
    cannot_hide: str = ""


# What does not move between decisions either, and is handed on from one to the next.
_SETTLED: Final = ("folders", "own_places", "_real_folders", "_real_free_reads")


@dataclass(frozen=True)
class PathContext:
    """All that a decision may know of the world. Paths are absolute.

    `cwd` is the folder the session was started in, which rules are anchored at; `shell_cwd` is where the shell stands now,
    which a command's relative paths start at (by default the same). `free_reads` are folders that may be read without
    asking though they are not part of the work (this session's stored results). `writable_in_plan` are files that may be
    written in plan mode, when nothing else may: the plan. `is_case_blind` says that `A` and `a` name the same file here.
    `resolve` follows links; it is a field so that a decision depends on nothing but its arguments. `other_names` returns those
    names of a file with several that rules, or secrets, are about; None where that cannot be found out.
    """

    cwd: str
    project_root: str
    home: str
    additional_dirs: tuple[str, ...] = ()
    is_trusted: bool = True
    shell_cwd: str | None = None
    free_reads: tuple[str, ...] = ()
    writable_in_plan: tuple[str, ...] = ()
    sandbox: SandboxTerms = SandboxTerms()
    is_case_blind: bool = sys.platform == "darwin"
    resolve: Callable[[str], str] = field(default=follow_links, compare=False)
    other_names: Callable[[FileId], tuple[str, ...] | None] | None = field(default=None, compare=False)
    _files: Mapping[str, FileId | None] = field(default_factory=dict, init=False, compare=False, repr=False)
    _bases: dict[str, tuple[str, ...]] = field(default_factory=dict, init=False, compare=False, repr=False)

    @cached_property
    def folders(self) -> tuple[str, ...]:
        """The working folders: where the session was started, and the added ones."""
        return (self.cwd, *self.additional_dirs)

    @cached_property
    def own_places(self) -> tuple[str, ...]:
        """Where this program keeps its settings, what is trusted, and its state."""
        return tuple(map(str, (config_dir(), state_home(), claude_dir())))

    @cached_property
    def _real_folders(self) -> tuple[str, ...]:
        return tuple(self.resolve(folder) for folder in self.folders)

    @cached_property
    def _real_free_reads(self) -> tuple[str, ...]:
        return tuple(self.resolve(folder) for folder in self.free_reads)

    def for_one_decision(
        self, reals: Mapping[str, str] | None = None, files: Mapping[str, FileId | None] | None = None
    ) -> PathContext:
        """Return these surroundings with links that are followed once each: nothing moves while one decision is made.

        `reals` are paths of which it is settled where they lead: the call opens them there, whatever has come of their links.
        `files` says the same of the files with several names at real paths; None for all else that is there.
        """
        for name in _SETTLED:
            getattr(self, name)
        once = object.__new__(PathContext)  # `replace` would take as long as the rest of a short decision
        once.__dict__.update(self.__dict__, resolve=_CachingResolver(self.resolve, reals or {}), _files=files or {})
        return once

    def absolute(self, path: str) -> str:
        """Return a command's or a tool's `path` absolute and without `..`; `~` is home, links are not followed."""
        if path == "~" or path.startswith("~/"):
            path = self.home + path[1:]
        return os.path.normpath(os.path.join(self.shell_cwd or self.cwd, path))  # noqa: PTH118 - lexical on purpose

    def shown(self, path: str) -> str:
        """Return an absolute `path` as people read it: from the folder of the session where it lies in it."""
        inside = self.cwd.rstrip("/") + "/"
        return path[len(inside) :] if len(inside) > 1 and path.startswith(inside) else path

    def faces(self, path: str) -> tuple[str, ...]:
        """Return the path as named; where links lead elsewhere, where it really is; and the file's other names that matter."""
        real = self.resolve(path)
        others = self.others(real) or ()
        if others:
            return tuple(dict.fromkeys((path, real, *others)))
        return (path,) if real == path else (path, real)

    def may_be_another(self, path: str) -> bool:
        """Whether a file has several names, and it cannot be found out whether rules are about the others."""
        return self.others(self.resolve(path)) is None

    def has_several_names(self, path: str) -> bool:
        """Whether what is at a path has other names, wherever these are: what is written to it changes under all of them."""
        return status_of_many(self.resolve(path)) is not None

    def others(self, real: str) -> tuple[str, ...] | None:
        """Return the other names of the file at a real path that rules, or secrets, are about; None where nobody can tell."""
        if self.other_names is None:
            return ()
        if real in self._files:
            file = self._files[real]
        else:
            status = status_of_many(real)
            file = None if status is None else (status.st_dev, status.st_ino)
        return () if file is None else self.other_names(file)

    def bases(self, folder: str) -> tuple[str, ...]:
        """Return a folder that rules start at, as named and as resolved: it may itself be reached through a link."""
        known = self._bases.get(folder)
        if known is None:
            known = self._bases[folder] = self.faces(folder)
        return known

    def is_work(self, path: str) -> bool:
        """Whether `path` and what it leads to lie in the working folders."""
        return self._has(self.folders, path) and self._has(self._real_folders, self.resolve(path))

    def is_free_to_read(self, path: str) -> bool:
        """Whether reading `path` needs nobody's permission as long as no rule says otherwise."""
        if is_public(path, self.resolve):
            return True
        if any(map(is_secret_file, self.faces(path))):
            return False
        if self.is_work(path):
            return True
        return self._has(self.free_reads, path) and self._has(self._real_free_reads, self.resolve(path))

    def why_not_free(self, path: str) -> str:
        """Say why reading `path` asks, where it does."""
        why = "outside the working folders" if not self.is_work(path) else "which may hold secrets"
        return f"it reads `{self.shown(path)}`, {why}"

    def lies_in(self, path: str, folder: str) -> bool:
        """Whether an absolute, normal `path` is `folder` or lies below it, by its text and by how names compare here."""
        return is_within(path.casefold(), folder.casefold()) if self.is_case_blind else is_within(path, folder)

    def _has(self, folders: tuple[str, ...], path: str) -> bool:
        return any(self.lies_in(path, folder) for folder in folders)
