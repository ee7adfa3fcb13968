"""A web server in the test's own loop: each path answers with the bytes that a test gives, and what was asked is kept."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

__all__ = ["WebServer", "answer", "serving"]

Handler = Callable[[asyncio.StreamWriter], Awaitable[None]]


def answer(body: bytes | str = b"", status: str = "200 OK", /, **headers: str) -> bytes:
    """Return a whole answer; header names are written with `_` for `-`."""
    data = body.encode() if isinstance(body, str) else body
    given = {"content_length": str(len(data)), "connection": "close", **headers}
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in given.items())
    return f"HTTP/1.1 {status}\r\n{lines}\r\n".encode() + data


@dataclass
class WebServer:
    """`pages` are answers by path; one that is called writes for itself. `asked` are the request heads."""

    pages: dict[str, bytes | Handler] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    port: int = 0
    names: list[str | None] = field(default_factory=list)  # that clients asked for by SNI
    gone: asyncio.Event = field(default_factory=asyncio.Event)  # a client hung up

    def url(self, path: str = "/", host: str = "127.0.0.1", scheme: str = "http") -> str:
        return f"{scheme}://{host}:{self.port}{path}"

    @property
    def paths(self) -> list[str]:
        return [head.split(" ")[1] for head in self.asked]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            self.asked.append(head)
            path = head.split(" ")[1]
            page = self.pages.get(path.partition("?")[0], answer(b"", "404 Not Found"))
            if callable(page):
                await page(writer)
            else:
                writer.write(page)
                await writer.drain()
        self.gone.set()
        writer.close()


@contextlib.asynccontextmanager
async def serving(tls: ssl.SSLContext | None = None) -> AsyncIterator[WebServer]:
    """A server on loopback, until the block ends."""
    server = WebServer()
    if tls is not None:
        tls.sni_callback = lambda _socket, name, _context: server.names.append(name)
    tasks: set[asyncio.Task[Any]] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            await server.serve(reader, writer)
        except asyncio.CancelledError:
            writer.close()
        finally:
            tasks.discard(task)

    listening = await asyncio.start_server(connected, "127.0.0.1", 0, ssl=tls)
    server.port = listening.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        listening.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
