"""The life of one tool use: *new → queued → executing → completed → yielded*, and *queued → completed* when it is cancelled.

Nothing else in the program changes a tool use's state. Each move is a method that works from one state only and publishes
one event, so that a use can neither skip a state nor have two results. Waiting for a user happens inside *executing* and
is left out of the run time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tui_agent.events import ToolResultReady, ToolState, ToolStateChanged
from tui_agent.execution.execution_context import Publish, ToolOutcome

__all__ = ["IllegalMove", "TrackedTool"]


class IllegalMove(RuntimeError):  # noqa: N818 - it is one
    """A move was asked for that the state does not allow: a mistake in the program, never a condition to handle."""


class TrackedTool:
    """One tool use and where it stands. `clock` gives seconds and never goes back."""

    def __init__(self, tool_use_id: str, *, publish: Publish, clock: Callable[[], float] = time.monotonic) -> None:
        self.id = tool_use_id
        self._publish = publish
        self._clock = clock
        self._state: ToolState = "new"
        self._outcome: ToolOutcome | None = None
        self._started = 0.0
        self._waited = 0.0
        self._waits = 0  # how many waits for a user are open
        self._waiting_since = 0.0

    @property
    def state(self) -> ToolState:
        """Where the use stands."""
        return self._state

    @property
    def outcome(self) -> ToolOutcome | None:
        """The result, once the use is completed."""
        return self._outcome

    def queue(self) -> None:
        """*new → queued*: its block is whole, and it waits for its turn."""
        self._move("new", "queued")

    def start(self) -> None:
        """*queued → executing*."""
        self._started = self._clock()
        self._move("queued", "executing")

    def cancel(self, outcome: ToolOutcome) -> None:
        """*queued → completed*: it is over before it began; `outcome` is a made-up one that says why."""
        if outcome.error_kind != "aborted":
            raise IllegalMove(f"{self.id} has not run, and cannot have a result of its own")
        self._finish("queued", outcome, duration_ms=0.0)

    def complete(self, outcome: ToolOutcome) -> None:
        """*executing → completed* with the one result."""
        run = self._clock() - self._started - self._waited
        self._finish("executing", outcome, duration_ms=max(0.0, run) * 1000)

    def hand_over(self) -> ToolOutcome:
        """*completed → yielded*: return the result for the conversation."""
        self._move("completed", "yielded")
        assert self._outcome is not None
        return self._outcome

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Leave the time spent inside out of the run time: a user is being waited for. Waits may overlap."""
        if self._state != "executing":
            raise IllegalMove(f"{self.id} waits for a user only while it executes, not while it is {self._state}")
        if not self._waits:
            self._waiting_since = self._clock()
        self._waits += 1
        try:
            yield
        finally:
            self._waits -= 1
            if not self._waits:
                self._waited += self._clock() - self._waiting_since

    def _finish(self, expected: ToolState, outcome: ToolOutcome, *, duration_ms: float) -> None:
        self._require(expected, "completed")
        if outcome.tool_use_id != self.id:
            raise IllegalMove(f"{self.id} was given the result of {outcome.tool_use_id}")
        self._outcome = outcome
        self._publish(
            ToolResultReady(
                tool_use_id=self.id,
                name=outcome.name,
                is_error=outcome.is_error,
                content=outcome.content,
                error_kind=outcome.error_kind,
                data=outcome.data,
                duration_ms=duration_ms,
                kept_in=outcome.kept_in,
            )
        )
        self._move(expected, "completed")

    def _move(self, expected: ToolState, to: ToolState) -> None:
        self._require(expected, to)
        self._state = to
        self._publish(ToolStateChanged(tool_use_id=self.id, from_state=expected, to_state=to))

    def _require(self, expected: ToolState, to: ToolState) -> None:
        if self._state != expected:
            raise IllegalMove(f"{self.id} is {self._state}; only a {expected} tool use can become {to}")
