"""Architect: has an agent that only reads work out how something should be built, and returns its plan."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any, ClassVar, Literal

from pydantic import Field

from tui_agent.tools.agent.report import Background, answer_data, answer_text, background_data, background_text
from tui_agent.tools.agent.waiting import answer_of
from tui_agent.tools.agents import AgentError, AgentReport, AgentService, AgentTask
from tui_agent.tools.base import (
    Claims,
    Invalid,
    Progress,
    Result,
    Tool,
    ToolContext,
    ToolError,
    ToolInput,
    Valid,
    Validity,
)

__all__ = ["TOOL", "ArchitectInput", "ArchitectTool"]


class ArchitectInput(ToolInput):
    """What is to be designed."""

    prompt: str = Field(description="What is to be built or changed, and what the plan has to answer.")
    context: str | None = Field(None, description="What is known already: constraints, files, decisions.")


class ArchitectTool(Tool[ArchitectInput, AgentService | None, AgentReport | Background]):
    """Starts one agent of a type that no other tool can start."""

    name = "Architect"
    search_hint = "plan design architecture approach steps"
    Input = ArchitectInput
    interrupt_behavior: ClassVar[Literal["block", "cancel"]] = "cancel"

    def description(self) -> str:
        return (
            "Has an experienced engineer read the code and return a plan: decisions with their reasons, numbered steps with "
            "files, tests and risks. It changes nothing. Worth it before a change that touches several parts; then follow the "
            "plan. It knows nothing of this conversation: say what matters in `prompt` and `context`."
        )

    def is_concurrency_safe(self, input: ArchitectInput) -> bool:
        return True

    def is_read_only(self, input: ArchitectInput) -> bool:
        return True

    def claims(self, input: ArchitectInput) -> Claims:
        return Claims()

    async def validate(self, input: ArchitectInput, ctx: ToolContext) -> Validity[AgentService | None]:
        if not input.prompt.strip():
            return Invalid("There is nothing to plan: `prompt` is empty.", "empty")
        agents = ctx.services.agents
        problem = agents.problem(_task(input, ctx)) if agents is not None else ""
        return Invalid(problem, "cannot_start") if problem else Valid(agents)

    async def call(
        self, input: ArchitectInput, plan: AgentService | None, ctx: ToolContext
    ) -> AsyncIterator[Progress | Result[AgentReport | Background]]:
        if plan is None:
            raise ToolError("Agents cannot be started here.")
        try:
            agent = await plan.start(_task(input, ctx))
        except AgentError as error:
            raise ToolError(str(error)) from error
        async with aclosing(answer_of(agent, ctx, is_background=False)) as answer:
            async for item in answer:
                yield item

    def to_result(self, output: AgentReport | Background) -> str:
        return background_text(output) if isinstance(output, Background) else answer_text(output)

    def to_data(self, output: AgentReport | Background) -> dict[str, Any]:
        return background_data(output) if isinstance(output, Background) else answer_data(output)


def _task(input: ArchitectInput, ctx: ToolContext) -> AgentTask:
    prompt = input.prompt.strip()
    if input.context and input.context.strip():
        prompt += f"\n\nWhat is known already:\n{input.context.strip()}"
    about = " ".join(input.prompt.split())[:60]
    return AgentTask(prompt=prompt, description=about, tool_use_id=ctx.tool_use_id, is_architect=True)


TOOL = ArchitectTool
