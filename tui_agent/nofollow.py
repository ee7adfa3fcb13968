"""What `os` does with files, done to absolute paths in which no folder may be a link.

A path is resolved and judged once, and used later. If a folder in it has become a link meanwhile, these functions raise
`LinkInPath` and follow it nowhere. Linux opens such a path in one call (`openat2`); elsewhere each folder is opened from the
one above it.

Everything here blocks.
"""

from __future__ import annotations

import errno
import os
import struct
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Final

__all__ = [
    "LinkInPath", "identity", "link", "make_folder", "open_file", "open_folder", "parent_of", "remove_folder", "replace",
    "status", "sync_folder_of", "unlink",
]  # fmt: skip

_OPENAT2: Final = 437  # the number of the system call on every architecture of Linux
_AT_FDCWD: Final = -100
_RESOLVE_NO_MAGICLINKS: Final = 0x02
_RESOLVE_NO_SYMLINKS: Final = 0x04
_RESOLVE: Final = _RESOLVE_NO_SYMLINKS | _RESOLVE_NO_MAGICLINKS
_TRIES: Final = 16  # the kernel asks for another try where the tree changes under it

# A folder that is only gone through need not be readable where the system can open it for that alone.
_THROUGH: Final = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_LISTED: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class LinkInPath(OSError):  # noqa: N818 - the name says what is wrong
    """A path that was resolved leads through a link; nothing was opened. `filename` is the path."""

    def __init__(self, path: str) -> None:
        super().__init__(errno.ELOOP, "a symbolic link is on the way", path)


def open_folder(path: str, *, is_listed: bool = False) -> int:
    """Open the folder of an absolute path and return its descriptor: for `dir_fd`, and with `is_listed` to list it too.

    Raises:
        LinkInPath: the path leads through a link, or is one.
        OSError: there is no such folder, or it cannot be opened.
    """
    return _open(path, _LISTED if is_listed else _THROUGH, 0)


def open_file(path: str, flags: int, mode: int = 0o666) -> int:
    """Do what `os.open` does, to an absolute path without links.

    Raises:
        LinkInPath: the path leads through a link, or is one.
        OSError: as from `os.open`.
    """
    return _open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC, mode)


@contextmanager
def parent_of(path: str) -> Iterator[tuple[int, str]]:
    """Yield a descriptor of the folder that an absolute path lies in, and the last name: for functions with a `dir_fd`.

    Raises:
        LinkInPath: the folder's path leads through a link.
        OSError: there is no such folder.
    """
    folder, _, name = path.rpartition("/")
    handle = open_folder(folder or "/")
    try:
        yield handle, name
    finally:
        os.close(handle)


def status(path: str) -> os.stat_result:
    """Return the status of what is at an absolute path; of a link that stands there, its own.

    Raises:
        LinkInPath: the folder's path leads through a link.
        OSError: there is nothing.
    """
    if path == "/":
        return os.lstat(path)
    with parent_of(path) as (folder, name):
        return os.stat(name, dir_fd=folder, follow_symlinks=False)


def identity(path: str) -> tuple[int, int]:
    """Return what tells the folder at an absolute path from every other that is there: device and number.

    Raises:
        LinkInPath: the path leads through a link, or is one.
        OSError: there is no such folder.
    """
    handle = open_folder(path)
    try:
        found = os.fstat(handle)
    finally:
        os.close(handle)
    return found.st_dev, found.st_ino


def make_folder(path: str, mode: int = 0o777) -> None:
    """Do what `os.mkdir` does, following no link."""
    with parent_of(path) as (folder, name):
        os.mkdir(name, mode, dir_fd=folder)


def remove_folder(path: str) -> None:
    """Do what `os.rmdir` does, following no link."""
    with parent_of(path) as (folder, name):
        os.rmdir(name, dir_fd=folder)


