"""Skill: the model knows skills by name and description; here it gets the instructions of one."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, ClassVar, Final, Literal

from pydantic import Field

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


class SkillTool(Tool[SkillInput, None, InvokedSkill]):
    """Loads a skill."""

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

    async def call(
        self, input: SkillInput, plan: None, ctx: ToolContext
    ) -> AsyncIterator[Progress | Result[InvokedSkill]]:
        skills = ctx.services.skills
        if skills is None:
            raise ToolError("There are no skills here.")
        try:
            yield Result(await skills.invoke(input.skill, input.args, ctx.tool_use_id))
        except SkillError as error:
            raise ToolError(str(error)) from error

    def result_limit(self, limits: Limits) -> int:
        return self.max_result_chars  # instructions are of use whole

    def to_result(self, output: InvokedSkill) -> str | list[dict[str, Any]]:
        if not output.blocks:
            return output.text
        return [{"type": "text", "text": output.text}, *output.blocks]

    def to_data(self, output: InvokedSkill) -> dict[str, Any]:
        return {
            "success": True,
            "commandName": output.name,
            "source": output.place,
            "file": output.file,
            "description": output.words,
            "chars": len(output.text),
        }


TOOL = SkillTool
