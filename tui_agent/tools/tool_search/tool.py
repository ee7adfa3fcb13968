"""ToolSearch: the model knows deferred tools by name only; here it gets their schemas, and later requests carry them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal

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
from tui_agent.tools.services import ToolFinder

__all__ = ["TOOL", "FoundTools", "ToolSearchInput", "ToolSearchTool"]

_MOST_NAMES_LISTED: Final = 100


class ToolSearchInput(ToolInput):
    """What tool is wanted."""

    query: str = Field(
        max_length=2000,
        description="`select:A,B` for tools by name, or a few words about what the tool should do.",
    )
    max_results: int = Field(5, ge=1, le=50, description="How many tools to load at most, found by words (default 5).")


@dataclass(frozen=True, slots=True)
class FoundTools:
    """What was found: the tools as the API gets them, and what they have to say on their use."""

    query: str
    schemas: tuple[dict[str, Any], ...]
    guidance: tuple[str, ...]
    unknown: tuple[str, ...]
    deferred: tuple[str, ...]


class ToolSearchTool(Tool[ToolSearchInput, None, FoundTools]):
    """Finds tools by name or by words, and activates what it found."""

    name = "ToolSearch"
    aliases = ("tool_search",)
    search_hint = "find load tools"
    Input = ToolSearchInput
    interrupt_behavior: ClassVar[Literal["block", "cancel"]] = "cancel"

    def description(self) -> str:
        return (
            "Loads tools that the system prompt names without their schemas. What it finds can be called from the next reply "
            "on.\n"
            "- `select:A,B` loads tools by name.\n"
            "- Anything else is words, looked for in names and descriptions; the best matches are loaded."
        )

    def prompt(self) -> str:
        return (
            "Some tools are named without their schemas. When one of them fits better than what you have, load it with "
            "ToolSearch before you use it, all that you will need at once."
        )

    def is_concurrency_safe(self, input: ToolSearchInput) -> bool:
        return True

    def is_read_only(self, input: ToolSearchInput) -> bool:
        return True

    def claims(self, input: ToolSearchInput) -> Claims:
        return Claims()

    async def validate(self, input: ToolSearchInput, ctx: ToolContext) -> Validity[None]:
        return Valid(None) if input.query.strip() else Invalid("The query is empty.", "empty")

    async def check_permissions(self, input: ToolSearchInput, ctx: ToolContext) -> Opinion:
        return Allow()

    async def call(
        self, input: ToolSearchInput, plan: None, ctx: ToolContext
    ) -> AsyncIterator[Progress | Result[FoundTools]]:
        finder = ctx.services.finder
        if finder is None:
            raise ToolError("There is nothing to look up here: every tool there is was given to you.")
        names = finder.find(input.query, input.max_results)
        yield Result(
            FoundTools(
                query=input.query,
                schemas=tuple(finder.activate(names)),
                guidance=tuple(finder.guidance(names)),
                unknown=_unknown(input.query, finder),
                deferred=tuple(finder.deferred),
            )
        )

    def to_result(self, output: FoundTools) -> str:
        parts = []
        if output.schemas:
            parts.append("Loaded, to be called from now on:")
            parts += [json.dumps(schema, ensure_ascii=False) for schema in output.schemas]
        else:
            parts.append(f"No tool matches {output.query[:200]!r}.")
        parts += output.unknown
        if not output.schemas:
            listed = ", ".join(output.deferred[:_MOST_NAMES_LISTED])
            parts.append(f"These can be looked up: {listed or 'none'}.")
        return "\n".join(parts) + "".join(f"\n\n{text}" for text in output.guidance)

    def to_data(self, output: FoundTools) -> dict[str, Any]:
        return {
            "query": output.query,
            "matches": [schema["name"] for schema in output.schemas],
            "tools": [
                {"name": schema["name"], "description": schema["description"].strip().partition("\n")[0][:300]}
                for schema in output.schemas
            ],
            "total_deferred_tools": len(output.deferred),
        }


def _unknown(query: str, finder: ToolFinder) -> tuple[str, ...]:
    """Say which names of `select:` mean nothing, and what they may have meant."""
    head, colon, names = query.strip().partition(":")
    if not colon or head.lower() != "select":
        return ()
    said = []
    for name in filter(None, (part.strip() for part in names.split(","))):
        if not finder.find(f"select:{name}", 1):
            near = finder.nearest(name)
            hint = f" Did you mean {' or '.join(near)}?" if near else ""
            said.append(f"There is no tool named {name[:100]!r}.{hint}")
    return tuple(said[:10])


TOOL = ToolSearchTool
