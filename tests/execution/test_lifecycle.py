"""The eight stages: what each does, and how the use ends when one says no."""

from __future__ import annotations

import asyncio
import gc
import os
import subprocess
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fake_tools import Bench, FakeGate, FakeInput, FakeTool, allow, rest, settle

from tui_agent.bus import Bus
from tui_agent.events import (
    Event,
    Notice,
    ToolInputChanged,
    ToolProgressed,
    ToolResultReady,
    ToolStageStarted,
    ToolUseCompleted,
    ToolUseStarted,
)
from tui_agent.execution.lifecycle import ToolRun
from tui_agent.execution.resolution import find_tool, resolve_use
from tui_agent.execution.single_use import SingleRun, run_one
from tui_agent.execution.stages import STAGES, StageLog
from tui_agent.execution.tracked_tool import TrackedTool
from tui_agent.hooks.pre_tool_use import HookAnswer, HookedUse
from tui_agent.permissions.verdict import ToolCall, ToolOpinion
from tui_agent.tools.base import Allow, Ask, Deny, Invalid, Opinion, Progress, Result, ToolContext, ToolError
from tui_agent.tools.forms import Form, FormField


async def run(runtime: Bench, name: str = "Fake", raw: Any = None) -> SingleRun:
    return await run_one(runtime.execution_context, name, {} if raw is None else raw, tool_use_id="t1")


def error(text: str) -> str:
    return f"<tool_use_error>{text}</tool_use_error>"


async def test_a_good_call_goes_through_all_eight_stages_and_four_states(tmp_path: Path) -> None:
    runtime = Bench(tmp_path, FakeTool())
    outcome, stages, states = await run(runtime, raw={"note": "hello"})
    assert (outcome.content, outcome.is_error, outcome.error_kind) == ("hello", False, None)
    assert outcome.data == {"output": "hello"}
    assert outcome.to_block() == {"type": "tool_result", "tool_use_id": "t1", "content": "hello"}
    assert [stage["stage"] for stage in stages] == list(STAGES)
    assert {stage["outcome"] for stage in stages} == {"ok"}
    assert states == ["queued", "executing", "completed", "yielded"]
    assert [event.stage for event in runtime.of(ToolStageStarted)] == list(STAGES)


def test_stages_cannot_be_entered_out_of_order() -> None:
    stages = StageLog("t1", lambda event: event)
    with pytest.raises(RuntimeError), stages.stage("validate"):
        pass


# --- look-up and validation ------------------------------------------------------------------------------------------


async def test_an_unknown_tool_is_answered_with_the_nearest_names(tmp_path: Path) -> None:
    outcome, stages, _ = await run(Bench(tmp_path, FakeTool("Fetch"), FakeTool("Fake")), "Fak")
    assert outcome.content == error("There is no tool named 'Fak'. Did you mean Fake or Fetch?")
    assert (outcome.error_kind, outcome.name) == ("unknown_tool", "Fak")
    assert [(stage["stage"], stage["outcome"]) for stage in stages] == [("lookup", "unknown_tool")]


async def test_without_a_near_name_the_tools_there_are_are_named(tmp_path: Path) -> None:
    outcome, *_ = await run(Bench(tmp_path, FakeTool("Grep"), FakeTool("Edit")), "zzz")
    assert outcome.content == error("There is no tool named 'zzz'. There are Edit, Grep.")
    many = [FakeTool(f"Tool{number:03}") for number in range(60)]
    outcome, *_ = await run(Bench(tmp_path, *many), "zzz")
    assert str(outcome.content).endswith("Tool039 and 20 more.</tool_use_error>")


async def test_an_alias_runs_under_the_canonical_name_with_adapted_input(tmp_path: Path) -> None:
    runtime = Bench(tmp_path, FakeTool(aliases=("old_fake",)))
    outcome, *_ = await run(runtime, "old_fake", {"text": "hello"})
    assert (outcome.name, outcome.content) == ("Fake", "hello")
    (changed,) = runtime.of(ToolInputChanged)
    assert (changed.name, changed.input, changed.by) == ("Fake", {"note": "hello"}, "alias")
    assert runtime.gate.calls[0].tool == "Fake"


