"""EnterPlanMode: the model wants to think a larger change through before anything is changed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from tui_agent.tools.base import (
    Claims,
    Deny,
    Invalid,
    Opinion,
    Progress,
    Result,
    Tool,
    ToolContext,
    ToolInput,
    Valid,
    Validity,
)
from tui_agent.tools.services import PlanService

__all__ = ["TOOL", "EnterPlanModeInput", "EnterPlanModeOutput", "EnterPlanModeTool"]


class EnterPlanModeInput(ToolInput):
    """Nothing."""


@dataclass(frozen=True, slots=True)
class EnterPlanModeOutput:
    """Plan mode is on: what the model should know of it, and where the plan goes."""

    note: str
    file: str


class EnterPlanModeTool(Tool[EnterPlanModeInput, PlanService, EnterPlanModeOutput]):
    """Turns plan mode on."""

    name = "EnterPlanMode"
    aliases = ("enter_plan_mode",)
    search_hint = "plan mode think before changing design approach approval"
    Input = EnterPlanModeInput
    interrupt_behavior: ClassVar[Literal["block", "cancel"]] = "cancel"

    def description(self) -> str:
        return (
            "Turns plan mode on: read-only until the user has approved a plan. For work with several possible approaches, "
            "many files, or a design that is theirs to decide; not for small or clear changes, and not for questions.\n"
            "- In plan mode explore the code, write the plan, and call ExitPlanMode, which submits it to the user."
        )

    def is_read_only(self, input: EnterPlanModeInput) -> bool:
        return True

    def claims(self, input: EnterPlanModeInput) -> Claims:
        return Claims.exclusive()  # what runs beside it would not know which mode it is judged by

    async def validate(self, input: EnterPlanModeInput, ctx: ToolContext) -> Validity[PlanService]:
        plan = ctx.services.plan
        if plan is None:
            return Invalid("There is no plan mode here.", "no_plan_mode")
        if plan.is_on:
            return Invalid(f"Plan mode is on already. {plan.note}", "in_plan")
        return Valid(plan)

    async def check_permissions(self, input: EnterPlanModeInput, ctx: ToolContext) -> Opinion:
        if not ctx.is_interactive:
            return Deny("nobody is here who could approve a plan. Do what was asked, or answer with the plan.")
        return None

    async def call(
        self, input: EnterPlanModeInput, plan: PlanService, ctx: ToolContext
    ) -> AsyncIterator[Progress | Result[EnterPlanModeOutput]]:
        plan.enter()
        yield Result(EnterPlanModeOutput(plan.note, str(plan.file)))

    def to_result(self, output: EnterPlanModeOutput) -> str:
        return output.note

    def to_data(self, output: EnterPlanModeOutput) -> dict[str, Any]:
        return {"mode": "plan", "filePath": output.file}


TOOL = EnterPlanModeTool
