"""ExitPlanMode: puts the plan to the user. What they say yes to is carried out, in the mode they choose with it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal

from pydantic import Field

from tui_agent.tools.base import (
    Ask,
    Claims,
    Invalid,
    Opinion,
    Progress,
    Result,
    Tool,
    ToolContext,
    ToolError,
    ToolInput,
    Valid,
    Validity,
)
from tui_agent.tools.services import PlanService

__all__ = ["TOOL", "Approved", "ExitPlanModeInput", "ExitPlanModeTool", "OfferedPlan"]

_MODES: Final = {
    "acceptEdits": "Edits in the working folders are accepted without asking.",
    "default": "Edits and commands ask the user, one by one.",
    "dontAsk": "Nobody is asked: what the rules do not allow is denied.",
    "bypassPermissions": "Nothing asks.",
    "plan": "",
}


class ExitPlanModeInput(ToolInput):
    """Nothing: the plan stands in its file. Older calls bring it along."""

    plan: str | None = Field(
        None, max_length=200_000, description="The plan as Markdown; leave it out where it is in the plan file."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Approved:
    """The plan that was approved, its file, the mode to go on in, and whether the user had changed the plan."""

    plan: str
    file: str
    mode: str
    is_changed: bool


@dataclass(frozen=True, slots=True)
class OfferedPlan:
    """The text of the plan as it is put to the user, and where it is kept."""

    service: PlanService
    text: str


class ExitPlanModeTool(Tool[ExitPlanModeInput, OfferedPlan, Approved]):
    """Asks for approval and turns plan mode off."""

    name = "ExitPlanMode"
    aliases = ("exit_plan_mode",)
    search_hint = "plan approval present finish planning leave plan mode"
    Input = ExitPlanModeInput
    interrupt_behavior: ClassVar[Literal["block", "cancel"]] = "cancel"

    def description(self) -> str:
        return (
            "In plan mode: submits the plan to the user for approval, and turns plan mode off when they approve it. Write the "
            "plan to the plan file first. Call it when the plan is complete, with what you still had to ask answered; not for "
            "work that only reads."
        )

    def claims(self, input: ExitPlanModeInput) -> Claims:
        return Claims.exclusive()

    async def validate(self, input: ExitPlanModeInput, ctx: ToolContext) -> Validity[OfferedPlan]:
        service = ctx.services.plan
        if service is None or not service.is_on:
            return Invalid("Plan mode is not on, so there is no plan to approve: go on with the work.", "not_in_plan")
        try:
            if input.plan and input.plan.strip():
                await asyncio.to_thread(service.write, input.plan)
            text = await asyncio.to_thread(service.read)
        except OSError as error:
            return Invalid(f"{service.file} cannot be used: {error.strerror or error}.", "bad_file")
        if not text.strip():
            return Invalid(
                f"There is no plan yet. Write it to {service.file}, as Markdown, then call this again.", "no_plan"
            )
        service.present(text)
        return Valid(OfferedPlan(service, text))

    async def check_permissions(self, input: ExitPlanModeInput, ctx: ToolContext) -> Opinion:
        if not ctx.is_interactive:
            return Ask("a plan is approved by a user; where nobody is there, answer with the plan and end")
        return Ask("the plan waits for your approval, which no rule gives in advance")

    async def call(
        self, input: ExitPlanModeInput, plan: OfferedPlan, ctx: ToolContext
    ) -> AsyncIterator[Progress | Result[Approved]]:
        service = plan.service
        try:
            text = await asyncio.to_thread(service.read)
        except OSError as error:
            raise ToolError(
                f"The plan in {service.file} is lost: {error.strerror or error}. Write it again."
            ) from error
        mode = service.leave()
        is_changed = text.strip() != plan.text.strip()
        yield Result(Approved(plan=text, file=str(service.file), mode=mode, is_changed=is_changed))

    def to_result(self, output: Approved) -> str:
        parts = [
            f"The user approved the plan. Plan mode is off; carry the plan out. {_MODES.get(output.mode, '')}".strip()
        ]
        parts.append(f"It is kept in {output.file}.")
        if output.is_changed:
            parts.append(f"They changed it first. The plan to carry out:\n\n{output.plan}")
        return "\n".join(parts)

    def to_data(self, output: Approved) -> dict[str, Any]:
        return {
            "plan": output.plan,
            "filePath": output.file,
            "mode": output.mode,
            "isAgent": False,
            "isChanged": output.is_changed,
        }


TOOL = ExitPlanModeTool
