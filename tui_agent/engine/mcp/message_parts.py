"""What a message of the user's brings along from servers: resources that it mentions, and the prompt that it is.

`@server:address` mentions a resource; `/mcp__server__prompt arguments` is a prompt.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tui_agent.context_marks import neutral, neutral_content
from tui_agent.drafts import Draft
from tui_agent.engine.context.attachments import Attached
from tui_agent.engine.mcp.resources import resource_blocks
from tui_agent.engine.mcp.server_tools import fault_text
from tui_agent.mcp.catalog import PromptInfo
from tui_agent.mcp.faults import McpFault
from tui_agent.mcp.managed_server import ManagedServer
from tui_agent.text import clean_line
from tui_agent.tools.mcp_tool import mcp_blocks, mcp_name

__all__ = ["ServerParts"]

_MENTION: Final = re.compile(r"(?<![A-Za-z0-9_@/\\.+-])@([A-Za-z0-9_-]{1,64}):(\S+)")
_COMMAND: Final = re.compile(r"/(mcp__[A-Za-z0-9_-]+)(?:\s+(.*))?", re.DOTALL)
_PUNCTUATION: Final = ".,;:!?)]}>'\"`*"
_MOST_MENTIONS: Final = 20
_MOST_CHARS: Final = 120_000


@dataclass(slots=True)
class _Batch:
    blocks: list[dict[str, Any]] = field(default_factory=list)
    facts: list[dict[str, Any]] = field(default_factory=list)

    def add(self, fact: dict[str, Any], *blocks: dict[str, Any]) -> None:
        self.facts.append(fact)
        self.blocks.extend(blocks)

    def refuse(self, name: str, why: str) -> None:
        self.facts.append({"kind": "refused", "name": name, "note": clean_line(why, 300)})
        self.blocks.append(_text(f"(Not attached: {name}: {clean_line(why, 300)})"))


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


class ServerParts:
    """Reads what messages want of servers."""

    def __init__(self, servers: Callable[[], Mapping[str, ManagedServer]]) -> None:
        self._servers = servers

    def is_needed(self, draft: Draft) -> bool:
        """Whether a message may have anything from a server."""
        servers = self._servers()
        if not servers:
            return False
        return draft.text.lstrip().startswith("/mcp__") or any(
            name in servers for name, _ in _MENTION.findall(draft.text)
        )

    async def attach(self, draft: Draft) -> Attached:
        """Get what a message wants. What cannot be had is told, in the message too."""
        batch = _Batch()
        command = _COMMAND.fullmatch(draft.text.strip())
        if command is not None:
            await self._add_prompt(command[1], command[2] or "", batch)
        servers = self._servers()
        mentioned = dict.fromkeys(found for found in _MENTION.findall(draft.text) if found[0] in servers)
        for name, uri in list(mentioned)[:_MOST_MENTIONS]:
            await self._add_resource(servers[name], uri, batch)
        return Attached(tuple(batch.blocks), tuple(batch.facts))

    async def _add_resource(self, server: ManagedServer, uri: str, batch: _Batch) -> None:
        known = {resource.uri for resource in server.catalog.resources} if server.catalog is not None else set()
        address = uri if uri in known else uri.rstrip(_PUNCTUATION)
        shown = clean_line(f"{server.config.name}:{address}", 300)
        try:
            contents = await server.read_resource(address)
        except McpFault as fault:
            batch.refuse(shown, fault_text(server.config.name, fault))
            return
        await self._add(shown, "resource", contents, batch)

    async def _add_prompt(self, name: str, arguments: str, batch: _Batch) -> None:
        found = self._prompt(name)
        if found is None:
            batch.refuse(f"/{name}", "no connected MCP server has a prompt of this name")
            return
        server, prompt = found
        given, problem = _arguments(prompt, arguments)
        if problem:
            batch.refuse(f"/{name}", problem)
            return
        try:
            messages = await server.get_prompt(prompt.name, given)
        except McpFault as fault:
            batch.refuse(f"/{name}", fault_text(server.config.name, fault))
            return
        contents = [content.get("resource", content) for _, content in messages]
        await self._add(f"/{name}", "prompt", contents, batch)

    def _prompt(self, name: str) -> tuple[ManagedServer, PromptInfo] | None:
        for server in self._servers().values():
            for prompt in server.catalog.prompts if server.catalog is not None else ():
                if mcp_name(server.config.name, prompt.name) == name:
                    return server, prompt
        return None

    @staticmethod
    async def _add(name: str, kind: str, contents: Any, batch: _Batch) -> None:  # noqa: ANN401 - blocks of the protocol
        """Put what a server gave before the message, set apart from the user's words."""
        found = [
            dict(content) if content.get("type") == "image" else (await resource_blocks([content], None))[0]
            for content in contents
        ]
        blocks = neutral_content(await mcp_blocks(found))
        size = sum(len(block.get("text", "")) for block in blocks)
        if size > _MOST_CHARS:
            batch.refuse(name, "it is too much for one message; the model can read it")
            return
        head = f"<mcp_{kind} name={neutral(name)!r}>"
        batch.add({"kind": kind, "name": name, "note": kind}, _text(head), *blocks, _text(f"</mcp_{kind}>"))


def _arguments(prompt: PromptInfo, text: str) -> tuple[dict[str, str], str]:
    """Return the arguments of a prompt, in their order, and what is wrong with them. The last one takes all that is left."""
    try:
        words = shlex.split(text)
    except ValueError:
        words = text.split()
    names = [argument.name for argument in prompt.arguments]
    if len(words) > len(names):
        if not names:
            return {}, "it takes no arguments"
        words = [*words[: len(names) - 1], " ".join(words[len(names) - 1 :])]
    given = dict(zip(names, words, strict=False))
    missing = [argument.name for argument in prompt.arguments if argument.is_required and argument.name not in given]
    return given, f"it needs {', '.join(missing)}" if missing else ""
