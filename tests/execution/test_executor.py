"""Order, concurrency and cancellation of the tool uses of one reply."""

from __future__ import annotations

import asyncio
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest
from fake_tools import Bench, FakeGate, FakeTool, Lever, ask, rest, settle

from tui_agent.events import ToolProgressed, ToolResultReady, ToolStateChanged
from tui_agent.execution.errors import INTERRUPTED
from tui_agent.execution.execution_context import ToolOutcome
from tui_agent.permissions.verdict import Decision
from tui_agent.tools.base import Progress, Result, ToolError


def kinds(outcomes: list[ToolOutcome]) -> list[str | None]:
    return [outcome.error_kind for outcome in outcomes]


def levered(folder: Path, **answers: Any) -> tuple[Bench, Lever]:
    lever = Lever()
    return Bench(folder, FakeTool(body=lever, **answers)), lever


# --- start and order -------------------------------------------------------------------------------------------------


async def test_a_use_executes_as_soon_as_it_is_added_while_the_reply_goes_on(tmp_path: Path) -> None:
    runtime, lever = levered(tmp_path)
    async with runtime.executor() as executor:
        executor.add("t1", "Fake", {})
        assert runtime.states("t1") == ["queued", "executing"]
        await settle()
        assert lever.in_call == ["t1"]


async def test_results_leave_in_block_order_whatever_order_they_come_in(tmp_path: Path) -> None:
    runtime, lever = levered(tmp_path)
    got: list[str] = []
    async with runtime.executor() as executor:

        async def read() -> None:
            async for outcome in executor.results():
                got.append(outcome.tool_use_id)  # noqa: PERF401 - the list is watched while it grows

        reading = asyncio.ensure_future(read())
        for name in ("t1", "t2", "t3"):
            executor.add(name, "Fake", {"safe": True})
        await settle()
        lever.finish("t3")
        lever.finish("t2")
        await settle()
        assert got == []
        assert runtime.states("t3")[-1] == "completed"
        lever.finish("t1")
        await settle()
        assert got == ["t1", "t2", "t3"]
        assert runtime.states("t3")[-1] == "yielded"
        executor.add("t4", "Fake", {})
        await settle()
        lever.finish("t4")
        executor.close()
        await reading
    assert got == ["t1", "t2", "t3", "t4"]


async def test_progress_does_not_wait_for_results_before_it(tmp_path: Path) -> None:
    runtime, lever = levered(tmp_path)
    async with runtime.executor() as executor:
        executor.add("t1", "Fake", {"safe": True})
        executor.add("t2", "Fake", {"safe": True})
        await settle()
        lever.pull("t2", Progress(message="here"))
        await settle()
        assert [event.tool_use_id for event in runtime.of(ToolProgressed)] == ["t2"]


async def test_a_thousand_uses_run_ten_at_a_time_and_come_back_in_order(tmp_path: Path) -> None:
    runtime = Bench(tmp_path, FakeTool())
    executor = runtime.executor()
    for number in range(1_000):
        executor.add(f"t{number}", "Fake", {"safe": True, "note": str(number)})
    outcomes = await rest(executor)
    assert [outcome.content for outcome in outcomes] == [str(number) for number in range(1_000)]
    moves = runtime.of(ToolStateChanged)
    steps = [(move.to_state == "executing") - (move.from_state == "executing") for move in moves]
    assert max(accumulate(steps)) == 10


async def test_a_read_runs_beside_the_edit_of_another_file_but_not_of_the_same(tmp_path: Path) -> None:
    runtime, lever = levered(tmp_path)
    async with runtime.executor() as executor:
        executor.add("edit", "Fake", {"reads": ["a"], "writes": ["a"]})
        executor.add("read b", "Fake", {"reads": ["b"]})
        executor.add("read a", "Fake", {"reads": ["a"]})
        await settle()
        assert lever.in_call == ["edit", "read b"]
        lever.finish("edit")
        await settle()
        assert lever.in_call == ["read b", "read a"]


