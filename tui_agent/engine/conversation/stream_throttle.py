"""How fast a stream is read: never so long that a key waits for it, and a slow one a few pieces at a time.

A fast server's pieces are there by the hundred at once: everybody else gets a turn every few milliseconds. A model at work
writes a hundred small ones a second, each of which costs more to fetch than to read, and nobody sees more than thirty frames
in one: after a wait for something new, the next few hundredths of a second are left to gather. What comes after silence is
given before that. What comes while text flows is given after it, together with what follows, where it may be late (`may_wait`).
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from typing import Final, TypeVar

__all__ = ["paced"]

_SLICE_S: Final = 0.003  # how long a stream that never pauses is read at a time
_REST_S: Final = 0.001  # then nothing at all, for threads: what reads keys, what writes to the terminal
_QUIET_S: Final = 0.0001  # a turn of the event loop that takes less has run nobody
_LONGEST_REST_S: Final = 0.05  # what others may take at a stretch
_WAITED_S: Final = 0.001  # what is there already comes sooner
_GATHER_S: Final = 0.03

T = TypeVar("T")


class _Turns:
    """Counts turns of the event loop, for who looks at the number now and then."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._number = 0
        self._next: asyncio.Handle | None = None

    def current(self) -> int:
        """Return a number that is another one after the loop's next turn."""
        if self._next is None:
            self._next = self._loop.call_soon(self._turn)
        return self._number

    def close(self) -> None:
        """Count no more."""
        if self._next is not None:
            self._next.cancel()

    def _turn(self) -> None:
        self._number += 1
        self._next = None


async def paced(
    stream: AsyncIterator[T], may_wait: Callable[[T], bool] = lambda _item: False
) -> AsyncGenerator[T, None]:
    """Yield what a stream yields. It is left open for its owner to close, whatever happens here."""
    with contextlib.closing(_Turns()) as turns:
        slice_ends = time.monotonic() + _SLICE_S
        flows_until = 0.0  # what comes before that belongs to a text that flows
        while True:
            asked, turn = time.monotonic(), turns.current()
            try:
                item = await anext(stream)
            except StopAsyncIteration:
                return
            # Time alone does not tell: on a busy machine this process itself may have had to wait.
            has_waited = turns.current() != turn and time.monotonic() - asked > _WAITED_S
            is_late = has_waited and time.monotonic() < flows_until and may_wait(item)
            if is_late:
                await asyncio.sleep(_GATHER_S)
            yield item
            if has_waited:
                if not is_late:
                    await asyncio.sleep(_GATHER_S)
                flows_until = time.monotonic() + _GATHER_S
            elif time.monotonic() > slice_ends:
                await _give_way()
            else:
                continue
            slice_ends = time.monotonic() + _SLICE_S


async def _give_way() -> None:
    """Let everybody else run until nobody wants to: one turn is not enough, as a key takes many to get to the screen."""
    await asyncio.sleep(_REST_S)
    now = time.monotonic()
    end = now + _LONGEST_REST_S
    is_busy = True
    while is_busy:
        before = now
        await asyncio.sleep(0)
        now = time.monotonic()
        is_busy = now - before > _QUIET_S and now < end
