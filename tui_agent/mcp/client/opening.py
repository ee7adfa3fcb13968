"""Making a client of the SDK for a server: its transport, the era of the protocol, and what the server may call."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import mcp_types as types
from mcp.client import Client
from mcp.shared.exceptions import MCPDeprecationWarning
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from tui_agent import __version__
from tui_agent.mcp.client.callbacks import ServerCallbacks
from tui_agent.mcp.client.headers import helper_headers
from tui_agent.mcp.client.http import HttpFaults, http_transport, sse_transport
from tui_agent.mcp.client.list_filter import ListFilter
from tui_agent.mcp.client.stdio import server_environment, stdio_transport
from tui_agent.mcp.client.websocket import websocket_transport
from tui_agent.mcp.faults import ConnectionLostError
from tui_agent.mcp.host import Host, NoHost
from tui_agent.mcp.log_tail import LogTail
from tui_agent.mcp.servers import Era, InProcess, Remote, ServerConfig, Stdio

__all__ = ["Discovery", "Surroundings", "open_client"]

# The protocol is about to give some things up; until servers have, they are asked in that way.
warnings.filterwarnings("ignore", category=MCPDeprecationWarning)


@dataclass(frozen=True, slots=True)
class Discovery:
    """What a server of the newer era said of itself; with it the next connection asks nothing before the first call."""

    protocol: Era
    result: types.DiscoverResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What a connection needs of the world. `environment` is what programs get, cleaned; `kept` as for `server_environment`.

    `auth` signs requests to remote servers (None: nothing does).
    """

    cwd: Path
    project: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    kept: frozenset[str] = frozenset()
    host: Host = field(default_factory=NoHost)
    auth: httpx2.Auth | None = None


@contextlib.asynccontextmanager
async def open_client(
    config: ServerConfig,
    around: Surroundings,
    callbacks: ServerCallbacks,
    *,
    prior: Discovery | None,
    lists: ListFilter,
    faults: HttpFaults,
    log: LogTail,
    on_end: Callable[[], None],
) -> AsyncIterator[Client]:
    """Yield a connected client. `on_end` hears that the server has no more to say.

    Raises:
        ConnectionLostError: it does not speak the revision that its entry names.
        Exception: whatever the transport and the SDK raise; also groups.
    """
    reach = config.reach
    server: Any = None
    if isinstance(reach, InProcess):
        server = reach.server
    else:
        server = lists.around(await _transport(reach, around, faults, log), on_end)
    # Without knowing what a server has said of itself, the SDK takes one of the newer era to have nothing: it is asked first.
    era: str = "legacy" if config.era == "legacy" else "auto"
    known = None
    if prior is not None and config.era in ("auto", prior.protocol):
        era, known = prior.protocol, prior.result
    async with Client(
        server,
        mode=era,
        prior_discover=known,
        client_info=types.Implementation(name="tui-agent", version=__version__),
        elicitation_callback=callbacks.elicit,
        sampling_callback=callbacks.sample,
        list_roots_callback=callbacks.list_roots,
        logging_callback=callbacks.take_log,
        message_handler=callbacks.take_message,
        log_level="info",
    ) as client:
        if config.era in MODERN_PROTOCOL_VERSIONS and client.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            raise ConnectionLostError(f"speaks {client.protocol_version}, and its entry wants {config.era}")
        yield client


async def _transport(reach: Stdio | Remote, around: Surroundings, faults: HttpFaults, log: LogTail) -> Any:  # noqa: ANN401
    """Return a transport of the SDK, not entered yet.

    Raises:
        HeadersError: there are no headers for it.
    """
    if isinstance(reach, Stdio):
        environment = server_environment(around.environment, reach.env, around.project, around.kept)
        return stdio_transport(reach, cwd=around.cwd, environment=environment, log=log)
    headers = dict(reach.headers)
    if reach.headers_helper:
        environment = server_environment(around.environment, {}, around.project, around.kept)
        headers |= await helper_headers(reach.headers_helper, cwd=around.cwd, environment=environment)
    match reach.transport:
        case "http":
            return http_transport(reach, faults=faults, headers=headers, auth=around.auth)
        case "sse":
            return sse_transport(reach, faults=faults, headers=headers, auth=around.auth)
        case _:
            return websocket_transport(reach, headers=headers, auth=around.auth, log=log)
