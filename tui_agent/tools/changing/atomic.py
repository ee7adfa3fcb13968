"""Writing a file whole or not at all.

The new content goes to a temporary file in the same folder, reaches the disk, and takes the target's name in one step:
whoever looks sees the old file or the new one. A failure leaves neither half a file nor the temporary one behind.

The target becomes another file of the same name, with the mode, the owner where that is allowed, and the extended
attributes of the old one. So a second hard link of the old file keeps the old content.

Here are also the single steps, for `intents`, which makes several files one change.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from pathlib import Path
from typing import Final

__all__ = ["create", "install_new", "keep_aside", "name_beside", "replace", "stage", "sync_folder"]

_NEW_FILE_MODE: Final = 0o666  # narrowed by the process's umask, as for any file a program makes
_LONGEST_STEM: Final = 50  # characters of the target's name in that of a temporary file: names have 255 bytes at most


def replace(path: str, data: bytes) -> None:
    """Put `data` in the place of the existing file `path`.

    A symbolic link stays one: the file it leads to is replaced.

    Raises:
        OSError: it could not be done; the file is as it was.
    """
    target = os.path.realpath(path)
    temporary = name_beside(target, "tmp")
    try:
        stage(temporary, data, like=target)
        os.replace(temporary, target)  # noqa: PTH105 - plain calls throughout: what happens on the disk is the point here
    except BaseException:
        _remove(temporary)
        raise
    sync_folder(target)


def create(path: str, data: bytes) -> None:
    """Make the new file `path`, and the folders on the way to it.

    Raises:
        FileExistsError: there is something of that name already; it is left alone.
        OSError: it could not be done.
    """
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    temporary = name_beside(path, "tmp")
    try:
        stage(temporary, data)
        install_new(temporary, path)
    finally:
        _remove(temporary)
    sync_folder(path)


def name_beside(target: str, ending: str) -> str:
    """Return a name that nothing has yet, in the folder of `target`."""
    folder, name = os.path.split(target)
    return os.path.join(folder, f".{name[:_LONGEST_STEM]}.{secrets.token_hex(6)}.{ending}")  # noqa: PTH118


def stage(temporary: str, data: bytes, *, like: str | None = None) -> os.stat_result:
    """Make the file `temporary` with `data` on the disk, and return its status.

    `like` is the file it is to take the place of: its mode, owner and extended attributes are copied.

    Raises:
        OSError: it could not be done; there may be a part of it.
    """
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _NEW_FILE_MODE)
    try:
        if like is not None:
            _take_after(handle, like)
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(handle, rest) :]
        os.fsync(handle)
        return os.fstat(handle)
    finally:
        os.close(handle)


def install_new(temporary: str, target: str) -> None:
    """Give a staged file the name `target` as well, which nothing may have yet.

    Raises:
        FileExistsError: something has.
        OSError: it could not be done.
    """
    try:
        os.link(temporary, target)  # unlike a rename, fails when the name is taken
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _NEW_FILE_MODE))
        os.replace(temporary, target)  # noqa: PTH105


def keep_aside(target: str, kept: str) -> None:
    """Keep the file `target`, as it is now, under the name `kept` too: a second link, or else a copy with mode and times.

    Raises:
        OSError: it could not be done; there may be a part of a copy.
    """
    try:
        os.link(target, kept)
        return
    except OSError:  # no hard links here, or not of other people's files
        status = os.stat(target)  # noqa: PTH116
    stage(kept, Path(target).read_bytes(), like=target)
    os.utime(kept, ns=(status.st_atime_ns, status.st_mtime_ns))


def sync_folder(path: str) -> None:
    """Make a new name itself last; some file systems cannot, and the content is safe by then."""
    with contextlib.suppress(OSError):
        handle = os.open(os.path.dirname(path) or ".", os.O_RDONLY | os.O_DIRECTORY)  # noqa: PTH120
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _take_after(handle: int, like: str) -> None:
    """Give an open file what the one it replaces has. The mode comes last: a change of owner clears parts of it."""
    status = os.stat(like)  # noqa: PTH116
    if hasattr(os, "listxattr"):  # Linux
        with contextlib.suppress(OSError):
            for name in os.listxattr(like):
                with contextlib.suppress(OSError):  # what only the system may set
                    os.setxattr(handle, name, os.getxattr(like, name))
    if (status.st_uid, status.st_gid) != (os.geteuid(), os.getegid()):
        try:
            os.fchown(handle, status.st_uid, status.st_gid)
        except OSError:
            with contextlib.suppress(OSError):
                os.fchown(handle, -1, status.st_gid)
    os.fchmod(handle, stat.S_IMODE(status.st_mode))


def _remove(path: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(path)  # noqa: PTH108
