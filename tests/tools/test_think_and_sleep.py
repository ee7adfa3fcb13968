"""A thought has no effect; waiting ends with its time, with the user's message, or when it is cancelled."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tool_bench import Bench

from tui_agent.tools.base import Allow, Claims, Progress, Result, Tool, ToolContext
from tui_agent.tools.inputs.schema import parse_input
from tui_agent.tools.services import Services
from tui_agent.tools.sleep import tool as sleep_module
from tui_agent.tools.sleep.tool import SleepOutput, SleepTool
from tui_agent.tools.think.tool import ThinkTool


async def run(tool: Tool[Any, Any, Any], raw: dict[str, Any], ctx: ToolContext) -> tuple[list[str], Any]:
    said: list[str] = []
    async for item in tool.call(parse_input(tool, raw), None, ctx):
        if isinstance(item, Progress):
            said.append(item.message)
        else:
            assert isinstance(item, Result)
            assert not item.is_error
            outcome = item.output
    return said, outcome


@pytest.fixture
def context(tmp_path: Path) -> ToolContext:
    context = Bench(tmp_path).context()
    context.services = Services()
    return context


async def test_a_thought_is_kept_and_nothing_else_happens(tmp_path: Path) -> None:
    ran = await Bench(tmp_path).run("Think", {"thought": "first\nsecond"})
    assert (ran.text, ran.data, ran.progress) == ("Noted.", {"thought": "first\nsecond"}, [])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("thought", ["", " \n"])
async def test_a_thought_of_nothing_is_refused(tmp_path: Path, thought: str) -> None:
    assert (await Bench(tmp_path).run("Think", {"thought": thought})).code == "empty"


@pytest.mark.parametrize(("tool", "raw"), [(ThinkTool(), {"thought": "x"}), (SleepTool(), {"seconds": 1})])
def test_neither_stands_in_anything_s_way(tool: Tool[Any, Any, Any], raw: dict[str, Any]) -> None:
    input = parse_input(tool, raw)
    assert tool.is_read_only(input)
    assert tool.is_concurrency_safe(input)
    assert tool.claims(input) == Claims()
    assert tool.interrupt_behavior == "cancel"


async def test_nobody_is_asked_before_it_waits(context: ToolContext) -> None:
    tool = SleepTool()
    assert await tool.check_permissions(parse_input(tool, {"seconds": 1}), context) == Allow()


async def test_waiting_ends_with_its_time_and_says_what_is_left(
    context: ToolContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sleep_module, "TICK_S", 0.002)
    said, rest = await run(SleepTool(), {"seconds": "0.5"}, context)
    assert (rest.asked_s, rest.is_woken) == (0.5, False)
    assert rest.slept_s == pytest.approx(0.5)
    assert len(said) > 1
    assert all(message.endswith(" s left") for message in said)


async def test_a_message_of_the_person_ends_it(context: ToolContext) -> None:
    stream = SleepTool().call(parse_input(SleepTool(), {"seconds": 3600}), None, context)
    first = await anext(stream)
    assert isinstance(first, Progress)
    assert first.message == "60 min left"
    context.services.user_wrote.set()
    (result,) = [item async for item in stream]
    assert isinstance(result, Result)
    assert result.output.is_woken
    assert (
        SleepTool().to_result(SleepOutput(3600, 95.2, is_woken=True))
        == "Woken after 1 min 35 s of 60 min: the user wrote."
    )
    assert SleepTool().to_data(SleepOutput(60, 60, is_woken=False)) == {
        "seconds": 60, "sleptSeconds": 60, "wokenByPerson": False,
    }  # fmt: skip


async def test_a_message_that_waits_already_lets_it_not_begin(context: ToolContext) -> None:
    context.services.user_wrote.set()
    said, rest = await run(SleepTool(), {"seconds": 3600}, context)
    assert (said, rest.is_woken) == ([], True)


async def test_cancelling_ends_it_at_once(context: ToolContext) -> None:
    running = asyncio.create_task(run(SleepTool(), {"seconds": 3600}, context))
    await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running


@pytest.mark.parametrize("seconds", [0, -1, 3601, "soon", float("nan"), float("inf"), None])
async def test_a_time_that_is_none_is_refused(tmp_path: Path, seconds: object) -> None:
    with pytest.raises(ValueError, match="`seconds`: expected a number above 0 and of at most 3600,"):
        parse_input(SleepTool(), {"seconds": seconds})


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.25, "0.25 s"), (1, "1 s"), (59.6, "1 min"), (61, "1 min 1 s"), (3600, "60 min")]
)
def test_times_read_well(seconds: float, words: str) -> None:
    assert SleepTool().to_result(SleepOutput(seconds, seconds, is_woken=False)) == f"{words} have passed."
