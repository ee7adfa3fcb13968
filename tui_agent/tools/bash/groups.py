"""Process groups as the system shows them: which belong to a session, and whether any of them still runs something."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator

__all__ = ["has_ended", "strays"]

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