async def test_an_exclusive_use_is_neither_overtaken_nor_run_beside_others(tmp_path: Path) -> None:
    runtime, lever = levered(tmp_path)
    async with runtime.executor() as executor:
        executor.add("t1", "Fake", {"safe": True})
        executor.add("alone", "Fake", {"alone": True})
        executor.add("t2", "Fake", {"safe": True})
        executor.add("t3", "Fake", {"safe": True})
        await settle()
        assert lever.in_call == ["t1"]
        lever.finish("t1")
        await settle()
        assert lever.in_call == ["alone"]
        lever.finish("alone")
        await settle()
        assert lever.in_call == ["t2", "t3"]


async def test_a_relative_path_is_claimed_from_where_the_shell_stands_when_it_starts(tmp_path: Path) -> None:
    runtime, lever = levered(tmp_path)
    (tmp_path / "sub").mkdir()
    async with runtime.executor() as executor:
        executor.add("cd", "Fake", {"alone": True})
        executor.add("write", "Fake", {"writes": ["f"]})
        executor.add("read", "Fake", {"reads": [str(tmp_path / "sub" / "f")]})
        await settle()
        runtime.execution_context.workspace.cwd = tmp_path / "sub"
        lever.finish("cd")
        await settle()
        assert lever.in_call == ["write"]


async def test_a_use_that_cannot_begin_gets_its_error_in_its_place(tmp_path: Path) -> None:
    runtime = Bench(tmp_path, FakeTool())
    async with runtime.executor() as executor:
        executor.add("t1", "Nothing", {})
        executor.add("t2", "Fake", {"nonsense": True})
        executor.add("t3", "Fake", {})
        assert kinds(await rest(executor)) == ["unknown_tool", "invalid_input", None]


async def test_a_second_use_of_one_id_and_one_after_the_end_are_mistakes(tmp_path: Path) -> None:
    runtime = Bench(tmp_path, FakeTool())
    async with runtime.executor() as executor:
        executor.add("t1", "Fake", {})
        with pytest.raises(ValueError):
            executor.add("t1", "Fake", {})
        executor.close()
        with pytest.raises(ValueError):
            executor.add("t2", "Fake", {})


async def test_an_executor_without_uses_has_no_results(tmp_path: Path) -> None:
    assert await rest(Bench(tmp_path).executor()) == []


# --- a failing shell -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "failure", [ToolError("exit 1"), ToolError("too slow", kind="timeout"), Result("exit 1", is_error=True)]
)
async def test_a_failing_shell_aborts_what_runs_waits_and_is_still_to_come(tmp_path: Path, failure: Any) -> None:
    lever = Lever()
    runtime = Bench(tmp_path, FakeTool("Shell", body=lever, aborts_siblings=True), FakeTool(body=lever))
    async with runtime.executor() as executor:
        executor.add("done", "Fake", {"safe": True})
        await settle()
        lever.finish("done")
        await settle()
        executor.add("shell", "Shell", {"safe": True})
        executor.add("runs", "Fake", {"safe": True})
        executor.add("waits", "Fake", {"alone": True})
        await settle()
        lever.pull("shell", failure, None)
        await settle()
        executor.add("later", "Fake", {})
        outcomes = await rest(executor)
    assert kinds(outcomes) == [None, getattr(failure, "kind", "execution"), "aborted", "aborted", "aborted"]
    assert [outcome.data for outcome in outcomes[2:]] == [{"reason": "sibling_error"}] * 3
    assert all("sibling_error" in str(outcome.content) for outcome in outcomes[2:])
    assert lever.cancelled == ["runs"]
    assert runtime.states("waits") == ["queued", "completed", "yielded"]


