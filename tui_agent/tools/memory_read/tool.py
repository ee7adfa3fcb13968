"""MemoryRead: the model reads its own notes on the project."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from pydantic import Field

from tui_agent.tools.base import (
    Allow,
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
from tui_agent.tools.memory_folder import MemoryNameError

__all__ = ["TOOL", "MemoryReadInput", "MemoryReadTool", "Notes"]


class MemoryReadInput(ToolInput):
    """Which note."""

    file: str = Field("", max_length=300, description="The note to read, such as `build.md`. Leave it out for a list.")


@dataclass(frozen=True, slots=True)
class Notes:
    """One note's text, or the names of all with their sizes in bytes."""

    file: str
    text: str = ""
    names: tuple[tuple[str, int], ...] = ()


class MemoryReadTool(Tool[MemoryReadInput, None, Notes]):
    """Reads notes."""

    name = "MemoryRead"
    search_hint = "recall notes remember earlier sessions"
    Input = MemoryReadInput
    interrupt_behavior: ClassVar[Literal["block", "cancel"]] = "cancel"

    def description(self) -> str:
        return (
            "Reads your notes on this project, which you keep from session to session: one by name, or without a name the list "
            "of all. The beginning of MEMORY.md is in the conversation from the start."
        )

    def is_concurrency_safe(self, input: MemoryReadInput) -> bool:
        return True

    def is_read_only(self, input: MemoryReadInput) -> bool:
        return True

    def claims(self, input: MemoryReadInput) -> Claims:
        return Claims()

    async def validate(self, input: MemoryReadInput, ctx: ToolContext) -> Validity[None]:
        folder = ctx.services.notes
        if folder is None:
            return Invalid("There is no folder for notes here.", "no_folder")
        try:
            if input.file:
                folder.check(input.file)
        except MemoryNameError as error:
            return Invalid(str(error), "bad_name")
        return Valid(None)

    async def check_permissions(self, input: MemoryReadInput, ctx: ToolContext) -> Opinion:
        return Allow()

    async def call(
        self, input: MemoryReadInput, plan: None, ctx: ToolContext
    ) -> AsyncIterator[Progress | Result[Notes]]:
        folder = ctx.services.notes
        if folder is None:
            raise ToolError("There is no folder for notes here.")
        try:
            if input.file:
                yield Result(Notes(input.file, await asyncio.to_thread(folder.read, input.file)))
            else:
                yield Result(Notes("", names=tuple(await asyncio.to_thread(folder.names))))
        except FileNotFoundError as error:
            names = ", ".join(name for name, _ in await asyncio.to_thread(folder.names)) or "none"
            raise ToolError(f"There is no note {input.file!r}. There are: {names}.") from error
        except (OSError, MemoryNameError) as error:
            raise ToolError(getattr(error, "strerror", None) or str(error)) from error

    def to_result(self, output: Notes) -> str:
        if output.file:
            return output.text or "(empty)"
        return "\n".join(f"{name} ({size:,} bytes)" for name, size in output.names) or "There are no notes yet."

    def to_data(self, output: Notes) -> dict[str, Any]:
        if output.file:
            return {"file": output.file, "text": output.text}
        return {"files": [{"name": name, "bytes": size} for name, size in output.names]}


TOOL = MemoryReadTool
