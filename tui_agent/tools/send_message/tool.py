"""SendMessage: tells an agent more, with the next step of one that works; one that has ended goes on with what it knows."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from pydantic import Field

from tui_agent.tools.agent.report import Background, answer_data, answer_text, background_data, background_text
from tui_agent.tools.agent.waiting import answer_of
from tui_agent.tools.agents import AgentError, AgentReport, AgentService
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

__all__ = ["TOOL", "SendMessageInput", "SendMessageTool"]


class SendMessageInput(ToolInput):
    """Who gets which message."""

    to: str = Field(description="The agent's id, or the name that it was given.")
    message: str = Field(description="What it is to know or to do.")
    summary: str | None = Field(None, description="The message in a few words.", max_length=200)


@dataclass(frozen=True, slots=True)
class Delivered:
    """An agent that works gets the message with its next step."""

    to: str


Output = AgentReport | Background | Delivered


class SendMessageTool(Tool[SendMessageInput, AgentService, Output]):
    """Sends one message."""

    name = "SendMessage"
    search_hint = "agent message continue resume tell follow up"
    Input = SendMessageInput
    interrupt_behavior: ClassVar[Literal["block", "cancel"]] = "cancel"

    def description(self) -> str:
        return (
            "Tells an agent that you started more. One that works gets the message with its next step. One that has ended "
            "goes on with all it knows, and its new answer comes back as that of Agent does."
        )

    def is_concurrency_safe(self, input: SendMessageInput) -> bool:
        return True

    def claims(self, input: SendMessageInput) -> Claims:
        return Claims.exclusive()

    async def validate(self, input: SendMessageInput, ctx: ToolContext) -> Validity[AgentService]:
        agents = ctx.services.agents
        if agents is None:
            return Invalid("There are no agents here.", "no_agents")
        if not input.message.strip():
            return Invalid("The message is empty.", "empty")
        problem = agents.reach(input.to.strip())
        return Invalid(problem, "not_reached") if problem else Valid(agents)

    async def call(
        self, input: SendMessageInput, plan: AgentService, ctx: ToolContext
    ) -> AsyncIterator[Progress | Result[Output]]:
        try:
            agent = await plan.send(input.to.strip(), input.message, ctx.tool_use_id)
        except AgentError as error:
            raise ToolError(str(error)) from error
        if agent is None:
            yield Result(Delivered(input.to.strip()))
            return
        async with aclosing(answer_of(agent, ctx, is_background=plan.runs_in_background())) as items:
            async for item in items:
                yield item

    def to_result(self, output: Output) -> str:
        match output:
            case Delivered(to=to):
                return f"The message is delivered: {to} works, and reads it with its next step."
            case Background():
                return background_text(output)
            case _:
                return answer_text(output)

    def to_data(self, output: Output) -> dict[str, Any]:
        match output:
            case Delivered(to=to):
                return {"to": to, "status": "delivered"}
            case Background():
                return background_data(output)
            case _:
                return answer_data(output)


TOOL = SendMessageTool
