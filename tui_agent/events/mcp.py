"""Servers of MCP: which there are, and how they fare."""

from __future__ import annotations

from dataclasses import dataclass

from tui_agent.events.event import Event

__all__ = ["McpServerChanged"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class McpServerChanged(Event):
    """A server is in another state now, or has other tools. `state` is one of `mcp.managed_server.ServerState`.

    `reason` says why, where that is not as it should be; `tools` is how many there are.
    """

    server: str
    state: str
    reason: str = ""
    tools: int = 0
