"""Lists with a bad entry: the entry is dropped, and the rest of the list stays.

The SDK refuses a whole list for one tool that is not as the protocol wants it, and with it all tools of the server. So
lists are looked at on their way to it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Final

import mcp_types as types
from mcp.client._transport import ReadStream, TransportStreams, WriteStream
from mcp.shared.message import SessionMessage
from mcp_types import methods
from pydantic import ValidationError

from tui_agent.text import clean_line

__all__ = ["ListFilter"]

_LISTS: Final = {
    "tools/list": ("tools", "tool"),
    "prompts/list": ("prompts", "prompt"),
    "resources/list": ("resources", "resource"),
    "resources/templates/list": ("resourceTemplates", "resource template"),
}
_OLD: Final = "2025-11-25"
_MOST_OPEN: Final = 1000


class ListFilter:
    """Looks at the lists of one connection. `dropped` is told of each entry that is left out, in a sentence."""

    def __init__(self, dropped: Callable[[str], None]) -> None:
        self._dropped = dropped
        self._asked: dict[Any, str] = {}
        self.protocol = _OLD  # the revision that is spoken, once that is known

    @asynccontextmanager
    async def around(
        self,
        transport: Any,  # noqa: ANN401 - any transport of the SDK
        on_end: Callable[[], None],
    ) -> AsyncIterator[TransportStreams]:
        """Yield the streams of a transport with this filter between them and the session. `on_end`: no more will come."""
        async with transport as (incoming, outgoing):
            yield _Incoming(incoming, self.arrived, on_end), _Outgoing(outgoing, self.left)

    def left(self, message: types.JSONRPCMessage) -> None:
        """A message goes out: remember which answer will be a list."""
        if isinstance(message, types.JSONRPCRequest) and message.method in _LISTS and len(self._asked) < _MOST_OPEN:
            self._asked[message.id] = message.method

    def arrived(self, message: types.JSONRPCMessage) -> None:
        """A message comes in: leave out the bad entries where it is a list."""
        if isinstance(message, types.JSONRPCResponse | types.JSONRPCError):
            method = self._asked.pop(message.id, "")
            if method and isinstance(message, types.JSONRPCResponse):
                self._sift(method, message.result)

    def _sift(self, method: str, result: dict[str, Any]) -> None:
        key, noun = _LISTS[method]
        entries = result.get(key)
        if not isinstance(entries, list) or self._problem(method, result) is None:
            return
        if self._problem(method, {**result, key: []}) is not None:
            return  # it is not for an entry's sake
        kept = []
        for entry in entries:
            problem = self._problem(method, {**result, key: [entry]})
            if problem is None:
                kept.append(entry)
            else:
                name = entry.get("name") if isinstance(entry, dict) else None
                shown = clean_line(str(name), 60) if name else "without a name"
                self._dropped(f"The {noun} {shown} was left out: {problem}.")
        result[key] = kept

    def _problem(self, method: str, result: dict[str, Any]) -> str | None:
        try:
            methods.validate_server_result(method, self.protocol, result)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"] if not isinstance(part, int))
            return clean_line(f"`{place}` {first['msg'][:1].lower()}{first['msg'][1:]}", 200)
        except KeyError:
            return None
        return None


class _Incoming:
    """A stream of messages from a server; what is no message passes as it is."""

    def __init__(
        self,
        inner: ReadStream[SessionMessage | Exception],
        see: Callable[[types.JSONRPCMessage], None],
        on_end: Callable[[], None],
    ) -> None:
        self._inner = inner
        self._see = see
        self._on_end = on_end

    @property
    def last_context(self) -> Any:  # noqa: ANN401 - the SDK's own
        return getattr(self._inner, "last_context", None)

    async def receive(self) -> SessionMessage | Exception:
        item = await self._inner.receive()
        if isinstance(item, SessionMessage):
            self._see(item.message)
        return item

    def __aiter__(self) -> _Incoming:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            item = await self._inner.__anext__()
        except StopAsyncIteration:
            self._on_end()
            raise
        if isinstance(item, SessionMessage):
            self._see(item.message)
        return item

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> _Incoming:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


class _Outgoing:
    """A stream of messages to a server."""

    def __init__(self, inner: WriteStream[SessionMessage], see: Callable[[types.JSONRPCMessage], None]) -> None:
        self._inner = inner
        self._see = see

    async def send(self, item: SessionMessage) -> None:
        self._see(item.message)
        await self._inner.send(item)

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> _Outgoing:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()
