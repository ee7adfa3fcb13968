"""Writing a file whole or not at all.

The new content goes to a temporary file in the same folder, reaches the disk, and takes the target's name in one step:
whoever looks sees the old file or the new one. A failure leaves neither half a file nor the temporary one behind.

The target becomes another file of the same name, with the mode, the owner where that is allowed, and the extended
attributes of the old one. So a second hard link of the old file keeps the old content.

All steps of one change go through one `nofollow.Folders`, by paths without links: they happen in the very same folder,
whatever takes its name meanwhile. `intents` puts the steps together.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from pathlib import Path
from typing import Final

from tui_agent.nofollow import Folders

__all__ = ["create", "install_new", "keep_aside", "name_beside", "read", "stage", "sync_folder"]

_NEW_FILE_MODE: Final = 0o666  # narrowed by the process's umask, as for any file a program makes
_LONGEST_STEM: Final = 50  # characters of the target's name in that of a temporary file: names have 255 bytes at most
# With these a program does not run with the rights of whoever starts it, but with those of its owner, its group, or more.
_RIGHTS_OF_OTHERS: Final = stat.S_ISUID | stat.S_ISGID
_CAPABILITIES: Final = "security.capability"
_CAREFUL: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY


def create(path: str, data: bytes) -> None:
    """Make the new file `path`, and the folders on the way to it; links on the way are followed.

    Raises:
        FileExistsError: there is something of that name already; it is left alone.
        OSError: it could not be done.
    """
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    folder, name = os.path.split(path)
    target = os.path.join(os.path.realpath(folder), name)  # noqa: PTH118
    temporary = name_beside(target, "tmp")
    with Folders() as folders:
        try:
            stage(folders, temporary, data)
            install_new(folders, temporary, target)
        finally:
            with contextlib.suppress(OSError):
                folders.unlink(temporary)
        sync_folder(folders, os.path.dirname(target))  # noqa: PTH120


def name_beside(target: str, ending: str) -> str:
    """Return a name that nothing has yet, in the folder of `target`."""
    folder, name = os.path.split(target)
    return os.path.join(folder, f".{name[:_LONGEST_STEM]}.{secrets.token_hex(6)}.{ending}")  # noqa: PTH118


def stage(folders: Folders, temporary: str, data: bytes, *, like: str | None = None) -> os.stat_result:
    """Make the file `temporary` with `data` on the disk, and return its status.

    `like` is the file it is to take the place of: its mode, owner and extended attributes are copied.

    Raises:
        OSError: it could not be done; there may be a part of it.
    """
    handle = folders.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _NEW_FILE_MODE)
    try:
        if like is not None:
            model = folders.open(like, _CAREFUL)
            try:
                _take_after(handle, model)
            finally:
                os.close(model)
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(handle, rest) :]
        os.fsync(handle)
        return os.fstat(handle)
    finally:
        os.close(handle)


def read(folders: Folders, path: str) -> bytes | None:
    """Return what a file holds; None for what is no regular file.

    Raises:
        OSError: it cannot be read.
    """
    handle = folders.open(path, _CAREFUL)
    with open(handle, "rb") as file:  # noqa: PTH123
        return file.read() if stat.S_ISREG(os.fstat(handle).st_mode) else None


def install_new(folders: Folders, temporary: str, target: str) -> None:
    """Give a staged file the name `target` as well, which nothing may have yet.

    Raises:
        FileExistsError: something has.
        OSError: it could not be done.
    """
    try:
        folders.link(temporary, target)  # unlike a rename, fails when the name is taken
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        os.close(folders.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _NEW_FILE_MODE))
        folders.replace(temporary, target)


def keep_aside(folders: Folders, target: str, kept: str) -> None:
    """Keep the file `target`, as it is now, under the name `kept` too: a second link, or else a copy with mode and times.

    Raises:
        OSError: it could not be done; there may be a part of a copy.
    """
    try:
        folders.link(target, kept)
        return
    except OSError:  # no hard links here, or not of other people's files
        status = folders.status(target)
    data = read(folders, target)
    if data is None:
        raise OSError(f"{target} is no longer a regular file")
    stage(folders, kept, data, like=target)
    handle = folders.open(kept, _CAREFUL)
    try:
        os.utime(handle, ns=(status.st_atime_ns, status.st_mtime_ns))
    finally:
        os.close(handle)


def sync_folder(folders: Folders, folder: str) -> None:
    """Make new names in a folder last; some file systems cannot, and the content is safe by then."""
    with contextlib.suppress(OSError):
        folders.sync(folder)


def _take_after(handle: int, model: int) -> None:
    """Give an open file what the one it replaces has, except what would have it run with rights of others.

    The mode comes last: a change of owner clears parts of it.
    """
    status = os.fstat(model)
    if hasattr(os, "listxattr"):  # Linux
        with contextlib.suppress(OSError):
            for name in set(os.listxattr(model)) - {_CAPABILITIES}:
                with contextlib.suppress(OSError):  # what only the system may set
                    os.setxattr(handle, name, os.getxattr(model, name))
    if (status.st_uid, status.st_gid) != (os.geteuid(), os.getegid()):
        try:
            os.fchown(handle, status.st_uid, status.st_gid)
        except OSError:
            with contextlib.suppress(OSError):
                os.fchown(handle, -1, status.st_gid)
    os.fchmod(handle, stat.S_IMODE(status.st_mode) & ~_RIGHTS_OF_OTHERS)
