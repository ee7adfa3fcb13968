"""What the start of a session says of MCP servers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tui_agent.mcp.config_files import McpFiles

__all__ = ["McpOptions"]


@dataclass(frozen=True, slots=True, kw_only=True)
class McpOptions:
    """Where servers are configured; `is_off` starts none. `state` is the program's own state folder, None for the usual one."""

    files: McpFiles
    is_off: bool = False
    state: Path | None = None
