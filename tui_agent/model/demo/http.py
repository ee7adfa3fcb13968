"""Just enough HTTP/1.1 for one loopback client: read a request strictly, write an answer whole or in chunks.

Chunked answers matter: a connection that drops in mid-stream is then an error for the client, not a quiet end.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

__all__ = ["BadRequestError", "ChunkedAnswer", "Request", "read_request", "write_json"]

MAX_BODY_BYTES: Final = 32 * 1024 * 1024  # the API's own limit
_REASONS: Final = {
    200: "OK", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
    411: "Length Required", 413: "Payload Too Large", 429: "Too Many Requests", 500: "Internal Server Error",
    529: "Overloaded",
}  # fmt: skip


class BadRequestError(Exception):
    """What came in is no request this server reads; `status` is the answer to give before hanging up."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


@dataclass(frozen=True, slots=True)
class Request:
    """One request. Header names are in lower case; `body` is what came over the wire, byte for byte."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


async def read_request(reader: asyncio.StreamReader) -> Request | None:
    """Read one request; None when the client hung up between two.

    Raises:
        BadRequestError: malformed or too large.
    """
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError as error:
        if error.partial:
            raise BadRequestError(400, "the connection ended inside the request's head") from error
        return None
    except asyncio.LimitOverrunError as error:
        raise BadRequestError(413, "the request's head is too large") from error
    lines = head[:-4].decode("latin-1").split("\r\n")
    try:
        method, target, version = lines[0].split(" ")
    except ValueError:
        raise BadRequestError(400, f"not a request line: {lines[0]!r:.80}") from None
    if not version.startswith("HTTP/1."):
        raise BadRequestError(400, f"{version!r:.20} is not spoken here")
    headers: dict[str, str] = {}
    for line in lines[1:]:
        name, colon, value = line.partition(":")
        if not colon or not name or name != name.strip():
            raise BadRequestError(400, f"not a header: {line!r:.80}")
        headers[name.lower()] = value.strip()
    return Request(method, target.partition("?")[0], headers, await _read_body(reader, headers))


async def _read_body(reader: asyncio.StreamReader, headers: Mapping[str, str]) -> bytes:
    if "transfer-encoding" in headers:
        raise BadRequestError(411, "send the body with a content-length")
    length = headers.get("content-length", "0")
    if not (length.isascii() and length.isdigit()):
        raise BadRequestError(400, f"content-length {length!r:.20} is not a number")
    if int(length) > MAX_BODY_BYTES:
        raise BadRequestError(413, "Request exceeds the maximum size")
    try:
        return await reader.readexactly(int(length))
    except asyncio.IncompleteReadError as error:
        raise BadRequestError(400, "the connection ended inside the request's body") from error


def _head(status: int, headers: Mapping[str, str]) -> bytes:
    lines = [f"HTTP/1.1 {status} {_REASONS.get(status, 'Status')}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


async def write_json(
    writer: asyncio.StreamWriter, status: int, data: Mapping[str, Any], headers: Mapping[str, str]
) -> None:
    """Answer with a JSON document."""
    body = json.dumps(data).encode()
    writer.write(
        _head(status, {"content-type": "application/json", "content-length": str(len(body)), **headers}) + body
    )
    await writer.drain()


class ChunkedAnswer:
    """An answer of unknown length: `send` any number of pieces, then `finish`."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer

    async def start(self, content_type: str, headers: Mapping[str, str]) -> None:
        """Send the head."""
        self._writer.write(
            _head(
                200,
                {
                    "content-type": content_type,
                    "cache-control": "no-cache",
                    "transfer-encoding": "chunked",
                    **headers,
                },
            )
        )
        await self._writer.drain()

    async def send(self, piece: bytes) -> None:
        """Send one piece as a chunk of its own."""
        self._writer.write(b"%x\r\n%b\r\n" % (len(piece), piece))
        await self._writer.drain()

    async def finish(self) -> None:
        """Say that the answer is whole."""
        self._writer.write(b"0\r\n\r\n")
        await self._writer.drain()
