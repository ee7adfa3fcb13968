"""A question and who may answer it: the person, hooks, the classifier. The first answer counts, and it is the only one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fake_tools import Bench, FakeGate, FakeInput, FakeTool, Lever, allow, ask, change, rest, settle

from tui_agent.agent.desk import PermissionDesk
from tui_agent.events import (
    EditApplied,
    Notice,
    PermissionRequested,
    PermissionResolved,
    ToolInputChanged,
    ToolStageEnded,
    ToolStageStarted,
)
from tui_agent.execution.executor import StreamingExecutor
from tui_agent.execution.extensions import ClassifierQuestion
from tui_agent.execution.race import NOBODY, Answer, Rivals, first_answer
from tui_agent.execution.toolbox import ToolOutcome
from tui_agent.hooks.hearing import HookedUse
from tui_agent.hooks.permission_request import HookedQuestion, PermissionAnswer
from tui_agent.hooks.pre_tool_use import HookAnswer
from tui_agent.permissions.verdict import Call, Decision, ToolOpinion, Verdict
from tui_agent.tools.base import Ask, Result, ToolContext

YES, NO = Decision(behavior="allow"), Decision(behavior="deny")
BY_HOOK = Answer(decision=YES, by="hook")


class Oracle:
    """A hook or a classifier that answers when, and what, the test says."""

    def __init__(self) -> None:
        self.asked: list[Any] = []
        self.cancelled = 0
        self._answers: list[asyncio.Future[Any]] = []

    async def __call__(self, question: Any) -> Any:
        self.asked.append(question)
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._answers.append(answer)
        try:
            return await answer
        except asyncio.CancelledError:
            self.cancelled += 1
            raise

    def say(self, answer: Any) -> None:
        waiting = self._answers[-1]
        if isinstance(answer, BaseException):
            waiting.set_exception(answer)
        else:
            waiting.set_result(answer)

    @property
    def is_thinking(self) -> bool:
        return bool(self._answers) and not self._answers[-1].done()


def judged(**verdict: Any) -> Callable[..., Verdict]:
    return lambda call, proposals=(): Verdict(**{"behavior": "ask", "by": "default", "reason": "so it is", **verdict})


def shell(**answers: Any) -> FakeTool:
    return FakeTool(**{"classifier_input": lambda given: given.note, **answers})


def bench_of(
    folder: Path, tool: FakeTool | None = None, *, judge: Any = ask, is_attended: bool = True, **extensions: Any
) -> Bench:
    return Bench(
        folder,
        tool or shell(),
        gate=FakeGate(judge=judge, is_attended=is_attended),
        extensions=extensions,
        is_interactive=is_attended,
    )


async def run(bench: Bench, *steps: Callable[[], object], raw: dict[str, Any] | None = None) -> ToolOutcome:
    """Run one use; each step is taken when nothing goes on by itself any more."""
    async with bench.executor() as executor:
        executor.add("t1", "Fake", raw or {"note": "ls"})
        for step in steps:
            await settle()
            step()
        await settle()
        (outcome,) = await asyncio.wait_for(rest(executor), 10)
    return outcome


# --- the race itself -------------------------------------------------------------------------------------------------


async def test_nobody_there_and_nobody_racing_is_a_denial_by_nobody() -> None:
    assert await first_answer(None, Rivals()) is NOBODY


async def test_a_person_who_answers_in_the_same_moment_as_a_rival_wins() -> None:
    person: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()

    async def rival() -> Answer:
        person.set_result(Answer(decision=NO, by="person"))
        return BY_HOOK

    assert (await first_answer(person, Rivals([rival]))).by == "person"


async def test_when_a_rival_has_won_the_persons_answer_finds_the_question_closed() -> None:
    person: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()

    async def rival() -> Answer:
        return BY_HOOK

    assert await first_answer(person, Rivals([rival])) is BY_HOOK
    assert person.done()


async def test_rivals_that_all_pass_leave_it_to_the_person() -> None:
    person: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()

    async def silent() -> None:
        return None

    race = asyncio.ensure_future(first_answer(person, Rivals([silent, silent])))
    await settle()
    assert not race.done()
    person.set_result(Answer(decision=YES, by="person"))
    assert (await race).by == "person"
    assert await first_answer(None, Rivals([silent])) is NOBODY


# --- before the question ---------------------------------------------------------------------------------------------


async def test_hooks_and_the_classifier_think_side_by_side(tmp_path: Path) -> None:
    hook, classifier = Oracle(), Oracle()
    bench = bench_of(tmp_path, pre_tool_use=[hook], classifier=classifier)

    def both_are_at_it() -> None:
        assert hook.is_thinking
        assert classifier.is_thinking
        assert bench.gate.open == {}, "the question comes after the hooks"
        classifier.say("safe")
        hook.say(HookAnswer())

    outcome = await run(bench, both_are_at_it)
    assert outcome.content == "ls"
    assert [answer.by for answer in bench.gate.answered] == ["classifier"]
    assert classifier.asked == [ClassifierQuestion(tool_use_id="t1", name="Fake", text="ls")]


async def test_the_classifier_does_not_think_about_what_needs_no_asking(tmp_path: Path) -> None:
    classifier = Oracle()
    await run(bench_of(tmp_path, judge=allow, classifier=classifier))
    assert classifier.asked == []


async def test_a_classifier_whose_opinion_nobody_needs_any_more_is_stopped(tmp_path: Path) -> None:
    async def yes(use: HookedUse) -> HookAnswer:
        return HookAnswer(behavior="allow")

    def unless_approved(call: Call, proposals: Any = ()) -> Verdict:
        return Verdict(behavior="allow" if call.hook else "ask", by="hook" if call.hook else "default", reason="")

    classifier = Oracle()
    bench = bench_of(tmp_path, judge=unless_approved, pre_tool_use=[yes], classifier=classifier)
    outcome = await run(bench)
    assert outcome.content == "ls"
    assert (len(classifier.asked), classifier.cancelled) == (1, 1)


async def test_an_input_from_a_hook_is_thought_about_anew(tmp_path: Path) -> None:
    async def other(use: HookedUse) -> HookAnswer:
        return HookAnswer(input={"note": "pwd"})

    classifier = Oracle()
    bench = bench_of(tmp_path, pre_tool_use=[other], classifier=classifier)
    outcome = await run(bench, lambda: classifier.say("safe"))
    assert [question.text for question in classifier.asked] == ["ls", "pwd"]
    assert classifier.cancelled == 1
    assert outcome.content == "pwd"


# --- the question ----------------------------------------------------------------------------------------------------


async def test_safe_answers_and_the_dialog_closes(tmp_path: Path) -> None:
    classifier = Oracle()
    bench = bench_of(tmp_path, classifier=classifier)

    def while_the_dialog_is_open() -> None:
        assert list(bench.gate.open) == ["t1"]
        classifier.say("safe")

    outcome = await run(bench, while_the_dialog_is_open)
    assert (outcome.content, outcome.is_error) == ("ls", False)
    assert bench.gate.open == {}


@pytest.mark.parametrize("opinion", ["unsafe", None, RuntimeError("no answer"), SystemExit(1)])
async def test_any_other_opinion_answers_nothing(tmp_path: Path, opinion: Any) -> None:
    classifier = Oracle()
    bench = bench_of(tmp_path, classifier=classifier)
    async with bench.executor() as executor:
        executor.add("t1", "Fake", {"note": "ls"})
        await settle()
        classifier.say(opinion)
        await settle()
        assert list(bench.gate.open) == ["t1"], "the person is still asked"
        bench.gate.answer("t1", NO)
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
    bench = bench_of(tmp_path, judge=judged(**verdict), classifier=classifier)
    await run(bench, lambda: bench.gate.answer("t1", YES))
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
    bench = bench_of(tmp_path, shell(**answers), classifier=classifier)
    await run(bench, lambda: bench.gate.answer("t1", YES))
    assert classifier.asked == []


async def test_a_rule_that_asks_only_after_the_tools_own_check_keeps_the_classifiers_answer_out(tmp_path: Path) -> None:
    """It began to think while the call looked as if nothing but a missing rule asked."""

    def by_opinion(call: Call, proposals: Any = ()) -> Verdict:
        return Verdict(behavior="ask", by="tool" if call.opinion else "default", reason="")

    classifier = Oracle()
    tool = shell(check_permissions=Ask("the person must see this"))
    bench = bench_of(tmp_path, tool, judge=by_opinion, classifier=classifier)
    async with bench.executor() as executor:
        executor.add("t1", "Fake", {"note": "ls"})
        await settle()
        classifier.say("safe")
        await settle()
        assert list(bench.gate.open) == ["t1"]
        bench.gate.answer("t1", YES)
        await rest(executor)
    assert [answer.by for answer in bench.gate.answered] == ["person"]


async def test_a_hook_may_settle_even_what_a_rule_asks(tmp_path: Path) -> None:
    hook = Oracle()
    verdict = {"by": "rule", "rule": "Fake", "suggestions": ("Fake(ls)",)}
    bench = bench_of(tmp_path, judge=judged(**verdict), permission_request=[hook])
    outcome = await run(bench, lambda: hook.say(PermissionAnswer(behavior="allow")))
    assert outcome.content == "ls"
    use = HookedUse(tool_use_id="t1", name="Fake", input={"note": "ls"})
    assert hook.asked == [HookedQuestion(use=use, reason="so it is", suggestions=("Fake(ls)",))]
    assert [answer.by for answer in bench.gate.answered] == ["hook"]


async def test_a_hook_that_denies_gives_its_reason_and_the_turn_goes_on(tmp_path: Path) -> None:
    hook = Oracle()
    bench = bench_of(tmp_path, permission_request=[hook])
    outcome = await run(bench, lambda: hook.say(PermissionAnswer(behavior="deny", message="not on Fridays")))
    assert outcome.content == "<tool_use_error>A hook refused this call: not on Fridays</tool_use_error>"
    assert (outcome.error_kind, outcome.ends_turn) == ("hook", False)


async def test_a_hook_that_denies_may_end_the_turn(tmp_path: Path) -> None:
    hook = Oracle()
    bench = bench_of(tmp_path, permission_request=[hook])
    outcome = await run(bench, lambda: hook.say(PermissionAnswer(behavior="deny", ends_turn=True)))
    assert outcome.content == "<tool_use_error>A hook refused this call.</tool_use_error>"
    assert outcome.ends_turn


async def test_the_first_answer_cancels_all_others(tmp_path: Path) -> None:
    slow, quick, classifier = Oracle(), Oracle(), Oracle()
    bench = bench_of(tmp_path, permission_request=[slow, quick], classifier=classifier)
    outcome = await run(bench, lambda: quick.say(PermissionAnswer(behavior="allow")))
    assert outcome.content == "ls"
    assert (slow.cancelled, classifier.cancelled) == (1, 1)


async def test_the_persons_answer_cancels_hooks_and_classifier(tmp_path: Path) -> None:
    hook, classifier = Oracle(), Oracle()
    bench = bench_of(tmp_path, permission_request=[hook], classifier=classifier)
    await run(bench, lambda: bench.gate.answer("t1", YES))
    assert (hook.cancelled, classifier.cancelled) == (1, 1)


async def test_a_hook_that_says_nothing_or_fails_leaves_it_to_the_others(tmp_path: Path) -> None:
    silent, broken, third = Oracle(), Oracle(), Oracle()
    bench = bench_of(tmp_path, permission_request=[silent, broken, third])
    outcome = await run(
        bench,
        lambda: silent.say(PermissionAnswer()),
        lambda: broken.say(OSError("no such program")),
        lambda: third.say(PermissionAnswer(behavior="allow")),
    )
    assert outcome.content == "ls"
    assert "no such program" in bench.of(Notice)[0].text


async def test_an_input_from_a_hook_is_checked_judged_and_proposed_again(tmp_path: Path) -> None:
    hook = Oracle()
    seen: list[Any] = []

    async def body(input: FakeInput, ctx: ToolContext) -> Any:
        seen.extend(ctx.approved)
        yield Result(input.note)

    tool = shell(propose=lambda given: change("f", "a\n", f"{given.note}\n"), body=body)
    bench = bench_of(tmp_path, tool, permission_request=[hook])
    other = PermissionAnswer(behavior="allow", input={"note": "pwd"})
    outcome = await run(bench, lambda: hook.say(other))
    assert [call.input for call in bench.gate.calls] == [{"note": "ls"}, {"note": "pwd"}]
    assert str(outcome.content).startswith("A hook changed the input")
    assert [event.by for event in bench.of(ToolInputChanged)] == ["hook"]
    assert [approved.after for approved in seen] == ["pwd\n"]
    assert [event.change.after for event in bench.of(EditApplied)] == ["pwd\n"]


async def test_a_deny_rule_stops_an_input_from_a_hook(tmp_path: Path) -> None:
    def never_pwd(call: Call, proposals: Any = ()) -> Verdict:
        return Verdict(behavior="deny" if call.input["note"] == "pwd" else "ask", by="rule", reason="never that")

    hook = Oracle()
    bench = bench_of(tmp_path, judge=never_pwd, permission_request=[hook])
    outcome = await run(bench, lambda: hook.say(PermissionAnswer(behavior="allow", input={"note": "pwd"})))
    assert outcome.error_kind == "denied"


async def test_an_input_that_comes_with_a_denial_changes_nothing(tmp_path: Path) -> None:
    hook = Oracle()
    bench = bench_of(tmp_path, permission_request=[hook])
    outcome = await run(bench, lambda: hook.say(PermissionAnswer(behavior="deny", input={"note": "pwd"})))
    assert (outcome.error_kind, bench.of(ToolInputChanged)) == ("hook", [])


@pytest.mark.parametrize("who", ["hook", "classifier"])
async def test_without_a_person_hooks_and_classifier_still_race(tmp_path: Path, who: str) -> None:
    hook, classifier = Oracle(), Oracle()
    bench = bench_of(tmp_path, is_attended=False, permission_request=[hook], classifier=classifier)
    answers = {"hook": (hook, PermissionAnswer(behavior="allow")), "classifier": (classifier, "safe")}
    oracle, answer = answers[who]
    outcome = await run(bench, lambda: oracle.say(answer))
    assert (outcome.content, [found.by for found in bench.gate.answered]) == ("ls", [who])


async def test_without_a_person_a_question_that_nobody_answers_is_denied(tmp_path: Path) -> None:
    hook, classifier = Oracle(), Oracle()
    bench = bench_of(tmp_path, is_attended=False, permission_request=[hook], classifier=classifier)
    outcome = await run(bench, lambda: hook.say(PermissionAnswer()), lambda: classifier.say("unsafe"))
    assert "nobody is there" in str(outcome.content)
    assert (outcome.error_kind, outcome.ends_turn) == ("denied", False)


async def test_an_interrupt_ends_everybody(tmp_path: Path) -> None:
    hook, classifier = Oracle(), Oracle()
    bench = bench_of(tmp_path, permission_request=[hook], classifier=classifier)
    async with bench.executor() as executor:
        executor.add("t1", "Fake", {"note": "ls"})
        await settle()
        executor.interrupt()
        (outcome,) = await rest(executor)
    assert outcome.error_kind == "aborted"
    assert (hook.cancelled, classifier.cancelled) == (1, 1)


async def test_a_use_that_is_stopped_while_its_hooks_think_stops_the_classifier_too(tmp_path: Path) -> None:
    hook, classifier = Oracle(), Oracle()
    bench = bench_of(tmp_path, pre_tool_use=[hook], classifier=classifier)
    async with bench.executor() as executor:
        executor.add("t1", "Fake", {"note": "ls"})
        await settle()
        executor.stop("t1")
        (outcome,) = await rest(executor)
    assert outcome.error_kind == "aborted"
    assert (hook.cancelled, classifier.cancelled) == (1, 1)


async def test_of_several_uses_each_has_a_race_of_its_own(tmp_path: Path) -> None:
    async def by_note(question: ClassifierQuestion) -> Any:
        return "safe" if question.text == "ls" else "unsafe"

    lever = Lever()
    bench = bench_of(tmp_path, shell(body=lever), classifier=by_note)
    async with bench.executor() as executor:
        executor.add("t1", "Fake", {"note": "ls", "safe": True})
        executor.add("t2", "Fake", {"note": "rm", "safe": True})
        await settle()
        assert (lever.in_call, list(bench.gate.open)) == (["t1"], ["t2"])
        assert ToolOpinion("allow") not in [call.opinion for call in bench.gate.calls]


async def test_each_stage_of_a_race_that_a_hook_wins_is_told(tmp_path: Path) -> None:
    async def yes(question: HookedQuestion) -> PermissionAnswer:
        return PermissionAnswer(behavior="allow")

    bench = bench_of(tmp_path, permission_request=[yes])
    await run(bench)
    assert {event.stage: event.outcome for event in bench.of(ToolStageEnded)}["permission"] == "ok"


# --- while somebody thinks, rules and mode may change ----------------------------------------------------------------


@pytest.mark.parametrize("later", [{"behavior": "deny"}, {"by": "mode"}, {"by": "rule", "rule": "Fake"}])
async def test_a_rule_or_a_mode_that_came_meanwhile_keeps_the_classifier_out(
    tmp_path: Path, later: dict[str, Any]
) -> None:
    now: dict[str, Any] = {}
    classifier = Oracle()
    bench = bench_of(tmp_path, judge=lambda call, proposals=(): judged(**now)(call, proposals), classifier=classifier)
    async with bench.executor() as executor:
        executor.add("t1", "Fake", {"note": "ls"})
        await settle()
        now.update(later)
        classifier.say("safe")
        await settle()
        assert list(bench.gate.open) == ["t1"], "the person decides"
        bench.gate.answer("t1", YES)
        (outcome,) = await rest(executor)
    assert not outcome.is_error


@pytest.mark.parametrize(("later", "kind"), [("deny", "denied"), ("ask", None)])
async def test_a_rule_that_denies_by_now_holds_against_a_hook(tmp_path: Path, later: str, kind: str | None) -> None:
    now = {"behavior": "ask"}
    hook = Oracle()
    bench = bench_of(
        tmp_path, judge=lambda call, proposals=(): judged(**now)(call, proposals), permission_request=[hook]
    )

    def meanwhile() -> None:
        now["behavior"] = later
        hook.say(PermissionAnswer(behavior="allow"))

    assert (await run(bench, meanwhile)).error_kind == kind


# --- at the real desk ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_attended", [True, False])
@pytest.mark.parametrize("who", ["hook", "classifier", "person"])
async def test_at_the_sessions_desk_the_dialog_opens_closes_and_is_over_before_the_call(
    tmp_path: Path, is_attended: bool, who: str
) -> None:
    hook, classifier = Oracle(), Oracle()
    bench = bench_of(tmp_path, is_attended=is_attended, permission_request=[hook], classifier=classifier)
    desk = PermissionDesk(
        publish=lambda event: bench.events.append(event) or event,
        folder=lambda: str(tmp_path),
        judge=lambda call: ask(call),
        save_rule=lambda rule, scope: None,
        is_attended=is_attended,
    )

    def answer() -> None:
        (request,) = bench.of(PermissionRequested)
        match who:
            case "hook":
                hook.say(PermissionAnswer(behavior="allow"))
            case "classifier":
                classifier.say("safe")
            case _ if is_attended:
                assert desk.answer(request.request_id, YES)
            case _:  # nobody is there: all that may answer pass
                hook.say(PermissionAnswer())
                classifier.say("unsafe")

    async with StreamingExecutor(replace(bench.toolbox, gate=desk)) as executor:
        executor.add("t1", "Fake", {"note": "ls"})
        await settle()
        answer()
        (outcome,) = await asyncio.wait_for(rest(executor), 10)
    (resolved,) = bench.of(PermissionResolved)
    by = who if is_attended or who != "person" else "nobody"
    assert (resolved.by, resolved.behavior) == (by, "deny" if by == "nobody" else "allow")
    assert outcome.is_error == (by == "nobody")
    assert not desk.answer(resolved.request_id, YES)
    stages = [e.stage for e in bench.events[: bench.events.index(resolved)] if isinstance(e, ToolStageStarted)]
    assert stages[-1] == "permission"
