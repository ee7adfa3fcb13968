"""The classifier in the race for an answer: what it thinks about, and what its opinion settles."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fake_tools import allow, rest, settle
from racing import NO, YES, Oracle, bench_of, judged, run, shell

from tui_agent.execution.extensions import ClassifierQuestion
from tui_agent.hooks.dispatch import HookedUse
from tui_agent.hooks.pre_tool_use import HookAnswer
from tui_agent.permissions.verdict import ToolCall, Verdict
from tui_agent.tools.base import Ask


async def test_hooks_and_the_classifier_think_side_by_side(tmp_path: Path) -> None:
    hook, classifier = Oracle(), Oracle()
    runtime = bench_of(tmp_path, pre_tool_use=[hook], classifier=classifier)

    def both_are_at_it() -> None:
        assert hook.is_thinking
        assert classifier.is_thinking
        assert runtime.gate.open == {}, "the question comes after the hooks"
        classifier.say("safe")
        hook.say(HookAnswer())

    outcome = await run(runtime, both_are_at_it)
    assert outcome.content == "ls"
    assert [answer.by for answer in runtime.gate.answered] == ["classifier"]
    assert classifier.asked == [ClassifierQuestion(tool_use_id="t1", name="Fake", text="ls")]


async def test_the_classifier_does_not_think_about_what_needs_no_asking(tmp_path: Path) -> None:
    classifier = Oracle()
    await run(bench_of(tmp_path, judge=allow, classifier=classifier))
    assert classifier.asked == []


async def test_a_classifier_whose_opinion_nobody_needs_any_more_is_stopped(tmp_path: Path) -> None:
    async def yes(use: HookedUse) -> HookAnswer:
        return HookAnswer(behavior="allow")

    def unless_approved(call: ToolCall, proposals: Any = ()) -> Verdict:
        return Verdict(behavior="allow" if call.hook else "ask", by="hook" if call.hook else "default", reason="")

    classifier = Oracle()
    runtime = bench_of(tmp_path, judge=unless_approved, pre_tool_use=[yes], classifier=classifier)
    outcome = await run(runtime)
    assert outcome.content == "ls"
    assert (len(classifier.asked), classifier.cancelled) == (1, 1)


async def test_an_input_from_a_hook_is_thought_about_anew(tmp_path: Path) -> None:
    async def other(use: HookedUse) -> HookAnswer:
        return HookAnswer(input={"note": "pwd"})

    classifier = Oracle()
    runtime = bench_of(tmp_path, pre_tool_use=[other], classifier=classifier)
    outcome = await run(runtime, lambda: classifier.say("safe"))
    assert [question.text for question in classifier.asked] == ["ls", "pwd"]
    assert classifier.cancelled == 1
    assert outcome.content == "pwd"


async def test_safe_answers_and_the_dialog_closes(tmp_path: Path) -> None:
    classifier = Oracle()
    runtime = bench_of(tmp_path, classifier=classifier)

    def while_the_dialog_is_open() -> None:
        assert list(runtime.gate.open) == ["t1"]
        classifier.say("safe")

    outcome = await run(runtime, while_the_dialog_is_open)
    assert (outcome.content, outcome.is_error) == ("ls", False)
    assert runtime.gate.open == {}


@pytest.mark.parametrize("opinion", ["unsafe", None, RuntimeError("no answer"), SystemExit(1)])
async def test_any_other_opinion_answers_nothing(tmp_path: Path, opinion: Any) -> None:
    classifier = Oracle()
    runtime = bench_of(tmp_path, classifier=classifier)
    async with runtime.executor() as executor:
        executor.add("t1", "Fake", {"note": "ls"})
        await settle()
        classifier.say(opinion)
        await settle()
        assert list(runtime.gate.open) == ["t1"], "the user is still asked"
        runtime.gate.answer("t1", NO)
        (outcome,) = await rest(executor)
    assert outcome.error_kind == "denied"


@pytest.mark.parametrize(
    "verdict",
    [
        {"by": "rule", "rule": "Fake"},
        {"by": "classifier"},
        {"by": "protected_path"},
        {"by": "hook"},
        {"by": "mode"},
        {"by": "tool"},
    ],
)
async def test_the_classifier_settles_nothing_that_somebody_wants_asked(
    tmp_path: Path, verdict: dict[str, Any]
) -> None:
    classifier = Oracle()
    runtime = bench_of(tmp_path, judge=judged(**verdict), classifier=classifier)
    await run(runtime, lambda: runtime.gate.answer("t1", YES))
    assert classifier.asked == []


@pytest.mark.parametrize(
    "answers",
    [
        {"classifier_input": ""},
        {"is_destructive": True},
        {"is_destructive": RuntimeError("cannot tell")},
        {"classifier_input": RuntimeError("cannot tell")},
    ],
)
async def test_the_classifier_judges_nothing_destructive_and_nothing_a_tool_keeps_from_it(
    tmp_path: Path, answers: dict[str, Any]
) -> None:
    classifier = Oracle()
    runtime = bench_of(tmp_path, shell(**answers), classifier=classifier)
    await run(runtime, lambda: runtime.gate.answer("t1", YES))
    assert classifier.asked == []


async def test_a_rule_that_asks_only_after_the_tools_own_check_keeps_the_classifiers_answer_out(tmp_path: Path) -> None:
    """It began to think while the call looked as if nothing but a missing rule asked."""

    def by_opinion(call: ToolCall, proposals: Any = ()) -> Verdict:
        return Verdict(behavior="ask", by="tool" if call.opinion else "default", reason="")

    classifier = Oracle()
    tool = shell(check_permissions=Ask("the user must see this"))
    runtime = bench_of(tmp_path, tool, judge=by_opinion, classifier=classifier)
    async with runtime.executor() as executor:
        executor.add("t1", "Fake", {"note": "ls"})
        await settle()
        classifier.say("safe")
        await settle()
        assert list(runtime.gate.open) == ["t1"]
        runtime.gate.answer("t1", YES)
        await rest(executor)
    assert [answer.by for answer in runtime.gate.answered] == ["person"]


@pytest.mark.parametrize("later", [{"behavior": "deny"}, {"by": "mode"}, {"by": "rule", "rule": "Fake"}])
async def test_a_rule_or_a_mode_that_came_meanwhile_keeps_the_classifier_out(
    tmp_path: Path, later: dict[str, Any]
) -> None:
    now: dict[str, Any] = {}
    classifier = Oracle()
    runtime = bench_of(tmp_path, judge=lambda call, proposals=(): judged(**now)(call, proposals), classifier=classifier)
    async with runtime.executor() as executor:
        executor.add("t1", "Fake", {"note": "ls"})
        await settle()
        now.update(later)
        classifier.say("safe")
        await settle()
        assert list(runtime.gate.open) == ["t1"], "the user decides"
        runtime.gate.answer("t1", YES)
        (outcome,) = await rest(executor)
    assert not outcome.is_error


async def test_a_use_that_is_stopped_while_its_hooks_think_stops_the_classifier_too(tmp_path: Path) -> None:
    hook, classifier = Oracle(), Oracle()
    runtime = bench_of(tmp_path, pre_tool_use=[hook], classifier=classifier)
    async with runtime.executor() as executor:
        executor.add("t1", "Fake", {"note": "ls"})
        await settle()
        executor.stop("t1")
        (outcome,) = await rest(executor)
    assert outcome.error_kind == "aborted"
    assert (hook.cancelled, classifier.cancelled) == (1, 1)
