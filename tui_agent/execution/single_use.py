"""Runs one tool use without a model, through the same executor and the same eight stages."""

from __future__ import annotations

import uuid
from dataclasses import replace
from typing import Any, NamedTuple

from tui_agent.events import Event, ToolStageEnded, ToolStateChanged
from tui_agent.execution.execution_context import ExecutionContext, ToolOutcome
from tui_agent.execution.executor import StreamingExecutor

__all__ = ["SingleRun", "run_one"]


class SingleRun(NamedTuple):
    """The result, each stage that was reached (`stage`, `ms`, `outcome`), and the states the use went through."""

    outcome: ToolOutcome
    stages: list[dict[str, Any]]
    states: list[str]


async def run_one(
    execution_context: ExecutionContext,
    name: str,
    raw_input: dict[str, Any],
    *,
    tool_use_id: str | None = None,
    parent_tool_use_id: str | None = None,
) -> SingleRun:
    """Run one tool use to its end. Events are published as always; a cancelled caller ends the tool first.

    `parent_tool_use_id` is the use that this one belongs to.
    """
    stages: list[dict[str, Any]] = []
    states: list[str] = []

    def publish(event: Event) -> None:
        if isinstance(event, ToolStageEnded):
            stages.append({"stage": event.stage, "ms": round(event.ms, 3), "outcome": event.outcome})
        elif isinstance(event, ToolStateChanged):
            states.append(event.to_state)
        execution_context.publish(event)

    async with StreamingExecutor(replace(execution_context, publish=publish)) as executor:
        use_id = tool_use_id or f"toolu_{uuid.uuid4().hex[:24]}"
        executor.add(use_id, name, raw_input, parent_tool_use_id=parent_tool_use_id)
        executor.close()
        outcomes = [outcome async for outcome in executor.results()]
    return SingleRun(outcomes[0], stages, states)
