"""Which servers the settings let start: `allowedMcpServers` and `deniedMcpServers`, by name, command or address."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from tui_agent.mcp.servers import Remote, ServerConfig, Stdio
from tui_agent.settings.schema import SettingsValues

__all__ = ["refusal"]


def refusal(server: ServerConfig, values: SettingsValues) -> str:
    """Return why the settings do not let a server start, in a sentence; empty where they do. Deny wins."""
    if any(_matches(entry, server) for entry in values.denied_mcp_servers):
        return "The setting deniedMcpServers forbids this server."
    allowed = values.allowed_mcp_servers
    if allowed is not None and not _is_allowed(allowed, server):
        return "The setting allowedMcpServers does not name this server."
    return ""


def _is_allowed(entries: Iterable[Mapping[str, Any]], server: ServerConfig) -> bool:
    """Whether a list lets a server start. A list that names commands must name its command; so with addresses."""
    known = tuple(entries)
    key = "serverCommand" if isinstance(server.reach, Stdio) else "serverUrl"
    by_reach = [entry for entry in known if key in entry]
    return any(_matches(entry, server) for entry in (by_reach or known))


def _matches(entry: Mapping[str, Any], server: ServerConfig) -> bool:
    if "serverName" in entry:
        return bool(entry["serverName"] == server.name)
    if "serverCommand" in entry and isinstance(server.reach, Stdio):
        return bool(entry["serverCommand"] == [server.reach.command, *server.reach.args])
    pattern = entry.get("serverUrl")
    if isinstance(pattern, str) and isinstance(server.reach, Remote):
        glob = ".*".join(map(re.escape, pattern.split("*")))
        return re.fullmatch(glob, server.reach.url, re.IGNORECASE | re.DOTALL) is not None
    return False
