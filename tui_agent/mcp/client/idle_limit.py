"""A limit on how long work may be silent."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from tui_agent.mcp.faults import CallTimeoutError

__all__ = ["IdleLimit", "seconds"]

T = TypeVar("T")


class IdleLimit:
    """Ends work that has not been heard of for `limit_s` seconds. Made in the event loop; `touch` says that it was."""

    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s
        self._touched = asyncio.get_running_loop().time()

    def touch(self) -> None:
        """It was heard of just now."""
        self._touched = asyncio.get_running_loop().time()

    async def watch(self, work: Awaitable[T]) -> T:
        """Return what `work` gives.

        Raises:
            CallTimeoutError: it was silent for too long; it is cancelled then.
        """
        task = asyncio.ensure_future(work)
        loop = asyncio.get_running_loop()
        try:
            while not task.done():
                left = self._touched + self._limit_s - loop.time()
                if left <= 0:
                    raise CallTimeoutError(f"was silent for {seconds(self._limit_s)}")
                await asyncio.wait([task], timeout=left)
            return task.result()
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait([task])


def seconds(number: float) -> str:
    """Return a time in words."""
    return f"{number:g} second" if number == 1 else f"{number:g} seconds"
