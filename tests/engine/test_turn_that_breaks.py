"""The turn where requests fail and streams break: what is tried again, what is kept, and that nothing runs twice."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scripted_model import Script, reply, says, uses
from turn_stage import FULL, LOST, Stage, check, results_in, with_old_results

from tui_agent.events import Notice, RetryScheduled, ToolUseCompleted, TurnFailed
from tui_agent.model.protocol import ModelError, ReplyStarted, StreamItem


async def test_a_busy_server_is_asked_again_and_the_waits_are_told(tmp_path: Path) -> None:
    busy = ModelError("overloaded", "The server is busy.", status=529, is_retryable=True)
    stage = Stage(tmp_path, [busy], [busy], reply(says(0, "here")))
    assert await stage.turn.run() == "done"
    assert [(event.attempt, event.status) for event in stage.of(RetryScheduled)] == [(1, 529), (2, 529)]
    check(stage)


async def test_a_busy_server_is_asked_ten_times_more_and_then_given_up(tmp_path: Path) -> None:
    busy = ModelError("overloaded", "The server is busy.", status=529, is_retryable=True)
    stage = Stage(tmp_path, *([busy] for _ in range(20)))
    assert await stage.turn.run() == "failed"
    assert len(stage.model.requests) == 11
    assert [event.attempt for event in stage.of(RetryScheduled)] == list(range(1, 11))
    assert len(stage.of(TurnFailed)) == 1
    check(stage)


async def test_what_cannot_pass_is_not_tried_again(tmp_path: Path) -> None:
    stage = Stage(tmp_path, [ModelError("authentication", "The key is wrong.", hint="Set another.", status=401)])
    assert await stage.turn.run() == "failed"
    (failed,) = stage.of(TurnFailed)
    assert (failed.message, failed.hint) == ("The key is wrong.", "Set another.")
    assert len(stage.model.requests) == 1
    check(stage)


async def test_an_interrupt_ends_the_wait_for_the_next_attempt(tmp_path: Path) -> None:
    slow = ModelError("rate_limit", "Too many requests.", retry_after_s=60, is_retryable=True)
    stage = Stage(tmp_path, [slow])
    running = asyncio.create_task(stage.turn.run())
    while not stage.of(RetryScheduled):
        await asyncio.sleep(0)
    stage.turn.interrupt()
    assert await asyncio.wait_for(running, 10) == "interrupted"
    check(stage)


async def test_text_before_a_lost_connection_is_not_sent_back_twice(tmp_path: Path) -> None:
    stage = Stage(tmp_path, [ReplyStarted("m"), *says(0, "half")[:-1], LOST], reply(says(0, "whole")))
    assert await stage.turn.run() == "done"
    assert stage.history.messages()[-1]["content"] == [{"type": "text", "text": "whole"}]
    check(stage)


async def test_a_connection_lost_after_a_tool_started_keeps_its_result_and_goes_on(tmp_path: Path) -> None:
    first: Script = [ReplyStarted("m"), *says(0, "look"), *uses(1, "a"), *says(2, "and th")[:-1], LOST]
    stage = Stage(tmp_path, first, reply(says(0, "done")))
    assert await stage.turn.run() == "done"
    assert stage.tool.ran == ["a"]
    assert not stage.of(RetryScheduled)
    assert [notice.text for notice in stage.of(Notice)] == [LOST.message]
    sent = stage.model.requests[1].messages
    assert [block["type"] for block in sent[1]["content"]] == ["text", "tool_use", "text"]
    assert sent[2]["content"][0]["content"] == "noted a"
    check(stage)


BROKEN: Script = [
    ReplyStarted("m"), *says(0, "look|ing"), *uses(1, "a"), *uses(2, "fail"), *uses(3, None), *says(4, "and so|on"),
]  # fmt: skip


@pytest.mark.parametrize("position", range(len(BROKEN) + 1))
async def test_a_stream_that_breaks_at_any_event_repeats_nothing_that_ran(tmp_path: Path, position: int) -> None:
    stage = Stage(tmp_path, [*BROKEN[:position], LOST], reply(says(0, "whole")))
    assert await stage.turn.run() == "done"
    assert len(stage.tool.ran) == len(set(stage.tool.ran)) == len(stage.of(ToolUseCompleted))
    assert len(stage.model.requests) == 2
    if stage.tool.ran:
        assert not stage.of(RetryScheduled)
        assert set(results_in(stage.model.requests[1])) == {event.tool_use_id for event in stage.of(ToolUseCompleted)}
    check(stage)


NOTES = st.sampled_from(["a", "fail", "ask", "ask with words", None])
PARTS = st.lists(st.one_of(st.just("text"), NOTES), min_size=1, max_size=4)


@settings(max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    PARTS,
    st.integers(0, 20),
    st.sampled_from(["lost", "fatal", "full", "interrupt", "cancel", "nothing"]),
    st.booleans(),
)
def test_whatever_breaks_at_whichever_event_the_conversation_is_valid_and_nothing_runs_twice(
    tmp_path: Path, parts: list[str | None], at: int, fault: str, slow: bool
) -> None:
    async def run() -> None:
        items: list[StreamItem] = []
        for index, part in enumerate(parts):
            items += says(index, "a|b") if part == "text" else uses(index, part, f"toolu_{index}_{part}")
        script = reply(items, stop="tool_use" if any(part != "text" for part in parts) else "end_turn")
        stage = with_old_results(tmp_path)
        if slow:
            stage.tool.hold.clear()
        position = at % (len(script) + 1)
        running: list[asyncio.Task[str]] = []
        match fault:
            case "lost":
                script.insert(position, LOST)
            case "fatal":
                script.insert(position, ModelError("invalid_request", "no", status=400))
            case "full":
                script.insert(position, FULL)
            case "interrupt":
                script.insert(position, stage.turn.interrupt)
            case "cancel":
                script.insert(position, lambda: running[0].cancel() and None)
            case _:
                pass
        stage.model.scripts = [script, *(reply(says(0, "next")) for _ in range(12))]
        running.append(asyncio.create_task(stage.turn.run()))
        loop = asyncio.get_running_loop()
        loop.call_later(0.01, stage.tool.hold.set)
        await asyncio.wait_for(asyncio.gather(*running, return_exceptions=True), 10)
        check(stage)
        assert (
            len(stage.tool.ran) == len(set(stage.tool.ran))
            or parts.count("a") + parts.count("fail") + parts.count(None) > 1
        )
        assert len(stage.tool.ran) <= sum(part in ("a", "fail", None) for part in parts)

    asyncio.run(run())
