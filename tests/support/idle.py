"""Waiting for a Textual app under test to have nothing left to do, by looking at its event loop.

Textual's own wait sleeps 20 ms at a time until the process uses little CPU, twice for each key pressed: most of what a test
of a screen takes. Here what that sleep stands for is looked at itself, so the wait ends as soon as it can.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from textual._context import active_app
from textual.pilot import Pilot

__all__ = ["thread_held", "wait_until_idle", "wait_until_still"]

# Timers that go off within this time belong to what is under way: a frame to paint takes 1/60 s to come.
NEAR_S: Final = 1 / 50
_STEP_S: Final = 0.001
# Turns of the loop in a row that bring nothing new; a message may pass from one widget's queue to the next.
_QUIET_TURNS: Final = 3
_PATIENCE_S: Final = 20.0
_held = 0  # threads that tests keep waiting


async def wait_until_idle(min_sleep: float = NEAR_S, max_sleep: float = 1) -> None:
    """Wait until nothing is ready to run, no timer goes off within `NEAR_S`, and no thread of the loop works.

    There is no wait for an app that was told to exit: the timer of its next frame goes on until the test ends it.

    `min_sleep` and `max_sleep` (seconds) are what Textual's `wait_for_idle` takes. Wait at least so long; a longest time is not
    kept, as it would let a test go on with an app that still works.

    Raises:
        AssertionError: the app is never idle; the text says what it does.
    """
    start = time.monotonic()
    loop: Any = asyncio.get_running_loop()
    quiet = 0
    while quiet < _QUIET_TURNS or time.monotonic() - start < min_sleep:
        await asyncio.sleep(0)
        if _leaves():
            return
        if loop._ready or _works(loop):
            quiet = 0
        elif _has_timer(loop, loop.time() + NEAR_S):
            quiet = 0
            await asyncio.sleep(_STEP_S)
        else:
            quiet += 1
        if _works(loop):
            await asyncio.sleep(_STEP_S)
        if time.monotonic() - start >= _PATIENCE_S:
            raise AssertionError(f"not idle after {_PATIENCE_S:g} s: {_busy_with(loop)}")


async def wait_until_still(pilot: Pilot[Any], timeout: float = _PATIENCE_S) -> bool:
    """Wait until all messages that a pilot's app has got are worked through; timers and threads are not waited for.

    Textual's own wait sends every widget a message, and waits for all of them to come: most of the messages that a test of a
    screen causes, and a third of its time. Nothing is ready to run once all are worked through. Takes and returns what
    `Pilot._wait_for_screen` does (`timeout` in seconds).

    Raises:
        AssertionError: there is always more to do; the text says what.
    """
    if not pilot.app.is_running:
        return False
    start = time.monotonic()
    loop: Any = asyncio.get_running_loop()
    quiet = 0
    while quiet < _QUIET_TURNS:
        await asyncio.sleep(0)
        quiet = 0 if loop._ready else quiet + 1
        if time.monotonic() - start >= timeout:
            raise AssertionError(f"not still after {timeout:g} s: {_busy_with(loop)}")
    return True


def _leaves() -> bool:
    app = active_app.get(None)
    return app is not None and app._exit


def _has_timer(loop: Any, until: float) -> bool:
    return any(timer.when() <= until and not timer.cancelled() for timer in loop._scheduled)


def _busy_with(loop: Any) -> str:
    """Return what keeps the loop busy, for whoever reads the failure."""
    timers = [timer for timer in loop._scheduled if not timer.cancelled() and timer.when() <= loop.time() + NEAR_S]
    found = [f"ready: {handle}" for handle in loop._ready] + [f"timer: {timer}" for timer in timers]
    return "; ".join([*found[:10], *(["a thread works"] if _works(loop) else [])]) or "nothing stays the same"


@contextmanager
def thread_held() -> Iterator[None]:
    """Say that a thread of the loop waits for the test, so that no wait for idleness is for it, each for as long as it may."""
    global _held
    _held += 1
    try:
        yield
    finally:
        _held -= 1


def _works(loop: Any) -> bool:
    pool = loop._default_executor
    if pool is None:
        return False
    return pool._work_queue.qsize() > 0 or len(pool._threads) - pool._idle_semaphore._value > _held
