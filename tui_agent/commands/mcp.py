"""Commands about MCP servers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tui_agent.commands.command import Command, Done

__all__ = ["ManageMcpServer", "McpAction"]

# `approve` lets a server of the project start, as its entry is now; `refuse` does not. `sign_in` opens a browser.
McpAction = Literal["reconnect", "enable", "disable", "approve", "refuse", "sign_in", "sign_out"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ManageMcpServer(Command[Done]):
    """Do something with a server; `all` reconnects all of them."""

    server: str
    action: McpAction
