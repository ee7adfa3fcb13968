"""Decides which uses may run together and in which order they start. Pure bookkeeping, without tasks or events.

Two uses may run together when both are safe beside others for their inputs, or when both say which paths they touch and
these do not conflict. Uses start strictly in the order of the model's blocks: one that must wait holds back all behind it,
so that an exclusive use is neither overtaken nor starved.

A use keeps its slot, and its claims on paths, from its start until it has a result, also while it waits for a user: what the
user is shown must still be true when they say yes. If its input changes, its claims change too; it then enters its call only
after every conflicting use that is in its call, or came before it, has ended. Deadlock is impossible, as a use waits only for
an earlier one or for one that no longer waits.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Final

from tui_agent.tools.base import Claims, Tool, ToolInput
from tui_agent.tools.workspace import Workspace

__all__ = ["NO_FOOTPRINT", "Footprint", "Schedule", "Slot", "footprint_of"]


@dataclass(frozen=True, slots=True)
class Footprint:
    """What a call with its present input touches (real, absolute paths), and whether it is safe beside other safe calls."""

    claims: Claims
    is_concurrency_safe: bool = False

    def fits_beside(self, other: Footprint) -> bool:
        """Whether the two may run together."""
        if self.is_concurrency_safe and other.is_concurrency_safe:
            return True
        return not self.claims.conflicts(other.claims)


NO_FOOTPRINT: Final = Footprint(Claims(), is_concurrency_safe=True)  # for a use that cannot start


def footprint_of(tool: Tool[Any, Any, Any], input: ToolInput, workspace: Workspace) -> Footprint:
    """Ask a tool about one input. If a predicate raises, the unsafe answer counts."""
    try:
        claims = _real(tool.claims(input), workspace)
    except Exception:  # noqa: BLE001 - a tool that cannot say what it touches runs alone
        claims = Claims.exclusive()
    try:
        is_safe = bool(tool.is_concurrency_safe(input))
    except Exception:  # noqa: BLE001 - as above
        is_safe = False
    return Footprint(claims, is_safe)


def _real(claims: Claims, workspace: Workspace) -> Claims:
    if claims.is_exclusive:
        return claims
    return replace(
        claims,
        reads=frozenset(_real_path(path, workspace) for path in claims.reads),
        writes=frozenset(_real_path(path, workspace) for path in claims.writes),
    )


def _real_path(path: str, workspace: Workspace) -> str:
    return os.path.realpath(workspace.absolute(path))  # two names of one file must compare equal


@dataclass(slots=True, eq=False)
class Slot:
    """One use's place in the schedule. `measure` returns the footprint; it is called again when an earlier use has ended,
    because the working folder may have changed.
    """

    number: int
    measure: Callable[[], Footprint]
    footprint: Footprint = NO_FOOTPRINT
    is_in_call: bool = field(default=False)


class Schedule:
    """Uses that wait and uses that run."""

    def __init__(self, max_concurrency: int) -> None:
        if max_concurrency < 1:
            raise ValueError("at least one tool use must be allowed to run")
        self._max = max_concurrency
        self._queue: deque[Slot] = deque()
        self._running: list[Slot] = []
        self._held_back: Slot | None = None  # the first waiting use, after it was found to conflict with a running one

    @property
    def running(self) -> tuple[Slot, ...]:
        """The uses that have started and not left."""
        return tuple(self._running)

    def enqueue(self, slot: Slot) -> None:
        """Add a use at the end of the queue."""
        self._queue.append(slot)

    def start_next(self) -> Slot | None:
        """Return the first waiting use if it may start now, as running from here on."""
        if not self._queue or len(self._running) >= self._max:
            return None
        slot = self._queue[0]
        if slot is self._held_back:
            return None
        slot.footprint = slot.measure()
        if not all(slot.footprint.fits_beside(other.footprint) for other in self._running):
            self._held_back = slot
            return None
        self._running.append(self._queue.popleft())
        return slot

    def settle(self, slot: Slot, footprint: Footprint) -> None:
        """Give a running use another footprint, because its input has changed."""
        slot.footprint = footprint
        self._held_back = None

    def may_call(self, slot: Slot) -> bool:
        """Whether nothing that conflicts with a running use is in its call or came before it."""
        return all(
            slot.footprint.fits_beside(other.footprint)
            for other in self._running
            if other is not slot and (other.is_in_call or other.number < slot.number)
        )

    def leave(self, slot: Slot) -> None:
        """Remove a use, whether it waits or runs."""
        self._held_back = None
        if slot in self._running:
            self._running.remove(slot)
        else:
            self._queue.remove(slot)
