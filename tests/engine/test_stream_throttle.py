"""Reading a stream at a pace: everything comes, in order and at once; only asking for more waits."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import aclosing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_agent.engine.conversation.stream_throttle import paced


@given(st.lists(st.tuples(st.integers(), st.booleans()), max_size=40))
def test_a_paced_stream_is_the_same_stream(items: list[tuple[int, bool]]) -> None:
    async def stream() -> AsyncIterator[int]:
        for number, waits in items:
            if waits:
                await asyncio.sleep(0)
            yield number

    async def read() -> list[int]:
        async with aclosing(paced(stream())) as paced_stream:
            return [number async for number in paced_stream]

    assert asyncio.run(read()) == [number for number, _ in items]


async def test_what_made_the_reader_wait_is_given_at_once_and_the_next_is_asked_for_later() -> None:
    asked: list[float] = []
    given_at: list[float] = []

    async def stream() -> AsyncIterator[int]:
        for number in range(4):
            asked.append(time.monotonic())
            if number % 2 == 0:
                await asyncio.sleep(0.01)  # nothing is there yet
            yield number

    async with aclosing(paced(stream())) as items:
        async for _ in items:
            given_at.append(time.monotonic())
            await asyncio.sleep(0)
    rests = [later - before for before, later in zip(given_at, asked[1:], strict=False)]
    assert rests[0] >= 0.029
    assert rests[2] >= 0.029


@pytest.mark.parametrize("may_wait", [True, False])
async def test_what_may_be_late_is_given_together_with_what_follows_while_text_flows(may_wait: bool) -> None:
    asked: list[float] = []
    given_at: list[float] = []

    async def stream() -> AsyncIterator[int]:
        for number in range(3):
            await asyncio.sleep(0.005)
            asked.append(time.monotonic())
            yield number

    async with aclosing(paced(stream(), may_wait=lambda _item: may_wait)) as items:
        async for _ in items:
            given_at.append(time.monotonic())
            await asyncio.sleep(0)
    waits = [given - came for came, given in zip(asked, given_at, strict=True)]
    assert waits[0] < 0.029  # nothing came before it
    assert (min(waits[1:]) >= 0.029) == may_wait


async def test_a_stream_that_never_makes_the_reader_wait_leaves_turns_to_others() -> None:
    read = 0

    async def stream() -> AsyncIterator[int]:
        for number in range(1000):
            until = time.perf_counter() + 0.0001
            while time.perf_counter() < until:
                pass
            yield number

    async def follow() -> None:
        nonlocal read
        async with aclosing(paced(stream())) as items:
            async for number in items:
                read = number

    reading = asyncio.create_task(follow())
    seen: set[int] = set()
    while not reading.done():
        seen.add(read)
        await asyncio.sleep(0)
    await reading
    assert len(seen) > 10


async def test_a_fault_of_the_stream_comes_through() -> None:
    async def stream() -> AsyncIterator[int]:
        yield 1
        raise ValueError("broken")

    got: list[int] = []

    async def read() -> None:
        async with aclosing(paced(stream())) as items:
            async for number in items:
                got.append(number)  # noqa: PERF401 - what came before the fault counts

    with pytest.raises(ValueError, match="broken"):
        await read()
    assert got == [1]


async def test_cancelling_ends_the_rest() -> None:
    async def stream() -> AsyncIterator[int]:
        await asyncio.sleep(0.01)
        yield 1
        await asyncio.Event().wait()

    async def read() -> None:
        async with aclosing(paced(stream())) as items:
            async for _ in items:
                pass

    reading = asyncio.create_task(read())
    await asyncio.sleep(0.02)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