async def test_failures_of_other_tools_and_a_shell_that_was_refused_abort_nothing(tmp_path: Path) -> None:
    lever = Lever()
    tools = (FakeTool("Shell", body=lever, aborts_siblings=True), FakeTool(body=lever))
    runtime = Bench(tmp_path, *tools, gate=FakeGate(judge=ask))
    async with runtime.executor() as executor:
        executor.add("other", "Fake", {"safe": True})
        executor.add("shell", "Shell", {"safe": True})
        executor.add("next", "Fake", {"safe": True})
        await settle()
        runtime.gate.answer("other", Decision(behavior="allow"))
        runtime.gate.answer("shell", Decision(behavior="deny", message="not that one"))
        await settle()
        lever.pull("other", ToolError("broken"))
        await settle()
        runtime.gate.answer("next", Decision(behavior="allow"))
        await settle()
        lever.finish("next")
        assert kinds(await rest(executor)) == ["execution", "denied", None]


async def test_a_shell_that_is_stopped_aborts_nothing(tmp_path: Path) -> None:
    lever = Lever()
    runtime = Bench(tmp_path, FakeTool("Shell", body=lever, aborts_siblings=True))
    async with runtime.executor() as executor:
        executor.add("a", "Shell", {"safe": True})
        executor.add("b", "Shell", {"safe": True})
        await settle()
        executor.stop("a")
        await settle()
        lever.finish("b")
        assert kinds(await rest(executor)) == ["aborted", None]


# --- interrupt, stop, close ------------------------------------------------------------------------------------------


async def test_an_interrupt_cancels_what_may_be_cancelled_and_lets_the_rest_finish(tmp_path: Path) -> None:
    lever = Lever()
    runtime = Bench(tmp_path, FakeTool("Soft", body=lever, interrupt_behavior="cancel"), FakeTool("Hard", body=lever))
    async with runtime.executor() as executor:
        executor.add("soft", "Soft", {"safe": True})
        executor.add("hard", "Hard", {"safe": True})
        executor.add("waits", "Hard", {"alone": True})
        await settle()
        executor.interrupt()
        executor.add("later", "Soft", {})
        await settle()
        assert lever.in_call == ["hard"]
        assert runtime.states("hard")[-1] == "executing"
        lever.finish("hard", "written")
        outcomes = await rest(executor)
    assert kinds(outcomes) == ["aborted", None, "aborted", "aborted"]
    assert outcomes[1].content == "written"
    assert outcomes[0].content == f"<tool_use_error>{INTERRUPTED}</tool_use_error>"
    assert runtime.states("later") == ["queued", "completed", "yielded"]


async def test_an_interrupt_before_the_first_step_leaves_one_result(tmp_path: Path) -> None:
    runtime, _ = levered(tmp_path)
    async with runtime.executor() as executor:
        executor.add("t1", "Fake", {})
        executor.interrupt()
        outcomes = await rest(executor)
    assert kinds(outcomes) == ["aborted"]
    assert runtime.states("t1") == ["queued", "executing", "completed", "yielded"]
    assert runtime.stages("t1") == []


async def test_stopping_one_use_lets_the_others_go_on(tmp_path: Path) -> None:
    runtime, lever = levered(tmp_path, interrupt_behavior="block")
    async with runtime.executor() as executor:
        executor.add("runs", "Fake", {"alone": True})
        executor.add("waits", "Fake", {"alone": True})
        executor.add("next", "Fake", {"alone": True})
        await settle()
        executor.stop("waits")
        executor.stop("runs")
        executor.stop("unknown")
        await settle()
        assert lever.in_call == ["next"]
        lever.finish("next")
        outcomes = await rest(executor)
    assert kinds(outcomes) == ["aborted", "aborted", None]
    assert [outcome.data for outcome in outcomes[:2]] == [{"reason": "stopped"}] * 2
    executor.stop("runs")
    assert runtime.states("runs")[-1] == "yielded"


