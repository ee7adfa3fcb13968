"""Reading one reply: what a stream that never pauses leaves to everybody else."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from tui_agent.agent.reply import ReplyReader
from tui_agent.events import Event, TextDelta
from tui_agent.model.protocol import (
    BlockDelta,
    BlockFinished,
    BlockStarted,
    ReplyFinished,
    ReplyStarted,
    StreamItem,
    Usage,
)


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

    reader = ReplyReader(publish=publish, run_tool=lambda *_: None, turn_id="t", request_id="r")
    reading = asyncio.create_task(reader.read(flood(50_000)))
    turns = 0
    while not reading.done():
        turns += 1
        await asyncio.sleep(0)
    await reading
    assert turns > 10
    assert sum(len(event.text) for event in published if isinstance(event, TextDelta)) == 50_000
    assert reader.reply.stop_reason == "end_turn"
