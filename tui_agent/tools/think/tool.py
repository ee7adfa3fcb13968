"""Think: the model writes a thought down and gets nothing for it but the place to have it in."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from pydantic import Field

from tui_agent.tools.base import Claims, Invalid, Progress, Result, Tool, ToolContext, ToolInput, Valid, Validity

__all__ = ["TOOL", "ThinkInput", "ThinkOutput", "ThinkTool"]


class ThinkInput(ToolInput):
    """A thought."""

    thought: str = Field(max_length=50_000, description="What to think through.")


@dataclass(frozen=True, slots=True)
class ThinkOutput:
    """What was thought."""

    text: str


class ThinkTool(Tool[ThinkInput, None, ThinkOutput]):
    """Has no effect and finds nothing out."""

    name = "Think"
    search_hint = "reason plan reflect consider step back weigh note"
    Input = ThinkInput
    interrupt_behavior: ClassVar[Literal["block", "cancel"]] = "cancel"

    def description(self) -> str:
        return (
            "Writes a thought down, for when what tools returned has to be weighed before the next step: which of several "
            "causes fits all findings, which rules a change must keep, in which order to do things. It finds nothing out and "
            "changes nothing; the user can unfold it."
        )

    def is_concurrency_safe(self, input: ThinkInput) -> bool:
        return True

    def is_read_only(self, input: ThinkInput) -> bool:
        return True

    def claims(self, input: ThinkInput) -> Claims:
        return Claims()

    async def validate(self, input: ThinkInput, ctx: ToolContext) -> Validity[None]:
        return Valid(None) if input.thought.strip() else Invalid("The thought is empty.", "empty")

    async def call(
        self, input: ThinkInput, plan: None, ctx: ToolContext
    ) -> AsyncIterator[Progress | Result[ThinkOutput]]:
        yield Result(ThinkOutput(input.thought))

    def to_result(self, output: ThinkOutput) -> str:
        return "Noted."

    def to_data(self, output: ThinkOutput) -> dict[str, Any]:
        return {"thought": output.text}


TOOL = ThinkTool
