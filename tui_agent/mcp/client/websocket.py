"""A server at a WebSocket address: each message is a text frame. No revision of the protocol names it, but servers have it."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Final

import anyio
import httpx2
import mcp_types as types
from httpx2.websockets import HTTPXWSException
from mcp.client._transport import TransportStreams
from mcp.shared.message import SessionMessage

from tui_agent.mcp.client.stdio import MOST_MESSAGE_BYTES
from tui_agent.mcp.servers import Remote

if TYPE_CHECKING:
    from httpx2.websockets import AsyncWebSocketSession

    from tui_agent.mcp.log_tail import LogTail

__all__ = ["websocket_transport"]

_CONNECT_S: Final = 30.0


@contextlib.asynccontextmanager
async def websocket_transport(
    server: Remote, *, headers: Mapping[str, str], auth: httpx2.Auth | None, log: LogTail
) -> AsyncIterator[TransportStreams]:
    """Yield the streams of a WebSocket connection.

    Raises:
        httpx2.HTTPError, HTTPXWSException: there is none.
    """
    async with (
        httpx2.AsyncClient(headers=dict(headers), auth=auth, timeout=_CONNECT_S) as client,
        client.websocket(server.url, subprotocols=["mcp"], max_message_size_bytes=MOST_MESSAGE_BYTES) as socket,
    ):
        incoming_writer, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        outgoing, outgoing_reader = anyio.create_memory_object_stream[SessionMessage](0)
        async with anyio.create_task_group() as tasks, incoming_writer, incoming, outgoing, outgoing_reader:
            tasks.start_soon(_read, socket, incoming_writer, log)
            tasks.start_soon(_write, socket, outgoing_reader, incoming_writer)
            try:
                yield incoming, outgoing
            finally:
                tasks.cancel_scope.cancel()


async def _read(
    socket: AsyncWebSocketSession, incoming: anyio.abc.ObjectSendStream[SessionMessage | Exception], log: LogTail
) -> None:
    try:
        while True:
            text = await socket.receive_text()
            try:
                message = types.jsonrpc_message_adapter.validate_json(text, by_name=False)
            except ValueError:
                log.line(f"not a message of the protocol: {text[:300]}")
                continue
            await incoming.send(SessionMessage(message))
    except (HTTPXWSException, httpx2.HTTPError, anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
        pass  # that nothing more comes says it
    finally:
        await incoming.aclose()


async def _write(
    socket: AsyncWebSocketSession,
    outgoing: anyio.abc.ObjectReceiveStream[SessionMessage],
    incoming: anyio.abc.ObjectSendStream[SessionMessage | Exception],
) -> None:
    try:
        async for message in outgoing:
            await socket.send_text(message.message.model_dump_json(by_alias=True, exclude_unset=True))
    except (HTTPXWSException, httpx2.HTTPError, anyio.ClosedResourceError, OSError):
        await incoming.aclose()
