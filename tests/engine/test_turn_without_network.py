"""A turn while the server is away: the real client and real sockets, refused or not found, and back again."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from turn_stage import Stage, check

from tui_agent.events import RetryScheduled, TurnFailed
from tui_agent.model.demo.scenario_file import parse_scenario
from tui_agent.model.demo.server import DemoServer
from tui_agent.model.providers.anthropic import AnthropicModel


@asynccontextmanager
async def staged(folder: Path, url: str) -> AsyncIterator[Stage]:
    model = AnthropicModel(api_key="k", base_url=url, environment={})
    await model.prepare()
    yield Stage(folder, model=model)
    await model.close()


def server(port: int = 0) -> DemoServer:
    scenario = {"reply": [{"block": [{"text": "here"}]}]}
    return DemoServer(parse_scenario(scenario, "there"), port=port, pace=0, names=["model.invalid"])


async def test_a_server_that_is_switched_off_and_on_again_is_waited_for(tmp_path: Path) -> None:
    first = server()
    await first.start()
    await first.stop()
    second = server(int(first.base_url.rpartition(":")[2]))
    async with staged(tmp_path, first.base_url) as stage:
        running = asyncio.create_task(stage.turn.run())
        while len(stage.of(RetryScheduled)) < 8:
            await asyncio.sleep(0.001)
        await second.start()
        assert await asyncio.wait_for(running, 30) == "done"
        await second.stop()
    waits = stage.of(RetryScheduled)
    assert {event.max_attempts for event in waits} == {11}
    assert all("cannot be reached" in event.reason for event in waits)
    check(stage)


async def test_a_server_that_stays_away_is_tried_ten_times_more(tmp_path: Path) -> None:
    gone = server()
    await gone.start()
    await gone.stop()
    async with staged(tmp_path, gone.base_url) as stage:
        assert await stage.turn.run() == "failed"
    assert [event.attempt for event in stage.of(RetryScheduled)] == list(range(1, 11))
    assert [event.kind for event in stage.of(TurnFailed)] == ["unreachable"]
    check(stage)


async def test_a_name_that_is_not_found_is_looked_up_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there = server()
    await there.start()
    look_up, asked = socket.getaddrinfo, []

    def getaddrinfo(host: object, *args: object, **options: object) -> object:
        if host not in ("model.invalid", b"model.invalid"):
            return look_up(host, *args, **options)  # type: ignore[arg-type]
        asked.append(host)
        if len(asked) < 4:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return look_up("127.0.0.1", *args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    async with staged(tmp_path, there.base_url.replace("127.0.0.1", "model.invalid")) as stage:
        assert await stage.turn.run() == "done"
    await there.stop()
    assert len(stage.of(RetryScheduled)) == 3
    check(stage)


async def test_a_connection_that_is_dropped_at_once_is_made_again(tmp_path: Path) -> None:
    dropped = 0

    async def drop(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal dropped
        dropped += 1
        writer.transport.abort()

    rude = await asyncio.start_server(drop, "127.0.0.1", 0)
    port = rude.sockets[0].getsockname()[1]
    second = server(port)
    async with staged(tmp_path, f"http://127.0.0.1:{port}") as stage:
        running = asyncio.create_task(stage.turn.run())
        while dropped < 3:
            await asyncio.sleep(0.001)
        rude.close()
        await rude.wait_closed()
        await second.start()
        assert await asyncio.wait_for(running, 30) == "done"
        await second.stop()
    assert len(stage.of(RetryScheduled)) >= 3
    check(stage)


async def test_an_interrupt_ends_the_wait_for_a_server_that_is_away(tmp_path: Path) -> None:
    gone = server()
    await gone.start()
    await gone.stop()
    async with staged(tmp_path, gone.base_url) as stage:
        running = asyncio.create_task(stage.turn.run())
        while not stage.of(RetryScheduled):
            await asyncio.sleep(0.001)
        stage.turn.interrupt()
        assert await asyncio.wait_for(running, 10) == "interrupted"
    check(stage)
