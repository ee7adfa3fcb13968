"""The turn, against a model that says what a script tells it: tools, reasons to stop, interrupts."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from scripted_model import reply, says, uses
from turn_stage import Stage, check

from tui_agent.events import AssistantMessageCompleted, ToolResultReady, ToolUseDropped, ToolUseStarted, UsageReported
from tui_agent.model.protocol import BlockDelta, BlockFinished, BlockStarted, StreamItem


async def test_a_plain_answer_ends_the_turn(tmp_path: Path) -> None:
    stage = Stage(tmp_path, reply(says(0, "Hel|lo")))
    assert await stage.turn.run() == "done"
    assert stage.history.messages()[-1]["content"] == [{"type": "text", "text": "Hello"}]
    assert stage.of(UsageReported)[0].output_tokens == 5
    check(stage)


async def test_a_tool_runs_while_the_model_still_talks(tmp_path: Path) -> None:
    stage = Stage(tmp_path)

    async def wait_for_result() -> None:
        while not stage.of(ToolResultReady):
            await asyncio.sleep(0)

    first = reply(uses(0, "a"), stop="tool_use")
    first.insert(-1, wait_for_result)  # the stream does not go on before the tool has its result
    stage.model.scripts = [first, reply(says(0, "done"))]
    assert await asyncio.wait_for(stage.turn.run(), 10) == "done"
    kinds = [type(event) for event in stage.events]
    assert kinds.index(ToolResultReady) < kinds.index(AssistantMessageCompleted)
    check(stage)


async def test_a_tool_use_without_arguments_runs_only_once_the_stream_has_moved_on(tmp_path: Path) -> None:
    cut = reply(uses(0, None), stop="max_tokens")
    stage = Stage(tmp_path, cut)
    assert await stage.turn.run() == "max_tokens"
    assert stage.tool.ran == []
    assert len(stage.of(ToolUseDropped)) == 1
    check(stage)
    stage = Stage(tmp_path, reply(uses(0, None), stop="tool_use"), reply(says(0, "ok")))
    assert await stage.turn.run() == "done"
    assert stage.tool.ran == [""]
    check(stage)
    stage = Stage(tmp_path, reply(uses(0, None), says(1, "and"), stop="max_tokens"), reply(says(0, "ok")))
    assert await stage.turn.run() == "done"
    assert stage.tool.ran == [""]
    check(stage)


async def test_arguments_that_are_no_json_are_the_calls_error_and_nothing_runs(tmp_path: Path) -> None:
    broken: list[StreamItem] = [
        BlockStarted(0, "tool_use", "toolu_0", "Note"),
        BlockDelta(0, '{"note": '),
        BlockFinished(0, None, problem="its arguments are not JSON"),
    ]
    stage = Stage(tmp_path, reply(broken, stop="tool_use"), reply(says(0, "sorry")))
    assert await stage.turn.run() == "done"
    assert stage.tool.ran == []
    assert "its arguments are not JSON" in str(stage.model.requests[1].messages[-1])
    assert [event.is_error for event in stage.of(ToolResultReady)] == [True]
    check(stage)


async def test_a_reply_that_never_gets_its_arguments_right_ends_the_turn(tmp_path: Path) -> None:
    broken: list[StreamItem] = [BlockStarted(0, "tool_use", "t", "Note"), BlockFinished(0, None)]
    stage = Stage(tmp_path, *(reply(broken, stop="tool_use") for _ in range(9)))
    assert await stage.turn.run() == "repeated_failure"
    assert len(stage.model.requests) == 5
    check(stage)


async def test_a_reply_that_keeps_being_cut_off_in_its_arguments_ends_the_turn(tmp_path: Path) -> None:
    broken: list[StreamItem] = [BlockStarted(0, "tool_use", "t", "Note"), BlockFinished(0, None, problem="half")]
    stage = Stage(tmp_path, *(reply(broken, stop="max_tokens") for _ in range(9)))
    assert await stage.turn.run() == "max_tokens"
    assert len(stage.model.requests) == 4
    assert "cut off in the arguments of Note" in str(stage.model.requests[1].messages[-1])
    check(stage)


async def test_a_call_that_could_not_be_read_is_told_even_when_others_ran(tmp_path: Path) -> None:
    broken: list[StreamItem] = [BlockStarted(0, "tool_use", "t", "Note"), BlockFinished(0, None)]
    stage = Stage(tmp_path, reply(broken, uses(1, "a"), stop="tool_use"), reply(says(0, "sorry")))
    assert await stage.turn.run() == "done"
    assert stage.tool.ran == ["a"]
    unread, ran = stage.model.requests[1].messages[-1]["content"]
    assert (unread["is_error"], ran["type"]) == (True, "tool_result")
    assert "not JSON" in unread["content"]
    check(stage)


@pytest.mark.parametrize(
    ("stop", "outcome"),
    [
        ("end_turn", "done"),
        ("stop_sequence", "done"),
        ("max_tokens", "max_tokens"),
        ("refusal", "refused"),
        ("model_context_window_exceeded", "failed"),
    ],
)
async def test_each_reason_to_stop_has_its_outcome(tmp_path: Path, stop: str, outcome: str) -> None:
    stage = Stage(tmp_path, reply(says(0, "hm"), stop=stop))
    assert await stage.turn.run() == outcome
    assert (len(stage.history.messages()) == 1) == (stop == "refusal")
    check(stage)


async def test_a_paused_turn_goes_on(tmp_path: Path) -> None:
    stage = Stage(tmp_path, reply(says(0, "first, "), stop="pause_turn"), reply(says(0, "then")))
    assert await stage.turn.run() == "done"
    assert len(stage.model.requests) == 2
    check(stage)


async def test_an_interrupt_in_mid_stream_keeps_what_was_said(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    first = reply(says(0, "one |two"))
    first.insert(3, stage.turn.interrupt)
    first.insert(4, lambda: asyncio.Event().wait())
    stage.model.scripts = [first]
    assert await asyncio.wait_for(stage.turn.run(), 10) == "interrupted"
    assert stage.history.messages()[-1]["content"] == [{"type": "text", "text": "one "}]
    check(stage)


async def test_an_interrupt_answers_the_tools_that_run(tmp_path: Path) -> None:
    stage = Stage(tmp_path, reply(uses(0, "a"), uses(1, "b"), stop="tool_use"))
    stage.tool.hold.clear()
    running = asyncio.create_task(stage.turn.run())
    while len(stage.tool.ran) < 2:
        await asyncio.sleep(0)
    stage.turn.interrupt()
    assert await asyncio.wait_for(running, 10) == "interrupted"
    results = stage.history.messages()[-1]["content"]
    assert all("interrupted" in block["content"] and block["is_error"] for block in results)
    check(stage)


async def test_closing_the_program_in_mid_tool_leaves_every_use_answered(tmp_path: Path) -> None:
    stage = Stage(tmp_path, reply(uses(0, "a"), uses(1, "b"), stop="tool_use"))
    stage.tool.hold.clear()
    running = asyncio.create_task(stage.turn.run())
    while len(stage.tool.ran) < 2:
        await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    check(stage)


async def test_a_refusal_without_words_ends_the_turn_and_with_words_it_goes_on(tmp_path: Path) -> None:
    stage = Stage(tmp_path, reply(uses(0, "ask"), uses(1, "b"), stop="tool_use"))
    assert await stage.turn.run() == "declined"
    check(stage)
    stage = Stage(tmp_path, reply(uses(0, "ask with words"), stop="tool_use"), reply(says(0, "I see")))
    assert await stage.turn.run() == "done"
    assert "do it by hand" in str(stage.model.requests[1].messages[-1])
    check(stage)


async def test_the_same_call_failing_five_times_stops_the_turn(tmp_path: Path) -> None:
    scripts = [reply(uses(0, "fail", f"t{n}"), stop="tool_use") for n in range(9)]
    stage = Stage(tmp_path, *scripts)
    assert await stage.turn.run() == "repeated_failure"
    assert len(stage.model.requests) == 5
    check(stage)


async def test_what_a_sibling_took_along_does_not_break_a_row_of_failures(tmp_path: Path) -> None:
    scripts = [reply(uses(0, "fail", f"f{n}"), uses(1, "a", f"a{n}"), stop="tool_use") for n in range(9)]
    stage = Stage(tmp_path, *scripts)
    stage.tool.aborts_siblings = True  # type: ignore[misc]
    stage.tool.runs_alone = True
    assert await stage.turn.run() == "repeated_failure"
    assert len(stage.model.requests) == 5
    check(stage)


async def test_the_limit_on_requests_ends_the_turn(tmp_path: Path) -> None:
    stage = Stage(tmp_path, *(reply(uses(0, "a", f"t{n}"), stop="tool_use") for n in range(5)), max_requests=2)
    assert await stage.turn.run() == "max_turns"
    assert len(stage.model.requests) == 2
    check(stage)


async def test_a_message_sent_meanwhile_reaches_the_model_with_the_results(tmp_path: Path) -> None:
    stage = Stage(tmp_path, reply(uses(0, "a"), stop="tool_use"), reply(says(0, "ok")))
    stage.steered.append("mind the tests")
    assert await stage.turn.run() == "done"
    last = stage.model.requests[1].messages[-1]["content"]
    assert [block["type"] for block in last] == ["tool_result", "text"]
    check(stage)


async def test_everything_of_an_agents_turn_names_the_agent(tmp_path: Path) -> None:
    stage = Stage(tmp_path, reply(uses(0, "a"), stop="tool_use"), reply(says(0, "ok")), agent_id="a1")
    await stage.turn.run()
    assert stage.of(ToolUseStarted)
    assert {event.agent_id for event in stage.events} == {"a1"}
    check(stage)
