"""What `os` does with files, done to absolute paths in which no folder may be a link.

A path is resolved and judged once, and used later. If a folder in it has become a link meanwhile, these functions raise
`LinkInPath` and follow it nowhere. Linux opens such a path in one call (`openat2`); elsewhere each folder is opened from the
one above it.

Everything here blocks.
"""

from __future__ import annotations

import contextlib
import errno
import os
import struct
import sys
from collections.abc import Callable
from functools import cache
from typing import Final, Self

__all__ = ["Folders", "LinkInPath", "identity", "open_file", "open_folder", "status"]

_OPENAT2: Final = 437  # the number of the system call on every architecture of Linux
_AT_FDCWD: Final = -100
_RESOLVE_NO_MAGICLINKS: Final = 0x02
_RESOLVE_NO_SYMLINKS: Final = 0x04
_RESOLVE: Final = _RESOLVE_NO_SYMLINKS | _RESOLVE_NO_MAGICLINKS
_MOST_HELD: Final = 128  # folders of one change
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


def status(path: str) -> os.stat_result:
    """Return the status of what is at an absolute path; of a link that stands there, its own.

    Raises:
        LinkInPath: the folder's path leads through a link.
        OSError: there is nothing.
    """
    if path == "/":
        return os.lstat(path)
    folder, _, name = path.rpartition("/")
    handle = open_folder(folder or "/")
    try:
        return os.stat(name, dir_fd=handle, follow_symlinks=False)
    finally:
        _close(handle)


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
        _close(handle)
    return found.st_dev, found.st_ino


class Folders:
    """Handles of folders that files are put in, taken from and renamed in, each opened once and held until `close`.

    So all steps of one change happen in the very same folders, whatever their paths have come to mean meanwhile. Paths are
    absolute and without links. Methods raise what the functions of `os` raise, or `LinkInPath`. For one thread.
    """

    def __init__(self) -> None:
        self._handles: dict[str, int] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of all folders."""
        while self._handles:
            _close(self._handles.popitem()[1])

    def check(self) -> None:
        """Check that each folder is still the one that its path leads to.

        Raises:
            LinkInPath: a path leads through a link by now.
            FileNotFoundError: a folder is gone, or another one has taken its place.
        """
        for path, handle in self._handles.items():
            held = os.fstat(handle)
            if identity(path) != (held.st_dev, held.st_ino):
                raise FileNotFoundError(errno.ENOENT, "another folder has taken its place", path)

    def open(self, path: str, flags: int, mode: int = 0o666) -> int:
        """Do what `os.open` does; a link is not opened."""
        folder, name = self._at(path)
        try:
            return os.open(name, flags | os.O_NOFOLLOW | os.O_CLOEXEC, mode, dir_fd=folder)
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.EMLINK):
                raise LinkInPath(path) from error
            raise

    def status(self, path: str) -> os.stat_result:
        """Do what `os.lstat` does."""
        folder, name = self._at(path)
        return os.stat(name, dir_fd=folder, follow_symlinks=False)

    def make(self, path: str) -> None:
        """Do what `os.mkdir` does."""
        folder, name = self._at(path)
        os.mkdir(name, dir_fd=folder)

    def remove(self, path: str) -> None:
        """Do what `os.rmdir` does."""
        self._forget(path)
        folder, name = self._at(path)
        os.rmdir(name, dir_fd=folder)

    def unlink(self, path: str) -> None:
        """Do what `os.unlink` does."""
        folder, name = self._at(path)
        os.unlink(name, dir_fd=folder)

    def replace(self, source: str, target: str) -> None:
        """Do what `os.replace` does, within one folder."""
        folder, name = self._at(source)
        os.replace(name, self._beside(source, target), src_dir_fd=folder, dst_dir_fd=folder)

    def link(self, source: str, target: str) -> None:
        """Do what `os.link` does, within one folder; of a link, the link itself gets another name."""
        folder, name = self._at(source)
        os.link(name, self._beside(source, target), src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)

    def sync(self, folder: str) -> None:
        """Bring the names in a folder to the disk."""
        handle = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=self._of(folder))
        try:
            os.fsync(handle)
        finally:
            _close(handle)

    def _at(self, path: str) -> tuple[int, str]:
        folder, _, name = path.rpartition("/")
        return self._of(folder or "/"), name

    def _of(self, folder: str) -> int:
        handle = self._handles.get(folder)
        if handle is None:
            if len(self._handles) >= _MOST_HELD:
                self._forget(next(iter(self._handles)))
            handle = self._handles[folder] = open_folder(folder)
        return handle

    def _forget(self, folder: str) -> None:
        handle = self._handles.pop(folder, None)
        if handle is not None:
            _close(handle)

    @staticmethod
    def _beside(one: str, other: str) -> str:
        if os.path.dirname(one) != os.path.dirname(other):
            raise ValueError(f"{one!r} and {other!r} are not in one folder")
        return os.path.basename(other)


def _close(handle: int) -> None:
    with contextlib.suppress(OSError):  # nothing was written through it that could be lost
        os.close(handle)


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
        _close(handle)


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
