"""What may be asked of MCP servers."""

from __future__ import annotations

from dataclasses import dataclass

from tui_agent.plain import Plain
from tui_agent.queries.query import Query

__all__ = [
    "McpPromptRow",
    "McpQuery",
    "McpReport",
    "McpResourceRow",
    "McpServerRow",
    "McpSettled",
    "McpSettledQuery",
    "McpToolRow",
]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class McpToolRow(Plain):
    """A tool of a server. `name` is the one that rules and the model use. What it says of itself is foreign text."""

    name: str
    title: str = ""
    description: str = ""
    is_read_only: bool = False
    is_destructive: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class McpResourceRow(Plain):
    """A resource of a server, or a template of addresses."""

    uri: str
    name: str = ""
    description: str = ""
    is_template: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class McpPromptRow(Plain):
    """A prompt of a server. `command` is what a user types for it, without the slash; `hint` names its arguments."""

    command: str
    description: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class McpServerRow(Plain):
    """One server: where it is configured, how it is reached, how it fares, what it has, and the end of what it has said.

    `state` is one of `mcp.managed_server.ServerState`, and `reason` says why. `is_waiting`: it starts when the user says yes.
    `target` is its command or its address; `variables` are those that its entry sets, without secret values.
    """

    name: str
    scope: str
    transport: str
    target: str
    state: str
    reason: str = ""
    file: str = ""
    line: int = 1
    label: str = ""
    is_waiting: bool = False
    variables: tuple[tuple[str, str], ...] = ()
    server_name: str = ""
    server_version: str = ""
    protocol: str = ""
    instructions: str = ""
    tools: tuple[McpToolRow, ...] = ()
    resources: tuple[McpResourceRow, ...] = ()
    prompts: tuple[McpPromptRow, ...] = ()
    problems: tuple[str, ...] = ()
    log: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class McpReport(Plain):
    """All servers, and what is wrong with the files that they are configured in."""

    servers: tuple[McpServerRow, ...] = ()
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class McpSettled(Plain):
    """Each server has been tried once, or there was no time to wait for it."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class McpSettledQuery(Query[McpSettled]):
    """When has each MCP server been tried? It is answered then, and at the latest when `MCP_CONNECT_TIMEOUT_MS` is over."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class McpQuery(Query[McpReport | None]):
    """Which MCP servers are there, and how do they fare? Null in a recording."""
