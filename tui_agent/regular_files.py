"""Opening files whose names or contents somebody else controls: a repository, a command, another program.

Such a name may belong to a pipe that nobody writes to, to a device without end, or to a link that leads elsewhere. Here a
file is opened once, without waiting; everything else is asked of the open handle, so that nothing can change in between.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Final

__all__ = ["NotRegularError", "TooLargeError", "open_regular", "read_regular"]

_FLAGS: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class NotRegularError(OSError):
    """The name belongs to a folder, a pipe, a device or a socket, or to a link where links are not followed."""


class TooLargeError(OSError):
    """The file is larger than the caller can use."""


def open_regular(path: str | Path, *, follow_links: bool = False) -> int:
    """Open a regular file for reading and return its descriptor. Never waits for a writer.

    With `follow_links` the name may be a link, as in folders that only the user writes to. Links in the folders on the way are
    followed either way.

    Raises:
        FileNotFoundError: there is no such file.
        NotRegularError: it is something else than a regular file.
        OSError: it cannot be opened.
    """
    try:
        handle = os.open(path, _FLAGS if follow_links else _FLAGS | os.O_NOFOLLOW)
    except ValueError as error:  # a name with a null byte
        raise FileNotFoundError(str(error)) from None
    except OSError as error:
        if not follow_links and os.path.islink(path):  # noqa: PTH114 - `path` may be text
            raise NotRegularError("it is a link") from error
        raise
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise NotRegularError("it is not a regular file")
    except BaseException:
        os.close(handle)
        raise
    return handle


def read_regular(path: str | Path, limit: int, *, follow_links: bool = False) -> bytes:
    """Return the whole content of a regular file of at most `limit` bytes.

    Raises:
        TooLargeError: it has more than that; nothing is returned of it.
        OSError: as in `open_regular`, or it cannot be read.
    """
    with open(open_regular(path, follow_links=follow_links), "rb", buffering=0) as file:
        if os.fstat(file.fileno()).st_size > limit:
            raise TooLargeError(f"it is larger than {limit:,} bytes")
        pieces: list[bytes] = []
        left = limit + 1  # what the kernel makes up has no size before it is read
        while left > 0 and (piece := file.read(min(left, 1 << 20))):
            pieces.append(piece)
            left -= len(piece)
    if left <= 0:
        raise TooLargeError(f"it is larger than {limit:,} bytes")
    return b"".join(pieces)