def unlink(path: str) -> None:
    """Do what `os.unlink` does, following no link."""
    with parent_of(path) as (folder, name):
        os.unlink(name, dir_fd=folder)


def replace(source: str, target: str) -> None:
    """Do what `os.replace` does, following no link."""
    with _both(source, target) as (source_fd, source_name, target_fd, target_name):
        os.replace(source_name, target_name, src_dir_fd=source_fd, dst_dir_fd=target_fd)


def link(source: str, target: str) -> None:
    """Do what `os.link` does, following no link."""
    with _both(source, target) as (source_fd, source_name, target_fd, target_name):
        os.link(source_name, target_name, src_dir_fd=source_fd, dst_dir_fd=target_fd, follow_symlinks=False)


def sync_folder_of(path: str) -> None:
    """Bring the names in the folder that a path lies in to the disk.

    Raises:
        OSError: it cannot be opened, or its file system has no such thing.
    """
    handle = open_folder(os.path.dirname(path), is_listed=True)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _both(source: str, target: str) -> Iterator[tuple[int, str, int, str]]:
    """Yield folder and name of two paths; one folder is opened once, so that both names are in the very same."""
    with parent_of(source) as (source_fd, source_name):
        if os.path.dirname(source) == os.path.dirname(target):
            yield source_fd, source_name, source_fd, os.path.basename(target)
            return
        with parent_of(target) as (target_fd, target_name):
            yield source_fd, source_name, target_fd, target_name


# --- how -------------------------------------------------------------------------------------------------------------


def _open(path: str, flags: int, mode: int) -> int:
    if not path.startswith("/"):
        raise ValueError(f"{path!r} is not an absolute path")
    try:
        call = _openat2()
        return _step_by_step(path, flags, mode) if call is None else call(path, flags, mode)
    except OSError as error:
        is_link = error.errno in (errno.ELOOP, errno.EMLINK) or (error.errno == errno.ENOTDIR and _has_link(path))
        if is_link:  # which system says what of a link where a folder was wanted differs
            raise LinkInPath(path) from error
        raise


def _step_by_step(path: str, flags: int, mode: int) -> int:
    """Open a path folder by folder, each from the one above it."""
    *folders, name = [part for part in path.split("/") if part] or ["."]
    handle = os.open("/", _THROUGH)
    try:
        for folder in folders:
            inner = os.open(folder, _THROUGH, dir_fd=handle)
            os.close(handle)
            handle = inner
        return os.open(name, flags, mode, dir_fd=handle)
    finally:
        os.close(handle)


@cache
def _openat2() -> Callable[[str, int, int], int] | None:
    """Return how to open a path in one call of the kernel's; None where it has none, or something forbids it."""
    if not sys.platform.startswith("linux"):
        return None
    import ctypes

    syscall = ctypes.CDLL(None, use_errno=True).syscall
    syscall.restype = ctypes.c_long

    def call(path: str, flags: int, mode: int) -> int:
        how = struct.pack("=QQQ", flags, mode if flags & os.O_CREAT else 0, _RESOLVE)
        name = os.fsencode(path)
        if b"\0" in name:
            raise ValueError("embedded null byte")
        code = 0
        for _ in range(_TRIES):
            handle = syscall(ctypes.c_long(_OPENAT2), ctypes.c_long(_AT_FDCWD), name, how, ctypes.c_size_t(len(how)))
            if handle >= 0:
                return int(handle)
            code = ctypes.get_errno()
            if code not in (errno.EAGAIN, errno.EINTR):
                break
        raise OSError(code, os.strerror(code), path)

    try:
        os.close(call("/", _THROUGH, 0))
    except OSError:  # an old kernel, or a filter that does not know the call
        return None
    return call


def _has_link(path: str) -> bool:
    """Whether a name on the way is a link. It only finds the right words for a refusal."""
    at = ""
    for name in path.split("/")[1:]:
        at += f"/{name}"
        if os.path.islink(at):
            return True
    return False
