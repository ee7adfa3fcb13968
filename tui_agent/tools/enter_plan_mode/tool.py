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

__all__ = ["TOOL", "EnterPlanModeInput", "EnterPlanModeTool", "Entered"]


class EnterPlanModeInput(ToolInput):
    """Nothing."""


@dataclass(frozen=True, slots=True)
class Entered:
    """Plan mode is on: what the model should know of it, and where the plan goes."""

    note: str
    file: str


class EnterPlanModeTool(Tool[EnterPlanModeInput, PlanService, Entered]):
    """Turns plan mode on."""

    name = "EnterPlanMode"
    aliases = ("enter_plan_mode",)
    search_hint = "plan mode think before changing design approach approval"
    Input = EnterPlanModeInput
    interrupt_behavior: ClassVar[Literal["block", "cancel"]] = "cancel"

    def description(self) -> str:
        return (
            "Turns plan mode on: nothing but reading until the person has approved a plan. For work with several ways to go, "
            "many files, or a design that is theirs to decide; not for small or clear changes, and not for questions.\n"
            "- In plan mode look around, write the plan, and call ExitPlanMode, which puts it to the person."
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
    ) -> AsyncIterator[Progress | Result[Entered]]:
        plan.enter()
        yield Result(Entered(plan.note, str(plan.file)))

    def to_result(self, output: Entered) -> str:
        return output.note

    def to_data(self, output: Entered) -> dict[str, Any]:
        return {"mode": "plan", "filePath": output.file}


TOOL = EnterPlanModeTool
