"""Steps that must not be cut in two: cancelling waits for their end, may undo them, and counts only then."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import TypeVar

__all__ = ["unbroken"]

DoneT = TypeVar("DoneT")


async def unbroken(step: Awaitable[DoneT], undo: Callable[[DoneT], Awaitable[object]] | None = None) -> DoneT:
    """Await `step`. Cancelled meanwhile, it runs to its end all the same; then `undo` gets its outcome.

    A thread that writes cannot be stopped half-way; and a process whose start is cancelled would be lost, with all it
    started, before anybody held it.

    Raises:
        asyncio.CancelledError: as soon as the step, and what undoes it, are done.
        Exception: whatever the step raises.
    """
    running = asyncio.ensure_future(step)
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        while not running.done():
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait([running])
        if not running.cancelled() and running.exception() is None and undo is not None:
            await undo(running.result())
        raise