async def test_stopping_a_use_that_holds_others_back_lets_them_start(tmp_path: Path) -> None:
    runtime, lever = levered(tmp_path)
    async with runtime.executor() as executor:
        executor.add("runs", "Fake", {"safe": True})
        executor.add("alone", "Fake", {"alone": True})
        executor.add("next", "Fake", {"safe": True})
        executor.stop("alone")
        await settle()
        assert lever.in_call == ["runs", "next"]


async def test_the_first_reason_to_stop_is_the_one_that_is_told(tmp_path: Path) -> None:
    runtime, _ = levered(tmp_path)
    async with runtime.executor() as executor:
        executor.add("t1", "Fake", {})
        await settle()
        executor.stop("t1")
        executor.interrupt()
    assert [outcome.data for outcome in executor.outcomes] == [{"reason": "stopped"}]


async def test_a_tool_that_ends_in_order_when_it_is_cancelled_keeps_its_result(tmp_path: Path) -> None:
    async def body(input: Any, ctx: Any) -> Any:
        try:
            await asyncio.get_running_loop().create_future()
        except asyncio.CancelledError:
            yield Result("as far as it came")

    runtime = Bench(tmp_path, FakeTool(body=body))
    async with runtime.executor() as executor:
        executor.add("t1", "Fake", {})
        await settle()
        executor.stop("t1")
        (outcome,) = await rest(executor)
    assert (outcome.content, outcome.is_error) == ("as far as it came", False)


async def test_a_result_that_is_there_stands_though_an_interrupt_comes_while_it_is_stored(tmp_path: Path) -> None:
    runtime, lever = levered(tmp_path, interrupt_behavior="cancel")
    async with runtime.executor() as executor:
        executor.add("t1", "Fake", {})
        await settle()
        lever.finish("t1", "x" * 40_000)
        while ("call", "ok") not in runtime.stages("t1"):
            await asyncio.sleep(0)
        executor.interrupt()
        (outcome,) = await rest(executor)
    assert outcome.error_kind is None
    assert "whole text is in" in str(outcome.content)


async def test_closing_ends_everything_and_leaves_one_result_each(tmp_path: Path) -> None:
    runtime, lever = levered(tmp_path, interrupt_behavior="block")
    async with runtime.executor() as executor:
        executor.add("done", "Fake", {"safe": True})
        executor.add("runs", "Fake", {"safe": True})
        executor.add("waits", "Fake", {"alone": True})
        await settle()
        lever.finish("done")
        await settle()
        assert [outcome.tool_use_id for outcome in executor.outcomes] == ["done"]
    assert lever.in_call == []
    assert kinds(list(executor.outcomes)) == [None, "aborted", "aborted"]
    assert kinds([outcome async for outcome in executor.results()]) == [None, "aborted", "aborted"]
    assert len(runtime.of(ToolResultReady)) == 3


async def test_a_reader_that_is_cancelled_loses_no_result(tmp_path: Path) -> None:
    runtime, lever = levered(tmp_path)
    got: list[str] = []
    executor = runtime.executor()

    async def read() -> None:
        async for outcome in executor.results():
            got.append(outcome.tool_use_id)
            await asyncio.get_running_loop().create_future()

    executor.add("t1", "Fake", {"safe": True})
    executor.add("t2", "Fake", {"safe": True})
    reading = asyncio.ensure_future(read())
    await settle()
    lever.finish("t1")
    await settle()
    reading.cancel()
    await asyncio.gather(reading, return_exceptions=True)
    await executor.aclose()
    got += [outcome.tool_use_id async for outcome in executor.results()]
    assert got == ["t1", "t2"]


def test_the_end_of_the_program_leaves_one_result_each(tmp_path: Path) -> None:
    runtime, lever = levered(tmp_path)

    async def main() -> None:
        executor = runtime.executor()
        executor.add("t1", "Fake", {})
        await settle()

    asyncio.run(main())
    (result,) = runtime.of(ToolResultReady)
    assert (result.tool_use_id, result.error_kind) == ("t1", "aborted")
    assert lever.cancelled == ["t1"]
