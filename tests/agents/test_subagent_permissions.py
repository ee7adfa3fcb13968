"""No agent may do what the one that started it may not: shown by what is on the disk afterwards."""

from __future__ import annotations

import json
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from agent_talk import AgentModel, AgentTalk, agent
from scripted_model import Script, calls, reply, says

from tui_agent.events import (
    AgentEnded,
    AgentStarted,
    HookStarted,
    PermissionRequested,
    PermissionResolved,
    ReminderSent,
)
from tui_agent.permissions.verdict import Decision

Open = Callable[..., Awaitable[AgentTalk]]
YES = Decision(behavior="allow")
NO = Decision(behavior="deny")


def bash(command: str, use_id: str = "toolu_b") -> Script:
    return reply(calls(0, "Bash", {"command": command}, use_id), stop="tool_use")


def writes(path: Path, use_id: str = "toolu_w") -> Script:
    return reply(calls(0, "Write", {"file_path": str(path), "content": "x"}, use_id), stop="tool_use")


def works(*scripts: Script, **input: Any) -> AgentModel:
    return AgentModel(agent("work", **input), reply(says(0, "ok")), work=[*scripts, reply(says(0, "done"))])


async def test_rules_hold_for_agents(place: Path, talk: Open) -> None:
    one = await talk(works(bash("touch made")), allowed=("Bash",), disallowed=("Bash(touch *)",))
    await one.say("go")
    assert one.result("toolu_b").error_kind == "denied"
    assert not (place / "made").exists()


async def test_an_agent_without_anybody_to_ask_is_refused_what_must_be_asked(place: Path, talk: Open) -> None:
    one = await talk(works(writes(place / "made")))
    await one.say("go")
    assert one.result("toolu_w").error_kind == "denied"
    assert not (place / "made").exists()


async def test_a_tool_that_the_session_does_not_have_no_agent_has(talk: Open) -> None:
    model = works(reply(calls(0, "WebFetch", {"url": "http://x.test"}, "toolu_f"), stop="tool_use"))
    one = await talk(model, disallowed=("WebFetch",))
    await one.say("go")
    assert one.result("toolu_f").error_kind == "unknown_tool"
    assert "WebFetch" not in [tool["name"] for tool in model.of["work"][0].tools]


async def test_plan_mode_holds_in_agents(place: Path, talk: Open) -> None:
    model = works(writes(place / "made"))
    one = await talk(model, mode="plan", allowed=("Write",))
    await one.say("go")
    assert one.result("toolu_w").error_kind == "denied"
    assert not (place / "made").exists()
    assert "Plan mode is on" in json.dumps(model.of["work"][0].messages[0])


@pytest.mark.parametrize("type", ["Explore", "Plan"])
async def test_an_agent_that_only_looks_changes_nothing_whatever_is_allowed(place: Path, talk: Open, type: str) -> None:
    model = works(bash("touch made && ls"), writes(place / "made"), bash("ls", "toolu_ls"), subagent_type=type)
    one = await talk(model, mode="acceptEdits", allowed=("Bash", "Write"))
    await one.say("go")
    assert one.result("toolu_b").error_kind == "denied"
    assert one.result("toolu_w").error_kind == "unknown_tool"
    assert not one.result("toolu_ls").is_error
    assert not (place / "made").exists()


async def test_an_architect_reads_returns_a_plan_and_is_there_with_its_feature_alone(place: Path, talk: Open) -> None:
    def asks() -> Script:
        return reply(
            calls(0, "Architect", {"prompt": "work on rounding", "context": "cents"}, "toolu_a"), stop="tool_use"
        )

    model = AgentModel(
        asks(),
        reply(says(0, "ok")),
        work=[writes(place / "made"), bash("touch made"), reply(says(0, "1. Round once."))],
    )
    one = await talk(model, features=("architect",), mode="acceptEdits", allowed=("Bash",))
    await one.say("plan it")
    assert str(one.result("toolu_a").content).startswith("1. Round once.")
    assert "What is known already:" in json.dumps(model.of["work"][0].messages)
    assert one.result("toolu_b").error_kind == "denied"
    assert not (place / "made").exists()
    await one.session.close()
    without = await talk(AgentModel(asks(), reply(says(0, "ok"))))
    await without.say("plan it")
    assert without.result("toolu_a").error_kind == "unknown_tool"


