"""What comes through the pipes of `serve`: lines of any size, readers that are slow or gone, answers in their order."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator
from typing import Any

import pytest
from partial_engine import PartialEngine

from tui_agent.commands import Clear, Close, Interrupt, Reply, Start, Submit
from tui_agent.events import Notice, TextDelta
from tui_agent.headless import serve as serving
from tui_agent.headless.serve import Server
from tui_agent.headless.stdin import read_limited
from tui_agent.queries import CostQuery, CostReport, ExportQuery, Idle, IdleQuery, MarkdownExport


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


async def test_large_lines_are_not_read_ahead_of_the_work() -> None:
    read, write = os.pipe()
    lines = [bytes([letter]) * 600_000 for letter in b"abcd"]
    written: list[bytes] = []

    def write_all() -> None:
        for line in lines:
            rest = line + b"\n"
            while rest:
                rest = rest[os.write(write, rest) :]
            written.append(line)
        os.close(write)

    writing = asyncio.create_task(asyncio.to_thread(write_all))
    source = read_limited(read)
    assert await anext(source) == lines[0]
    async with asyncio.timeout(20):
        while len(written) < 2:
            await asyncio.sleep(0.01)
    await asyncio.sleep(0.2)
    assert len(written) < 4, "one waits to be taken, another one in the reader's hand"
    assert [line async for line in source] == lines[1:]
    await writing
    os.close(read)


async def test_a_command_that_breaks_is_told_and_the_next_one_taken() -> None:
    def fail(_: object) -> None:
        raise RecursionError("too deep")

    pipe = Pipe(PartialEngine({CostQuery: fail}, {Clear: fail}))
    pipe.give(id=1, command={"type": "clear"})
    pipe.give(id=2, query={"type": "cost"})
    pipe.give(id=3, query={"type": "idle"})
    assert await pipe.take(3) == [
        {"id": 1, "error": {"message": "RecursionError: too deep"}},
        {"id": 2, "error": {"message": "RecursionError: too deep"}},
        {"id": 3, "answer": None},
    ]
    assert await pipe.end() == 0


async def test_only_so_much_waits_for_its_answer_but_what_ends_the_wait_is_always_taken() -> None:
    go_on = asyncio.Event()

    async def idle(_query: IdleQuery) -> Idle:
        await go_on.wait()
        return Idle()

    pipe = Pipe(PartialEngine({IdleQuery: idle}, {Interrupt: lambda _: go_on.set()}))
    for number in range(70):
        pipe.give(id=number, query={"type": "idle"})
    refused = await pipe.take(6)
    assert [line["id"] for line in refused] == list(range(64, 70))
    assert "64 commands and queries are not answered yet" in refused[0]["error"]["message"]
    pipe.give(id="stop", command={"type": "interrupt"})
    lines = await pipe.take(65)
    assert lines[0]["id"] == "stop"
    assert sorted(line["id"] for line in lines[1:]) == list(range(64))
    assert await pipe.end() == 0


async def test_large_answers_hold_the_input_up_sooner(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "_MOST_UNREAD_CHARS", 80_000)
    pipe = Pipe(PartialEngine({ExportQuery: lambda _: MarkdownExport("s", "x" * 30_000)}))
    for number in range(40):
        pipe.give(id=number, query={"type": "export"})
    async with asyncio.timeout(20):
        while pipe.server._room.is_set():
            await asyncio.sleep(0.01)
    await asyncio.sleep(0.1)
    assert len(pipe.server._answers) <= 3
    assert pipe.given.qsize() > 30
    lines = await pipe.take(40)
    assert [line["id"] for line in lines] == list(range(40))
    assert await pipe.end() == 0


async def test_who_is_told_to_end_does_not_wait_for_a_reader_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "_GRACE_S", 0.05)
    engine = PartialEngine()
    pipe = Pipe(engine)
    for _ in range(20):  # more than a pipe holds
        engine.bus.publish(Notice(level="info", text="x" * 10_000))
    await asyncio.sleep(0.05)
    pipe.given.put_nowait("end")
    async with asyncio.timeout(20):
        while Close() not in engine.sent:
            await asyncio.sleep(0.01)
    await asyncio.sleep(0.1)
    assert not pipe.running.done(), "without being told it waits for its reader"
    pipe.running.cancel()
    async with asyncio.timeout(20):
        with pytest.raises(asyncio.CancelledError):
            await pipe.running
    os.close(pipe.read)
    os.close(pipe.write)


async def test_a_session_closes_in_order_when_it_is_told_to_end_while_it_does() -> None:
    is_closing, go_on, closed = asyncio.Event(), asyncio.Event(), []

    async def close(_command: Close) -> None:
        is_closing.set()
        await go_on.wait()
        closed.append(True)

    pipe = Pipe(PartialEngine(doers={Close: close}))
    pipe.given.put_nowait("end")
    await is_closing.wait()
    pipe.running.cancel()
    await asyncio.sleep(0.05)
    assert not pipe.running.done()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await pipe.running
    assert closed == [True]
    os.close(pipe.read)
    os.close(pipe.write)


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
