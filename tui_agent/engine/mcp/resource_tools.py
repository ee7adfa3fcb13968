"""ListMcpResources and ReadMcpResource: there while a server with resources is, and only reading.

They come and go like the tools of servers, so that a session without such a server pays nothing for them.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from tui_agent.engine.mcp.resources import resource_blocks
from tui_agent.engine.mcp.server_tools import fault_text
from tui_agent.mcp.faults import McpFault
from tui_agent.mcp.managed_server import ManagedServer
from tui_agent.tools.base import Allow, Opinion, Progress, Result, ToolContext, ToolError
from tui_agent.tools.mcp_tool import McpAnswer, McpHints, McpInput, McpTool

__all__ = ["SOURCE", "resource_tools"]

SOURCE: Final = "mcp resources"  # in `LoadedTools`
_MOST_LISTED: Final = 200
Servers = Callable[[], Mapping[str, ManagedServer]]


class _ResourceTool(McpTool):
    """A tool of this program on the resources of servers."""

    def __init__(self, name: str, description: str, properties: dict[str, Any], required: Sequence[str]) -> None:
        super().__init__(
            server="",
            tool=name,
            description=description,
            schema={
                "type": "object",
                "properties": properties,
                "required": list(required),
                "additionalProperties": False,
            },
            call_server=_no_server,
            hints=McpHints(is_read_only=True, search_hint="mcp resources servers list read"),
        )
        self.name = name  # type: ignore[misc]

    def is_read_only(self, input: McpInput) -> bool:
        return True


async def _no_server(_name: str, _input: dict[str, Any], _told: object) -> McpAnswer:
    raise ToolError("There is no server to call.")


class ListMcpResourcesTool(_ResourceTool):
    """Lists what the servers have."""

    def __init__(self, servers: Servers) -> None:
        super().__init__(
            "ListMcpResources",
            "Lists the resources of MCP servers: their addresses, and templates of addresses.",
            {"server": {"type": "string", "description": "Only those of this server."}},
            (),
        )
        self._servers = servers

    async def check_permissions(self, input: McpInput, ctx: ToolContext) -> Opinion:
        return Allow()  # nothing leaves this process

    async def call(self, input: McpInput, plan: None, ctx: ToolContext) -> AsyncIterator[Progress | Result[McpAnswer]]:
        wanted = input.model_dump().get("server")
        servers = self._servers()
        if wanted is not None:
            _known(servers, wanted)
        rows = [
            {
                "server": name,
                ("uriTemplate" if resource.is_template else "uri"): resource.uri,
                "name": resource.name,
                **({"mimeType": resource.mime_type} if resource.mime_type else {}),
                **({"description": resource.description} if resource.description else {}),
            }
            for name, server in servers.items()
            if server.catalog is not None and wanted in (None, name)
            for resource in server.catalog.resources
        ]
        text = (
            "\n".join(json.dumps(row, ensure_ascii=False) for row in rows[:_MOST_LISTED]) or "There are no resources."
        )
        if len(rows) > _MOST_LISTED:
            text += f"\n… and {len(rows) - _MOST_LISTED} more"
        yield Result(McpAnswer(content=({"type": "text", "text": text},), structured={"resources": rows}))


class ReadMcpResourceTool(_ResourceTool):
    """Reads one resource. What is neither text nor an image is stored as a file."""

    def __init__(self, servers: Servers) -> None:
        super().__init__(
            "ReadMcpResource",
            "Reads a resource of an MCP server by its address.",
            {"server": {"type": "string"}, "uri": {"type": "string"}},
            ("server", "uri"),
        )
        self._servers = servers

    async def check_permissions(self, input: McpInput, ctx: ToolContext) -> Opinion:
        """What a server lists may be read. Any other address is of the model's making, and says something to the server."""
        given = input.model_dump()
        server = self._servers().get(given["server"])
        listed = server.catalog.resources if server is not None and server.catalog is not None else ()
        is_listed = any(resource.uri == given["uri"] and not resource.is_template for resource in listed)
        return Allow() if is_listed else None

    async def call(self, input: McpInput, plan: None, ctx: ToolContext) -> AsyncIterator[Progress | Result[McpAnswer]]:
        given = input.model_dump()
        server = _known(self._servers(), given["server"])
        try:
            contents = await server.read_resource(given["uri"])
        except McpFault as fault:
            raise ToolError(fault_text(server.config.name, fault)) from fault
        folder: Path | None = ctx.results_dir
        yield Result(McpAnswer(content=tuple(await resource_blocks(contents, folder))))


def _known(servers: Mapping[str, ManagedServer], name: str) -> ManagedServer:
    server = servers.get(name)
    if server is None:
        known = ", ".join(servers) or "none"
        raise ToolError(f"There is no MCP server {name}. There are: {known}.", kind="validation")
    return server


def resource_tools(servers: Servers) -> list[McpTool]:
    """Return the two tools on the resources of these servers."""
    return [ListMcpResourcesTool(servers), ReadMcpResourceTool(servers)]