async def test_a_folder_of_its_own_is_for_agents_with_the_feature_alone(place: Path, talk: Open) -> None:
    (place / "sub").mkdir()
    one = await talk(works(bash("pwd"), cwd="sub"), allowed=("Bash",), features=("kairos",))
    await one.say("go")
    assert str(one.result("toolu_b").content).strip() == os.path.realpath(place / "sub")
    outside = await talk(works(bash("pwd"), cwd="/etc"), allowed=("Bash",), features=("kairos",))
    await outside.say("go")
    assert "is not a folder in the workspace" in str(outside.result("toolu_work").content)
    without = await talk(works(bash("pwd"), cwd="sub"), allowed=("Bash",))
    await without.say("go")
    assert without.result("toolu_work").error_kind == "invalid_input"


async def test_an_agent_is_told_no_working_folder_of_another_and_moves_nobody(place: Path, talk: Open) -> None:
    (place / "sub").mkdir()
    model = works(bash("cd sub"), bash("pwd", "toolu_pwd"))
    one = await talk(model, allowed=("Bash",))
    await one.say("go")
    assert str(one.result("toolu_pwd").content).strip() == os.path.realpath(place)
    assert one.session.workspace.cwd == place


# --- questions -----------------------------------------------------------------------------------------------------------


async def test_a_question_of_an_agent_is_the_agents_and_a_yes_lets_it_go_on(place: Path, talk: Open) -> None:
    one = await talk(works(writes(place / "made")), is_attended=True)
    await one.say("go")
    (asked,) = await one.until(PermissionRequested)
    (begun,) = one.of(AgentStarted)
    assert asked.agent_id == begun.agent_id
    one.session.answer(asked.request_id, YES)
    await one.until(AgentEnded)
    assert (place / "made").read_text() == "x"


async def test_a_no_without_words_ends_the_agent_and_its_parent_is_told(place: Path, talk: Open) -> None:
    one = await talk(works(writes(place / "made"), run_in_background=False), is_attended=True)
    one.session.submit("go")
    (asked,) = await one.until(PermissionRequested)
    one.session.answer(asked.request_id, NO)
    await one.session.wait_idle()
    result = one.result("toolu_work")
    assert result.is_error
    assert "The user refused a call" in str(result.content)
    assert [event.outcome for event in one.of(AgentEnded)] == ["failed"]
    assert not (place / "made").exists()


async def test_what_the_user_refused_the_main_conversation_no_agent_is_asked_about(place: Path, talk: Open) -> None:
    words = Decision(behavior="deny", message="not that")
    model = AgentModel(
        bash("touch made", "toolu_own"),
        agent("work", run_in_background=False),
        reply(says(0, "ok")),
        work=[bash("touch made"), reply(says(0, "done"))],
    )
    one = await talk(model, is_attended=True)
    one.session.submit("go")
    (asked,) = await one.until(PermissionRequested)
    one.session.answer(asked.request_id, words)
    await one.session.wait_idle()
    assert len(one.of(PermissionRequested)) == 1
    refused = one.result("toolu_b")
    assert refused.error_kind == "denied"
    assert "has refused exactly this call" in str(refused.content)
    assert not (place / "made").exists()


async def test_a_mode_that_changes_answers_the_questions_of_agents(place: Path, talk: Open) -> None:
    one = await talk(works(writes(place / "made")), is_attended=True)
    await one.say("go")
    await one.until(PermissionRequested)
    one.session.set_mode("acceptEdits")
    await one.until(PermissionResolved)
    await one.until(AgentEnded)
    assert (place / "made").exists()


