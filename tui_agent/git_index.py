"""What a repository tracks now, and which repositories lie in it, read from git's index without running git."""

from __future__ import annotations

import hashlib
import os
import struct
from functools import lru_cache
from typing import Final

from tui_agent.regular_files import TooLargeError, open_regular, read_regular

__all__ = ["inner_links", "repository_top", "tracked_files", "tracked_names"]

_LARGEST: Final = 4 << 20  # bytes; some forty thousand files
_FIXED: Final = 62  # bytes of an entry before its name
_EXTENDED: Final = 0x4000
_FOLDER: Final = 0o040000
_LINK: Final = 0o160000
_LINK_MARK: Final = struct.pack(">I", _LINK)
_LARGEST_SEARCHED: Final = 256 << 20  # bytes that are searched for links; some two million files
_LARGEST_WITH_LINKS: Final = 32 << 20  # bytes; some three hundred thousand files
_PIECE: Final = 1 << 20  # bytes
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
    """Return the tracked files below the top of a working tree; None where `tracked_files` is."""
    files = tracked_files(top)
    return None if files is None else tuple(name for name, _ in files)


def tracked_files(top: str) -> tuple[tuple[str, str], ...] | None:
    """Return the tracked files below the top of a working tree, each with the number of its contents, in hexadecimal digits.

    None where the index cannot be read completely.

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
    return _files(index, found.st_mtime_ns, found.st_size, found.st_ino)


def inner_links(git: str) -> tuple[str, ...] | None:
    """Return where other repositories belong to this one's files (gitlinks, as of submodules); None where that cannot be told.

    `git` is git's own folder of a working tree. git itself looks into those that are there, by their own settings. An index
    that names none is told apart by a search, however large it is.
    """
    try:
        shared = [name for name in os.listdir(git) if name.startswith("sharedindex.")]  # noqa: PTH208
        files = [os.path.join(git, name) for name in ("index", *shared)]  # noqa: PTH118
        found = tuple((file, os.stat(file)) for file in files if os.path.lexists(file))  # noqa: PTH116
    except FileNotFoundError:
        return ()
    except OSError:
        return None
    return _links(tuple((file, of.st_mtime_ns, of.st_size, of.st_ino) for file, of in found))


@lru_cache(maxsize=32)
def _links(files: tuple[tuple[str, int, int, int], ...]) -> tuple[str, ...] | None:
    found: list[str] = []
    try:
        for file, *_ in files:
            if not _has_links(file):
                continue
            entries = _entries(read_regular(file, _LARGEST_WITH_LINKS, follow_links=True))
            if entries is None or len(files) > 1:
                return None
            found += [name for name, mode, _ in entries if mode & 0o170000 == _LINK]
    except (OSError, struct.error, ValueError, IndexError):
        return None
    return tuple(found)


def _has_links(file: str) -> bool:
    """Whether the mark of a link occurs in an index, which is not held whole: it may be large.

    Raises:
        OSError: it is larger than what is searched, or cannot be read.
    """
    with open(open_regular(file, follow_links=True), "rb", buffering=0) as index:  # noqa: PTH123
        size = os.fstat(index.fileno()).st_size
        if size > _LARGEST_SEARCHED:
            raise TooLargeError(f"it is larger than {_LARGEST_SEARCHED:,} bytes")
        before = b""
        while size > 0 and (piece := index.read(_PIECE)):
            if _LINK_MARK in before + piece:
                return True
            before = piece[1 - len(_LINK_MARK) :]
            size -= len(piece)
    return False


@lru_cache(maxsize=8)
def _files(index: str, _changed_ns: int, _size: int, _inode: int) -> tuple[tuple[str, str], ...] | None:
    try:
        entries = _entries(read_regular(index, _LARGEST))
    except (OSError, struct.error, ValueError, IndexError):
        return None
    if entries is None or any(mode & 0o170000 == _FOLDER for _, mode, _ in entries):
        return None
    return tuple((name, number) for name, _, number in entries)


def _entries(data: bytes) -> list[tuple[str, int, str]] | None:
    """Return the names in an index with their modes and the numbers of their contents, None where it does not hold all of them.

    Raises:
        ValueError, IndexError, struct.error: it is cut short or damaged.
    """
    if not _is_whole(data):
        return None
    mark, version, count = struct.unpack_from(">4sII", data)
    if mark != b"DIRC" or version not in {2, 3, 4}:
        return None
    entries: list[tuple[str, int, str]] = []
    at, before = 12, b""
    for _ in range(count):
        start = at
        (mode,) = struct.unpack_from(">I", data, at + 24)
        (flags,) = struct.unpack_from(">H", data, at + 60)
        at += _FIXED + (2 if version > 2 and flags & _EXTENDED else 0)
        cut = 0
        if version == 4:
            cut, at = _number(data, at)
        end = data.index(b"\0", at)
        name = (before[: len(before) - cut] if version == 4 else b"") + data[at:end]
        at = end + 1 if version == 4 else start + ((end - start) // 8 + 1) * 8
        entries.append((os.fsdecode(name), mode, data[start + 40 : start + 60].hex()))
        before = name
    while at + 8 <= len(data) - 20:
        kind, size = struct.unpack_from(">4sI", data, at)
        if kind == b"link":
            return None
        at += 8 + size
    return entries


def _is_whole(data: bytes) -> bool:
    """Whether an index ends with its own SHA-1, or with none where git was told to write none; one of SHA-256 does not."""
    sealed = data[-20:]
    if sealed.strip(b"\0"):
        return hashlib.sha1(data[:-20], usedforsecurity=False).digest() == sealed
    return bool(data[-32:].strip(b"\0"))


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
