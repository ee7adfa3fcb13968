"""Hooks after a call: what they add, and that nothing they do takes the result away."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fake_tools import Bench, FakeTool, Lever, rest, settle

from tui_agent.events import Notice, ToolStageEnded
from tui_agent.execution.execution_context import ToolOutcome
from tui_agent.execution.single_use import run_one
from tui_agent.execution.stages import STAGES, StageLog
from tui_agent.hooks.dispatch import HookedUse
from tui_agent.hooks.post_tool_use import HookedResult, PostAnswer
from tui_agent.hooks.pre_tool_use import HookAnswer
from tui_agent.tools.base import Result, ToolError


class Formatter:
    """A hook that is at work until the test lets it end."""

    def __init__(self) -> None:
        self.heard: list[HookedResult] = []
        self.done = asyncio.Event()
        self.was_cancelled = False

    async def __call__(self, result: HookedResult) -> PostAnswer:
        self.heard.append(result)
        try:
            await self.done.wait()
        except asyncio.CancelledError:
            self.was_cancelled = True
            raise
        return PostAnswer(context="reformatted")


def saying(**answer: Any) -> Any:
    async def hook(result: HookedResult) -> PostAnswer:
        return PostAnswer(**answer)

    return hook


async def run(runtime: Bench, note: str = "hello") -> ToolOutcome:
    return (await run_one(runtime.execution_context, "Fake", {"note": note}, tool_use_id="t1")).outcome


def stages(runtime: Bench) -> list[str]:
    return [event.stage for event in runtime.of(ToolStageEnded)]


async def test_a_hook_hears_what_ran_and_what_came_of_it(tmp_path: Path) -> None:
    formatter = Formatter()
    formatter.done.set()
    await run(Bench(tmp_path, FakeTool(), extensions={"post_tool_use": [formatter]}))
    use = HookedUse(tool_use_id="t1", name="Fake", input={"note": "hello"})
    (heard,) = formatter.heard
    assert heard.duration_ms > 0
    expected = HookedResult(use=use, content="hello", data={"output": "hello"}, is_error=False)
    assert replace(heard, duration_ms=0.0) == expected


async def test_what_hooks_add_stands_beside_the_result(tmp_path: Path) -> None:
    hooks = [saying(context="one"), saying(), saying(context="two")]
    outcome = await run(Bench(tmp_path, FakeTool(), extensions={"post_tool_use": hooks}))
    assert outcome.content == "hello\n\n<system-reminder>\none\n\ntwo\n</system-reminder>"
    assert outcome.data == {"output": "hello"}
    blocks = [{"type": "image", "source": {}}]
    outcome = await run(Bench(tmp_path, FakeTool(to_result=blocks), extensions={"post_tool_use": hooks[:1]}))
    assert outcome.content == [*blocks, {"type": "text", "text": "<system-reminder>\none\n</system-reminder>"}]


@pytest.mark.parametrize("fails", [False, True])
async def test_a_hook_before_the_call_may_add_for_the_model_too(tmp_path: Path, fails: bool) -> None:
    async def before(use: HookedUse) -> HookAnswer:
        return HookAnswer(context="mind the style")

    async def body(input: Any, ctx: Any) -> Any:
        if fails:
            raise ToolError("exit 1")
        yield Result("hello")

    hooks = {"pre_tool_use": [before], "post_tool_use": [saying(context="formatted")]}
    for extensions, added in ((hooks, "mind the style\n\nformatted"), ({"pre_tool_use": [before]}, "mind the style")):
        outcome = await run(Bench(tmp_path, FakeTool(body=body), extensions=extensions))
        assert outcome.is_error == fails
        assert str(outcome.content).endswith(f"\n\n<system-reminder>\n{added}\n</system-reminder>")


async def test_what_a_hook_adds_is_bounded(tmp_path: Path) -> None:
    outcome = await run(Bench(tmp_path, FakeTool(), extensions={"post_tool_use": [saying(context="x" * 50_000)]}))
    assert len(str(outcome.content)) < 10_300


async def test_a_hook_that_fails_is_reported_and_costs_nothing(tmp_path: Path) -> None:
    async def broken(result: HookedResult) -> PostAnswer:
        raise OSError("no such program")

    hooks = [broken, saying(context="fine", problems=("exit code 1",))]
    runtime = Bench(tmp_path, FakeTool(), extensions={"post_tool_use": hooks})
    outcome = await run(runtime)
    assert (outcome.is_error, "fine" in str(outcome.content)) == (False, True)
    assert [notice.text for notice in runtime.of(Notice)] == [
        "A hook after Fake failed: OSError: no such program",
        "A hook after Fake failed: exit code 1",
    ]


@pytest.mark.parametrize("way", ["interrupt", "stop", "aclose"])
@pytest.mark.parametrize("behavior", ["block", "cancel"])
async def test_cut_short_while_hooks_are_heard_the_result_stands(tmp_path: Path, way: str, behavior: str) -> None:
    formatter = Formatter()
    tool = FakeTool(interrupt_behavior=behavior)
    runtime = Bench(tmp_path, tool, extensions={"post_tool_use": [formatter]})
    executor = runtime.executor()
    executor.add("t1", "Fake", {"note": "hello"})
    await settle()
    assert formatter.heard
    match way:
        case "interrupt":
            executor.interrupt()
        case "stop":
            executor.stop("t1")
        case _:
            await asyncio.wait_for(executor.aclose(), 10)
    (outcome,) = await asyncio.wait_for(rest(executor), 10)
    assert (outcome.content, outcome.is_error) == ("hello", False)
    assert formatter.was_cancelled
    assert runtime.stages("t1")[-1] == ("result", "ok")
    await executor.aclose()


async def test_cut_short_before_the_hooks_they_are_not_begun(tmp_path: Path) -> None:
    formatter = Formatter()
    runtime = Bench(tmp_path, FakeTool(), extensions={"post_tool_use": [formatter]})
    async with runtime.executor() as executor:
        executor.add("t1", "Fake", {"note": "x" * 40_000})
        while ("call", "ok") not in runtime.stages("t1"):
            await asyncio.sleep(0)
        executor.interrupt()
        (outcome,) = await asyncio.wait_for(rest(executor), 10)
    assert not outcome.is_error
    assert formatter.heard == []


async def test_a_failing_sibling_does_not_stop_a_hook_half_way(tmp_path: Path) -> None:
    formatter, lever = Formatter(), Lever()

    async def only_fake(result: HookedResult) -> PostAnswer:
        return await formatter(result) if result.use.name == "Fake" else PostAnswer()

    tools = (FakeTool(), FakeTool("Shell", body=lever, aborts_siblings=True))
    runtime = Bench(tmp_path, *tools, extensions={"post_tool_use": [only_fake]})
    async with runtime.executor() as executor:
        executor.add("t1", "Fake", {"note": "hello", "safe": True})
        executor.add("t2", "Shell", {"safe": True})
        await settle()
        lever.pull("t2", ToolError("exit 1"))
        await settle()
        assert runtime.states("t2")[-1] == "completed"
        assert not formatter.was_cancelled
        formatter.done.set()
        outcomes = await rest(executor)
    assert "reformatted" in str(outcomes[0].content)
    assert outcomes[1].error_kind == "execution"


async def test_a_use_keeps_others_off_its_files_until_its_hooks_are_done(tmp_path: Path) -> None:
    formatter, lever = Formatter(), Lever()
    runtime = Bench(tmp_path, FakeTool(), FakeTool("Next", body=lever), extensions={"post_tool_use": [formatter]})
    async with runtime.executor() as executor:
        executor.add("t1", "Fake", {"writes": ["a"]})
        executor.add("t2", "Next", {"reads": ["a"]})
        await settle()
        assert lever.in_call == []
        formatter.done.set()
        await settle()
        assert lever.in_call == ["t2"]


@pytest.mark.parametrize("failure", [ToolError("exit 1"), Result("exit 1", is_error=True), ValueError("exit 1")])
async def test_a_call_that_failed_is_heard_of_as_a_failure(tmp_path: Path, failure: Any) -> None:
    async def body(input: Any, ctx: Any) -> Any:
        if isinstance(failure, BaseException):
            raise failure
        yield failure

    formatter = Formatter()
    formatter.done.set()
    runtime = Bench(tmp_path, FakeTool(body=body), extensions={"post_tool_use": [formatter]})
    outcome = await run(runtime)
    (heard,) = formatter.heard
    assert heard.is_error
    assert "exit 1" in str(heard.content)
    assert (outcome.is_error, outcome.error_kind) == (True, "execution")
    assert str(outcome.content).endswith("reformatted\n</system-reminder>")
    assert stages(runtime)[-3:] == [*(["call"] if isinstance(failure, BaseException) else ["store"]), *STAGES[-2:]]


async def test_a_call_that_was_refused_or_aborted_is_not_heard_of(tmp_path: Path) -> None:
    formatter = Formatter()
    runtime = Bench(tmp_path, FakeTool(body=Lever()), extensions={"post_tool_use": [formatter]})
    async with runtime.executor() as executor:
        executor.add("t1", "Fake", {"note": 5})
        executor.add("t2", "Fake", {})
        await settle()
        executor.stop("t2")
        outcomes = await rest(executor)
    assert [outcome.error_kind for outcome in outcomes] == ["invalid_input", "aborted"]
    assert formatter.heard == []


def test_stages_are_never_gone_back_to() -> None:
    log = StageLog("t1", lambda event: event)
    log.skip_to("post_hooks")
    log.skip_to("call")
    with pytest.raises(RuntimeError), log.stage("call"):
        pass
