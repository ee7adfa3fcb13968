"""MCP servers without a session: what is configured in a folder, whether it connects, and signing in."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tui_agent.engine.mcp.approval import standing_of
from tui_agent.engine.mcp.report import server_row
from tui_agent.engine.mcp.surroundings import credentials, sign_in, surroundings
from tui_agent.mcp.approvals import Approvals
from tui_agent.mcp.config_files import ConfiguredServers, McpFiles, find_servers
from tui_agent.mcp.host import NoHost
from tui_agent.mcp.managed_server import ManagedServer, Timing
from tui_agent.mcp.servers import Remote, ServerConfig
from tui_agent.queries import McpReport
from tui_agent.settings.load import Settings
from tui_agent.settings.standard_paths import project_root
from tui_agent.settings.variables import count

if TYPE_CHECKING:
    from tui_agent.mcp.client.opening import Surroundings
    from tui_agent.mcp.oauth.signer import Interaction

__all__ = ["StandaloneServers"]


class StandaloneServers:
    """The servers of one folder.

    Raises:
        GivenConfigError: what `--mcp-config` gave cannot be used.
    """

    def __init__(self, files: McpFiles, settings: Settings) -> None:
        self._files = files
        self._settings = settings
        self._variables = {**os.environ, **settings.values.env}
        self.approvals = Approvals(project_root(files.start))
        self.configured: ConfiguredServers = find_servers(files, self._variables)

    async def report(self, *, connects: bool, only: str | None = None) -> McpReport:
        """Return what there is, in the order of the files; with `connects` those that may start were tried."""
        servers = [self._managed(config) for config in self.configured.servers if only is None or config.name == only]
        try:
            await asyncio.gather(*(self._try(server, connects=connects) for server in servers))
            rows = tuple(server_row(server) for server in servers)
        finally:
            await asyncio.gather(*(server.close() for server in servers), return_exceptions=True)
        return McpReport(servers=rows, problems=tuple(map(str, self.configured.problems)))

    async def _try(self, server: ManagedServer, *, connects: bool) -> None:
        standing, reason = standing_of(server.config, self._settings, self.approvals)
        if standing != "yes" or not connects:
            server.hold(reason or "not tried", is_off=standing == "off")
        else:
            await server.start()

    def _managed(self, config: ServerConfig) -> ManagedServer:
        timing = Timing(connect_s=count(self._variables, "MCP_TIMEOUT") / 1000, idle_s=0, tries=1)
        return ManagedServer(config, lambda: self._surroundings(config), timing)

    def _surroundings(self, config: ServerConfig, interaction: Interaction | None = None) -> Surroundings:
        return surroundings(
            config,
            root=self._files.start,
            environment=self._variables,
            kept=frozenset(self._settings.values.env),
            values=self._settings.values,
            host=NoHost(),
            interaction=interaction,
        )

    def refusal(self, config: ServerConfig) -> str:
        """Return why a server may not start, empty where it may."""
        standing, reason = standing_of(config, self._settings, self.approvals)
        return reason if standing != "yes" else ""

    async def sign_in(self, config: ServerConfig, show: Callable[[str], Awaitable[None]]) -> str:
        """Let the user sign in; return what is wrong, empty where nothing is."""
        return await sign_in(config, lambda interaction: self._surroundings(config, interaction), show)

    @staticmethod
    def sign_out(config: ServerConfig, state: Path | None = None) -> bool:
        """Forget the sign-in to a remote server; False where there was none. Blocks.

        Raises:
            OSError: what is kept cannot be changed.
        """
        return isinstance(config.reach, Remote) and credentials(config, state).forget()
