"""What a connection needs of the world, from settings and environment; and signing in to a server.

Functions that import the SDK say so: they are for threads.
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tui_agent.mcp.faults import McpFault
from tui_agent.mcp.host import Host
from tui_agent.mcp.log_tail import LogTail
from tui_agent.mcp.oauth.callback import callback_server
from tui_agent.mcp.oauth.credentials import CredentialStore
from tui_agent.mcp.servers import Remote, ServerConfig
from tui_agent.settings.schema import SettingsValues
from tui_agent.settings.standard_paths import project_root

if TYPE_CHECKING:
    from tui_agent.mcp.client.opening import Surroundings
    from tui_agent.mcp.oauth.signer import Interaction, RequestSigner

__all__ = ["credentials", "sign_in", "surroundings"]

_PATIENCE_S: Final = 300.0  # for the user in their browser


def credentials(config: ServerConfig, state: Path | None = None) -> CredentialStore:
    """Return where it is kept what signing in to a remote server has left."""
    assert isinstance(config.reach, Remote)
    return CredentialStore(config.reach.url, config.reach.oauth.client_id, state)


def surroundings(
    config: ServerConfig,
    *,
    root: Path,
    environment: Mapping[str, str],
    kept: frozenset[str],
    values: SettingsValues,
    host: Host,
    state: Path | None = None,
    interaction: Interaction | None = None,
) -> Surroundings:
    """Return what a connection to a server needs. Imports the SDK."""
    from tui_agent.mcp.client.opening import Surroundings

    return Surroundings(
        cwd=root,
        project=project_root(root),
        environment=environment,
        kept=kept,
        host=host,
        auth=_signer(config, values, state, interaction),
    )


def _signer(
    config: ServerConfig, values: SettingsValues, state: Path | None, interaction: Interaction | None
) -> RequestSigner | None:
    """Return what signs the requests to a remote server, None where its entry has a key already."""
    reach = config.reach
    if not isinstance(reach, Remote) or "authorization" in {name.lower() for name in reach.headers}:
        return None
    from tui_agent.mcp.oauth.signer import RequestSigner

    return RequestSigner(
        reach.url,
        reach.oauth,
        credentials(config, state),
        interaction=interaction,
        client_metadata_url=values.mcp_client_metadata_url,
    )


async def sign_in(
    config: ServerConfig,
    around: Callable[[Interaction], Surroundings],
    show: Callable[[str], Awaitable[None]],
) -> str:
    """Let the user sign in to a remote server; return what is wrong, empty where nothing is.

    Args:
        config: the server.
        around: what a connection needs, given the user's help; called in a thread.
        show: is given the address that the user has to visit.
    """
    assert isinstance(config.reach, Remote)
    signer = await asyncio.to_thread(importlib.import_module, "tui_agent.mcp.oauth.signer")
    connections = await asyncio.to_thread(importlib.import_module, "tui_agent.mcp.client.connection")
    try:
        async with callback_server(config.reach.oauth.callback_port) as callback:
            needs = await asyncio.to_thread(around, signer.Interaction(show, callback))
            connection = connections.Connection(config, needs, log=LogTail())
            try:
                await connection.open(_PATIENCE_S)
                await connection.catalog()
            finally:
                await connection.close()
    except OSError as error:
        return f"no way back for the browser: {error.strerror or error}"
    except McpFault as fault:
        return str(fault)
    return ""
