"""A tool of an MCP server: its own JSON Schema goes to the API unchanged, and its input is checked against that.

How a server is spoken to is the client's business; a tool only has something to call. What a server says of its tools is
taken as a wish where it costs nothing (running beside others) and never as a permission.
"""

from __future__ import annotations

import asyncio
import json
import re
from base64 import b64decode
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, Literal

from pydantic import ConfigDict

from tui_agent.context_marks import neutral
from tui_agent.media import media_in
from tui_agent.text import clean
from tui_agent.tools.base import Ask, Claims, Opinion, Progress, Result, Tool, ToolContext, ToolInput
from tui_agent.tools.shared_read.images import ImageProblem, fit_image
from tui_agent.tools.shared_read.media_limits import take_room

__all__ = ["McpAnswer", "McpHints", "McpInput", "McpTool", "mcp_blocks", "mcp_name"]

_LONGEST_DESCRIPTION: Final = 4096
_MOST_RESULT_CHARS: Final = 500_000
_NOT_IN_NAMES: Final = re.compile(r"[^A-Za-z0-9_-]")
_LONGEST_NAME: Final = 128
_PROPERTY: Final = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
_IMAGES: Final = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})


class McpInput(ToolInput):
    """Whatever passed the server's own schema."""

    model_config = ConfigDict(extra="allow", frozen=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class McpAnswer:
    """What a server answered: content blocks as MCP has them, structured data if there is any, and whether it is an error."""

    content: tuple[Mapping[str, Any], ...] = ()
    structured: Mapping[str, Any] | None = None
    is_error: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class McpHints:
    """What a server says of a tool. `max_result_chars` counts up to half a million."""

    is_read_only: bool = False
    is_destructive: bool = False
    is_always_loaded: bool = False
    must_ask: bool = False
    search_hint: str = ""
    max_result_chars: int | None = None


# Gets the tool's name as the server has it, the input, and who hears how far the call is.
McpCall = Callable[[str, dict[str, Any], Callable[[Progress], None]], Awaitable[McpAnswer]]


class McpTool(Tool[McpInput, None, McpAnswer]):
    """One tool of one server. `call_server` may raise `ToolError`; a cancelled call cancels it."""

    Input = McpInput
    interrupt_behavior: ClassVar[Literal["block", "cancel"]] = "cancel"

    def __init__(
        self,
        *,
        server: str,
        tool: str,
        description: str,
        schema: Mapping[str, Any],
        call_server: McpCall,
        hints: McpHints | None = None,
    ) -> None:
        self.name = mcp_name(server, tool)  # type: ignore[misc]  # of each tool, where others have one of their class
        self.json_schema = schema
        self._tool = tool
        self._description = description
        self._call_server = call_server
        self._hints = hints or McpHints()
        self.search_hint = self._hints.search_hint  # type: ignore[misc]
        limit = self._hints.max_result_chars
        self.max_result_chars = min(limit, _MOST_RESULT_CHARS) if limit else Tool.max_result_chars  # type: ignore[misc]

    @property
    def is_always_loaded(self) -> bool:
        """Whether the model gets its schema without looking it up."""
        return self._hints.is_always_loaded

    def description(self) -> str:
        text = neutral(clean(self._description))  # a server's words, among those of the program
        return text if len(text) <= _LONGEST_DESCRIPTION else text[: _LONGEST_DESCRIPTION - 1] + "…"

    def is_enabled(self) -> bool:
        # The API refuses a request as a whole for one tool with a schema it does not take.
        schema = self.json_schema or {}
        properties = schema.get("properties", {})
        return (
            schema.get("type") == "object"
            and not any(key in schema for key in ("oneOf", "allOf", "anyOf"))
            and isinstance(properties, Mapping)
            and all(_PROPERTY.fullmatch(str(name)) for name in properties)
        )

    def is_concurrency_safe(self, input: McpInput) -> bool:
        return self._hints.is_read_only

    def is_destructive(self, input: McpInput) -> bool:
        return self._hints.is_destructive

    def claims(self, input: McpInput) -> Claims:
        return Claims() if self._hints.is_read_only else Claims.exclusive()

    async def check_permissions(self, input: McpInput, ctx: ToolContext) -> Opinion:
        return Ask(f"{self.name} always wants a user to decide") if self._hints.must_ask else None

    async def call(self, input: McpInput, plan: None, ctx: ToolContext) -> AsyncIterator[Progress | Result[McpAnswer]]:
        told: asyncio.Queue[Progress | None] = asyncio.Queue()
        calling = asyncio.ensure_future(self._call_server(self._tool, input.model_dump(by_alias=True), told.put_nowait))
        calling.add_done_callback(lambda _: told.put_nowait(None))
        try:
            while (progress := await told.get()) is not None:
                yield progress
            answer = await _with_sound_images(calling.result())
        finally:
            if not calling.done():
                calling.cancel()
                await asyncio.wait([calling])
        take_room(ctx, media_in(self._blocks(answer)))
        yield Result(answer, is_error=answer.is_error, error_kind="execution" if answer.is_error else None)

    def to_result(self, output: McpAnswer) -> str | list[dict[str, Any]]:
        return self._blocks(output) or "(no output)"

    @staticmethod
    def _blocks(output: McpAnswer) -> list[dict[str, Any]]:
        if not output.content and output.structured is not None:
            return [{"type": "text", "text": json.dumps(output.structured, ensure_ascii=False)}]
        return [_block(content) for content in output.content]

    def to_data(self, output: McpAnswer) -> dict[str, Any]:
        return {"content": [dict(content) for content in output.content], "structuredContent": output.structured}


def mcp_name(server: str, tool: str) -> str:
    """Return the name under which a model knows a server's tool."""
    return _NOT_IN_NAMES.sub("_", f"mcp__{server}__{tool}")[:_LONGEST_NAME]


async def mcp_blocks(contents: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return content blocks of MCP as the Messages API takes them."""
    answer = await _with_sound_images(McpAnswer(content=tuple(contents)))
    return [_block(content) for content in answer.content]


async def _with_sound_images(answer: McpAnswer) -> McpAnswer:
    """Return an answer whose images the Messages API takes: one that it refused would be refused with every later request."""
    if not any(content.get("type") == "image" for content in answer.content):
        return answer
    return replace(answer, content=await asyncio.to_thread(lambda: tuple(map(_sound, answer.content))))


def _sound(content: Mapping[str, Any]) -> Mapping[str, Any]:
    if content.get("type") != "image":
        return content
    try:
        source = fit_image(b64decode(str(content.get("data", "")), validate=True)).to_block()["source"]
    except (ImageProblem, ValueError) as problem:
        reason = problem if isinstance(problem, ImageProblem) else "it is no Base64"
        return {"type": "text", "text": f"[image {content.get('mimeType', '')} left out: {reason}]"}
    return {"type": "image", "mimeType": source["media_type"], "data": source["data"]}


def _block(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return a content block as the Messages API takes it; what it does not take is named in words."""
    kind = content.get("type")
    if kind == "text":
        return {"type": "text", "text": str(content.get("text", ""))}
    if kind == "image" and content.get("mimeType") in _IMAGES:
        source = {"type": "base64", "media_type": content["mimeType"], "data": str(content.get("data", ""))}
        return {"type": "image", "source": source}
    resource = content.get("resource")
    inner = resource if isinstance(resource, Mapping) else content
    if isinstance(text := inner.get("text"), str):
        return {"type": "text", "text": text}
    if kind == "resource_link":
        name = f" ({inner['name']})" if inner.get("name") else ""
        return {"type": "text", "text": f"[resource {inner.get('uri', '')}{name}; ReadMcpResource reads it]"}
    where = inner.get("uri") or inner.get("mimeType") or ""
    return {"type": "text", "text": f"[{kind or 'unknown content'}{f' {where}' if where else ''}]"}
