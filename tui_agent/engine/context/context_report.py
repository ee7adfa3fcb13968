"""What fills the model's context: every part of the next request, with about how much of it each is.

Sizes of parts are estimates, made from their bytes alone: nobody tells how many tokens a single part has. How many the whole
has is known from the last answer, and is the front end's to show beside them.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from typing import Any, Final

from tui_agent.engine.context.memory import split_memory
from tui_agent.execution.results import text_of
from tui_agent.model.protocol import ModelRequest
from tui_agent.queries import ContextPart, ContextReport

__all__ = ["about_tokens", "context_report"]

_BYTES_A_TOKEN: Final = 3.6  # of code and prose in the languages of the models' own examples
_MEDIA_TOKENS: Final = 1_500  # a picture, or a page or two of a document
_WORDS: Final = 300  # characters of a part's beginning that are kept to know it by


def about_tokens(text: str) -> int:
    """Return about how many tokens a text has."""
    return round(len(text.encode("utf-8", "replace")) / _BYTES_A_TOKEN)


def context_report(request: ModelRequest, *, shortened: Collection[str] = ()) -> ContextReport:
    """Take a request apart. `shortened` are the tool uses whose results the model no longer gets whole.

    Works in proportion to the whole conversation: not for the event loop.
    """
    return ContextReport(request.model, tuple(_parts(request, frozenset(shortened))))


def _parts(request: ModelRequest, shortened: frozenset[str]) -> Iterator[ContextPart]:
    system = "\n".join(str(block.get("text", "")) for block in request.system)
    yield ContextPart(kind="system", words="system prompt", tokens=about_tokens(system))
    for tool in request.tools:
        size = about_tokens(json.dumps(tool, ensure_ascii=False))
        yield ContextPart(kind="tool", words=str(tool.get("name", "")), tokens=size)
    names: dict[str, str] = {}
    for message in request.messages:
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        for block in blocks:
            if block.get("type") == "tool_use":
                names[block["id"]] = block["name"]
            if block.get("type") == "text" and message["role"] == "user":
                yield from _said(str(block["text"]))
            else:
                yield _part(block, names, shortened)


def _said(text: str) -> Iterator[ContextPart]:
    """Yield the parts of a text in a user message: memory files and reminders of the program's, or what the user wrote."""
    files, rest = split_memory(text)
    for path, content in files:
        yield ContextPart(kind="memory", words=path, tokens=about_tokens(content))
    if rest.strip():
        is_note = rest.lstrip().startswith("<system-reminder>")
        yield ContextPart(kind="note" if is_note else "person", words=_beginning(rest), tokens=about_tokens(rest))


def _part(block: dict[str, Any], names: dict[str, str], shortened: frozenset[str]) -> ContextPart:
    match block.get("type"):
        case "tool_result":
            name = str(block["tool_use_id"])
            content = block.get("content") or ""
            return ContextPart(
                kind="result",
                words=_beginning(text_of(content)),
                tokens=_weight(content),
                tool_use_id=name,
                name=names.get(name, ""),
                is_short=name in shortened,
            )
        case "tool_use":
            given = json.dumps(block["input"], ensure_ascii=False)
            return ContextPart(
                kind="call",
                words=_beginning(given),
                tokens=about_tokens(given) + about_tokens(block["name"]),
                tool_use_id=block["id"],
                name=block["name"],
            )
        case "thinking":
            return ContextPart(kind="thinking", words="thinking", tokens=about_tokens(str(block.get("thinking", ""))))
        case "text":
            return ContextPart(kind="model", words=_beginning(str(block["text"])), tokens=about_tokens(block["text"]))
        case _:
            size = about_tokens(json.dumps(block, ensure_ascii=False, default=str))
            return ContextPart(kind="model", words=str(block.get("type", "")), tokens=size)


def _weight(content: str | list[dict[str, Any]]) -> int:
    others = 0 if isinstance(content, str) else sum(block.get("type") != "text" for block in content)
    return about_tokens(text_of(content)) + _MEDIA_TOKENS * others


def _beginning(text: str) -> str:
    return text[:_WORDS].lstrip()
