"""A question and who may answer it: the user, hooks, the classifier. The first answer counts, and it is the only one."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fake_tools import Lever, ask, rest, settle
from racing import NO, YES, Oracle, bench_of, run, shell

from tui_agent.engine.gate.permission_broker import PermissionBroker
from tui_agent.events import PermissionRequested, PermissionResolved, ToolStageStarted
from tui_agent.execution.executor import StreamingExecutor
from tui_agent.execution.extensions import ClassifierQuestion
from tui_agent.execution.responders import NOBODY, ResponderAnswer, Responders, first_answer
from tui_agent.hooks.permission_request import PermissionAnswer
from tui_agent.permissions.verdict import ToolOpinion

BY_HOOK = ResponderAnswer(decision=YES, by="hook")


async def test_nobody_there_and_nobody_racing_is_a_denial_by_nobody() -> None:
    assert await first_answer(None, Responders()) is NOBODY


async def test_a_person_who_answers_in_the_same_moment_as_a_rival_wins() -> None:
    person: asyncio.Future[ResponderAnswer] = asyncio.get_running_loop().create_future()

    async def rival() -> ResponderAnswer:
        person.set_result(ResponderAnswer(decision=NO, by="person"))
        return BY_HOOK

    assert (await first_answer(person, Responders([rival]))).by == "person"


async def test_when_a_rival_has_won_the_persons_answer_finds_the_question_closed() -> None:
    person: asyncio.Future[ResponderAnswer] = asyncio.get_running_loop().create_future()

    async def rival() -> ResponderAnswer:
        return BY_HOOK

    assert await first_answer(person, Responders([rival])) is BY_HOOK
    assert person.done()


async def test_rivals_that_all_pass_leave_it_to_the_person() -> None:
    person: asyncio.Future[ResponderAnswer] = asyncio.get_running_loop().create_future()

    async def silent() -> None:
        return None

    race = asyncio.ensure_future(first_answer(person, Responders([silent, silent])))
    await settle()
    assert not race.done()
    person.set_result(ResponderAnswer(decision=YES, by="person"))
    assert (await race).by == "person"
    assert await first_answer(None, Responders([silent])) is NOBODY


async def test_the_first_answer_cancels_all_others(tmp_path: Path) -> None:
    slow, quick, classifier = Oracle(), Oracle(), Oracle()
    runtime = bench_of(tmp_path, permission_request=[slow, quick], classifier=classifier)
    outcome = await run(runtime, lambda: quick.say(PermissionAnswer(behavior="allow")))
    assert outcome.content == "ls"
    assert (slow.cancelled, classifier.cancelled) == (1, 1)


async def test_the_persons_answer_cancels_hooks_and_classifier(tmp_path: Path) -> None:
    hook, classifier = Oracle(), Oracle()
    runtime = bench_of(tmp_path, permission_request=[hook], classifier=classifier)
    await run(runtime, lambda: runtime.gate.answer("t1", YES))
    assert (hook.cancelled, classifier.cancelled) == (1, 1)


@pytest.mark.parametrize("who", ["hook", "classifier"])
async def test_without_a_person_hooks_and_classifier_still_race(tmp_path: Path, who: str) -> None:
    hook, classifier = Oracle(), Oracle()
    runtime = bench_of(tmp_path, is_attended=False, permission_request=[hook], classifier=classifier)
    answers = {"hook": (hook, PermissionAnswer(behavior="allow")), "classifier": (classifier, "safe")}
    oracle, answer = answers[who]
    outcome = await run(runtime, lambda: oracle.say(answer))
    assert (outcome.content, [found.by for found in runtime.gate.answered]) == ("ls", [who])


async def test_without_a_person_a_question_that_nobody_answers_is_denied(tmp_path: Path) -> None:
    hook, classifier = Oracle(), Oracle()
    runtime = bench_of(tmp_path, is_attended=False, permission_request=[hook], classifier=classifier)
    outcome = await run(runtime, lambda: hook.say(PermissionAnswer()), lambda: classifier.say("unsafe"))
    assert "nobody is there" in str(outcome.content)
    assert (outcome.error_kind, outcome.ends_turn) == ("denied", False)


async def test_an_interrupt_ends_everybody(tmp_path: Path) -> None:
    hook, classifier = Oracle(), Oracle()
    runtime = bench_of(tmp_path, permission_request=[hook], classifier=classifier)
    async with runtime.executor() as executor:
        executor.add("t1", "Fake", {"note": "ls"})
        await settle()
        executor.interrupt()
        (outcome,) = await rest(executor)
    assert outcome.error_kind == "aborted"
    assert (hook.cancelled, classifier.cancelled) == (1, 1)


async def test_of_several_uses_each_has_a_race_of_its_own(tmp_path: Path) -> None:
    async def by_note(question: ClassifierQuestion) -> Any:
        return "safe" if question.text == "ls" else "unsafe"

    lever = Lever()
    runtime = bench_of(tmp_path, shell(body=lever), classifier=by_note)
    async with runtime.executor() as executor:
        executor.add("t1", "Fake", {"note": "ls", "safe": True})
        executor.add("t2", "Fake", {"note": "rm", "safe": True})
        await settle()
        assert (lever.in_call, list(runtime.gate.open)) == (["t1"], ["t2"])
        assert ToolOpinion("allow") not in [call.opinion for call in runtime.gate.calls]


@pytest.mark.parametrize("is_attended", [True, False])
@pytest.mark.parametrize("who", ["hook", "classifier", "person"])
async def test_at_the_sessions_desk_the_dialog_opens_closes_and_is_over_before_the_call(
    tmp_path: Path, is_attended: bool, who: str
) -> None:
    hook, classifier = Oracle(), Oracle()
    runtime = bench_of(tmp_path, is_attended=is_attended, permission_request=[hook], classifier=classifier)
    broker = PermissionBroker(
        publish=lambda event: runtime.events.append(event) or event,
        folder=lambda: str(tmp_path),
        judge=lambda call: ask(call),
        save_rule=lambda rule, scope: None,
        is_attended=is_attended,
    )

    def answer() -> None:
        (request,) = runtime.of(PermissionRequested)
        match who:
            case "hook":
                hook.say(PermissionAnswer(behavior="allow"))
            case "classifier":
                classifier.say("safe")
            case _ if is_attended:
                assert broker.answer(request.request_id, YES)
            case _:  # nobody is there: all that may answer pass
                hook.say(PermissionAnswer())
                classifier.say("unsafe")

    async with StreamingExecutor(replace(runtime.execution_context, gate=broker)) as executor:
        executor.add("t1", "Fake", {"note": "ls"})
        await settle()
        answer()
        (outcome,) = await asyncio.wait_for(rest(executor), 10)
    (resolved,) = runtime.of(PermissionResolved)
    by = who if is_attended or who != "person" else "nobody"
    assert (resolved.by, resolved.behavior) == (by, "deny" if by == "nobody" else "allow")
    assert outcome.is_error == (by == "nobody")
    assert not broker.answer(resolved.request_id, YES)
    stages = [e.stage for e in runtime.events[: runtime.events.index(resolved)] if isinstance(e, ToolStageStarted)]
    assert stages[-1] == "permission"
