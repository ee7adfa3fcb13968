"""Where a call is judged: the folders that count as the work, home, trust, and how links are resolved."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

__all__ = ["Surroundings", "is_within"]


def is_within(path: str, folder: str) -> bool:
    """Whether an absolute, normal `path` is `folder` or lies below it, by its text alone."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def follow_links(path: str) -> str:
    """Return where `path` really is. What no file can be called (a NUL in it, say) leads nowhere, so it stays as it is."""
    try:
        return os.path.realpath(path)
    except ValueError:
        return path


@dataclass(frozen=True)
class Surroundings:
    """All that a decision may know of the world. Paths are absolute.

    `cwd` is the folder the session was started in, which rules are anchored at; `shell_cwd` is where the shell stands now,
    which a command's relative paths start at (by default the same). `free_reads` are folders that may be read without
    asking though they are not part of the work (this session's stored results). `resolve` follows links; it is a field so
    that a decision depends on nothing but its arguments.
    """

    cwd: str
    project_root: str
    home: str
    additional_dirs: tuple[str, ...] = ()
    is_trusted: bool = True
    shell_cwd: str | None = None
    free_reads: tuple[str, ...] = ()
    resolve: Callable[[str], str] = field(default=follow_links, compare=False)
    _bases: dict[str, tuple[str, ...]] = field(default_factory=dict, init=False, compare=False, repr=False)

    @cached_property
    def folders(self) -> tuple[str, ...]:
        """The working folders: where the session was started, and the added ones."""
        return (self.cwd, *self.additional_dirs)

    @cached_property
    def _real_folders(self) -> tuple[str, ...]:
        return tuple(self.resolve(folder) for folder in self.folders)

    @cached_property
    def _real_free_reads(self) -> tuple[str, ...]:
        return tuple(self.resolve(folder) for folder in self.free_reads)

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
        """Return the path as named and, where links lead elsewhere, where it really is."""
        real = self.resolve(path)
        return (path,) if real == path else (path, real)

    def bases(self, folder: str) -> tuple[str, ...]:
        """Return a folder that rules start at, as named and as resolved: it may itself be reached through a link."""
        known = self._bases.get(folder)
        if known is None:
            known = self._bases[folder] = self.faces(folder)
        return known

    def is_work(self, path: str) -> bool:
        """Whether `path` and what it leads to lie in the working folders."""
        return _has(self.folders, path) and _has(self._real_folders, self.resolve(path))

    def is_free_to_read(self, path: str) -> bool:
        """Whether reading `path` needs nobody's permission as long as no rule says otherwise."""
        if self.is_work(path):
            return True
        return _has(self.free_reads, path) and _has(self._real_free_reads, self.resolve(path))


def _has(folders: tuple[str, ...], path: str) -> bool:
    return any(is_within(path, folder) for folder in folders)
