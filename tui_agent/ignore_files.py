"""Lists of what to ignore that are no files: ripgrep and git open whatever has their name, and wait where that is a pipe.

They are looked for only when a search is silent for a while, or fails. A pipe is opened and closed, so that its reader finds it
empty and goes on; what else is no file ends the search. Blocks.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

__all__ = ["IgnoreFiles"]

_NAMES: Final = frozenset({".gitignore", ".ignore", ".rgignore"})
_NAMES_OF_GIT: Final = frozenset({".gitignore", ".gitattributes"})
_MOST_FOLDERS: Final = 20_000
_MOST_S: Final = 1.0
_LARGEST: Final = 16 << 20  # bytes of a list that somebody wrote
_MOST_RELEASES: Final = 10  # of one pipe; behind that, another program keeps it open


@dataclass(slots=True)
class _Odd:
    path: str
    what: str
    is_pipe: bool
    releases: int = 0


class IgnoreFiles:
    """The lists that a search in the folder `real` reads, in it, below it and above it; none unless `are_read`.

    `is_git` is for a run of git and not of ripgrep.
    """

    def __init__(self, real: str, *, are_read: bool = True, is_git: bool = False) -> None:
        self._names: Final = _NAMES_OF_GIT if is_git else _NAMES
        self._real: Final = real.rstrip("/") or "/"
        self._odd: list[_Odd] | None = None if are_read else []
        self._told: dict[str, None] = {}

    @property
    def has_pipes(self) -> bool:
        """Whether some are known to be pipes."""
        return any(one.is_pipe for one in self._odd or ())

    @property
    def told(self) -> tuple[str, ...]:
        """A sentence without its full stop for each pipe that the search met."""
        return tuple(self._told)

    def release(self) -> str:
        """Let the search go on where it waits for a pipe; return why it cannot go on, or an empty text."""
        for one in self._found():
            if not one.is_pipe:
                return self._sentence(one)
            if not _open_and_close(one.path):
                continue
            self._told[self._sentence(one)] = None
            one.releases += 1
            if one.releases > _MOST_RELEASES:
                return self._sentence(one)
        return ""

    def why_failed(self) -> str:
        """Return which list has no end that could be read; empty where none is found."""
        return next((self._sentence(one) for one in self._found() if not one.is_pipe), "")

    def _found(self) -> list[_Odd]:
        if self._odd is None:
            self._odd = [odd for path in self._paths() if (odd := _odd(path)) is not None]
        return self._odd

    def _sentence(self, one: _Odd) -> str:
        shown = one.path.removeprefix(self._real.rstrip("/") + "/")
        return f"{shown} is {one.what}, and no list of what to ignore"

    def _paths(self) -> Iterator[str]:
        home = Path.home()
        for path in (home / ".gitconfig", home / ".config/git/config", home / ".config/git/ignore"):
            yield str(path)
        above = self._real
        while above != "/":
            above = os.path.dirname(above)  # noqa: PTH120 - text
            yield from (os.path.join(above, name) for name in (*self._names, ".git/info/exclude"))  # noqa: PTH118
        waiting, deadline = [self._real], time.monotonic() + _MOST_S
        for folder in waiting:  # grows meanwhile
            with contextlib.suppress(OSError), os.scandir(folder) as entries:
                for entry in entries:
                    if entry.name in self._names:
                        yield entry.path
                    elif entry.name == ".git":
                        yield f"{entry.path}/info/exclude"
                    elif entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
            if len(waiting) > _MOST_FOLDERS or time.monotonic() > deadline:
                return


def _odd(path: str) -> _Odd | None:
    try:
        found = os.stat(path)  # noqa: PTH116 - ripgrep follows links, too
    except (OSError, ValueError):
        return None
    link = "a link to " if os.path.islink(path) else ""  # noqa: PTH114 - text
    if stat.S_ISFIFO(found.st_mode):
        return _Odd(path, f"{link}a pipe", is_pipe=True)
    if stat.S_ISCHR(found.st_mode) or stat.S_ISBLK(found.st_mode):
        return None if os.path.realpath(path) == os.devnull else _Odd(path, f"{link}a device", is_pipe=False)
    if stat.S_ISREG(found.st_mode) and found.st_size > _LARGEST:
        return _Odd(path, f"{link}a file of {found.st_size:,} bytes", is_pipe=False)
    return None


def _open_and_close(path: str) -> bool:
    """Be the writer of a pipe that somebody waits to read, for a moment; return whether somebody does."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError as error:
        return error.errno not in (errno.ENXIO, errno.ENOENT, errno.EACCES, errno.ELOOP)
    os.close(handle)
    return True
