"""Writing a file whole or not at all.

The new content goes to a temporary file in the same folder, reaches the disk, and takes the target's name in one step:
whoever looks sees the old file or the new one. A failure leaves neither half a file nor the temporary one behind.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

__all__ = ["create", "replace"]

_NEW_FILE_MODE: Final = 0o666  # narrowed by the process's umask, as for any file a program makes


def replace(path: str, data: bytes) -> None:
    """Put `data` in the place of the existing file `path`, keeping its mode, and its owner where that is allowed.

    A symbolic link stays one: the file it leads to is replaced.

    Raises:
        OSError: it could not be done; the file is as it was.
    """
    target = os.path.realpath(path)
    before = os.stat(target)  # noqa: PTH116 - plain calls throughout: what happens on the disk is the point here
    with _temporary(target, data, stat.S_IMODE(before.st_mode)) as temporary:
        with contextlib.suppress(OSError):
            if (before.st_uid, before.st_gid) != (os.geteuid(), os.getegid()):
                os.chown(temporary, before.st_uid, before.st_gid)
                os.chmod(temporary, stat.S_IMODE(before.st_mode))  # noqa: PTH101 - chown clears set-id bits
        os.replace(temporary, target)  # noqa: PTH105
    _sync_folder(target)


def create(path: str, data: bytes) -> None:
    """Make the new file `path`, and the folders on the way to it.

    Raises:
        FileExistsError: there is something of that name already; it is left alone.
        OSError: it could not be done.
    """
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with _temporary(path, data, None) as temporary:
        try:
            os.link(temporary, path)  # unlike a rename, fails when the name is taken
        except FileExistsError:
            raise
        except OSError:  # a file system without hard links
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _NEW_FILE_MODE))
            os.replace(temporary, path)  # noqa: PTH105
    _sync_folder(path)


@contextlib.contextmanager
def _temporary(target: str, data: bytes, mode: int | None) -> Iterator[str]:
    """Give the name of a file beside `target` that holds `data` on the disk; whatever is left of it goes at the end."""
    folder, name = os.path.split(target)
    temporary = os.path.join(folder, f".{name[:100]}.{secrets.token_hex(6)}.tmp")  # noqa: PTH118
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _NEW_FILE_MODE)
    try:
        with open(handle, "wb", closefd=True) as file:  # noqa: PTH123 - opened above, exclusively
            if mode is not None:
                os.fchmod(file.fileno(), mode)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        yield temporary
    finally:
        with contextlib.suppress(OSError):
            os.unlink(temporary)  # noqa: PTH108


def _sync_folder(path: str) -> None:
    """Make the new name itself last; some file systems cannot, and the content is safe by then."""
    with contextlib.suppress(OSError):
        handle = os.open(os.path.dirname(path) or ".", os.O_RDONLY | os.O_DIRECTORY)  # noqa: PTH120
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
