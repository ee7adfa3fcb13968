"""Sleep: wait for something that takes its time, until the time is over or the user writes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal

from pydantic import Field

from tui_agent.tools.base import Allow, Claims, Opinion, Progress, Result, Tool, ToolContext, ToolInput

__all__ = ["LONGEST_S", "TOOL", "SleepInput", "SleepOutput", "SleepTool"]

LONGEST_S: Final = 3600
TICK_S: Final = 1.0  # how often it says how much is left


class SleepInput(ToolInput):
    """How long, and what for."""

    seconds: float = Field(gt=0, le=LONGEST_S, description=f"How long to wait, in seconds; at most {LONGEST_S}.")
    reason: str | None = Field(None, max_length=200, description="What you wait for, in a few words; the user sees it.")


@dataclass(frozen=True, slots=True)
class SleepOutput:
    """How long it really was, in seconds, and whether the user's message ended it."""

    asked_s: float
    slept_s: float
    is_woken: bool


class SleepTool(Tool[SleepInput, None, SleepOutput]):
    """Holds nothing up: other tools run beside it, and an interrupt ends it at once."""

    name = "Sleep"
    search_hint = "wait pause delay timer until later poll"
    Input = SleepInput
    interrupt_behavior: ClassVar[Literal["block", "cancel"]] = "cancel"

    def description(self) -> str:
        return (
            "Waits, without a shell: for a background job, a deployment, or until it makes sense to look again. Ends early "
            "when the user sends a message.\n"
            "- Wait once for as long as it will take, not many times for a little.\n"
            "- Do not wait for commands that run in the foreground; they return when they are done."
        )

    def is_concurrency_safe(self, input: SleepInput) -> bool:
        return True

    def is_read_only(self, input: SleepInput) -> bool:
        return True

    def claims(self, input: SleepInput) -> Claims:
        return Claims()

    async def check_permissions(self, input: SleepInput, ctx: ToolContext) -> Opinion:
        return Allow()

    async def call(
        self, input: SleepInput, plan: None, ctx: ToolContext
    ) -> AsyncIterator[Progress | Result[SleepOutput]]:
        loop = asyncio.get_running_loop()
        began = loop.time()
        wrote = ctx.services.user_wrote
        while not wrote.is_set() and (left := began + input.seconds - loop.time()) > 0:
            yield Progress(message=f"{_shown(left)} left")
            try:
                async with asyncio.timeout(min(TICK_S, left)):
                    await wrote.wait()
            except TimeoutError:
                continue
        yield Result(SleepOutput(input.seconds, min(input.seconds, loop.time() - began), wrote.is_set()))

    def to_result(self, output: SleepOutput) -> str:
        if output.is_woken:
            return f"Woken after {_shown(output.slept_s)} of {_shown(output.asked_s)}: the user wrote."
        return f"{_shown(output.asked_s)} have passed."

    def to_data(self, output: SleepOutput) -> dict[str, Any]:
        return {"seconds": output.asked_s, "sleptSeconds": round(output.slept_s, 3), "wokenByPerson": output.is_woken}


def _shown(seconds: float) -> str:
    if seconds < 1:
        return f"{seconds:.2g} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes and rest else f"{minutes} min" if minutes else f"{rest} s"


TOOL = SleepTool
