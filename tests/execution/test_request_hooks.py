"""Hooks in the race for an answer: they settle a question, refuse it, or put another input in its place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fake_tools import FakeInput, change
from racing import Oracle, bench_of, judged, run, shell

from tui_agent.events import EditApplied, Notice, ToolInputChanged, ToolStageEnded
from tui_agent.hooks.dispatch import HookedUse
from tui_agent.hooks.permission_request import HookedQuestion, PermissionAnswer
from tui_agent.permissions.verdict import ToolCall, Verdict
from tui_agent.tools.base import Result, ToolContext


async def test_a_hook_may_settle_even_what_a_rule_asks(tmp_path: Path) -> None:
    hook = Oracle()
    verdict = {"by": "rule", "rule": "Fake", "suggestions": ("Fake(ls)",)}
    runtime = bench_of(tmp_path, judge=judged(**verdict), permission_request=[hook])
    outcome = await run(runtime, lambda: hook.say(PermissionAnswer(behavior="allow")))
    assert outcome.content == "ls"
    use = HookedUse(tool_use_id="t1", name="Fake", input={"note": "ls"})
    assert hook.asked == [HookedQuestion(use=use, reason="so it is", suggestions=("Fake(ls)",))]
    assert [answer.by for answer in runtime.gate.answered] == ["hook"]


async def test_a_hook_that_denies_gives_its_reason_and_the_turn_goes_on(tmp_path: Path) -> None:
    hook = Oracle()
    runtime = bench_of(tmp_path, permission_request=[hook])
    outcome = await run(runtime, lambda: hook.say(PermissionAnswer(behavior="deny", message="not on Fridays")))
    assert outcome.content == "<tool_use_error>A hook refused this call: not on Fridays</tool_use_error>"
    assert (outcome.error_kind, outcome.ends_turn) == ("hook", False)


async def test_a_hook_that_denies_may_end_the_turn(tmp_path: Path) -> None:
    hook = Oracle()
    runtime = bench_of(tmp_path, permission_request=[hook])
    outcome = await run(runtime, lambda: hook.say(PermissionAnswer(behavior="deny", ends_turn=True)))
    assert outcome.content == "<tool_use_error>A hook refused this call.</tool_use_error>"
    assert outcome.ends_turn


async def test_a_hook_that_says_nothing_or_fails_leaves_it_to_the_others(tmp_path: Path) -> None:
    silent, broken, third = Oracle(), Oracle(), Oracle()
    runtime = bench_of(tmp_path, permission_request=[silent, broken, third])
    outcome = await run(
        runtime,
        lambda: silent.say(PermissionAnswer()),
        lambda: broken.say(OSError("no such program")),
        lambda: third.say(PermissionAnswer(behavior="allow")),
    )
    assert outcome.content == "ls"
    assert "no such program" in runtime.of(Notice)[0].text


async def test_an_input_from_a_hook_is_checked_judged_and_proposed_again(tmp_path: Path) -> None:
    hook = Oracle()
    seen: list[Any] = []

    async def body(input: FakeInput, ctx: ToolContext) -> Any:
        seen.extend(ctx.approved)
        yield Result(input.note)

    tool = shell(propose=lambda given: change("f", "a\n", f"{given.note}\n"), body=body)
    runtime = bench_of(tmp_path, tool, permission_request=[hook])
    other = PermissionAnswer(behavior="allow", input={"note": "pwd"})
    outcome = await run(runtime, lambda: hook.say(other))
    assert [call.input for call in runtime.gate.calls] == [{"note": "ls"}, {"note": "pwd"}]
    assert str(outcome.content).startswith("A hook changed the input")
    assert [event.by for event in runtime.of(ToolInputChanged)] == ["hook"]
    assert [approved.after for approved in seen] == ["pwd\n"]
    assert [event.change.after for event in runtime.of(EditApplied)] == ["pwd\n"]


async def test_a_deny_rule_stops_an_input_from_a_hook(tmp_path: Path) -> None:
    def never_pwd(call: ToolCall, proposals: Any = ()) -> Verdict:
        return Verdict(behavior="deny" if call.input["note"] == "pwd" else "ask", by="rule", reason="never that")

    hook = Oracle()
    runtime = bench_of(tmp_path, judge=never_pwd, permission_request=[hook])
    outcome = await run(runtime, lambda: hook.say(PermissionAnswer(behavior="allow", input={"note": "pwd"})))
    assert outcome.error_kind == "denied"


async def test_an_input_that_comes_with_a_denial_changes_nothing(tmp_path: Path) -> None:
    hook = Oracle()
    runtime = bench_of(tmp_path, permission_request=[hook])
    outcome = await run(runtime, lambda: hook.say(PermissionAnswer(behavior="deny", input={"note": "pwd"})))
    assert (outcome.error_kind, runtime.of(ToolInputChanged)) == ("hook", [])


async def test_each_stage_of_a_race_that_a_hook_wins_is_told(tmp_path: Path) -> None:
    async def yes(question: HookedQuestion) -> PermissionAnswer:
        return PermissionAnswer(behavior="allow")

    runtime = bench_of(tmp_path, permission_request=[yes])
    await run(runtime)
    assert {event.stage: event.outcome for event in runtime.of(ToolStageEnded)}["permission"] == "ok"


@pytest.mark.parametrize(("later", "kind"), [("deny", "denied"), ("ask", None)])
async def test_a_rule_that_denies_by_now_holds_against_a_hook(tmp_path: Path, later: str, kind: str | None) -> None:
    now = {"behavior": "ask"}
    hook = Oracle()
    runtime = bench_of(
        tmp_path, judge=lambda call, proposals=(): judged(**now)(call, proposals), permission_request=[hook]
    )

    def meanwhile() -> None:
        now["behavior"] = later
        hook.say(PermissionAnswer(behavior="allow"))

    assert (await run(runtime, meanwhile)).error_kind == kind
