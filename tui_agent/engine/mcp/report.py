"""A server as a front end gets it: plain data."""

from __future__ import annotations

from tui_agent.mcp.catalog import Catalog, PromptInfo
from tui_agent.mcp.managed_server import ManagedServer
from tui_agent.queries import McpPromptRow, McpResourceRow, McpServerRow, McpToolRow
from tui_agent.tools.mcp_tool import mcp_name

__all__ = ["argument_hint", "server_row"]


def server_row(server: ManagedServer, *, is_waiting: bool = False) -> McpServerRow:
    """Return all that is known of a server."""
    config, catalog = server.config, server.catalog or Catalog()
    return McpServerRow(
        name=config.name,
        scope=config.scope,
        transport=config.transport,
        target=config.target,
        state=server.state,
        reason=server.reason,
        file=config.file,
        line=config.line,
        label=config.label,
        is_waiting=is_waiting,
        variables=config.variables,
        server_name=catalog.server_name,
        server_version=catalog.server_version,
        protocol=catalog.protocol,
        instructions=catalog.instructions,
        tools=tuple(
            McpToolRow(
                name=mcp_name(config.name, tool.name),
                title=tool.title,
                description=tool.description,
                is_read_only=tool.is_read_only,
                is_destructive=tool.is_destructive,
            )
            for tool in catalog.tools
        ),
        resources=tuple(
            McpResourceRow(
                uri=resource.uri,
                name=resource.name,
                description=resource.description,
                is_template=resource.is_template,
            )
            for resource in catalog.resources
        ),
        prompts=tuple(
            McpPromptRow(
                command=mcp_name(config.name, prompt.name),
                description=prompt.description or prompt.title,
                hint=argument_hint(prompt),
            )
            for prompt in catalog.prompts
        ),
        problems=(*config.notes, *catalog.problems),
        log=server.log.lines,
    )


def argument_hint(prompt: PromptInfo) -> str:
    """Return what may follow a prompt that is typed as a command: what is optional stands in brackets."""
    return " ".join(argument.name if argument.is_required else f"[{argument.name}]" for argument in prompt.arguments)
