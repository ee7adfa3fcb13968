"""The names of the files that a repository tracks now, read from git's index without running git."""

from __future__ import annotations

import os
import struct
from functools import lru_cache
from typing import Final

from tui_agent.regular_files import read_regular

__all__ = ["repository_top", "tracked_names"]

_LARGEST: Final = 4 << 20  # bytes; some forty thousand files
_FIXED: Final = 62  # bytes of an entry before its name
_EXTENDED: Final = 0x4000
_FOLDER: Final = 0o040000
_MOST_STEPS: Final = 64


def repository_top(folder: str) -> str:
    """Return the folder at the top of the working tree that `folder` lies in; empty where none is found."""
    for _ in range(_MOST_STEPS):
        if os.path.lexists(os.path.join(folder, ".git")):  # noqa: PTH118
            return folder
        above = os.path.dirname(folder)  # noqa: PTH120
        if above == folder:
            break
        folder = above
    return ""


def tracked_names(top: str) -> tuple[str, ...] | None:
    """Return the tracked files below the top of a working tree; None where the index cannot be read completely.

    That is so where it is large, split, sparse, or of a form that is not known. No index is one without files.
    """
    git = os.path.join(top, ".git")  # noqa: PTH118
    try:
        if not os.path.isdir(git):  # noqa: PTH112 - a linked working tree: a file says where its index lies
            text = read_regular(git, 4096).decode()
            git = os.path.join(top, text.removeprefix("gitdir:").strip())  # noqa: PTH118
            os.stat(git)  # noqa: PTH116
        index = os.path.join(git, "index")  # noqa: PTH118
    except (OSError, ValueError):
        return None
    try:
        found = os.lstat(index)
    except FileNotFoundError:
        return ()
    except OSError:
        return None
    return _names(index, found.st_mtime_ns, found.st_size, found.st_ino)


@lru_cache(maxsize=8)
def _names(index: str, _changed_ns: int, _size: int, _inode: int) -> tuple[str, ...] | None:
    try:
        data = read_regular(index, _LARGEST)
        return _parsed(data)
    except (OSError, struct.error, ValueError, IndexError):
        return None


def _parsed(data: bytes) -> tuple[str, ...] | None:
    """Return the names in an index, None where it does not hold all of them.

    Raises:
        ValueError, IndexError, struct.error: it is cut short or damaged.
    """
    mark, version, count = struct.unpack_from(">4sII", data)
    if mark != b"DIRC" or version not in {2, 3, 4}:
        return None
    names: list[str] = []
    at, before = 12, b""
    for _ in range(count):
        start = at
        (mode,) = struct.unpack_from(">I", data, at + 24)
        (flags,) = struct.unpack_from(">H", data, at + 60)
        if mode & 0o170000 == _FOLDER:
            return None
        at += _FIXED + (2 if version > 2 and flags & _EXTENDED else 0)
        cut = 0
        if version == 4:
            cut, at = _number(data, at)
        end = data.index(b"\0", at)
        name = (before[: len(before) - cut] if version == 4 else b"") + data[at:end]
        at = end + 1 if version == 4 else start + ((end - start) // 8 + 1) * 8
        names.append(os.fsdecode(name))
        before = name
    while at + 8 <= len(data) - 20:
        kind, size = struct.unpack_from(">4sI", data, at)
        if kind == b"link":
            return None
        at += 8 + size
    return tuple(names)


def _number(data: bytes, at: int) -> tuple[int, int]:
    """Read a number of variable length; return it and where it ends."""
    byte = data[at]
    value = byte & 127
    at += 1
    while byte & 128:
        byte = data[at]
        at += 1
        value = ((value + 1) << 7) | (byte & 127)
    return value, at