@pytest.mark.parametrize("raw", [{"note": 3}, {"nonsense": 1}, ["not", "an", "object"]])
async def test_an_input_of_the_wrong_shape_never_reaches_the_tool(tmp_path: Path, raw: Any) -> None:
    runtime = Bench(tmp_path, FakeTool(validate=AssertionError("must not be asked")))
    outcome, stages, _ = await run(runtime, raw=raw)
    assert outcome.error_kind == "invalid_input"
    assert outcome.is_error
    assert str(outcome.content).startswith("<tool_use_error>InputValidationError: ")
    assert stages[-1]["stage"] == "validate"


async def test_what_is_no_object_is_refused_under_an_alias_too(tmp_path: Path) -> None:
    outcome, *_ = await run(Bench(tmp_path, FakeTool(aliases=("old_fake",))), "old_fake", ["not", "an", "object"])
    assert (outcome.name, outcome.error_kind) == ("Fake", "invalid_input")


async def test_an_error_that_cannot_even_be_printed_still_gives_one_result(tmp_path: Path) -> None:
    class UnprintableError(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no text")

    outcome, _, states = await run(Bench(tmp_path, FakeTool(body=body_of(UnprintableError()))))
    assert (outcome.error_kind, states[-1]) == ("execution", "yielded")


async def test_a_business_check_gives_its_text_and_its_code(tmp_path: Path) -> None:
    runtime = Bench(tmp_path, FakeTool(validate=Invalid("Read the file first.", "not_read")))
    outcome, stages, _ = await run(runtime)
    assert outcome.content == error("Read the file first.")
    assert (outcome.error_kind, outcome.data) == ("validation", {"code": "not_read"})
    assert stages[-1]["outcome"] == "validation"
    assert runtime.gate.calls == []


async def test_a_check_that_raises_a_tool_error_keeps_its_kind(tmp_path: Path) -> None:
    failing = ToolError("gone", kind="validation", data={"code": "missing"})
    outcome, *_ = await run(Bench(tmp_path, FakeTool(propose=failing)))
    assert (outcome.content, outcome.error_kind, outcome.data) == (error("gone"), "validation", {"code": "missing"})


# --- judging ---------------------------------------------------------------------------------------------------------


async def test_permissions_see_canonical_name_final_input_and_absolute_paths(tmp_path: Path) -> None:
    runtime = Bench(tmp_path, FakeTool(is_read_only=True))
    await run(runtime, raw={"reads": ["b", "a"], "writes": ["d/../c"], "number": "7"})
    assert runtime.gate.calls == [
        ToolCall(
            tool="Fake",
            input={"reads": ["b", "a"], "writes": ["d/../c"], "number": 7},
            reads=(f"{tmp_path}/a", f"{tmp_path}/b"),
            writes=(f"{tmp_path}/c",),
            reals={f"{tmp_path}/{name}": f"{os.path.realpath(tmp_path)}/{name}" for name in "abc"},
            files={f"{tmp_path}/{name}": None for name in "abc"},
            is_read_only=True,
        )
    ]


async def test_predicates_that_raise_count_as_the_unsafe_answer(tmp_path: Path) -> None:
    broken = RuntimeError("cannot tell")
    runtime = Bench(tmp_path, FakeTool(is_read_only=broken, is_destructive=broken))
    await run(runtime)
    (call,) = runtime.gate.calls
    assert (call.is_read_only, call.is_destructive) == (False, True)


async def test_a_call_that_cannot_say_what_it_touches_is_neither_read_only_nor_let_through_unasked(
    tmp_path: Path,
) -> None:
    runtime = Bench(tmp_path, FakeTool(is_read_only=True, claims=RuntimeError("cannot tell")))
    await run(runtime)
    (call,) = runtime.gate.calls
    assert not call.is_read_only
    assert call.opinion is not None
    assert call.opinion.behavior == "ask"


@pytest.mark.parametrize(
    ("doubt", "own", "expected"),
    [
        (None, None, None),
        (None, Allow(), ToolOpinion("allow")),
        (Ask("sure?", ("Fake(x)",)), Allow(), ToolOpinion("ask", "sure?", ("Fake(x)",))),
        (Ask("sure?"), Deny("never"), ToolOpinion("deny", "never")),
        (Ask("first"), Ask("second"), ToolOpinion("ask", "first")),
    ],
)
async def test_the_strictest_of_the_tools_own_answers_reaches_permissions(
    tmp_path: Path, doubt: Ask | None, own: Opinion, expected: ToolOpinion | None
) -> None:
    runtime = Bench(tmp_path, FakeTool(validate=doubt, check_permissions=own))
    await run(runtime)
    assert runtime.gate.calls[0].opinion == expected


# --- hooks -----------------------------------------------------------------------------------------------------------


async def test_a_hook_that_denies_ends_the_call_before_permission(tmp_path: Path) -> None:
    async def no(use: HookedUse) -> HookAnswer:
        return HookAnswer(behavior="deny", reason=f"not {use.name} on {use.input['note']}")

    runtime = Bench(tmp_path, FakeTool(), extensions={"pre_tool_use": [no]})
    outcome, stages, _ = await run(runtime, raw={"note": "x"})
    assert outcome.content == error("A hook refused this call: not Fake on x")
    assert outcome.error_kind == "hook"
    assert stages[-1]["stage"] == "pre_hooks"
    assert runtime.gate.calls == []


async def test_an_input_from_a_hook_is_checked_and_judged_and_run(tmp_path: Path) -> None:
    async def other(use: HookedUse) -> HookAnswer:
        return HookAnswer(behavior="ask", reason="look", input={"note": "from the hook"})

    runtime = Bench(tmp_path, FakeTool(), extensions={"pre_tool_use": [other]})
    outcome, *_ = await run(runtime, raw={"note": "x"})
    assert outcome.content == "from the hook"
    (call,) = runtime.gate.calls
    assert (call.input, call.hook) == ({"note": "from the hook"}, ToolOpinion("ask", "look"))
    assert [event.by for event in runtime.of(ToolInputChanged)] == ["hook"]


async def test_a_hook_that_fails_has_said_nothing_and_is_reported(tmp_path: Path) -> None:
    async def broken(use: HookedUse) -> HookAnswer:
        raise OSError("no such program")

    runtime = Bench(tmp_path, FakeTool(), extensions={"pre_tool_use": [broken]})
    outcome, *_ = await run(runtime, raw={"note": "x"})
    assert outcome.content == "x"
    assert runtime.gate.calls[0].hook is None
    assert "no such program" in runtime.of(Notice)[0].text


# --- the call --------------------------------------------------------------------------------------------------------


def body_of(*items: Any) -> Any:
    async def body(input: FakeInput, ctx: ToolContext) -> AsyncIterator[Any]:
        for item in items:
            if isinstance(item, BaseException):
                raise item
            yield item

    return body


async def test_progress_is_published_while_the_call_runs_and_is_no_part_of_the_result(tmp_path: Path) -> None:
    runtime = Bench(tmp_path, FakeTool(body=body_of(Progress(message="half", tail=("a",)), Result("whole"))))
    outcome, *_ = await run(runtime)
    (progress,) = runtime.of(ToolProgressed)
    assert (progress.data["message"], progress.data["tail"]) == ("half", ["a"])
    assert "half" not in str(outcome.content)
    kinds = [type(event) for event in runtime.events]
    assert kinds.index(ToolProgressed) < kinds.index(ToolResultReady)


async def test_of_a_call_that_shows_ever_more_only_the_newest_is_kept(tmp_path: Path) -> None:
    """A screen that does not come to draw: its queue holds one progress, and nothing else holds any."""

    async def body(input: FakeInput, ctx: ToolContext) -> AsyncIterator[Any]:
        for number in range(500):
            yield Progress(message=str(number), tail=("x" * 1_000,))
        yield Result("ok")

    runtime = Bench(tmp_path, FakeTool(body=body))
    bus = Bus("s")
    screen = bus.subscribe("the screen")
    alive: list[int] = []

    def publish(event: Event) -> Event:
        published = bus.publish(event)
        if isinstance(event, ToolProgressed) and event.data["message"].endswith("99"):
            alive.append(sum(map(is_progress, gc.get_objects())))
        return published

    await run_one(replace(runtime.execution_context, publish=publish), "Fake", {}, tool_use_id="t1")
    assert len(alive) == 5
    assert 1 <= max(alive) <= alive[0] + 2, "what was shown before is gone"
    assert [event.data["message"] for event in screen.take() if isinstance(event, ToolProgressed)] == ["499"]


def is_progress(found: object) -> bool:
    return isinstance(found, ToolProgressed | Progress) or (type(found) is dict and "is_incomplete" in found)


@pytest.mark.parametrize(("items", "words"), [((), "no result"), ((Result("a"), Result("b")), "2 results")])
async def test_none_or_two_results_are_an_error(tmp_path: Path, items: tuple[Any, ...], words: str) -> None:
    outcome, stages, _ = await run(Bench(tmp_path, FakeTool(body=body_of(*items))))
    assert outcome.error_kind == "execution"
    assert words in str(outcome.content)
    assert stages[-1] == {"stage": "call", "ms": stages[-1]["ms"], "outcome": "execution"}


async def test_a_tool_error_gives_message_stderr_and_stdout(tmp_path: Path) -> None:
    failing = ToolError("Exit code 2", stdout="out", stderr="err", kind="timeout", data={"code": 2})
    outcome, *_ = await run(Bench(tmp_path, FakeTool(body=body_of(failing))))
    assert outcome.content == error("Exit code 2\nStderr:\nerr\nStdout:\nout")
    assert (outcome.error_kind, outcome.data) == ("timeout", {"code": 2})


async def test_long_output_of_a_failure_loses_its_middle(tmp_path: Path) -> None:
    failing = ToolError("Exit code 2", stdout="x" * 30_000 + "END")
    outcome, *_ = await run(Bench(tmp_path, FakeTool(body=body_of(failing))))
    text = str(outcome.content)
    assert len(text) < 10_200
    assert text.startswith(error("Exit code 2")[: len("<tool_use_error>Exit code 2")])
    assert text.endswith("END</tool_use_error>")
    assert "characters left out" in text


async def test_an_exception_nobody_foresaw_becomes_a_result_that_names_it(tmp_path: Path) -> None:
    failing = subprocess.CalledProcessError(3, ["x"], output=b"printed", stderr=b"complaint")
    outcome, *_ = await run(Bench(tmp_path, FakeTool(body=body_of(failing))))
    assert outcome.error_kind == "execution"
    assert outcome.data is not None
    assert outcome.data["exception"] == "CalledProcessError"
    assert "Stderr:\ncomplaint\nStdout:\nprinted" in str(outcome.content)


@pytest.mark.parametrize("stage", ["validate", "propose", "check_permissions", "to_result"])
async def test_a_tool_that_breaks_anywhere_gives_one_error_result(tmp_path: Path, stage: str) -> None:
    outcome, _, states = await run(Bench(tmp_path, FakeTool(**{stage: ZeroDivisionError("oops")})))
    assert (outcome.is_error, outcome.error_kind) == (True, "execution")
    assert "oops" in str(outcome.content)
    assert states[-1] == "yielded"


@pytest.mark.parametrize("thrown", [SystemExit(1), asyncio.CancelledError()])
async def test_a_tool_can_neither_end_the_program_nor_cancel_itself(tmp_path: Path, thrown: BaseException) -> None:
    outcome, *_ = await run(Bench(tmp_path, FakeTool(body=body_of(thrown))))
    assert outcome.error_kind == "execution"


async def test_a_failing_result_is_an_error_with_its_own_text_and_data(tmp_path: Path) -> None:
    runtime = Bench(tmp_path, FakeTool(body=body_of(Result("Exit code 1", is_error=True))))
    outcome, stages, _ = await run(runtime)
    assert outcome.content == error("Exit code 1")
    assert (outcome.error_kind, outcome.data) == ("execution", {"output": "Exit code 1"})
    assert [stage["stage"] for stage in stages] == list(STAGES)
    assert outcome.to_block()["is_error"] is True


async def test_an_error_result_holds_nothing_but_text(tmp_path: Path) -> None:
    blocks = [{"type": "text", "text": "bad"}, {"type": "image", "source": {}}]
    tool = FakeTool(body=body_of(Result("x", is_error=True)), to_result=blocks)
    outcome, *_ = await run(Bench(tmp_path, tool))
    assert outcome.content == error("bad")


async def test_a_denied_call_says_why_and_goes_on(tmp_path: Path) -> None:
    def deny(call: ToolCall, proposal: Any) -> Any:
        return type(allow(call))(behavior="deny", by="rule", rule="Fake", reason="the rule Fake forbids it")

    outcome, stages, _ = await run(Bench(tmp_path, FakeTool(), gate=FakeGate(judge=deny)))
    assert outcome.content == error("Permission to use Fake here was denied: the rule Fake forbids it")
    assert (outcome.error_kind, outcome.ends_turn) == ("denied", False)
    assert outcome.data == {"by": "rule", "rule": "Fake"}
    assert stages[-1]["outcome"] == "denied"


async def test_an_unasked_id_is_made_up_and_unique(tmp_path: Path) -> None:
    runtime = Bench(tmp_path, FakeTool())
    ids = {(await run_one(runtime.execution_context, "Fake", {})).outcome.tool_use_id for _ in range(3)}
    assert len(ids) == 3
    assert all(found.startswith("toolu_") for found in ids)


async def test_a_use_made_by_another_is_announced_as_its_child(tmp_path: Path) -> None:
    runtime = Bench(tmp_path, FakeTool())
    await run_one(runtime.execution_context, "Fake", {"note": "x"}, tool_use_id="t1", parent_tool_use_id="t0")
    started, completed = runtime.events[:2]
    assert isinstance(started, ToolUseStarted)
    assert (started.tool_use_id, started.parent_tool_use_id) == ("t1", "t0")
    assert isinstance(completed, ToolUseCompleted)
    assert completed.input == {"note": "x"}


async def test_what_a_tool_asks_the_person_within_its_call_is_no_run_time(tmp_path: Path) -> None:
    """Time stands still but for the user, who takes an hour."""
    now = [0.0]
    form = Form(title="Which?", fields=(FormField(key="a", question="Which?"),))

    async def person(tool_use_id: str, asked: Form) -> dict[str, Any]:
        now[0] += 3600
        return {"a": tool_use_id}

    async def body(input: FakeInput, ctx: ToolContext) -> AsyncIterator[Any]:
        assert ctx.ask_user is not None
        now[0] += 1
        yield Result(str(await ctx.ask_user(form)))

    runtime = Bench(tmp_path, FakeTool(body=body), ask_user=person)
    use = resolve_use(find_tool(runtime.execution_context.pool, "Fake"), {})
    tracked = TrackedTool("t1", publish=runtime.execution_context.publish, clock=lambda: now[0])
    tracked.queue()
    tracked.start()
    tracked.complete(await ToolRun(tracked, use, runtime.execution_context, AtOnce()).run())
    (result,) = runtime.of(ToolResultReady)
    assert (result.content, result.duration_ms) == ("{'a': 't1'}", 1000)


class AtOnce:
    """A place where nothing is in the way."""

    async def resettle(self, footprint: Any) -> None:
        return

    async def enter_call(self) -> None:
        return

    def leave_call(self) -> None:
        return


async def test_a_tool_that_cannot_say_what_it_had_to_show_still_gives_its_one_result(tmp_path: Path) -> None:
    async def body(input: FakeInput, ctx: ToolContext) -> AsyncIterator[Any]:
        ctx.partial = lambda: 1 / 0  # type: ignore[assignment,return-value]
        await asyncio.get_running_loop().create_future()
        yield Result("never")

    runtime = Bench(tmp_path, FakeTool(body=body))
    async with runtime.executor() as executor:
        executor.add("t1", "Fake", {})
        await settle()
        executor.stop("t1")
        (outcome,) = await rest(executor)
    assert outcome.error_kind == "aborted"
