"""Prompt-cache breakpoints: where the server should keep what it has read.

At most four marks a request, on things that stay: the last built-in tool (tools added later stand behind it and leave the
bytes up to it as they were), the end of the system prompt, and the ends of the last two user messages, so that each request
finds what the one before it left even when many results came in between. Nothing given is changed; marked parts are copies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from tui_agent.model.protocol import ModelRequest

__all__ = ["mark"]

_MARK: Final = {"type": "ephemeral"}
_MARKED_MESSAGES: Final = 2
# Thinking cannot carry a mark, and neither can an empty text.
_UNMARKABLE: Final = frozenset({"thinking", "redacted_thinking"})


def mark(request: ModelRequest, *, builtin_tools: int | None = None) -> ModelRequest:
    """Return the request with its marks. `builtin_tools` says how many of the tools are built in (all by default)."""
    count = len(request.tools) if builtin_tools is None else builtin_tools
    return replace(
        request,
        tools=_marked(request.tools, count - 1),
        system=_marked(request.system, _last_markable(request.system)),
        messages=_mark_messages(request.messages),
    )


def _mark_messages(messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    marked = list(messages)
    left = _MARKED_MESSAGES
    for position in range(len(marked) - 1, -1, -1):
        message = marked[position]
        if message.get("role") != "user":
            continue
        content = message["content"]
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        last = _last_markable(content)
        if last >= 0:
            marked[position] = {**message, "content": _marked(content, last)}
            left -= 1
            if not left:
                break
    return marked


def _last_markable(blocks: Sequence[dict[str, Any]]) -> int:
    for position in range(len(blocks) - 1, -1, -1):
        block = blocks[position]
        if block.get("type") not in _UNMARKABLE and (block.get("type") != "text" or block.get("text")):
            return position
    return -1


def _marked(parts: Sequence[dict[str, Any]], position: int) -> list[dict[str, Any]]:
    """Return a copy of `parts` with a mark at `position`; outside the list there is none."""
    return [{**part, "cache_control": _MARK} if place == position else part for place, part in enumerate(parts)]
