"""Places for limits to be laid over: what a path really is, and stand-ins for files that do not exist but must not be made.

A mount needs something to lie on. Where a protected file or folder is missing inside of a folder that may be written, an empty
folder stands in for it as long as commands run that must not make it, and goes when the last of these has ended. It is a
folder also in place of a file: git does not see an empty one, and taking it away cannot take anything with it.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import os
import stat
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

__all__ = [
    "OverlayFiles",
    "between",
    "is_inside",
    "is_stand_in",
    "link_on_the_way",
    "links_of",
    "outermost",
    "real",
    "take_away_left",
]

_lock: Final = threading.Lock()
_MOST_LINKS: Final = 40  # as the kernel has it
_STAND_IN_MODE: Final = 0o555  # by which another window, or the next start, knows a stand-in


@dataclass(slots=True)
class _StandIn:
    """One stand-in: how many commands of this program need it, and its lock, which tells other programs that some do."""

    users: int
    lock: int


_held: Final[dict[str, _StandIn]] = {}


def real(paths: Iterable[str]) -> tuple[str, ...]:
    """Return where these paths really are, in order, those of folders above before those below; each once."""
    return tuple(sorted({os.path.realpath(path) for path in paths}))


def is_inside(path: str, folders: Iterable[str]) -> bool:
    """Whether a real path is, or lies in, one of these folders."""
    return any(path == folder or path.startswith(folder.rstrip("/") + "/") for folder in folders)


def outermost(paths: Iterable[str]) -> tuple[str, ...]:
    """Return the real paths without those that lie in others of them."""
    out: list[str] = []
    for path in real(paths):
        if not is_inside(path, out):
            out.append(path)
    return tuple(out)


def between(folder: str, path: str) -> list[str]:
    """Return the folders strictly between `folder` and `path` below it, the upper ones first."""
    out: list[str] = []
    parent = os.path.dirname(path)  # noqa: PTH120
    while parent != folder and len(parent) > len(folder):
        out.append(parent)
        parent = os.path.dirname(parent)  # noqa: PTH120
    return out[::-1]


def link_on_the_way(path: str, writable: Sequence[str]) -> str:
    """Return the first link, from `path` upwards, that itself lies in what may be written; empty where there is none."""
    while path != os.path.dirname(path):  # noqa: PTH120
        folder, name = os.path.split(path)
        spot = os.path.join(os.path.realpath(folder), name)  # noqa: PTH118
        if os.path.islink(spot) and is_inside(spot, writable):  # noqa: PTH114
            return spot
        path = folder
    return ""


def links_of(path: str) -> Iterator[tuple[str, str]]:
    """Yield each link that `path` goes through, by where it really lies, and what it says; no further than can be followed."""
    waiting = [part for part in path.split("/")[::-1] if part]
    here = ""
    followed = 0
    while waiting:
        part = waiting.pop()
        if part in (".", ".."):
            here = os.path.dirname(here).rstrip("/") if part == ".." else here  # noqa: PTH120
            continue
        spot = f"{here}/{part}"
        if not os.path.islink(spot):  # noqa: PTH114
            here = spot
            continue
        followed += 1
        if followed > _MOST_LINKS:
            return
        target = os.readlink(spot)  # noqa: PTH115
        yield spot, target
        waiting += [one for one in target.split("/")[::-1] if one]
        here = "" if target.startswith("/") else here


class OverlayFiles:
    """The stand-ins of one command. `release` must be called when the command has ended."""

    def __init__(self) -> None:
        self._paths: list[str] = []

    @property
    def paths(self) -> tuple[str, ...]:
        """Where they are, except where a line break in the name keeps that from being told."""
        return tuple(path for path in self._paths if "\n" not in path)

    def share(self, path: str) -> bool:
        """Hold a stand-in that another command has made, of this program or another; False where what is there is none."""
        with _lock:
            if path in _held:
                _held[path].users += 1
            elif is_stand_in(path) and (lock := _locked(path)) is not None:
                _held[path] = _StandIn(1, lock)
            else:
                return False
        self._paths.append(path)
        return True

    def make(self, path: str) -> bool:
        """See to it that there is something at `path`; False where its own folder is missing too, or cannot be written."""
        with _lock:
            try:
                os.mkdir(path)  # noqa: PTH102
            except FileExistsError:
                return True  # it came into being meanwhile, and is not ours to take away
            except OSError:
                return False
            with contextlib.suppress(OSError):
                os.chmod(path, _STAND_IN_MODE)  # noqa: PTH101
            lock = _locked(path)
            if lock is None:
                return True
            _held[path] = _StandIn(1, lock)
        self._paths.append(path)
        return True

    def release(self) -> None:
        """Take away those that nobody else needs."""
        with _lock:
            for path in reversed(self._paths):
                stand_in = _held[path]
                stand_in.users -= 1
                if not stand_in.users:
                    _take_away(path)
            self._paths.clear()


def is_stand_in(path: str) -> bool:
    """Whether there is nothing at a path but an empty folder that stands in for something else."""
    try:
        found = os.lstat(path)
        return (
            stat.S_ISDIR(found.st_mode)
            and stat.S_IMODE(found.st_mode) == _STAND_IN_MODE
            and found.st_uid == os.geteuid()
            and not os.listdir(path)  # noqa: PTH208
        )
    except OSError:
        return False


def take_away_left(paths: Iterable[str]) -> None:
    """Take away those stand-ins among these paths that no program needs, as those that made them were killed."""
    for path in paths:
        with _lock:
            if path not in _held and is_stand_in(path) and (lock := _locked(path)) is not None:
                _held[path] = _StandIn(0, lock)
                _take_away(path)


def _locked(path: str) -> int | None:
    """Open a folder and lock it together with whoever else needs it; None where it is gone again."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    with contextlib.suppress(OSError):  # where nothing can be locked, one program does not know of another
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    try:
        is_same = os.path.samestat(os.fstat(handle), os.lstat(path))
    except OSError:
        is_same = False
    if not is_same:
        os.close(handle)
        return None
    return handle


def _take_away(path: str) -> None:
    handle = _held.pop(path).lock
    # Whoever else holds it keeps this from succeeding, and takes it away in the end; and so does anything that is in it by now.
    with contextlib.suppress(OSError):
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.rmdir(path)  # noqa: PTH106
    os.close(handle)


def _take_all_away() -> None:
    with _lock:
        for path in sorted(_held, reverse=True):
            _take_away(path)


atexit.register(_take_all_away)