# --- hooks, secrets, money -----------------------------------------------------------------------------------------------


def hooks(place: Path, **events: list[tuple[str, str]]) -> None:
    folder = place / ".claude"
    folder.mkdir(exist_ok=True)
    found = {
        event: [{"matcher": matcher, "hooks": [{"type": "command", "command": command}]} for matcher, command in given]
        for event, given in events.items()
    }
    (folder / "settings.json").write_text(json.dumps({"hooks": found}))


async def test_hooks_hear_of_agents_and_of_what_these_use(place: Path, talk: Open) -> None:
    hooks(
        place,
        PreToolUse=[("Glob", "cat > used.json")],
        SubagentStart=[("general-purpose", "cat > start.json; echo 'Mind the gap.'"), ("Explore", "touch wrong")],
        SubagentStop=[("", "cat > stop.json; test -e once || { touch once; echo 'Say it again.' >&2; exit 2; }")],
        Stop=[("", "touch main-stop")],
    )
    model = works(reply(calls(0, "Glob", {"pattern": "*"}, "toolu_g"), stop="tool_use"), reply(says(0, "first")))
    one = await talk(model)
    await one.say("go")
    (begun,) = one.of(AgentStarted)
    for name in ("used", "start", "stop"):
        heard = json.loads((place / f"{name}.json").read_text())
        assert (heard["agent_id"], heard["agent_type"]) == (begun.agent_id, "general-purpose"), name
    assert not (place / "wrong").exists()
    assert (place / "main-stop").exists()
    assert "Mind the gap." in json.dumps(model.of["work"][0].messages[0])
    assert "Say it again." in json.dumps(model.of["work"][-1].messages)
    assert str(one.result("toolu_work").content).startswith("done")
    assert {event.agent_id for event in one.of(HookStarted) if event.event != "Stop"} == {begun.agent_id}


async def test_secrets_are_hidden_in_what_agents_say_and_read(place: Path, talk: Open, monkeypatch: Any) -> None:
    monkeypatch.setenv("SHOP_TOKEN", "correct-horse-battery")
    (place / "a.txt").write_text("the token is correct-horse-battery\n")
    model = works(
        reply(
            says(0, "it is correct-horse|-battery"),
            calls(1, "Read", {"file_path": str(place / "a.txt")}, "toolu_r"),
            stop="tool_use",
        )
    )
    one = await talk(model)
    await one.say("go")
    await one.session.close()
    (journal,) = (place.parent / "tui_agent_home").rglob("journal.jsonl")
    assert "correct-horse-battery" not in journal.read_text()
    assert "correct-horse-battery" not in json.dumps(model.of["work"][1].messages[2:])


async def test_a_spending_limit_holds_for_agents(talk: Open) -> None:
    model = works(reply(calls(0, "Glob", {"pattern": "*"}, "toolu_g"), stop="tool_use"))
    one = await talk(model, max_budget_usd=0.000_001)
    await one.say("go")
    (ended,) = one.of(AgentEnded)
    assert (ended.outcome, "spending limit" in ended.detail) == ("failed", True)
    assert len(model.of.get("work", ())) <= 1, "none goes out once the limit is known to be reached"


async def test_a_background_command_of_an_agent_is_told_to_the_agent_and_ends_with_it(place: Path, talk: Open) -> None:
    start = reply(
        calls(0, "Bash", {"command": "until test -e go; do sleep 0.01; done", "run_in_background": True}, "toolu_bg"),
        stop="tool_use",
    )
    model = works(start, bash("touch go; sleep 0.3"), bash("true", "toolu_c"))
    one = await talk(model, allowed=("Bash",))
    await one.say("go")
    told = [event for event in one.of(ReminderSent) if event.agent_id]
    assert "Background job" in told[0].text
    assert one.session.runtime.jobs.all == ()
