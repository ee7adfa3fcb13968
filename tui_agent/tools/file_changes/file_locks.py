"""Locks between sessions of this program that write the same files, so that none overwrites what another has just written.

A session holds the locks of its files from the last look at what they hold to the moment when the new content has taken its
place. There is a fixed number of lock files in the program's own folder, and a path always gets the same one: two paths that
share one only wait for each other for a moment. The system frees a lock when its holder ends, however it ends.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import os
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

__all__ = ["FOLDER", "BusyFile", "locked_files"]

FOLDER: Final = "locks"
_COUNT: Final = 64  # lock files
_PATIENCE_S: Final = 5.0  # a write takes milliseconds; who holds a lock for longer hangs
_FIRST_PAUSE_S: Final = 0.001
_LONGEST_PAUSE_S: Final = 0.05


class BusyFile(OSError):  # noqa: N818 - nothing is wrong with the file or the program
    """Another session has been writing for too long. `reason` says so in a sentence without its full stop."""

    def __init__(self, reason: str) -> None:
        super().__init__(errno.EBUSY, reason)
        self.reason: Final = reason


@contextmanager
def locked_files(paths: Iterable[str], state: Path | None) -> Iterator[None]:
    """Hold the locks of files, by their real paths; blocks. Without `state`, the program's own folder, there are none.

    Where the locks cannot be kept (a full disk, a file system without them) the files are written without.

    Raises:
        BusyFile: another session holds one of them for longer than a write can take.
    """
    with ExitStack() as held:
        if state is not None:
            deadline = time.monotonic() + _PATIENCE_S
            # in one order everywhere: so no two sessions wait for each other
            for number, path in sorted({_number(path): path for path in paths}.items()):
                if (handle := _opened(state / FOLDER, number)) is not None:
                    held.callback(_close, handle)
                    _lock(handle, path, deadline)
        yield


def _number(path: str) -> int:
    """Return the number of a path's lock file. Names that differ in case alone may be one file, and share it."""
    return int.from_bytes(hashlib.sha256(os.fsencode(path.casefold())).digest()[:4]) % _COUNT


def _opened(folder: Path, number: int) -> int | None:
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        try:
            return os.open(folder / f"{number:02}", flags, 0o600)
        except FileNotFoundError:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            return os.open(folder / f"{number:02}", flags, 0o600)
    except OSError:
        return None


def _close(handle: int) -> None:
    with contextlib.suppress(OSError):
        os.close(handle)


def _lock(handle: int, path: str, deadline: float) -> None:
    pause = _FIRST_PAUSE_S
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise BusyFile(
                    f"Another session has been writing {path} for more than {_PATIENCE_S:g} seconds"
                ) from None
        except OSError:  # a file system without locks
            return
        else:
            return
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE_S)
