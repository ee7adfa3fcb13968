"""Whether a repository's own files lead git to repositories, objects, settings or files elsewhere. No git is run for that."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tui_agent.git_config import (
    GitConfigError,
    common_folder,
    config_files,
    included,
    own_folder,
    points_back,
    read_git_file,
    read_settings,
)
from tui_agent.git_index import inner_links

__all__ = ["is_led_out", "writes_elsewhere"]

_MOST_ENTRIES: Final = 100_000  # of git's own folders
_MOST_REPOSITORIES: Final = 256
# What lies at the top of git's own folder, may be large, and is not read by the git commands that only read.
_PASSED_OVER: Final = frozenset({"annex", "hooks", "lfs"})
_WRITTEN: Final = ("objects", "objects/pack", "refs", "refs/heads", "refs/tags", "refs/remotes", "logs")
_LENDERS: Final = "/info/alternates"  # below a folder of objects: names others that git reads, too


def is_led_out(folder: str, environment: dict[str, str]) -> bool:
    """Whether git, in `folder`, would read a repository, objects or settings elsewhere because its own files say so.

    A worktree's or submodule's repository counts as its own where that points back. What is not understood leads out. Every
    repository above counts: git passes over a `.git` that is none. Blocks for a moment.
    """
    markers = (f"{above.rstrip('/')}/.git" for above in (folder, *map(str, Path(folder).parents)))
    seen: set[str] = set()
    try:
        found = [marker for marker in markers if os.path.lexists(marker)]
        return any(_is_outside(marker, seen) for marker in found) or (
            bool(found) and _includes_others(folder, found, environment)
        )
    except (GitConfigError, OSError, ValueError):
        return True


def writes_elsewhere(folder: str, environment: dict[str, str]) -> bool:
    """Whether git, in `folder`, would write to a repository, or to files, that do not belong to the checkout around it.

    Looks at the places that git writes to, and not at each object, so it takes less than a millisecond. No repository at all is
    none elsewhere; see `is_led_out` for the rest.
    """
    markers = (f"{above.rstrip('/')}/.git" for above in (folder, *map(str, Path(folder).parents)))
    marker = next(filter(os.path.lexists, markers), "")
    try:
        return bool(marker) and _writes_outside(marker, environment)
    except (GitConfigError, OSError, ValueError):
        return True


def _writes_outside(marker: str, environment: dict[str, str]) -> bool:
    own, common, held = _places(marker)
    is_own = own == common and _is_below(os.path.realpath(own), held[0])
    if not (is_own or points_back(own, common, marker)):
        return True
    settings = read_settings((f"{common}/config", f"{own}/config.worktree"), environment)
    trees = [os.path.join(own, value) for _, name, value in settings if name == "core.worktree"]  # noqa: PTH118
    if any(os.path.realpath(tree) != held[0] for tree in trees):
        return True
    folders = (common, own, *(f"{common}/{name}" for name in _WRITTEN))
    return any(
        entry.is_symlink() and not _is_held(entry.path, held)
        for folder in dict.fromkeys(folders)
        for entry in _entries(folder)
    )


def _entries(folder: str) -> list[os.DirEntry[str]]:
    """Return what is in a folder; nothing where that is none.

    Raises:
        OSError: it cannot be looked at.
    """
    if not os.path.isdir(folder):  # noqa: PTH112
        return []
    with os.scandir(folder) as entries:
        return list(entries)


def _is_outside(marker: str, seen: set[str]) -> bool:
    """Whether the repository of a `.git`, or one within its files that git looks into, is not all its own.

    Raises:
        GitConfigError: it is not understood, or there are too many.
        OSError: part of it cannot be looked at.
    """
    if os.path.realpath(marker) in seen:
        return False
    seen.add(os.path.realpath(marker))
    if len(seen) > _MOST_REPOSITORIES:
        raise GitConfigError("too many repositories in one another")
    own, common, held = _places(marker)
    top = held[0]
    is_own = own == common and _is_below(os.path.realpath(own), top)
    if not (is_own or points_back(own, common, marker)):
        return True
    if any(not _is_held(path, held) for path in _led_to((common, own), held)):
        return True
    links = inner_links(own)
    if links is None:
        raise GitConfigError(f"the index of {own} is not understood")
    for link in links:
        inner = os.path.join(top, link, ".git")  # noqa: PTH118
        if os.path.lexists(inner) and (not _is_held(os.path.dirname(inner), held) or _is_outside(inner, seen)):  # noqa: PTH120
            return True
    return False


def _places(marker: str) -> tuple[str, str, tuple[str, str]]:
    """Return git's own folder of a `.git`, the one it shares, and the two places that belong to the repository."""
    own = own_folder(marker)
    common = common_folder(own)
    return own, common, (os.path.realpath(os.path.dirname(marker)), os.path.realpath(common))  # noqa: PTH120


def _led_to(roots: tuple[str, ...], held: tuple[str, ...]) -> Iterator[str]:
    """Yield where links below git's own folders lead, and the folders of objects that it borrows from.

    What of these is `held` is looked through as well.

    Raises:
        GitConfigError: there is too much, or a file is not understood.
        OSError: a folder cannot be looked at.
    """
    tops = {os.path.realpath(root) for root in roots}
    waiting = list(tops)
    seen = set(waiting)
    left = _MOST_ENTRIES
    while waiting:
        folder = waiting.pop()
        further: list[str] = []
        for entry in _entries(folder):
            left -= 1
            if left < 0:
                raise GitConfigError("there is too much in git's own folder")
            if folder in tops and entry.name in _PASSED_OVER:
                continue
            if entry.is_symlink():
                further.append(os.path.realpath(entry.path))
            elif entry.is_dir(follow_symlinks=False):
                waiting += [] if entry.path in seen else [entry.path]
                seen.add(entry.path)
            if entry.path.endswith(_LENDERS):
                further += _lenders(entry.path)
        for path in further:
            yield path
            if path not in seen and _is_held(path, held):
                seen.add(path)
                waiting.append(path)


def _lenders(path: str) -> Iterator[str]:
    """Yield the folders of objects that a list of them names.

    Raises:
        GitConfigError: a name is not understood.
    """
    for line in read_git_file(path).split("\n"):
        if line.startswith('"'):
            raise GitConfigError(f"{path} holds quoted names")
        if line and not line.startswith("#"):
            yield os.path.realpath(os.path.join(os.path.dirname(path), "..", line))  # noqa: PTH118, PTH120


def _includes_others(folder: str, markers: list[str], environment: dict[str, str]) -> bool:
    """Whether settings of these repositories include files that belong to none of them."""
    held = tuple(place for marker in markers for place in _places(marker)[2])
    personal = config_files("/", environment)
    files = [path for path in config_files(folder, environment) if path not in personal]
    return any(
        not _is_held(included(value, path, environment), held)
        for path, name, value in read_settings(files, environment)
        if name == "include.path" or (name.startswith("includeif.") and name.endswith(".path"))
    )


def _is_held(path: str, held: tuple[str, ...]) -> bool:
    real = os.path.realpath(path)
    return any(_is_below(real, place) for place in held)


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")
