"""Which processes run, asked of the system.

A process that was killed takes a moment to die, and one that has died stays in the system's list until its parent has
collected it, which some containers' first process never does. So that something is gone is waited for, and what is
dead but not collected counts as gone.
"""

import asyncio
import os
import time
from itertools import count

import psutil

_WITHIN_S = 10.0
_POLL_S = 0.02
_numbers = count()


def nap() -> str:
    """Return seconds for `sleep` that nothing else on this machine sleeps, by which its processes are found."""
    return f"{300 + next(_numbers)}.{os.getpid()}"


def is_alive(pid: int) -> bool:
    """Tell whether a process runs still."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def sleeping(seconds: str) -> list[int]:
    """Return the processes of `sleep SECONDS`, wherever they run."""
    found = psutil.process_iter(["cmdline"])
    return [one.pid for one in found if one.info["cmdline"] == ["sleep", seconds] and is_alive(one.pid)]


def wait_gone(*pids: int) -> None:
    """Wait until processes have ended."""
    deadline = time.monotonic() + _WITHIN_S
    while left := [pid for pid in pids if is_alive(pid)]:
        assert time.monotonic() < deadline, f"still there: {left}"
        time.sleep(_POLL_S)


async def gone(*pids: int) -> None:
    """Wait until processes have ended, while the event loop, which may have to collect them, goes on."""
    deadline = time.monotonic() + _WITHIN_S
    while left := [pid for pid in pids if is_alive(pid)]:
        assert time.monotonic() < deadline, f"still there: {left}"
        await asyncio.sleep(_POLL_S)


async def asleep(seconds: str) -> None:
    """Wait until there is a `sleep SECONDS`."""
    while not sleeping(seconds):
        await asyncio.sleep(_POLL_S)


async def none_asleep(seconds: str) -> None:
    """Wait until no `sleep SECONDS` is left."""
    await gone(*sleeping(seconds))
    assert not sleeping(seconds)
