"""Subagents in a session: a conversation of their own, one result for their parent, and an end whatever happens."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from agent_talk import AgentModel, AgentTalk, agent, asked
from scripted_model import Script, calls, reply, says

from tui_agent.conversation_fold import Agents, by_agent
from tui_agent.engine.conversation.history import History
from tui_agent.events import (
    AgentEnded,
    AgentStarted,
    AssistantMessageCompleted,
    Event,
    JobEnded,
    JobStarted,
    Notice,
    ReminderSent,
    TextDelta,
    ToolResultReady,
    ToolStateChanged,
    ToolUseStarted,
    TurnFinished,
    UserMessageSent,
)
from tui_agent.journal.load import read_events
from tui_agent.journal.repair import closing_events

Open = Callable[..., Awaitable[AgentTalk]]


def recorded(place: Path) -> list[Event]:
    (journal,) = (place.parent / "tui_agent_home").rglob("journal.jsonl")
    return list(read_events(journal).events)


def states(one: AgentTalk) -> set[tuple[str, str]]:
    return {(event.tool_use_id, event.to_state) for event in one.of(ToolStateChanged)}


def endless() -> Script:
    """A reply that begins and never goes on."""
    return [reply()[0], asyncio.Event().wait]


async def test_an_agents_answer_is_the_one_result_and_its_conversation_is_its_own(place: Path, talk: Open) -> None:
    (place / "a.txt").write_text("apples\n")
    (place / "CLAUDE.md").write_text("Speak of fruit.\n")
    read = reply(says(0, "I look."), calls(1, "Read", {"file_path": str(place / "a.txt")}, "toolu_r"), stop="tool_use")
    model = AgentModel(agent("find fruit"), reply(says(0, "There are apples.")), find=[read, reply(says(0, "apples"))])
    one = await talk(model)
    await one.say("which fruit?")
    (begun,) = one.of(AgentStarted)
    assert (begun.parent_agent_id, begun.tool_use_id, begun.name) == ("", "toolu_find", "general-purpose")
    assert [ended.outcome for ended in one.of(AgentEnded)] == ["done"]
    result = one.result("toolu_find")
    assert not result.is_error
    assert str(result.content).startswith("apples")
    assert result.data["totalToolUseCount"] == 1
    assert result.data["totalTokens"] == 30
    first, second = model.of["find"]
    assert "which fruit?" not in json.dumps(first.messages)
    assert "Speak of fruit." in json.dumps(first.messages)
    assert "You carry out one task" in first.system[0]["text"]
    assert "apples" in json.dumps(second.messages[-1])
    names = [tool["name"] for tool in first.tools]
    assert "Read" in names
    assert "AskUserQuestion" not in names
    assert "I look." not in json.dumps(model.requests[-1].messages), "its parent gets the last answer alone"
    await one.session.close()
    events = recorded(place)
    assert closing_events(events) == []
    assert [len(History.from_events(events, name).messages()) for name in by_agent(events)] == [4, 4]


async def test_what_an_agent_has_read_is_not_read_by_its_parent(place: Path, talk: Open) -> None:
    file = place / "a.txt"
    file.write_text("old\n")
    edit = {"file_path": str(file), "old_string": "old", "new_string": "new"}
    look = reply(calls(0, "Read", {"file_path": str(file)}, "toolu_r"), stop="tool_use")
    change = reply(calls(0, "Edit", edit, "toolu_e"), stop="tool_use")
    model = AgentModel(agent("look"), change, reply(says(0, "hm")), look=[look, reply(says(0, "seen"))])
    one = await talk(model, mode="acceptEdits")
    await one.say("go")
    assert one.result("toolu_e").is_error
    assert "read" in str(one.result("toolu_e").content).lower()
    assert file.read_text() == "old\n"


async def test_several_agents_work_at_once(talk: Open) -> None:
    both = asyncio.Barrier(2)
    waits: Script = [*reply(says(0, "x"))]
    waits.insert(1, lambda: both.wait())
    model = AgentModel(agent("one", "two"), reply(says(0, "done")), one=[list(waits)], two=[list(waits)])
    one = await talk(model)
    await asyncio.wait_for(one.say("go"), 20)
    assert [ended.outcome for ended in one.of(AgentEnded)] == ["done", "done"]


async def test_an_agent_may_start_another_and_the_third_may_not(talk: Open) -> None:
    def starts(task: str) -> Script:
        return agent(task)

    model = AgentModel(
        starts("a1"),
        reply(says(0, "end")),
        a1=[starts("a2"), reply(says(0, "one"))],
        a2=[starts("a3"), reply(says(0, "two"))],
        a3=[starts("a4"), reply(says(0, "three"))],
    )
    one = await talk(model)
    await one.say("go")
    begun = one.of(AgentStarted)
    assert len(begun) == 3
    assert [event.parent_agent_id for event in begun] == ["", begun[0].agent_id, begun[1].agent_id]
    assert "Agent" not in [tool["name"] for tool in model.of["a3"][0].tools]
    assert one.result("toolu_a4").error_kind == "unknown_tool"
    assert str(one.result("toolu_a1").content).startswith("one")


async def test_an_interrupt_ends_agents_and_leaves_both_conversations_valid(place: Path, talk: Open) -> None:
    running = asyncio.Event()
    bash = reply(says(0, "I wait."), calls(1, "Bash", {"command": "sleep 60"}, "toolu_b"), stop="tool_use")
    talking: Script = [*reply(says(0, "half an answer|…"))][:-1]
    talking += [running.set, asyncio.Event().wait]
    model = AgentModel(agent("tools", "talks"), tools=[bash], talks=[talking])
    one = await talk(model, allowed=("Bash",))
    one.session.submit("go")
    await asyncio.wait_for(running.wait(), 20)
    await one.when(lambda: ("toolu_b", "executing") in states(one))
    one.session.interrupt()
    await one.session.wait_idle()
    assert {event.outcome for event in one.of(AgentEnded)} == {"interrupted"}
    assert {event.outcome for event in one.of(TurnFinished)} == {"interrupted"}
    for use in ("toolu_tools", "toolu_talks", "toolu_b"):
        assert one.result(use).error_kind == "aborted"
    assert "half an answer" in str(one.result("toolu_talks").content)
    await one.session.close()
    events = recorded(place)
    assert closing_events(events) == []
    for name in by_agent(events):
        assert "never answered" not in json.dumps(History.from_events(events, name).messages())


async def test_a_failed_request_of_an_agent_is_an_error_for_its_parent_alone(talk: Open) -> None:
    from tui_agent.model.protocol import ModelError

    broken: Script = [ModelError("invalid_request", "The request was wrong.")]
    model = AgentModel(agent("breaks"), reply(says(0, "I see")), breaks=[broken])
    one = await talk(model)
    await one.say("go")
    assert one.result("toolu_breaks").is_error
    assert "The request was wrong." in str(one.result("toolu_breaks").content)
    assert [event.outcome for event in one.of(TurnFinished) if not event.agent_id] == ["done"]


async def test_the_model_that_an_endpoint_does_not_have_is_replaced_by_the_parents(talk: Open) -> None:
    from tui_agent.model.protocol import ModelError

    missing: Script = [ModelError("not_found", "no such model")]
    model = AgentModel(
        agent("look", subagent_type="Explore"), reply(says(0, "ok")), look=[missing, reply(says(0, "found"))]
    )
    one = await talk(model)
    await one.say("go")
    asked_of = [request.model for request in model.of["look"]]
    assert asked_of == [model.table.small_for(one.session.model), one.session.model]
    assert str(one.result("toolu_look").content).startswith("found")


async def test_an_unknown_type_names_those_that_there_are(talk: Open) -> None:
    model = AgentModel(agent("x", subagent_type="Poet"), reply(says(0, "ok")))
    one = await talk(model)
    await one.say("go")
    said = str(one.result("toolu_x").content)
    assert "'Poet'" in said
    assert "Explore, general-purpose, Plan" in said
    assert one.of(AgentStarted) == []


# --- in the background ---------------------------------------------------------------------------------------------------


async def test_an_attended_session_goes_on_and_is_told_the_answer_when_it_comes(talk: Open) -> None:
    go = asyncio.Event()
    slow: Script = [*reply(says(0, "late answer"))]
    slow.insert(1, go.wait)
    model = AgentModel(agent("slow"), reply(says(0, "I go on")), reply(says(0, "I heard")), slow=[slow])
    one = await talk(model, is_attended=True)
    await one.say("go")
    assert one.result("toolu_slow").data["status"] == "async_launched"
    assert one.of(AgentEnded) == []
    go.set()
    await one.when(lambda: len(model.requests) == 3)
    await one.session.wait_idle()
    (reminder,) = one.of(ReminderSent)
    assert "late answer" in reminder.text
    assert "late answer" in json.dumps(model.requests[2].messages)
    started, ended = one.of(JobStarted)[0], one.of(JobEnded)[0]
    assert ended.outcome == "done"
    assert Path(started.output_path).read_text() == "late answer"


async def test_a_session_that_ends_with_its_turn_waits_for_agents_in_the_background(talk: Open) -> None:
    go = asyncio.Event()
    model = AgentModel(
        agent("one", "two", run_in_background=True),
        [*reply(says(0, "waiting")), go.set],
        reply(says(0, "both are there")),
        one=[[go.wait, *reply(says(0, "first"))]],
        two=[[go.wait, *reply(says(0, "second"))]],
    )
    one = await talk(model)
    await one.say("go")
    said = json.dumps(model.requests[-1].messages)
    assert "first" in said
    assert "second" in said
    assert "both are there" in json.dumps([event.content for event in one.of(AssistantMessageCompleted)])


async def test_an_agent_in_the_background_ends_with_the_session(place: Path, talk: Open) -> None:
    model = AgentModel(agent("slow"), reply(says(0, "I go on")), slow=[endless()])
    one = await talk(model, is_attended=True)
    await one.say("go")
    await one.session.close()
    assert [event.outcome for event in one.of(AgentEnded)] == ["interrupted"]
    assert closing_events(recorded(place)) == []


async def test_no_more_than_twenty_agents_work_at_once(talk: Open) -> None:
    from tui_agent.engine.agents.runner import MOST_AT_ONCE

    tasks = [f"t{number}" for number in range(MOST_AT_ONCE + 1)]
    model = AgentModel(agent(*tasks), reply(says(0, "ok")), **{task: [endless()] for task in tasks})
    one = await talk(model, is_attended=True)
    await one.say("go")
    assert len(one.of(AgentStarted)) == MOST_AT_ONCE
    refused = [event for event in one.of(ToolResultReady) if event.is_error]
    assert len(refused) == 1
    assert "20 agents are already running" in str(refused[0].content)


async def test_clearing_the_conversation_ends_its_agents_without_another_word(talk: Open) -> None:
    model = AgentModel(agent("slow"), reply(says(0, "I go on")), reply(says(0, "new")), slow=[endless()])
    one = await talk(model, is_attended=True)
    await one.say("go")
    one.session.clear()
    await one.say("hello")
    assert len(model.requests) == 3
    assert "slow" not in json.dumps(model.requests[2].messages)


# --- messages ------------------------------------------------------------------------------------------------------------


def sends(to: str, message: str) -> Script:
    return reply(calls(0, "SendMessage", {"to": to, "message": message}, "toolu_send"), stop="tool_use")


async def test_a_message_continues_an_agent_that_has_ended_with_all_it_knows(talk: Open) -> None:
    model = AgentModel(
        agent("find fruit", name="seeker"),
        sends("seeker", "and its colour?"),
        reply(says(0, "ok")),
        find=[reply(says(0, "apples")), reply(says(0, "red"))],
    )
    one = await talk(model)
    await one.say("go")
    assert str(one.result("toolu_send").content).startswith("red")
    second = json.dumps(model.of["find"][1].messages)
    assert "apples" in second
    assert "and its colour?" in second
    assert len({event.agent_id for event in one.of(AgentStarted)}) == 1
    agents = Agents.from_events(one.events)
    assert len(agents.started) == len(agents.ended) == 1


async def test_a_message_to_an_agent_at_work_comes_with_its_next_step(place: Path, talk: Open) -> None:
    go = asyncio.Event()
    first: Script = [*reply(calls(0, "Glob", {"pattern": "*"}, "toolu_g"), stop="tool_use")]
    first.insert(1, go.wait)
    model = AgentModel(
        agent("slow", name="slow"),
        sends("slow", "hurry"),
        [go.set, *reply(says(0, "told"))],
        reply(says(0, "heard")),
        slow=[first, reply(says(0, "hurried"))],
    )
    one = await talk(model, is_attended=True)
    await one.say("go")
    assert one.result("toolu_send").data["status"] == "delivered"
    await one.when(lambda: len(one.of(AgentEnded)) == 1)
    assert "hurry" in json.dumps(model.of["slow"][1].messages)


async def test_a_message_to_nobody_names_the_agents(talk: Open) -> None:
    model = AgentModel(
        agent("find", name="seeker"), sends("x", "hi"), reply(says(0, "ok")), find=[reply(says(0, "apples"))]
    )
    one = await talk(model)
    await one.say("go")
    said = one.result("toolu_send")
    assert said.is_error
    assert "seeker" in str(said.content)


async def test_an_agent_of_a_recorded_session_can_go_on(place: Path, talk: Open) -> None:
    first = AgentModel(agent("find fruit"), reply(says(0, "ok")), find=[reply(says(0, "apples"))])
    one = await talk(first)
    await one.say("go")
    (begun,) = one.of(AgentStarted)
    await one.session.close()
    model = AgentModel(sends(begun.agent_id, "and pears?"), reply(says(0, "ok")), find=[reply(says(0, "none"))])
    again = await talk(model, is_continued=True)
    await again.say("ask it")
    assert str(again.result("toolu_send").content).startswith("none")
    assert "apples" in json.dumps(model.of["find"][0].messages)


# --- steps ---------------------------------------------------------------------------------------------------------------


def steps(*given: tuple[str, dict[str, Any]]) -> Script:
    entries = [{"tool": tool, "input": input} for tool, input in given]
    return reply(calls(0, "Agent", {"description": "steps", "steps": entries}, "toolu_s"), stop="tool_use")


async def test_steps_run_in_order_as_parts_of_their_use_and_stop_at_the_first_that_fails(
    place: Path, talk: Open
) -> None:
    file = place / "a.txt"
    file.write_text("old\n")
    model = AgentModel(
        steps(
            ("Read", {"file_path": str(file)}),
            ("Edit", {"file_path": str(file), "old_string": "old", "new_string": "new"}),
            ("Read", {"file_path": str(place / "missing")}),
            ("Write", {"file_path": str(place / "b.txt"), "content": "never"}),
        ),
        reply(says(0, "ok")),
    )
    one = await talk(model, mode="acceptEdits")
    await one.say("go")
    result = one.result("toolu_s")
    assert result.is_error
    assert file.read_text() == "new\n"
    assert not (place / "b.txt").exists()
    parents = [event.parent_tool_use_id for event in one.of(ToolUseStarted) if event.tool_use_id != "toolu_s"]
    assert parents == ["toolu_s"] * 3
    assert "Step 3 of 4, Read: failed" in str(result.content)
    assert "1 step was not run." in str(result.content)
    assert [step["is_error"] for step in result.data["steps"]] == [False, False, True]


async def test_a_step_needs_the_permission_that_its_tool_needs(place: Path, talk: Open) -> None:
    model = AgentModel(steps(("Bash", {"command": f"touch {place}/x"})), reply(says(0, "ok")))
    one = await talk(model)
    await one.say("go")
    assert one.result("toolu_s").is_error
    assert not (place / "x").exists()


def texts(events: list[Any]) -> str:
    return "".join(event.text for event in events)


async def test_notices_and_texts_of_agents_carry_their_id(talk: Open) -> None:
    model = AgentModel(agent("one"), reply(says(0, "main")), one=[reply(says(0, "agent"))])
    one = await talk(model)
    await one.say("go")
    (begun,) = one.of(AgentStarted)
    assert texts(one.by(begun.agent_id, TextDelta)) == "agent"
    assert texts(one.by("", TextDelta)) == "main"
    assert [event.text for event in one.by(begun.agent_id, UserMessageSent)] == ["one"]
    assert one.of(Notice) == []
    assert asked(model.of["one"][0]) == "one"
