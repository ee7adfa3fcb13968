"""Agent: gives a task to a subagent with a conversation of its own, or runs a list of tool calls.

The engine runs agents (`services.agents`); this tool says what is wanted, waits for the answer, or lets the agent go on in the
background. Whatever happens here, the agent ends, or is somebody's: a cancelled call stops its agent and waits until it has
ended.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from tui_agent.tools.agent.input import AgentInput, Step
from tui_agent.tools.agent.report import (
    Background,
    Steps,
    answer_data,
    answer_text,
    background_data,
    background_text,
    steps_data,
    steps_text,
)
from tui_agent.tools.agent.waiting import answer_of
from tui_agent.tools.agents import AgentError, AgentReport, AgentService, AgentTask, StepOutcome
from tui_agent.tools.base import (
    Claims,
    Invalid,
    Partial,
    Progress,
    PromptContext,
    Result,
    Tool,
    ToolContext,
    ToolError,
    Valid,
    Validity,
)

__all__ = ["TOOL", "AgentTool"]

_MOST_DESCRIPTION = 400  # characters of a type's description in this tool's own


@dataclass(frozen=True, slots=True)
class AgentPlan:
    """Who runs agents (None: nobody), and the task; None: there are steps in its place."""

    agents: AgentService | None
    task: AgentTask | None


Output = AgentReport | Background | Steps


class AgentTool(Tool[AgentInput, AgentPlan, Output]):
    """Starts one agent, or runs steps."""

    name = "Agent"
    aliases = ("Task", "agent")
    search_hint = "subagent delegate task explore plan background steps sequence"
    Input = AgentInput
    interrupt_behavior: ClassVar[Literal["block", "cancel"]] = "cancel"

    def describe(self, context: PromptContext) -> str:
        types = "\n".join(
            f"- {one.name}: {_short(one.description)} (tools: {_short(one.tools)})" for one in context.agent_types
        )
        waits = (
            "Agents run in the background unless you say `run_in_background: false`: you go on, and are told each answer "
            "when it comes. Wait for an answer by ending your turn."
            if context.is_interactive
            else "The call returns when the agent has ended, with its answer."
        )
        return (
            "Gives a task to an agent: a model with a conversation, tools and a view of the files of its own, of which only "
            "the last answer comes back. Worth it for a search that may take many steps, for parts of the work that do not "
            "depend on each other (start several in one reply), and for what would fill this conversation with what you do "
            "not need.\n"
            f"- {waits}\n"
            "- An agent knows nothing of this conversation. Tell it the goal, what you know already, and what to answer with.\n"
            "- The user does not see its answer: say what matters of it. Check what it says it changed.\n"
            "- It has no more permissions than you have.\n"
            "- `steps` runs tool calls that you know already one after the other, and stops at the first that fails.\n"
            "Do not use it to read one file or to find one name: Read and Grep are faster.\n\n"
            f"Types of agents:\n{types or '(none)'}"
        )

    def is_concurrency_safe(self, input: AgentInput) -> bool:
        return not input.steps

    def claims(self, input: AgentInput) -> Claims:
        return Claims.exclusive()

    async def validate(self, input: AgentInput, ctx: ToolContext) -> Validity[AgentPlan]:
        agents = ctx.services.agents
        if input.steps:
            other = [name for name in ("prompt", "subagent_type", "isolation", "cwd") if getattr(input, name)]
            if other:
                return Invalid(f"Give either steps or a task; leave out {', '.join(other)}.", "both")
            return Valid(AgentPlan(agents, None))
        if not input.prompt.strip():
            return Invalid("There is no task: say in `prompt` what the agent is to do, or give `steps`.", "no_task")
        task = AgentTask(
            prompt=input.prompt,
            description=input.description.strip() or " ".join(input.prompt.split())[:60],
            tool_use_id=ctx.tool_use_id,
            type=(input.subagent_type or "").strip(),
            model=(input.model or "").strip(),
            label=(input.name or "").strip(),
            is_background=_runs_in_background(input, agents),
            is_isolated=input.isolation is not None,
            folder="" if input.cwd is None else ctx.workspace.absolute(input.cwd),
        )
        problem = agents.problem(task) if agents is not None else ""
        return Invalid(problem, "cannot_start") if problem else Valid(AgentPlan(agents, task))

    async def call(
        self, input: AgentInput, plan: AgentPlan, ctx: ToolContext
    ) -> AsyncIterator[Progress | Result[Output]]:
        if plan.agents is None:
            raise ToolError("Agents cannot be started here.")
        if plan.task is None:
            async with aclosing(_run_steps(plan.agents, input.steps or [], ctx)) as items:
                async for item in items:
                    yield item
            return
        try:
            agent = await plan.agents.start(plan.task)
        except AgentError as error:
            raise ToolError(str(error)) from error
        async with aclosing(answer_of(agent, ctx, is_background=plan.task.is_background)) as answer:
            async for part in answer:
                yield part

    def to_result(self, output: Output) -> str:
        match output:
            case Steps():
                return steps_text(output)
            case Background():
                return background_text(output)
            case _:
                return answer_text(output)

    def to_data(self, output: Output) -> dict[str, Any]:
        match output:
            case Steps():
                return steps_data(output)
            case Background():
                return background_data(output)
            case _:
                return answer_data(output)


def _runs_in_background(input: AgentInput, agents: AgentService | None) -> bool:
    if input.run_in_background is not None:
        return input.run_in_background
    return agents is not None and agents.runs_in_background((input.subagent_type or "").strip())


async def _run_steps(
    agents: AgentService, steps: list[Step], ctx: ToolContext
) -> AsyncGenerator[Progress | Result[Output]]:
    done: list[StepOutcome] = []
    ctx.partial = lambda: Partial(steps_text(Steps(tuple(done), len(steps))))
    for number, step in enumerate(steps, 1):
        yield Progress(message=f"step {number} of {len(steps)}: {step.tool}")
        done.append(await agents.step(ctx.tool_use_id, step.tool, step.input))
        if done[-1].is_error:
            break
    output = Steps(tuple(done), len(steps))
    if done and done[-1].ends_turn:
        raise ToolError(steps_text(output), kind="denied", data={"by": "person"}, ends_turn=True)
    yield Result(output, is_error=output.is_stopped)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MOST_DESCRIPTION else f"{line[:_MOST_DESCRIPTION]}…"


TOOL = AgentTool
