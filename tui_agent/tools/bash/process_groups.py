"""Processes as the system shows them: the groups of a session, whether a group still runs something, who carries a variable."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Collection, Iterator

__all__ = ["has_ended", "marked", "strays"]

_ENDED = (b"Z", b"X")


def strays(session: int) -> frozenset[int]:
    """Return the running process groups of a session besides its leader's; none where the system does not tell."""
    return frozenset(group for group, of, state in _processes() if of == session != group and state not in _ENDED)


def has_ended(groups: Collection[int]) -> bool:
    """Whether all that is left of these groups are processes that have ended and that nobody has collected.

    False where the system does not tell.
    """
    states = [state for group, _, state in _processes() if group in groups]
    return bool(states) and all(state in _ENDED for state in states)


def marked(assignment: str) -> tuple[int, ...]:
    """Return this user's processes that were started with a variable of this value, but not this program. Blocks.

    A process may have started without its parent's variables, and some systems do not show those of their own programs.
    """
    found = _marked_by_ps(assignment) if sys.platform == "darwin" else _marked_in_proc(assignment.encode())
    return tuple(pid for pid in found if pid != os.getpid())


def _marked_in_proc(assignment: bytes) -> Iterator[int]:
    try:
        names = os.listdir("/proc")  # noqa: PTH208
    except OSError:
        return
    for name in filter(str.isdigit, names):
        try:
            with open(f"/proc/{name}/environ", "rb") as file:  # noqa: PTH123
                if assignment in file.read().split(b"\0"):
                    yield int(name)
        except OSError:
            continue  # it has gone meanwhile, or is another user's


def _marked_by_ps(assignment: str) -> Iterator[int]:
    listing = ("/bin/ps", "-A", "-E", "-ww", "-o", "pid=,command=")
    try:
        done = subprocess.run(listing, stdin=subprocess.DEVNULL, capture_output=True, timeout=5, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return
    for line in done.stdout.decode("utf-8", "replace").splitlines():
        number, _, rest = line.strip().partition(" ")
        if number.isdigit() and assignment in rest.split():
            yield int(number)


def _processes() -> Iterator[tuple[int, int, bytes]]:
    """Yield each process's group, session and state."""
    try:
        names = os.listdir("/proc")  # noqa: PTH208
    except OSError:
        return
    for name in names:
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:  # noqa: PTH123
                    state, _parent, group, session, *_ = file.read().rpartition(b")")[2].split()
            except (OSError, ValueError):
                continue  # it has gone meanwhile
            yield int(group), int(session), state
