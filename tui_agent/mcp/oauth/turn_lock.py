"""One at a time among all processes of the user: a rotating token that two renew at once is lost for both."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

from tui_agent.private_folders import make_private, open_private

__all__ = ["turn_lock"]

_PAUSE_S: Final = 0.05


@contextlib.asynccontextmanager
async def turn_lock(file: Path) -> AsyncIterator[None]:
    """Hold a lock on a file, which is made. A process that ends lets go. Where the system has no locks, hold nothing.

    Raises:
        OSError: the file cannot be made.
    """
    try:
        import fcntl
    except ImportError:
        yield
        return
    make_private(file.parent)
    handle = open_private(file, os.O_RDWR | os.O_CREAT)
    try:
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                await asyncio.sleep(_PAUSE_S)
            except OSError:  # a file system without locks
                break
        yield
    finally:
        os.close(handle)
