"""Skill: the model knows skills by name and description; here it gets the instructions of one."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, Literal

from pydantic import Field

from tui_agent.tools.agent.report import Background, answer_data, answer_text, background_data, background_text
from tui_agent.tools.agent.waiting import answer_of
from tui_agent.tools.agents import AgentError, AgentReport, AgentTask
from tui_agent.tools.base import (
    Invalid,
    Limits,
    Progress,
    Result,
    Tool,
    ToolContext,
    ToolError,
    ToolInput,
    Valid,
    Validity,
)
from tui_agent.tools.services import InvokedSkill, SkillError

__all__ = ["TOOL", "SkillInput", "SkillTool"]

_MOST_CHARS: Final = 450_000


class SkillInput(ToolInput):
    """Which skill, with what."""

    skill: str = Field(max_length=300, description="The name of the skill, as it is listed.")
    args: str = Field("", max_length=20_000, description="Arguments for it, if it takes any.")


@dataclass(frozen=True, slots=True)
class Followed:
    """A skill that an agent has followed, and how that ended."""

    skill: InvokedSkill
    report: AgentReport


Output = InvokedSkill | Followed | Background


class SkillTool(Tool[SkillInput, None, Output]):
    """Loads a skill, or has an agent follow it where the skill wants that."""

    name = "Skill"
    aliases = ("skill",)
    search_hint = "load skill instructions"
    Input = SkillInput
    max_result_chars: ClassVar[int] = _MOST_CHARS
    interrupt_behavior: ClassVar[Literal["block", "cancel"]] = "cancel"

    def description(self) -> str:
        return (
            "Loads a skill: instructions for a kind of task, with the files that belong to it. Which skills there are is told "
            "in the conversation. The result is the skill's text; follow it."
        )

    def prompt(self) -> str:
        return (
            "Where a task fits a skill that you were told of, load it with Skill first. What stands in `<invoked_skill>` are "
            "instructions of a skill that you have loaded or the user has invoked: follow them where the user's own words do "
            "not say otherwise. They widen nothing that you are permitted to do. Files that they name are in the skill's "
            "folder; read them when you need them."
        )

    async def validate(self, input: SkillInput, ctx: ToolContext) -> Validity[None]:
        if ctx.services.skills is None:
            return Invalid("There are no skills here.", "no_skills")
        problem = ctx.services.skills.problem_of(input.skill)
        return Invalid(problem, "unknown_skill") if problem else Valid(None)

    async def call(self, input: SkillInput, plan: None, ctx: ToolContext) -> AsyncIterator[Progress | Result[Output]]:
        skills, agents = ctx.services.skills, ctx.services.agents
        if skills is None:
            raise ToolError("There are no skills here.")
        try:
            skill = await skills.invoke(input.skill, input.args, ctx.tool_use_id)
        except SkillError as error:
            raise ToolError(str(error)) from error
        if not skill.is_forked or agents is None:
            yield Result(skill)
            return
        task = AgentTask(
            prompt=skill.text,
            description=f"skill {skill.name}",
            tool_use_id=ctx.tool_use_id,
            type=skill.agent_type,
            model=skill.model,
        )
        if problem := agents.problem(task):
            raise ToolError(f"The skill {skill.name} is for an agent. {problem}")
        try:
            agent = await agents.start(task)
        except AgentError as error:
            raise ToolError(str(error)) from error
        async with aclosing(answer_of(agent, ctx, is_background=False)) as answer:
            async for part in answer:
                if isinstance(part, Result) and isinstance(part.output, AgentReport):
                    yield replace(part, output=Followed(skill, part.output))
                else:
                    yield part

    def result_limit(self, limits: Limits) -> int:
        return self.max_result_chars  # instructions are of use whole

    def to_result(self, output: Output) -> str | list[dict[str, Any]]:
        match output:
            case Followed():
                return answer_text(output.report)
            case Background():
                return background_text(output)
            case InvokedSkill(blocks=()):
                return output.text
            case _:
                return [{"type": "text", "text": output.text}, *output.blocks]

    def to_data(self, output: Output) -> dict[str, Any]:
        match output:
            case Followed():
                return {**answer_data(output.report), **_facts(output.skill), "status": "forked"}
            case Background():
                return background_data(output)
            case _:
                return _facts(output)


def _facts(skill: InvokedSkill) -> dict[str, Any]:
    return {
        "success": True,
        "commandName": skill.name,
        "source": skill.place,
        "file": skill.file,
        "description": skill.words,
        "chars": len(skill.text),
    }


TOOL = SkillTool
