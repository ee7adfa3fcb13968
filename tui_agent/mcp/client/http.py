"""Servers at addresses: streamable HTTP and SSE. What goes wrong on the way becomes an answer, never an end of the connection.

The SDK sends each message in a task group of its connection, which an exception takes down with all that waits in it. So the
client here raises nothing: a refused connection, a fault of signing in or an answer without end comes back as a response that
says so, and the one call that it belongs to fails.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import AsyncIterator, Mapping
from typing import Any, Final

import httpx2
import mcp_types as types
from mcp.client._transport import TransportStreams
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client

from tui_agent.mcp.client.stdio import MOST_MESSAGE_BYTES
from tui_agent.mcp.servers import Remote

__all__ = ["GuardedClient", "HttpFaults", "http_transport", "sse_transport"]

_TIMEOUT: Final = httpx2.Timeout(30.0, read=None)  # how long an answer may take is the call's business
_UNREACHABLE: Final = 503
_log = logging.getLogger(__name__)


class HttpFaults:
    """What has gone wrong last on the way to a server, in words; and whether the server wants to know who asks."""

    def __init__(self) -> None:
        self.last = ""
        self.wants_sign_in = False

    def note(self, error: BaseException) -> str:
        """Remember what was raised, and return it in words."""
        self.last = _words(error)
        return self.last


class GuardedClient(httpx2.AsyncClient):
    """An HTTP client that answers with a response where others raise. `faults` hears what was wrong."""

    def __init__(self, faults: HttpFaults, **options: Any) -> None:  # noqa: ANN401 - those of `AsyncClient`
        super().__init__(**options)
        self._faults = faults

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:  # noqa: ANN401
        """Send, and read the answer whole, unless it is a stream of events that is wanted as it comes."""
        is_streamed = options.pop("stream", False)
        try:
            response = await super().send(request, stream=True, **options)
            if response.status_code in (401, 403):
                self._faults.wants_sign_in = True
                self._faults.last = f"the server answered {response.status_code}"
            elif response.status_code >= 400:
                self._faults.last = f"the server answered {response.status_code}"
            if _is_json(response) or not is_streamed:
                return await _read_whole(response)
        except Exception as error:  # noqa: BLE001 - see above: whatever it is, it must not end the connection
            _log.debug("request to an MCP server failed", exc_info=True)
            return _failure(request, self._faults.note(error))
        return response


def _is_json(response: httpx2.Response) -> bool:
    return str(response.headers.get("content-type", "")).lower().startswith("application/json")


async def _read_whole(response: httpx2.Response) -> httpx2.Response:
    """Return the response with its body, which counts as unpacked; a larger one as a failure."""
    parts: list[bytes] = []
    size = 0
    try:
        async for part in response.aiter_bytes():
            size += len(part)
            if size > MOST_MESSAGE_BYTES:
                return _failure(response.request, f"the answer is larger than {MOST_MESSAGE_BYTES // 2**20} MiB")
            parts.append(part)
    finally:
        await response.aclose()
    headers = httpx2.Headers(
        [(name, value) for name, value in response.headers.multi_items() if name not in _OF_TRANSFER]
    )
    whole = httpx2.Response(response.status_code, headers=headers, content=b"".join(parts), request=response.request)
    whole.next_request = response.next_request
    return whole


_OF_TRANSFER: Final = frozenset({"content-encoding", "content-length", "transfer-encoding"})


def _failure(request: httpx2.Request, reason: str) -> httpx2.Response:
    """Return a response that the SDK takes as the server's refusal of this one message."""
    error = types.ErrorData(code=types.CONNECTION_CLOSED, message=reason)
    body = {"jsonrpc": "2.0", "id": None, "error": error.model_dump(by_alias=True, exclude_none=True)}
    return httpx2.Response(_UNREACHABLE, json=body, request=request)


def _words(error: BaseException) -> str:
    match error:
        case httpx2.ConnectTimeout():
            return "the server did not answer in time"
        case httpx2.ConnectError():
            return f"no connection: {error}" if str(error) else "no connection"
        case httpx2.TimeoutException():
            return "the connection timed out"
        case httpx2.TransportError():
            return f"the connection broke: {error}" if str(error) else "the connection broke"
        case _:
            return str(error) or type(error).__name__


@contextlib.asynccontextmanager
async def http_transport(
    server: Remote, *, faults: HttpFaults, headers: Mapping[str, str], auth: httpx2.Auth | None
) -> AsyncIterator[TransportStreams]:
    """Yield the streams of a streamable HTTP connection."""
    async with (
        GuardedClient(faults, headers=dict(headers), auth=auth, timeout=_TIMEOUT) as client,
        streamable_http_client(server.url, http_client=client, max_sse_event_size=MOST_MESSAGE_BYTES) as streams,
    ):
        yield streams


@contextlib.asynccontextmanager
async def sse_transport(
    server: Remote, *, faults: HttpFaults, headers: Mapping[str, str], auth: httpx2.Auth | None
) -> AsyncIterator[TransportStreams]:
    """Yield the streams of a connection by the older HTTP with SSE."""

    def make_client(
        headers: dict[str, str] | None = None, timeout: httpx2.Timeout | None = None, auth: httpx2.Auth | None = None
    ) -> httpx2.AsyncClient:
        return GuardedClient(faults, headers=headers, timeout=timeout or _TIMEOUT, auth=auth)

    async with sse_client(
        server.url,
        dict(headers),
        timeout=30.0,
        sse_read_timeout=24 * 3600.0,
        httpx_client_factory=make_client,
        auth=auth,
    ) as streams:
        yield streams
