"""Plan mode in a whole session: nothing but reading, the plan's file, the user's answer, and the mode afterwards."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from scripted_model import Script, calls, reply, says
from session_front import Front, begin, place_apart

from tui_agent.events import ModeChanged, Notice, PermissionRequested, PermissionResolved, ReminderSent, ToolResultReady
from tui_agent.permissions.verdict import Decision

DONE: Script = reply(says(0, "done"))
PLAN = "# Plan\n\n1. Round once.\n"


def use(name: str, **input: Any) -> Script:
    return reply(calls(0, name, input), stop="tool_use")


EXIT = use("ExitPlanMode")


@pytest.fixture
async def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return place_apart(tmp_path, monkeypatch)


def plan_file(front: Front) -> Path:
    return Path(front.session.plan().file)


def last_sent(front: Front) -> str:
    return json.dumps(front.model.requests[-1].messages[-1], ensure_ascii=False)


async def asked_for_approval(front: Front) -> PermissionRequested:
    front.session.submit("plan it")
    asked: PermissionRequested = (await front.until(PermissionRequested))[-1]
    assert asked.name == "ExitPlanMode"
    return asked


async def test_nothing_but_reading_and_the_plan(work: Path) -> None:
    (work / "a.py").write_text("x = 1\n")
    front = await begin(work, mode="plan", allowed=("Bash", "Edit", "Write"))
    try:
        for name, input in (
            ("Write", {"file_path": str(work / "b.py"), "content": "y"}),
            ("Bash", {"command": "touch c.py"}),
            ("Bash", {"command": "echo x > a.py"}),
            ("Bash", {"command": 'python3 -c \'open("d.py", "w")\''}),
        ):
            front.model.scripts += [use(name, **input), DONE]
            front.session.submit("go")
            await front.session.wait_idle()
            result = front.of(ToolResultReady)[-1]
            assert (result.error_kind, "plan mode" in str(result.content)) == ("denied", True), (name, input)
        assert [file.name for file in work.iterdir()] == ["a.py"]
        front.model.scripts += [
            use("Write", file_path=str(plan_file(front)), content=PLAN),
            use("Read", file_path="a.py"),
            DONE,
        ]
        front.session.submit("go")
        await front.session.wait_idle()
        assert not any(result.is_error for result in front.of(ToolResultReady)[-2:])
        assert plan_file(front).read_text() == PLAN
        assert not front.of(PermissionRequested)
    finally:
        await front.session.close()


async def test_the_model_is_told_what_plan_mode_is_and_where_the_plan_goes(work: Path) -> None:
    front = await begin(work, DONE, mode="plan")
    front.session.submit("go")
    await front.session.wait_idle()
    said = last_sent(front)
    assert "Plan mode is on" in said
    assert str(plan_file(front)) in said
    assert "ExitPlanMode" in said
    front.model.scripts += [DONE]
    front.session.set_mode("default")
    front.session.submit("and now?")
    await front.session.wait_idle()
    assert "Plan mode is off" in last_sent(front)
    await front.session.close()


@pytest.mark.parametrize("mode", ["acceptEdits", "default"])
async def test_an_approved_plan_is_carried_out_in_the_mode_that_was_chosen(work: Path, mode: Any) -> None:
    front = await begin(work, use("ExitPlanMode", plan=PLAN), DONE, mode="plan")
    asked = await asked_for_approval(front)
    offer = front.session.plan()
    assert (offer.text, offer.modes, offer.before) == (PLAN, ("acceptEdits", "default"), "default")
    assert front.session.answer(asked.request_id, Decision(behavior="allow", mode=mode))
    await front.session.wait_idle()
    assert front.session.mode == mode
    assert front.of(ModeChanged)[-1].previous == "plan"
    (result,) = front.of(ToolResultReady)
    assert (result.data["mode"], result.data["plan"], result.data["isChanged"]) == (mode, PLAN, False)
    assert "approved the plan" in last_sent(front)
    assert not front.of(ReminderSent)
    assert plan_file(front).read_text() == PLAN
    await front.session.close()


async def test_the_mode_of_before_comes_back_where_none_is_chosen(work: Path) -> None:
    front = await begin(work, use("ExitPlanMode", plan=PLAN), DONE, mode="acceptEdits")
    front.session.set_mode("plan")
    asked = await asked_for_approval(front)
    assert front.session.plan().before == "acceptEdits"
    front.session.answer(asked.request_id, Decision(behavior="allow"))
    await front.session.wait_idle()
    assert front.session.mode == "acceptEdits"
    await front.session.close()


async def test_bypassing_is_offered_only_where_it_may_be(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IS_SANDBOX", "1")
    front = await begin(work, use("ExitPlanMode", plan=PLAN), DONE, mode="plan")
    asked = await asked_for_approval(front)
    front.session.answer(asked.request_id, Decision(behavior="allow", mode="bypassPermissions"))
    await front.session.wait_idle()
    assert front.session.mode == "default"
    await front.session.close()
    front = await begin(work, use("ExitPlanMode", plan=PLAN), DONE, mode="bypassPermissions")
    assert any("may be bypassed" in notice.text for notice in front.of(Notice))
    front.session.set_mode("plan")
    asked = await asked_for_approval(front)
    assert (front.session.plan().modes[-1], front.session.plan().before) == ("bypassPermissions", "bypassPermissions")
    front.session.answer(asked.request_id, Decision(behavior="allow", mode="bypassPermissions"))
    await front.session.wait_idle()
    assert front.session.mode == "bypassPermissions"
    await front.session.close()


async def test_a_refusal_keeps_plan_mode_and_hands_the_words_over(work: Path) -> None:
    front = await begin(work, use("ExitPlanMode", plan=PLAN), DONE, mode="plan")
    asked = await asked_for_approval(front)
    front.session.answer(asked.request_id, Decision(behavior="deny", message="look at the tax too"))
    await front.session.wait_idle()
    assert front.session.mode == "plan"
    assert "look at the tax too" in last_sent(front)
    await front.session.close()


async def test_what_the_person_changed_in_the_plan_is_what_the_model_carries_out(work: Path) -> None:
    front = await begin(work, use("ExitPlanMode", plan=PLAN), DONE, mode="plan")
    asked = await asked_for_approval(front)
    plan_file(front).write_text(PLAN + "2. And test it.\n")
    front.session.plan_edited()
    assert "And test it" in front.session.plan().text
    front.session.answer(asked.request_id, Decision(behavior="allow", mode="default"))
    await front.session.wait_idle()
    assert "And test it" in last_sent(front)
    assert front.of(ToolResultReady)[-1].data["isChanged"]
    await front.session.close()


@pytest.mark.parametrize("rule", ["ExitPlanMode", "*"])
async def test_no_rule_approves_a_plan(work: Path, rule: str) -> None:
    front = await begin(work, use("ExitPlanMode", plan=PLAN), DONE, mode="plan", allowed=(rule,))
    asked = await asked_for_approval(front)
    assert (asked.by, asked.offers) == ("tool", ())
    front.session.interrupt()
    await front.session.wait_idle()
    assert front.session.mode == "plan"
    assert front.of(PermissionResolved)[-1].behavior == "cancelled"
    await front.session.close()


async def test_without_anybody_there_the_plan_is_the_answer(work: Path) -> None:
    front = await begin(work, use("ExitPlanMode", plan=PLAN), DONE, mode="plan", is_attended=False)
    front.session.submit("plan it")
    await front.session.wait_idle()
    assert "give the whole plan as your final answer" in json.dumps(front.model.requests[0].messages)
    (result,) = front.of(ToolResultReady)
    assert result.error_kind == "denied"
    assert "answer with the plan" in str(result.content)
    assert front.session.mode == "plan"
    await front.session.close()


async def test_the_model_turns_plan_mode_on_itself(work: Path) -> None:
    front = await begin(work, use("EnterPlanMode"), use("ExitPlanMode"), use("EnterPlanMode"), DONE, mode="acceptEdits")
    front.session.submit("go")
    await front.session.wait_idle()
    entered, empty, again = front.of(ToolResultReady)
    assert not entered.is_error
    assert str(plan_file(front)) in str(entered.content)
    assert "There is no plan yet" in str(empty.content)
    assert "on already" in str(again.content)
    assert front.session.mode == "plan"
    assert not front.of(ReminderSent)
    await front.session.close()


@pytest.mark.parametrize("options", [{"is_attended": False}, {"mode": "default"}])
async def test_out_of_place_the_tools_say_so(work: Path, options: dict[str, Any]) -> None:
    tool = "EnterPlanMode" if "is_attended" in options else "ExitPlanMode"
    front = await begin(work, use(tool), DONE, **options)
    front.session.submit("go")
    await front.session.wait_idle()
    (result,) = front.of(ToolResultReady)
    assert result.is_error
    assert ("nobody is here" in str(result.content)) or ("not on" in str(result.content))
    assert front.session.mode == "default"
    await front.session.close()


async def test_turned_off_while_the_question_waits_the_mode_stays_the_persons(work: Path) -> None:
    front = await begin(work, use("ExitPlanMode", plan=PLAN), DONE, mode="plan")
    asked = await asked_for_approval(front)
    front.session.set_mode("default")
    await asyncio.sleep(0)
    front.session.answer(asked.request_id, Decision(behavior="allow", mode="acceptEdits"))
    await front.session.wait_idle()
    assert front.session.mode == "acceptEdits"
    await front.session.close()


async def test_plans_go_where_the_setting_says(work: Path) -> None:
    front = await begin(work, settings=json.dumps({"plansDirectory": "docs/plans"}), mode="plan")
    assert plan_file(front).parent == work / "docs/plans"
    front.model.scripts += [use("Write", file_path=str(plan_file(front)), content=PLAN), DONE]
    front.session.submit("go")
    await front.session.wait_idle()
    assert plan_file(front).read_text() == PLAN
    await front.session.close()
