"""The part of `doctor` that is about MCP servers: which are configured, which may start, and what is wrong with the files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tui_agent.headless.findings import Finding
from tui_agent.text import clean_line

__all__ = ["examine_mcp"]


def examine_mcp(cwd: Path, inline: str | None) -> Iterator[Finding]:
    """Yield what is to be said of the servers that a session in `cwd` would have. None is started."""
    from tui_agent.engine.inspection import StandaloneServers
    from tui_agent.mcp.config_files import McpFiles, has_servers
    from tui_agent.settings.load import SettingsError, load_settings

    files = McpFiles(start=cwd)
    if not has_servers(files):
        return
    try:
        servers = StandaloneServers(files, load_settings(cwd, inline=inline))
    except SettingsError:
        return  # said of the settings already
    for problem in servers.configured.problems:
        yield Finding("warning", "mcp", clean_line(str(problem), 300))
    starting: list[str] = []
    for config in servers.configured.servers:
        if why := servers.refusal(config):
            yield Finding("warning", "mcp", f"{config.name} does not start: {why}")
        else:
            starting.append(config.name)
    if starting:
        yield Finding("ok", "mcp", f"{len(starting)} start: {', '.join(starting)}; `tui-agent mcp list` tries them")
