"""Requests that fail, as the client tells it: refused, cut off, silent, given up; over a real socket."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

import pytest
from client_calls import KEY, fail, request
from sse_server import (
    OK,
    error_body,
    finished,
    refusing,
    serving,
    sse,
    started,
    streaming,
    text_block,
)

from tui_agent.model.protocol import (
    BlockFinished,
    ModelError,
    ReplyStarted,
    StreamItem,
)
from tui_agent.model.providers.anthropic import AnthropicModel


@pytest.mark.parametrize(
    ("status", "kind", "is_retryable"),
    [
        (400, "invalid_request", False),
        (401, "authentication", False),
        (402, "billing", False),
        (403, "permission", False),
        (404, "not_found", False),
        (413, "too_large", False),
        (429, "rate_limit", True),
        (500, "server", True),
        (503, "server", True),
        (504, "timeout", True),
        (520, "server", True),
        (529, "overloaded", True),
    ],
)
async def test_each_status_becomes_one_kind_of_error_and_is_asked_for_once(
    status: int, kind: str, is_retryable: bool
) -> None:
    async with serving(refusing(status, error_body("x", f"went wrong with {KEY}"), {"retry-after": "7"})) as server:
        model = AnthropicModel(api_key=KEY, base_url=server.url)
        with pytest.raises(ModelError) as caught:
            [item async for item in model.stream(request())]
        await model.close()
    error = caught.value
    assert (error.kind, error.status, error.is_retryable) == (kind, status, is_retryable)
    assert error.retry_after_s == 7
    assert "went wrong" in error.message
    assert KEY not in error.message
    assert len(server.asked) == 1


async def test_a_conversation_that_no_longer_fits_is_told_apart() -> None:
    body = error_body("invalid_request_error", "prompt is too long: 208310 tokens > 200000 maximum")
    error = await fail(refusing(400, body))
    assert error.kind == "context_overflow"
    assert "208310" in error.message


async def test_a_web_page_is_not_taken_for_a_reply() -> None:
    async def answer(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close\r\n\r\n<html>Sign in</html>")

    error = await fail(answer)
    assert error.kind == "protocol"
    assert "text/html" in error.message
    assert "<html>" not in (await fail(refusing(502, "<html>Bad gateway</html>"))).message


@pytest.mark.parametrize(("name", "kind"), [("overloaded_error", "overloaded"), ("api_error", "server")])
async def test_an_error_in_the_middle_of_the_stream_is_retryable(name: str, kind: str) -> None:
    error = await fail(streaming(started(), *text_block(0, "so far"), error_body(name, "Overloaded")))
    assert error.kind == kind
    assert error.is_retryable
    assert "Overloaded" in error.message


async def test_what_came_before_a_lost_connection_was_delivered() -> None:
    async with serving(streaming(started(), *text_block(0, "whole"), sse({"type": "ping"}))) as server:
        model = AnthropicModel(api_key=KEY, base_url=server.url)
        seen: list[StreamItem] = []
        with pytest.raises(ModelError) as caught:  # noqa: PT012
            async for item in model.stream(request()):
                seen.append(item)  # noqa: PERF401 - what came before the error is what counts
        await model.close()
    assert BlockFinished(0, {"type": "text", "text": "whole"}) in seen
    assert caught.value.kind == "connection"
    assert caught.value.is_retryable


async def test_a_body_cut_below_http_is_a_lost_connection() -> None:
    async def answer(writer: asyncio.StreamWriter) -> None:
        writer.write(OK.replace(b"connection: close", b"transfer-encoding: chunked"))
        data = sse(started())
        writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n" + b"ffff\r\nhalf")

    error = await fail(answer)
    assert error.kind == "connection"
    assert error.is_retryable


@pytest.mark.parametrize(
    "event",
    [
        b"event: content_block_delta\ndata: {half\n\n",
        b"event: content_block_delta\ndata: [1]\n\n",
        sse({"type": "content_block_delta", "index": 7, "delta": {"type": "text_delta", "text": "x"}}),
        sse({"type": "content_block_start", "index": 0}),
        b"event: content_block_delta\ndata: \xff\xfe\n\n",
    ],
)
async def test_a_stream_that_makes_no_sense_is_an_error_and_not_a_crash(event: bytes) -> None:
    assert (await fail(streaming(started(), event, *finished()))).kind == "protocol"


async def test_a_server_that_is_down_cannot_be_reached() -> None:
    async with serving(streaming()) as server:
        url = server.url
    model = AnthropicModel(api_key=KEY, base_url=url)
    with pytest.raises(ModelError) as caught:
        [item async for item in model.stream(request())]
    await model.close()
    assert caught.value.kind == "unreachable"
    assert caught.value.is_retryable
    assert url.removeprefix("http://") in caught.value.message


@pytest.mark.parametrize("url", ["not a url", "ftp://example.com", "http://"])
async def test_an_address_that_is_none_is_a_clear_error(url: str) -> None:
    model = AnthropicModel(api_key=KEY, base_url=url)
    with pytest.raises(ModelError) as caught:
        [item async for item in model.stream(request())]
    await model.close()
    assert "ANTHROPIC_BASE_URL" in caught.value.hint
    assert not caught.value.is_retryable


async def test_a_silent_connection_times_out_and_a_ping_counts_as_life() -> None:
    async def answer(writer: asyncio.StreamWriter) -> None:
        writer.write(OK + sse(started()))
        for _ in range(5):
            await asyncio.sleep(0.3)
            writer.write(sse({"type": "ping"}))
            await writer.drain()
        await asyncio.Event().wait()

    async with serving(answer) as server:
        model = AnthropicModel(api_key=KEY, base_url=server.url, silence_timeout_s=1.2)
        await model.prepare()
        started_at = asyncio.get_running_loop().time()
        with pytest.raises(ModelError) as caught:
            [item async for item in model.stream(request())]
        await model.close()
    assert caught.value.kind == "timeout"
    assert caught.value.is_retryable
    assert asyncio.get_running_loop().time() - started_at > 1.5  # it lived through the pings


async def test_cancelling_the_reader_hangs_up() -> None:
    async def answer(writer: asyncio.StreamWriter) -> None:
        writer.write(OK + sse(started()))
        while True:
            writer.write(sse({"type": "ping"}))
            await writer.drain()
            await asyncio.sleep(0.01)

    async with serving(answer) as server:
        model = AnthropicModel(api_key=KEY, base_url=server.url)
        first = asyncio.Event()

        async def read() -> None:
            async for _ in model.stream(request()):
                first.set()

        task = asyncio.create_task(read())
        await asyncio.wait_for(first.wait(), 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.wait_for(server.hung_up.wait(), 10)
        await model.close()


async def test_closing_the_iterator_early_hangs_up() -> None:
    async def answer(writer: asyncio.StreamWriter) -> None:
        writer.write(OK + sse(started()))
        while True:
            writer.write(sse({"type": "ping"}))
            await writer.drain()
            await asyncio.sleep(0.01)

    async with serving(answer) as server:
        model = AnthropicModel(api_key=KEY, base_url=server.url)
        async with aclosing(model.stream(request())) as items:  # type: ignore[type-var]
            assert await anext(items) == ReplyStarted("msg_1")
        await asyncio.wait_for(server.hung_up.wait(), 10)
        await model.close()
