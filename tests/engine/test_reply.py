"""Reading one reply: what a stream that never pauses leaves to everybody else."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

from hypothesis import given
from hypothesis import strategies as st

from tui_agent.engine.conversation.reply import ReplyReader
from tui_agent.events import (
    Event,
    TextDelta,
    TextFinished,
    ThinkingDelta,
    ThinkingFinished,
    ToolInputDelta,
    ToolUseDropped,
)
from tui_agent.execution.resolution import NamedTool, find_tool
from tui_agent.model.protocol import (
    BlockDelta,
    BlockFinished,
    BlockKind,
    BlockStarted,
    ModelError,
    ReplyFinished,
    ReplyStarted,
    StreamItem,
    Usage,
)
from tui_agent.tools.registry import ToolPool


def no_tool(name: str) -> NamedTool:
    return find_tool(ToolPool([]), name)


async def flood(count: int) -> AsyncIterator[StreamItem]:
    """A reply that is all there already: nothing in it ever waits."""
    yield ReplyStarted("m")
    yield BlockStarted(0, "text")
    for _ in range(count):
        yield BlockDelta(0, "x")
    yield BlockFinished(0, {"type": "text", "text": "x" * count})
    yield ReplyFinished("end_turn", Usage())


async def test_a_flood_of_text_lets_others_run_meanwhile_and_loses_nothing() -> None:
    published: list[Event] = []

    def publish(event: Event) -> Event:
        published.append(event)
        return event

    reader = ReplyReader(publish=publish, run_tool=lambda *_: None, find_tool=no_tool, turn_id="t", request_id="r")
    reading = asyncio.create_task(reader.read(flood(50_000)))
    turns = 0
    while not reading.done():
        turns += 1
        await asyncio.sleep(0)
    await reading
    assert turns > 10
    assert sum(len(event.text) for event in published if isinstance(event, TextDelta)) == 50_000
    assert reader.reply.stop_reason == "end_turn"


def reader_into(published: list[Event]) -> ReplyReader:
    """A reader whose events are kept."""

    def publish(event: Event) -> Event:
        published.append(event)
        return event

    return ReplyReader(publish=publish, run_tool=lambda *_: None, find_tool=no_tool, turn_id="t", request_id="r")


def texts(published: list[Event]) -> list[str]:
    return [event.text for event in published if isinstance(event, TextDelta)]


async def test_pieces_that_are_there_together_are_told_as_one_and_a_lone_one_at_once() -> None:
    published: list[Event] = []
    more = asyncio.Event()

    async def stream() -> AsyncIterator[StreamItem]:
        yield ReplyStarted("m")
        yield BlockStarted(0, "text")
        yield BlockDelta(0, "a")
        yield BlockDelta(0, "b")
        await more.wait()
        yield BlockDelta(0, "c")
        await asyncio.Event().wait()

    reader = reader_into(published)
    reading = asyncio.create_task(reader.read(stream()))
    async with asyncio.timeout(20):
        while not texts(published):
            await asyncio.sleep(0)
        assert texts(published) == ["ab"]
        more.set()
        while len(texts(published)) < 2:
            await asyncio.sleep(0)
    assert texts(published) == ["ab", "c"]
    reading.cancel()
    await asyncio.wait([reading])


PIECES = st.lists(st.tuples(st.integers(0, 2), st.text("ab\n", min_size=1, max_size=3), st.booleans()), max_size=30)
KINDS: tuple[BlockKind, ...] = ("text", "thinking", "tool_use")


@given(PIECES, st.booleans())
def test_whatever_the_pieces_are_what_is_told_joins_to_what_was_written(
    pieces: list[tuple[int, str, bool]], is_cut: bool
) -> None:
    published: list[Event] = []

    async def stream() -> AsyncIterator[StreamItem]:
        yield ReplyStarted("m")
        for index, kind in enumerate(KINDS):
            yield BlockStarted(index, kind, f"use{index}", "Read")
        for index, text, waits in pieces:
            yield BlockDelta(index, text)
            if waits:
                await asyncio.sleep(0)
        if is_cut:
            raise ModelError("connection", "The connection ended.")
        for index in range(len(KINDS)):
            yield BlockFinished(index, None)

    async def read() -> None:
        reader = reader_into(published)
        with contextlib.suppress(ModelError):
            await reader.read(stream())
        reader.cut("the end")

    asyncio.run(read())
    told: dict[int, str] = dict.fromkeys(range(3), "")
    order: list[int] = []
    for event in published:
        match event:
            case TextDelta(text=text):
                index = 0
            case ThinkingDelta(text=text):
                index = 1
            case ToolInputDelta(partial_json=text):
                index = 2
            case _:
                continue
        told[index] += text
        order += [index] * len(text)
    assert told == {index: "".join(text for to, text, _ in pieces if to == index) for index in range(3)}
    assert order == [index for index, text, _ in pieces for _ in text], "told in another order than written"
    ends = [type(event) for event in published[-3:]]
    assert ends == [TextFinished, ThinkingFinished, ToolUseDropped], "nothing is told of a block after its end"
