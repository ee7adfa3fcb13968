"""The service by which one conversation's tools start agents and run steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tui_agent.engine.agents.caller import Caller
from tui_agent.engine.agents.runner import AgentRunner
from tui_agent.execution.errors import unwrap
from tui_agent.execution.results import text_of
from tui_agent.execution.single_use import run_one
from tui_agent.tools.agents import AgentTask, AgentType, RunningAgent, StepOutcome

__all__ = ["ParentService"]


class ParentService:
    """Implements `tools.agents.AgentService` for `caller`."""

    def __init__(self, runner: AgentRunner, caller: Caller) -> None:
        self._runner = runner
        self._caller = caller

    @property
    def types(self) -> Sequence[AgentType]:
        return [AgentType(one.name, one.description, one.tools_text) for one in self._runner.types(self._caller)]

    def runs_in_background(self, type: str = "") -> bool:
        if not self._caller.context().limits.has_background:
            return False
        found = self._runner.type_named(self._caller, type)
        return self._caller.is_waited_for or (found is not None and found.is_background)

    def problem(self, task: AgentTask) -> str:
        return self._runner.problem(self._caller, task)

    async def start(self, task: AgentTask) -> RunningAgent:
        return await self._runner.start(self._caller, task)

    def reach(self, to: str) -> str:
        return self._runner.reach(self._caller, to)

    async def send(self, to: str, message: str, tool_use_id: str) -> RunningAgent | None:
        return await self._runner.send(self._caller, to, message, tool_use_id)

    async def step(self, tool_use_id: str, tool: str, input: dict[str, Any]) -> StepOutcome:
        run = await run_one(self._caller.context(), tool, input, parent_tool_use_id=tool_use_id)
        outcome = run.outcome
        text = text_of(outcome.content)
        return StepOutcome(
            tool=outcome.name,
            input=input,
            text=unwrap(text) or text,
            is_error=outcome.is_error,
            ends_turn=outcome.ends_turn,
            data=outcome.data or {},
        )
