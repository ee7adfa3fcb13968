"""A tiny HTTP server that answers each request with bytes a test has chosen, and remembers what it was asked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

Answer = Callable[[asyncio.StreamWriter], Awaitable[None]]


@dataclass
class Asked:
    head: str
    body: dict[str, Any]

    def header(self, name: str) -> str | None:
        for line in self.head.split("\r\n")[1:]:
            key, _, value = line.partition(":")
            if key.lower() == name:
                return value.strip()
        return None


@dataclass
class SseServer:
    answer: Answer
    url: str = ""
    asked: list[Asked] = field(default_factory=list)
    hung_up: asyncio.Event = field(default_factory=asyncio.Event)
    tasks: set[asyncio.Task[Any]] = field(default_factory=set)

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self.tasks.add(task)
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            length = int(Asked(head, {}).header("content-length") or 0)
            self.asked.append(Asked(head, json.loads(await reader.readexactly(length))))
            await self.answer(writer)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self.tasks.discard(task)
            self.hung_up.set()
            writer.close()


@asynccontextmanager
async def serving(answer: Answer) -> AsyncIterator[SseServer]:
    served = SseServer(answer)
    server = await asyncio.start_server(served.handle, "127.0.0.1", 0)
    served.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:  # since Python 3.12 its end waits for every answer
        try:
            yield served
        finally:
            for task in served.tasks:
                task.cancel()


def sse(event: dict[str, Any]) -> bytes:
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()


OK = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\nconnection: close\r\n\r\n"


def streaming(*events: dict[str, Any] | bytes) -> Answer:
    async def answer(writer: asyncio.StreamWriter) -> None:
        writer.write(OK)
        for event in events:
            writer.write(event if isinstance(event, bytes) else sse(event))
            await writer.drain()

    return answer


def refusing(status: int, body: dict[str, Any] | str, headers: dict[str, str] | None = None) -> Answer:
    text = body if isinstance(body, str) else json.dumps(body)
    kind = "text/html" if isinstance(body, str) else "application/json"
    extra = "".join(f"{key}: {value}\r\n" for key, value in (headers or {}).items())

    async def answer(writer: asyncio.StreamWriter) -> None:
        writer.write(
            f"HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ncontent-length: {len(text.encode())}\r\n{extra}"
            f"connection: close\r\n\r\n{text}".encode()
        )

    return answer


def error_body(kind: str, message: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": message}}


def started(**usage: int) -> dict[str, Any]:
    return {"type": "message_start", "message": {"id": "msg_1", "role": "assistant", "content": [], "usage": usage}}


def block(index: int, start: dict[str, Any], *deltas: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"type": "content_block_start", "index": index, "content_block": start},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def text_block(index: int, *pieces: str) -> list[dict[str, Any]]:
    return block(index, {"type": "text", "text": ""}, *({"type": "text_delta", "text": piece} for piece in pieces))


def tool_block(index: int, *pieces: str, id: str = "toolu_1", name: str = "Read") -> list[dict[str, Any]]:
    start = {"type": "tool_use", "id": id, "name": name, "input": {}}
    return block(index, start, *({"type": "input_json_delta", "partial_json": piece} for piece in pieces))


def finished(stop_reason: str = "end_turn", **usage: int) -> list[dict[str, Any]]:
    return [
        {"type": "message_delta", "delta": {"stop_reason": stop_reason, "stop_sequence": None}, "usage": usage},
        {"type": "message_stop"},
    ]
