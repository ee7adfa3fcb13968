"""What comes through the pipes of `serve`: lines of any size, readers that are slow or gone, answers in their order."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator
from typing import Any

import pytest
from partial_engine import PartialEngine

from tui_agent.commands import Clear, Close, Reply, Start, Submit
from tui_agent.events import Notice, TextDelta
from tui_agent.headless.lines import read_limited
from tui_agent.headless.serve import Server
from tui_agent.queries import CostQuery, CostReport, IdleQuery


async def lines_of(*chunks: bytes, limit: int) -> list[bytes | None]:
    read, write = os.pipe()
    for chunk in chunks:
        os.write(write, chunk)
    os.close(write)
    found = [line async for line in read_limited(read, limit)]
    os.close(read)
    return found


async def test_lines_come_whole_however_they_were_cut_and_without_blank_ones() -> None:
    assert await lines_of(b"on", b"e\ntwo\n\n  \n", b"three", limit=10) == [b"one", b"two", b"three"]
    assert await lines_of(limit=10) == []


@pytest.mark.parametrize("ending", [b"", b"\n"])
async def test_a_line_that_is_too_long_is_told_and_the_next_one_read(ending: bytes) -> None:
    assert await lines_of(b"x" * 11 + b"\nfine\n" + b"y" * 10 + ending, limit=10) == [None, b"fine", b"y" * 10]
    assert await lines_of(b"x" * 60_000, b"x" * 5_000 + ending, limit=10) == [None]


class Pipe:
    """A server on an engine that does what it is told to; `given` are the lines it gets."""

    def __init__(self, engine: PartialEngine) -> None:
        self.engine = engine
        self.read, self.write = os.pipe()
        self.given: asyncio.Queue[bytes | str | None] = asyncio.Queue()
        self.server = Server(engine, self.write)
        self.running = asyncio.create_task(self.server.run(self._lines()))

    async def _lines(self) -> AsyncIterator[bytes | None]:
        while (line := await self.given.get()) != "end":
            assert not isinstance(line, str)
            yield line

    def give(self, **line: Any) -> None:
        self.given.put_nowait(json.dumps(line).encode())

    async def take(self, count: int) -> list[dict[str, Any]]:
        """Return so many lines of what was written."""
        data = b""
        async with asyncio.timeout(20):
            while data.count(b"\n") < count:
                data += await asyncio.to_thread(os.read, self.read, 1_000_000)
        assert data.count(b"\n") == count, data[-500:]
        return [json.loads(line) for line in data.splitlines()]

    async def end(self) -> int:
        self.given.put_nowait("end")
        async with asyncio.timeout(20):
            code = await self.running
        os.close(self.read)
        os.close(self.write)
        return code


async def test_an_answer_comes_after_what_was_published_before_it() -> None:
    engine = PartialEngine(
        doers={Submit: lambda _: [engine.bus.publish(Notice(level="info", text=str(n))) for n in (1, 2)] and None}
    )
    pipe = Pipe(engine)
    pipe.give(id=1, command={"type": "submit", "text": "x"})
    pipe.give(id="b", query={"type": "cost"})
    lines = await pipe.take(4)
    assert [line.get("event", {}).get("text") for line in lines[:2]] == ["1", "2"]
    assert lines[2:] == [{"id": 1, "ok": {}}, {"id": "b", "answer": None}]
    assert await pipe.end() == 0
    assert engine.sent == [Start(), Submit("x"), Close()]


async def test_what_takes_time_holds_nothing_up_and_a_failure_is_told() -> None:
    go_on = asyncio.Event()

    async def idle(_query: IdleQuery) -> str:
        await go_on.wait()
        return "idle"

    async def fail(_command: Clear) -> Reply[Any]:
        raise OSError("no room")

    pipe = Pipe(PartialEngine({IdleQuery: idle, CostQuery: lambda _: CostReport(1.5)}, {Clear: fail}))
    pipe.give(id=1, query={"type": "idle"})
    pipe.give(id=2, query={"type": "cost"})
    assert await pipe.take(1) == [{"id": 2, "answer": {"spent_usd": 1.5, "limit_usd": None}}]
    pipe.give(id=3, command={"type": "clear"})
    assert await pipe.take(1) == [{"id": 3, "error": {"message": "OSError: no room"}}]
    go_on.set()
    assert await pipe.take(1) == [{"id": 1, "answer": "idle"}]
    assert await pipe.end() == 0


async def test_a_line_that_was_too_long_is_an_error_without_an_id() -> None:
    pipe = Pipe(PartialEngine())
    pipe.given.put_nowait(None)
    (line,) = await pipe.take(1)
    assert line == {"id": None, "error": {"message": "the line is longer than 32,000,000 bytes"}}
    assert await pipe.end() == 0


async def test_while_nobody_reads_texts_join_and_no_more_input_is_taken() -> None:
    engine = PartialEngine({CostQuery: lambda _: CostReport()})
    pipe = Pipe(engine)
    for _ in range(20):  # more than a pipe holds
        engine.bus.publish(Notice(level="info", text="x" * 10_000))
    await asyncio.sleep(0.05)
    for number in range(5_000):
        engine.bus.publish(TextDelta(block_id="b", text=f"{number},"))
        pipe.give(id=number, query={"type": "cost"})
    async with asyncio.timeout(20):
        while not pipe.server._answers or pipe.server._room.is_set():
            await asyncio.sleep(0.01)
    assert len(pipe.server._subscription) < 5, "texts that wait are one"
    assert len(pipe.server._answers) < 1_000
    reading = asyncio.create_task(pipe.take(20 + 5_000 + 1))
    lines = await reading
    texts = [line["event"]["text"] for line in lines if line.get("event", {}).get("type") == "text_delta"]
    assert "".join(texts) == "".join(f"{number}," for number in range(5_000))
    assert [line["id"] for line in lines if "answer" in line] == list(range(5_000))
    assert await pipe.end() == 0


async def test_a_reader_that_has_gone_ends_it() -> None:
    engine = PartialEngine()
    pipe = Pipe(engine)
    os.close(pipe.read)
    engine.bus.publish(Notice(level="info", text="x"))
    async with asyncio.timeout(20):
        assert await pipe.running == 1
    assert engine.sent[-1] == Close()
    os.close(pipe.write)
