"""The browser's way back: a local address that takes one answer of an authorization server, and says so to the user."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qs, urlsplit

__all__ = ["CallbackAnswer", "CallbackServer", "callback_server"]

PATH: Final = "/callback"
_HOST: Final = "127.0.0.1"
_LIMIT_S: Final = 10.0
_LONGEST_LINE: Final = 16 * 1024
_PAGE: Final = """\
<!doctype html><meta charset="utf-8"><title>tui-agent</title>
<body style="font-family: sans-serif; margin: 4em"><h1>{title}</h1><p>{text}</p>"""


@dataclass(frozen=True, slots=True)
class CallbackAnswer:
    """What the browser brought: a code, or an error; `state` and `iss` are for checking that it is the right answer."""

    code: str
    state: str | None
    iss: str | None = None
    error: str = ""


class CallbackServer:
    """Waits at `redirect_uri` for one answer."""

    def __init__(self, port: int) -> None:
        self.redirect_uri: Final = f"http://{_HOST}:{port}{PATH}"
        self._answer: asyncio.Future[CallbackAnswer] = asyncio.get_running_loop().create_future()

    async def wait(self) -> CallbackAnswer:
        """Return the answer when it comes."""
        return await asyncio.shield(self._answer)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request of a browser. Anything but the way back is not found."""
        try:
            async with asyncio.timeout(_LIMIT_S):
                line = (await reader.readline())[:_LONGEST_LINE].decode("latin-1")
                while (await reader.readline()).strip():
                    pass
                status, page = self._take(line)
                body = page.encode()
                head = (
                    f"HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {len(body)}\r\n"
                    "Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nConnection: close\r\n\r\n"
                )
                writer.write(head.encode() + body)
                await writer.drain()
        except (OSError, TimeoutError, ValueError):
            pass  # a browser that goes away has nothing to hear
        finally:
            writer.close()

    def _take(self, line: str) -> tuple[str, str]:
        method, _, rest = line.partition(" ")
        target = urlsplit(rest.partition(" ")[0])
        query = parse_qs(target.query)
        if method != "GET" or target.path != PATH or not ({"code", "error"} & query.keys()):
            return "404 Not Found", _PAGE.format(title="Not found", text="")

        def first(name: str) -> str | None:
            return query.get(name, [None])[0]

        error = first("error_description") or first("error") or ""
        if not self._answer.done():
            self._answer.set_result(CallbackAnswer(first("code") or "", first("state"), first("iss"), error))
        if error:
            return "200 OK", _PAGE.format(title="Not signed in", text="Go back to your terminal to see why.")
        return "200 OK", _PAGE.format(title="Signed in", text="You can close this page and go back to your terminal.")


@contextlib.asynccontextmanager
async def callback_server(port: int = 0) -> AsyncIterator[CallbackServer]:
    """Listen on this machine, at `port` or any free one, and give what waits for the answer.

    Raises:
        OSError: the port cannot be had.
    """
    waiting: list[CallbackServer] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await waiting[0].serve(reader, writer)

    server = await asyncio.start_server(serve, _HOST, port, limit=_LONGEST_LINE)
    async with server:
        waiting.append(CallbackServer(server.sockets[0].getsockname()[1]))
        yield waiting[0]
