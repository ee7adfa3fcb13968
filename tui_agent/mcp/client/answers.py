"""What comes from a server, as plain data of this program. Foreign text is cleaned and cut here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import mcp_types as types

from tui_agent.mcp.catalog import PromptArgument, PromptInfo, ResourceInfo, ToolInfo
from tui_agent.mcp.host import Elicitation, ElicitationAnswer, SamplingAnswer, SamplingRequest
from tui_agent.text import clean, clean_line

__all__ = [
    "LONGEST_DESCRIPTION", "blocks", "elicitation", "elicitation_result", "prompt_info", "resource_info", "sampling",
    "sampling_result", "short", "template_info", "tool_info",
]  # fmt: skip

LONGEST_DESCRIPTION: Final = 4096  # characters


def short(text: str | None, limit: int = LONGEST_DESCRIPTION) -> str:
    """Return foreign text without controls, cut to `limit` characters."""
    cleaned = clean((text or "")[: 4 * limit]).strip()
    return cleaned if len(cleaned) <= limit else cleaned[: limit - 1] + "…"


def tool_info(tool: types.Tool) -> ToolInfo:
    """Return a tool as plain data."""
    hints = tool.annotations or types.ToolAnnotations()
    return ToolInfo(
        name=tool.name,
        title=clean_line(tool.title or hints.title or "", 200),
        description=short(tool.description),
        schema=tool.input_schema,
        is_read_only=bool(hints.read_only_hint),
        # By the protocol a tool that says nothing may destroy. Only what says so itself is marked: else all would be.
        is_destructive=bool(hints.destructive_hint) and not hints.read_only_hint,
        meta={key: value for key, value in (tool.meta or {}).items() if key.startswith("anthropic/")},
    )


def resource_info(resource: types.Resource) -> ResourceInfo:
    """Return a resource as plain data."""
    return ResourceInfo(
        uri=str(resource.uri),
        name=clean_line(resource.title or resource.name, 200),
        description=short(resource.description, 500),
        mime_type=clean_line(resource.mime_type or "", 100),
        size=resource.size,
    )


def template_info(template: types.ResourceTemplate) -> ResourceInfo:
    """Return a template of resources as plain data."""
    return ResourceInfo(
        uri=template.uri_template,
        name=clean_line(template.title or template.name, 200),
        description=short(template.description, 500),
        mime_type=clean_line(template.mime_type or "", 100),
        is_template=True,
    )


def prompt_info(prompt: types.Prompt) -> PromptInfo:
    """Return a prompt as plain data."""
    return PromptInfo(
        name=prompt.name,
        title=clean_line(prompt.title or "", 200),
        description=short(prompt.description, 500),
        arguments=tuple(
            PromptArgument(
                name=argument.name,
                description=clean_line(argument.description or "", 300),
                is_required=bool(argument.required),
            )
            for argument in prompt.arguments or ()
        ),
    )


def elicitation(params: types.ElicitRequestParams) -> Elicitation:
    """Return what a server asks the user for."""
    message = short(params.message, 2000)
    if isinstance(params, types.ElicitRequestURLParams):
        return Elicitation(message=message, url=params.url)
    schema = params.requested_schema
    data = schema if isinstance(schema, Mapping) else schema.model_dump(by_alias=True, exclude_none=True)
    return Elicitation(message=message, schema=data)


def elicitation_result(answer: ElicitationAnswer) -> types.ElicitResult:
    """Return the user's answer as the protocol has it."""
    content = dict(answer.content) if answer.action == "accept" and answer.content is not None else None
    return types.ElicitResult(action=answer.action, content=content)


def sampling(params: types.CreateMessageRequestParams) -> SamplingRequest:
    """Return what a server wants a model to answer."""
    messages = [
        (message.role, "\n".join(_words(block) for block in message.content_as_list)) for message in params.messages
    ]
    return SamplingRequest(
        messages=[(role, short(text, 100_000)) for role, text in messages],
        system=short(params.system_prompt, 20_000),
        max_tokens=params.max_tokens,
    )


def sampling_result(answer: SamplingAnswer) -> types.CreateMessageResult | types.ErrorData:
    """Return a model's answer as the protocol has it."""
    if answer.text is None:
        return types.ErrorData(code=-1, message=answer.reason or "The user did not allow it.")
    return types.CreateMessageResult(
        role="assistant", content=types.TextContent(text=answer.text), model=answer.model, stop_reason="endTurn"
    )


def _words(block: Any) -> str:  # noqa: ANN401 - any block of the protocol
    text = getattr(block, "text", None)
    return text if isinstance(text, str) else f"[{getattr(block, 'type', 'content')}]"


def blocks(content: Iterable[Any]) -> tuple[Mapping[str, Any], ...]:
    """Return content blocks as JSON."""
    return tuple(block.model_dump(mode="json", by_alias=True, exclude_none=True) for block in content)
