"""The program's own state: for the eyes of one user, also where it was made in another way before."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path
from typing import Final

__all__ = ["make_private", "open_private", "tighten"]

_OTHERS: Final = 0o077
_LEVELS: Final = 6  # of folders that are looked through
_MOST: Final = 50_000  # entries that are looked at


def make_private(folder: Path) -> None:
    """Make a folder, and what is missing above it, readable by its owner alone; one that is there stays as it is.

    Raises:
        OSError: it cannot be made.
    """
    missing = [folder]
    while not missing[-1].exists() and missing[-1].parent != missing[-1]:
        missing.append(missing[-1].parent)
    for one in reversed(missing):
        one.mkdir(mode=0o700, exist_ok=True)


def open_private(file: str | Path, flags: int) -> int:
    """Open a file with these flags, one that is made by that for its owner alone. An `opener` of `open`."""
    return os.open(file, flags | os.O_CLOEXEC, 0o600)


def tighten(state: Path) -> None:
    """Take from everybody else what the state folder, and what is in it, lets them do. What is not the user's own stays.

    Nothing is done where nobody else can get in, nor where the folder is no place of the program's own: one that everybody may
    write into, such as `/tmp`, or one that holds the user's home.
    """
    try:
        facts = state.stat()
    except OSError:
        return
    home = Path(os.path.realpath(Path.home()))
    if not facts.st_mode & _OTHERS or facts.st_mode & stat.S_ISVTX or home.is_relative_to(os.path.realpath(state)):
        return
    left = _MOST
    waiting = [(str(state), 0)]
    while waiting and left > 0:
        path, level = waiting.pop()
        with contextlib.suppress(OSError):
            handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                _close(handle)
                with os.scandir(handle) as entries:
                    for entry in entries:
                        left -= 1
                        if entry.is_dir(follow_symlinks=False):
                            if level < _LEVELS - 1:
                                waiting.append((os.path.join(path, entry.name), level + 1))  # noqa: PTH118
                        elif (
                            entry.is_file(follow_symlinks=False) and entry.stat(follow_symlinks=False).st_mode & _OTHERS
                        ):
                            _close_file(entry.name, handle)
            finally:
                os.close(handle)


def _close(handle: int) -> None:
    facts = os.fstat(handle)
    if facts.st_mode & _OTHERS and facts.st_uid == os.geteuid():
        os.fchmod(handle, stat.S_IMODE(facts.st_mode) & ~_OTHERS)


def _close_file(name: str, folder: int) -> None:
    with contextlib.suppress(OSError):
        handle = os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
        try:
            _close(handle)
        finally:
            os.close(handle)
