"""Runs the tool uses of one reply: each starts when its block is complete and its turn has come; results keep block order.

The executor owns order, concurrency and cancellation. Each use runs in a task of its own. However that task ends, one function
(`_ended`) gives the use its one result. `aclose` (or leaving the `async with`) ends every task, so that nothing outlives the
reply.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from types import TracebackType
from typing import Any, Final, Self

from tui_agent.events import ToolUseCompleted, ToolUseStarted
from tui_agent.execution.errors import AbortReason
from tui_agent.execution.execution_context import ExecutionContext, ToolOutcome
from tui_agent.execution.lifecycle import ToolRun
from tui_agent.execution.resolution import ResolvedUse, find_tool, resolve_use
from tui_agent.execution.scheduling import Footprint, Schedule, Slot
from tui_agent.execution.tracked_tool import TrackedTool

__all__ = ["StreamingExecutor"]


class _Use:
    """One tool use in the executor: state, stages, place and task. Implements `lifecycle.SchedulerSlot`."""

    def __init__(self, executor: StreamingExecutor, number: int, tracked: TrackedTool, use: ResolvedUse) -> None:
        self._executor = executor
        self.tracked = tracked
        self.run = ToolRun(tracked, use, executor.execution_context, self)
        self.slot = Slot(number, self.run.measure)
        self.task: asyncio.Task[ToolOutcome] | None = None
        self.abort_reason: AbortReason | None = None
        self._has_called = False

    @property
    def is_waiting(self) -> bool:
        return self.tracked.state == "queued"

    @property
    def is_running(self) -> bool:
        return self.tracked.state == "executing"

    @property
    def is_interruptible(self) -> bool:
        """Whether an interrupt may cancel it. A tool can ask that its call be finished; before and after the call it cannot."""
        tool = self.run.tool
        return tool is None or not self.slot.is_in_call or self._has_called or tool.interrupt_behavior == "cancel"

    def abort(self, reason: AbortReason) -> None:
        """Cancel the task. Once the call is over its result stands, and so does the first reason.

        Hooks after the call go on if the reason is only that another use of the reply failed or was refused.
        """
        if self._has_called:
            if reason not in ("sibling_error", "declined"):
                self.run.stop_waiting_for_hooks()
        elif self.task is not None and self.abort_reason is None:
            self.abort_reason = reason
            self.task.cancel()

    async def resettle(self, footprint: Footprint) -> None:
        await self._executor.resettle(self.slot, footprint)

    async def enter_call(self) -> None:
        await self._executor.until_free(self.slot)
        self.slot.is_in_call = True

    def leave_call(self) -> None:
        self._has_called = True


class StreamingExecutor:
    """Runs one reply's tool uses.

    Publish `ToolUseCompleted` before `add`, but not for the child of another use. Read `results` to the end, or call `aclose`
    and then read what is left: after `aclose` every use that was added has its result, without waiting. The limits of the
    execution context say how many run at one time.
    """

    def __init__(self, execution_context: ExecutionContext) -> None:
        self.execution_context: Final = execution_context
        self._schedule = Schedule(execution_context.limits.tool_concurrency)
        self._order: list[TrackedTool] = []  # every use, in block order
        self._ids: set[str] = set()
        self._open: dict[str, _Use] = {}  # uses without a result; of the others only the result is kept
        self._by_slot: dict[Slot, _Use] = {}
        self._next_result = 0
        self._is_closed = False
        self._halted: AbortReason | None = None
        self._changed = asyncio.Event()  # a use was completed or added, or the reply ended: `results` looks again
        self._moved = asyncio.Event()  # a running use ended: uses that wait for their call look again

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    @property
    def outcomes(self) -> tuple[ToolOutcome, ...]:
        """The results so far, in block order, whether handed over or not."""
        return tuple(tracked.outcome for tracked in self._order if tracked.outcome is not None)

    def add(
        self,
        tool_use_id: str,
        name: str,
        input: dict[str, Any],
        problem: str = "",
        *,
        parent_tool_use_id: str | None = None,
    ) -> None:
        """Look the tool of a use up, parse the input, and go on as `add_resolved` does.

        `problem` says why the arguments could not be read: then nothing runs, and the problem is the result. A use that another
        tool use makes (the parent) is part of no reply, so it is announced here.

        Raises:
            ValueError: there is one of this id already, or `close` was called.
        """
        self._refuse_twice(tool_use_id)
        use = resolve_use(find_tool(self.execution_context.pool, name), input, problem)
        if parent_tool_use_id is not None:
            publish = self.execution_context.publish
            publish(ToolUseStarted(tool_use_id=tool_use_id, name=use.name, parent_tool_use_id=parent_tool_use_id))
            publish(ToolUseCompleted(tool_use_id=tool_use_id, name=use.name, input=use.raw))
        self.add_resolved(tool_use_id, use)

    def add_resolved(self, tool_use_id: str, resolved: ResolvedUse) -> None:
        """Take a tool use whose block is complete. It starts at once if nothing that runs conflicts with it.

        Raises:
            ValueError: there is one of this id already, or `close` was called.
        """
        self._refuse_twice(tool_use_id)
        tracked = TrackedTool(tool_use_id, publish=self.execution_context.publish)
        use = _Use(self, len(self._order), tracked, resolved)
        self._order.append(tracked)
        self._ids.add(tool_use_id)
        self._open[tool_use_id] = self._by_slot[use.slot] = use
        tracked.queue()
        if self._halted:
            self._complete(use, use.run.aborted(self._halted))
            return
        self._schedule.enqueue(use.slot)
        self._start_ready()

    def _refuse_twice(self, tool_use_id: str) -> None:
        if tool_use_id in self._ids or self._is_closed:
            raise ValueError(
                f"tool use {tool_use_id} comes twice" if not self._is_closed else "no more tool uses can come"
            )

    def close(self) -> None:
        """Say that the reply holds no more tool uses; `results` ends after the last."""
        self._is_closed = True
        self._changed.set()

    async def results(self) -> AsyncIterator[ToolOutcome]:
        """Yield each result as soon as it and all before it are ready. Another call continues where this one stopped."""
        while True:
            if self._next_result < len(self._order):
                tracked = self._order[self._next_result]
                if tracked.state == "completed":
                    self._next_result += 1
                    yield tracked.hand_over()
                    continue
            elif self._is_closed:
                return
            self._changed.clear()
            await self._changed.wait()

    def interrupt(self) -> None:
        """Cancel the uses that wait, and those that run unless their tool wants the call to be finished."""
        self._halt("interrupted")

    def stop(self, tool_use_id: str) -> None:
        """Stop one tool use, whatever it is doing; the others continue. A use that is over or unknown is ignored."""
        use = self._open.get(tool_use_id)
        if use is None:
            return
        if use.is_waiting:
            self._cancel_waiting(use, "stopped")
            self._start_ready()
        elif use.is_running:
            use.abort("stopped")

    async def aclose(self) -> None:
        """Cancel everything and wait until it has ended. Each use keeps or gets its one result."""
        self.close()
        self._halt("closed", even_if_blocking=True)
        while tasks := [use.task for use in self._open.values() if use.task is not None]:
            await asyncio.wait(tasks)

    async def resettle(self, slot: Slot, footprint: Footprint) -> None:
        """Give a running use its new claims, and wait until no use with precedence conflicts with them."""
        self._schedule.settle(slot, footprint)
        self._moved.set()  # it may touch less than before
        self._start_ready()
        await self.until_free(slot)

    async def until_free(self, slot: Slot) -> None:
        """Wait until a running use may go on to its call."""
        while not self._schedule.may_call(slot):
            self._moved.clear()
            await self._moved.wait()

    def _start_ready(self) -> None:
        while (slot := self._schedule.start_next()) is not None:
            use = self._by_slot[slot]
            use.tracked.start()
            use.task = asyncio.create_task(use.run.run(), name=f"tool {use.tracked.id}")
            use.task.add_done_callback(partial(self._ended, use))

    def _ended(self, use: _Use, task: asyncio.Task[ToolOutcome]) -> None:
        """Give a running use its result when its task has ended; nothing else does."""
        self._schedule.leave(use.slot)
        if task.cancelled():
            outcome = use.run.aborted(use.abort_reason or self._halted or "interrupted")
        elif error := task.exception():
            outcome = use.run.broken(error)
        else:
            outcome = task.result()
        self._complete(use, outcome)
        if outcome.ends_turn:
            self._halt("declined")
        elif use.run.tool and use.run.tool.aborts_siblings and outcome.error_kind in ("execution", "timeout"):
            self._halt("sibling_error", even_if_blocking=True)
        self._moved.set()
        self._start_ready()

    def _halt(self, reason: AbortReason, *, even_if_blocking: bool = False) -> None:
        """Start no more uses, and cancel those that may be cancelled."""
        self._halted = self._halted or reason
        for use in tuple(self._open.values()):
            if use.is_waiting:
                self._cancel_waiting(use, reason)
            elif use.is_running and (even_if_blocking or use.is_interruptible):
                use.abort(reason)

    def _cancel_waiting(self, use: _Use, reason: AbortReason) -> None:
        self._schedule.leave(use.slot)
        self._complete(use, use.run.aborted(reason))

    def _complete(self, use: _Use, outcome: ToolOutcome) -> None:
        if use.is_waiting:
            use.tracked.cancel(outcome)
        else:
            use.tracked.complete(outcome)
        del self._open[use.tracked.id], self._by_slot[use.slot]
        self._changed.set()
