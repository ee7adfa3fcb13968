"""Asking the user: yes, no, no with words, another input, part of a change."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from fake_tools import Bench, FakeGate, FakeInput, FakeTool, Lever, ask, change, rest, settle

from tui_agent.changes import FileChange
from tui_agent.events import EditApplied, EditProposed, EditReviewed, ToolInputChanged, ToolResultReady
from tui_agent.execution.errors import INTERRUPTED, REFUSED
from tui_agent.execution.execution_context import ToolOutcome
from tui_agent.execution.executor import StreamingExecutor
from tui_agent.execution.tracked_tool import TrackedTool
from tui_agent.hooks.pre_tool_use import HookAnswer, HookedUse
from tui_agent.permissions.verdict import Decision, ToolCall, Verdict
from tui_agent.tools.base import Ask, Invalid, Result, ToolContext

BEFORE = "a\nb\nc\nd\ne\nf\ng\nh\n"
AFTER = "A\nb\nc\nd\ne\nf\ng\nH\n"
YES, NO = Decision(behavior="allow"), Decision(behavior="deny")


def asking_bench(folder: Path, *tools: FakeTool, **more: Any) -> Bench:
    return Bench(folder, *tools, gate=FakeGate(judge=ask), **more)


async def answered(runtime: Bench, decision: Decision, raw: dict[str, Any] | None = None) -> ToolOutcome:
    """Run one use and answer its one question."""
    async with runtime.executor() as executor:
        executor.add("t1", "Fake", raw or {})
        await settle()
        runtime.gate.answer("t1", decision)
        (outcome,) = await rest(executor)
    return outcome


async def test_a_yes_lets_it_run(tmp_path: Path) -> None:
    outcome = await answered(asking_bench(tmp_path, FakeTool()), YES, {"note": "x"})
    assert (outcome.content, outcome.is_error) == ("x", False)


async def test_what_is_said_with_a_yes_follows_the_result(tmp_path: Path) -> None:
    outcome = await answered(
        asking_bench(tmp_path, FakeTool()), Decision(behavior="allow", message="only once"), {"note": "x"}
    )
    assert str(outcome.content).startswith("x")
    assert "The user allowed this, and said:\nonly once" in str(outcome.content)


async def test_what_is_said_with_a_yes_to_another_input_follows_the_result(tmp_path: Path) -> None:
    decision = Decision(behavior="allow", message="only once", input={"note": "y"})
    outcome = await answered(asking_bench(tmp_path, FakeTool()), decision, {"note": "x"})
    assert "only once" in str(outcome.content)


async def test_a_plain_no_gives_the_fixed_text_and_ends_the_turn(tmp_path: Path) -> None:
    runtime = asking_bench(tmp_path, FakeTool(body=AssertionError))
    outcome = await answered(runtime, NO)
    assert outcome.content == f"<tool_use_error>{REFUSED}</tool_use_error>"
    assert (outcome.error_kind, outcome.ends_turn) == ("denied", True)
    assert runtime.stages("t1")[-1] == ("permission", "denied")


async def test_a_no_with_words_gives_the_words_and_goes_on(tmp_path: Path) -> None:
    outcome = await answered(asking_bench(tmp_path, FakeTool()), Decision(behavior="deny", message="use Grep"))
    assert "use Grep" in str(outcome.content)
    assert (outcome.error_kind, outcome.ends_turn) == ("denied", False)
    assert outcome.data == {"by": "person", "words": "use Grep"}


def test_refused_and_interrupted_are_different_texts() -> None:
    assert REFUSED != INTERRUPTED


async def test_without_a_person_a_question_is_a_denial_that_does_not_end_the_turn(tmp_path: Path) -> None:
    runtime = Bench(tmp_path, FakeTool(), gate=FakeGate(judge=ask, is_attended=False), is_interactive=False)
    async with runtime.executor() as executor:
        executor.add("t1", "Fake", {})
        (outcome,) = await rest(executor)
    assert "nobody is there" in str(outcome.content)
    assert "the test asks" in str(outcome.content)
    assert (outcome.error_kind, outcome.ends_turn) == ("denied", False)


async def test_the_question_carries_the_call_the_reason_and_the_change(tmp_path: Path) -> None:
    proposal = change("f", BEFORE, AFTER)
    runtime = asking_bench(tmp_path, FakeTool(propose=proposal, is_destructive=True))
    async with runtime.executor() as executor:
        executor.add("t1", "Fake", {"note": "x"})
        await settle()
        question, _ = runtime.gate.open["t1"]
        runtime.gate.answer("t1", YES)
        await rest(executor)
    assert (question.name, question.input, question.is_destructive) == ("Fake", {"note": "x"}, True)
    assert question.verdict.reason == "the test asks"
    assert question.proposals == (proposal,)
    assert runtime.gate.proposals == [(proposal,)]


async def test_judging_an_edited_input_asks_nobody(tmp_path: Path) -> None:
    def by_note(call: ToolCall, proposal: FileChange | None) -> Verdict:
        behavior = "allow" if call.input.get("note") == "harmless" and call.opinion is None else "ask"
        return Verdict(behavior=behavior, by="rule", reason=call.opinion.message if call.opinion else "by note")

    tool = FakeTool(check_permissions=lambda given: Ask("own doubt") if given.note == "x" else None)
    runtime = Bench(tmp_path, tool, gate=FakeGate(judge=by_note))
    async with runtime.executor() as executor:
        executor.add("t1", "Fake", {"note": "x"})
        await settle()
        question, _ = runtime.gate.open["t1"]
        assert question.judge({"note": "harmless"}).behavior == "allow"
        assert question.judge({"note": "other"}).behavior == "ask"
        assert question.judge({"nonsense": 1}).behavior == "deny"
        assert question.judge({"note": "x"}).reason == "own doubt", "the tool's own doubt counts for its own input"
        runtime.gate.answer("t1", YES)
        await rest(executor)


# --- another input ---------------------------------------------------------------------------------------------------


async def test_an_edited_input_is_judged_again_run_and_told_to_the_model(tmp_path: Path) -> None:
    runtime = asking_bench(tmp_path, FakeTool())
    outcome = await answered(runtime, Decision(behavior="allow", input={"note": "mine"}), {"note": "x"})
    assert [call.input for call in runtime.gate.calls] == [{"note": "x"}, {"note": "mine"}]
    text = str(outcome.content)
    assert text.startswith("The user changed the input")
    assert '{"note": "mine"}' in text
    assert text.endswith("mine")
    (changed,) = runtime.of(ToolInputChanged)
    assert (changed.input, changed.by) == ({"note": "mine"}, "person")


async def test_a_rule_denies_an_edited_input_too(tmp_path: Path) -> None:
    def no_mine(call: ToolCall, proposal: FileChange | None) -> Verdict:
        behavior = "deny" if call.input["note"] == "mine" else "ask"
        return Verdict(behavior=behavior, by="rule", rule="Fake(mine)", reason="never that")

    runtime = Bench(tmp_path, FakeTool(), gate=FakeGate(judge=no_mine))
    outcome = await answered(runtime, Decision(behavior="allow", input={"note": "mine"}), {"note": "x"})
    assert (outcome.error_kind, outcome.ends_turn) == ("denied", False)


async def test_an_edited_input_passes_both_validations_again(tmp_path: Path) -> None:
    tool = FakeTool(validate=lambda given: Invalid("not this", "bad") if given.note == "mine" else None)
    for raw, kind in (({"note": "mine"}, "validation"), ({"nonsense": 1}, "invalid_input")):
        outcome = await answered(asking_bench(tmp_path, tool), Decision(behavior="allow", input=raw), {"note": "x"})
        assert outcome.error_kind == kind


async def test_an_edited_input_is_proposed_again_and_that_proposal_is_applied(tmp_path: Path) -> None:
    seen: list[Any] = []

    async def body(input: FakeInput, ctx: ToolContext) -> Any:
        seen.extend(ctx.approved)
        yield Result("ok")

    tool = FakeTool(propose=lambda given: change("f", "a\n", f"{given.note}\n"), body=body)
    runtime = asking_bench(tmp_path, tool)
    await answered(runtime, Decision(behavior="allow", input={"note": "mine"}), {"note": "x"})
    assert seen[0].after == "mine\n"
    assert [event.change.after for event in runtime.of(EditProposed)] == ["x\n", "mine\n"]
    assert [event.change.after for event in runtime.of(EditApplied)] == ["mine\n"]


# --- part of a change ------------------------------------------------------------------------------------------------


def recorder(seen: list[Any], *, fails: bool = False) -> Any:
    async def body(input: FakeInput, ctx: ToolContext) -> Any:
        seen.extend(ctx.approved)
        yield Result("ok", is_error=fails)

    return body


async def test_a_change_allowed_without_asking_is_approved_whole(tmp_path: Path) -> None:
    seen: list[Any] = []
    proposal = change("f", BEFORE, AFTER)
    runtime = Bench(tmp_path, FakeTool(propose=proposal, body=recorder(seen)))
    async with runtime.executor() as executor:
        executor.add("t1", "Fake", {})
        await rest(executor)
    assert seen == [proposal.approve()]
    assert runtime.of(EditReviewed) == []
    assert [event.change for event in runtime.of(EditApplied)] == [proposal]


async def test_exactly_the_hunks_that_were_taken_reach_the_tool_and_the_events(tmp_path: Path) -> None:
    seen: list[Any] = []
    proposal = change("f", BEFORE, AFTER)
    approved = proposal.approve([1])
    runtime = asking_bench(tmp_path, FakeTool(propose=proposal, body=recorder(seen)))
    await answered(runtime, Decision(behavior="allow", approved=(approved,)))
    assert seen == [approved]
    (reviewed,) = runtime.of(EditReviewed)
    assert (reviewed.accepted, reviewed.refused) == ((1,), (0,))
    (applied,) = runtime.of(EditApplied)
    assert applied.change.after == "a\nb\nc\nd\ne\nf\ng\nH\n"
    order = [type(event) for event in runtime.events]
    assert (
        order.index(EditProposed) < order.index(EditReviewed) < order.index(EditApplied) < order.index(ToolResultReady)
    )


async def test_taking_no_hunk_at_all_is_a_refusal(tmp_path: Path) -> None:
    proposal = change("f", BEFORE, AFTER)
    runtime = asking_bench(tmp_path, FakeTool(propose=proposal))
    outcome = await answered(runtime, Decision(behavior="allow", approved=(proposal.approve([]),)))
    assert (outcome.error_kind, outcome.ends_turn) == ("denied", True)
    assert runtime.of(EditApplied) == []


async def test_a_change_that_failed_is_not_said_to_be_applied(tmp_path: Path) -> None:
    tool = FakeTool(propose=change("f", BEFORE, AFTER), body=recorder([], fails=True))
    runtime = asking_bench(tmp_path, tool)
    await answered(runtime, YES)
    assert runtime.of(EditApplied) == []


# --- among others ----------------------------------------------------------------------------------------------------


async def test_the_time_of_a_question_is_counted_as_waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log: list[str] = []

    @contextmanager
    def waiting(use: TrackedTool) -> Iterator[None]:
        log.append("waits")
        yield
        log.append("goes on")

    monkeypatch.setattr(TrackedTool, "waiting", waiting)
    runtime = asking_bench(tmp_path, FakeTool())
    async with runtime.executor() as executor:
        executor.add("t1", "Fake", {})
        await settle()
        assert log == ["waits"]
        runtime.gate.answer("t1", YES)
        await rest(executor)
    assert log == ["waits", "goes on"]


async def test_an_input_from_a_hook_claims_what_it_touches(tmp_path: Path) -> None:
    async def other(use: HookedUse) -> HookAnswer:
        return HookAnswer(input={"writes": ["b"]} if use.tool_use_id == "t2" else None)

    lever = Lever()
    runtime = Bench(tmp_path, FakeTool(body=lever), extensions={"pre_tool_use": [other]})
    async with runtime.executor() as executor:
        executor.add("t1", "Fake", {"writes": ["b"]})
        executor.add("t2", "Fake", {"writes": ["a"]})
        await settle()
        assert lever.in_call == ["t1"]
        assert runtime.gate.calls[1:] == [], "what t2 would do is worked out when t1 is done"
        lever.finish("t1")
        await settle()
        assert lever.in_call == ["t2"]


async def test_a_use_that_waits_for_a_person_keeps_its_place(tmp_path: Path) -> None:
    runtime = asking_bench(tmp_path, FakeTool())
    async with runtime.executor() as executor:
        executor.add("t1", "Fake", {"writes": ["f"]})
        executor.add("t2", "Fake", {"reads": ["f"]})
        await settle()
        assert list(runtime.gate.open) == ["t1"]
        assert runtime.states("t2") == ["queued"]


async def test_an_edited_input_that_now_conflicts_waits_for_the_use_in_its_call(tmp_path: Path) -> None:
    lever = Lever()

    def only_first(call: ToolCall, proposal: FileChange | None) -> Verdict:
        return Verdict(behavior="ask" if call.input.get("number") == 1 else "allow", by="default", reason="")

    runtime = Bench(tmp_path, FakeTool(body=lever), gate=FakeGate(judge=only_first))
    async with runtime.executor() as executor:
        executor.add("t1", "Fake", {"writes": ["a"], "number": 1})
        executor.add("t2", "Fake", {"writes": ["b"]})
        await settle()
        assert lever.in_call == ["t2"]
        runtime.gate.answer("t1", Decision(behavior="allow", input={"writes": ["b"], "number": 1}))
        await settle()
        assert lever.in_call == ["t2"], "t1 writes b now, and t2 is writing it"
        lever.finish("t2")
        await settle()
        assert lever.in_call == ["t1"]
        lever.finish("t1")
        await rest(executor)


async def test_of_two_that_wait_for_a_person_and_now_conflict_the_earlier_goes_first(tmp_path: Path) -> None:
    for edited, other in (("t1", "t2"), ("t2", "t1")):
        lever = Lever()
        runtime = asking_bench(tmp_path, FakeTool(body=lever))
        async with runtime.executor() as executor:
            executor.add("t1", "Fake", {"writes": ["a"]})
            executor.add("t2", "Fake", {"writes": ["b"]})
            await settle()
            taken = runtime.gate.open[other][0].input
            runtime.gate.answer(edited, Decision(behavior="allow", input={**taken, "note": "edited"}))
            await settle()
            if edited == "t2":
                assert lever.in_call == [], "t1 was shown a file that t2 must not change before it"
            runtime.gate.answer(other, YES)
            await settle()
            assert lever.in_call == ["t1"]
            lever.finish("t1")
            await settle()
            assert lever.in_call == ["t2"]


async def test_an_edited_input_that_touches_less_lets_others_start(tmp_path: Path) -> None:
    runtime = asking_bench(tmp_path, FakeTool(body=Lever()))
    async with runtime.executor() as executor:
        executor.add("t1", "Fake", {"alone": True})
        executor.add("t2", "Fake", {"writes": ["b"]})
        await settle()
        runtime.gate.answer("t1", Decision(behavior="allow", input={"writes": ["a"]}))
        await settle()
        assert "t2" in runtime.gate.open


async def test_an_interrupt_withdraws_the_question_even_of_a_blocking_tool(tmp_path: Path) -> None:
    runtime = asking_bench(tmp_path, FakeTool(interrupt_behavior="block"))
    async with runtime.executor() as executor:
        executor.add("t1", "Fake", {})
        await settle()
        executor.interrupt()
        (outcome,) = await rest(executor)
    assert outcome.content == f"<tool_use_error>{INTERRUPTED}</tool_use_error>"
    assert runtime.gate.open == {}
    assert runtime.stages("t1")[-1] == ("permission", "aborted")


@pytest.mark.parametrize("words", [None, "not like this"])
async def test_a_plain_no_cancels_what_remains_and_a_no_with_words_does_not(tmp_path: Path, words: str | None) -> None:
    lever = Lever()

    def by_number(call: ToolCall, proposal: FileChange | None) -> Verdict:
        return Verdict(behavior="allow" if call.input["number"] == 0 else "ask", by="default", reason="")

    runtime = Bench(tmp_path, FakeTool(body=lever, interrupt_behavior="cancel"), gate=FakeGate(judge=by_number))
    async with runtime.executor() as executor:
        executor.add("t0", "Fake", {"writes": ["0"], "number": 0})
        executor.add("t1", "Fake", {"writes": ["1"], "number": 1})
        executor.add("t2", "Fake", {"writes": ["2"], "number": 2})
        executor.add("t3", "Fake", {"writes": ["2"], "number": 3})
        await settle()
        runtime.gate.answer("t1", Decision(behavior="deny", message=words))
        await settle()
        if words:
            assert list(runtime.gate.open) == ["t2"]
            runtime.gate.answer("t2", YES)
            await settle()
            lever.finish("t0")
            lever.finish("t2")
            await settle()
            runtime.gate.answer("t3", YES)
            await settle()
            lever.finish("t3")
        outcomes = await rest(executor)
    kinds = [outcome.error_kind for outcome in outcomes]
    assert kinds == ([None, "denied", None, None] if words else ["aborted", "denied", "aborted", "aborted"])
    assert [outcome.ends_turn for outcome in outcomes] == [False, words is None, False, False]


async def test_an_answer_that_comes_too_late_changes_nothing(tmp_path: Path) -> None:
    runtime = asking_bench(tmp_path, FakeTool())
    executor: StreamingExecutor = runtime.executor()
    executor.add("t1", "Fake", {})
    await settle()
    _, future = runtime.gate.open["t1"]
    executor.stop("t1")
    outcomes = asyncio.ensure_future(rest(executor))
    await settle()
    assert future.cancelled()
    assert [outcome.error_kind for outcome in await outcomes] == ["aborted"]
