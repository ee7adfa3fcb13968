"""MemoryWrite: the model keeps notes on the project for later sessions."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from pydantic import Field

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
from tui_agent.tools.memory_folder import MOST_BYTES, MemoryNameError

__all__ = ["TOOL", "MemoryWriteInput", "MemoryWriteTool", "Written"]


class MemoryWriteInput(ToolInput):
    """A note."""

    file: str = Field(max_length=300, description="The note to write, such as `MEMORY.md` or `build.md`.")
    content: str = Field(max_length=MOST_BYTES, description="Its text, in Markdown.")
    append: bool = Field(False, description="Add to the end of the note instead of replacing it.")


@dataclass(frozen=True, slots=True)
class Written:
    """What was written: the note, and its size in bytes now."""

    file: str
    size: int
    was_appended: bool


class MemoryWriteTool(Tool[MemoryWriteInput, None, Written]):
    """Writes notes."""

    name = "MemoryWrite"
    search_hint = "remember note keep for later sessions"
    Input = MemoryWriteInput

    def description(self) -> str:
        return (
            "Keeps a note on this project for later sessions: what took you long to find out and is not in the code. The first "
            "200 lines of MEMORY.md are in every conversation from its start; keep it a short index, and details in notes of "
            "their own. Never keep keys or passwords."
        )

    def claims(self, input: MemoryWriteInput) -> Claims:
        return Claims(holds=frozenset({"notes"}))

    async def validate(self, input: MemoryWriteInput, ctx: ToolContext) -> Validity[None]:
        folder = ctx.services.notes
        if folder is None:
            return Invalid("There is no folder for notes here.", "no_folder")
        try:
            folder.check(input.file)
        except MemoryNameError as error:
            return Invalid(str(error), "bad_name")
        return Valid(None)

    async def call(
        self, input: MemoryWriteInput, plan: None, ctx: ToolContext
    ) -> AsyncIterator[Progress | Result[Written]]:
        folder = ctx.services.notes
        if folder is None:
            raise ToolError("There is no folder for notes here.")
        text = ctx.services.masker.mask(input.content)
        try:
            size = await asyncio.to_thread(folder.write, input.file, text, appends=input.append)
        except (OSError, MemoryNameError) as error:
            raise ToolError(getattr(error, "strerror", None) or str(error)) from error
        yield Result(Written(input.file, size, input.append))

    def to_result(self, output: Written) -> str:
        return f"{output.file} now has {output.size:,} bytes."

    def to_data(self, output: Written) -> dict[str, Any]:
        return {"file": output.file, "bytes": output.size, "appended": output.was_appended}


TOOL = MemoryWriteTool
