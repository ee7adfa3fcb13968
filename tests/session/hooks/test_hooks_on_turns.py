"""Hooks that hear messages and turns: they stop them, keep them going, or begin one."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from hooked import said, settings, shell, warnings
from scripted_model import calls, reply, says
from session_front import Front, begin

from tui_agent.drafts import Draft
from tui_agent.events import (
    HookEnded,
    HookStarted,
    MessageQueued,
    MessageUnqueued,
    Notice,
    ReminderSent,
    ToolResultReady,
    TurnFinished,
    UserMessageSent,
)
from tui_agent.model.protocol import ModelError


async def test_a_message_that_a_hook_stops_is_not_sent(place: Path, fronts: list[Front]) -> None:
    stop = "if grep -q password; then echo no secrets please >&2; exit 2; fi"
    settings(place, UserPromptSubmit=[("", shell(stop))])
    front = await said(fronts, place, reply(says(0, "ok")), text="my password is x")
    assert front.of(UserMessageSent) == []
    assert len(front.of(MessageQueued)) == len(front.of(MessageUnqueued)) == 1
    notice = next(event for event in front.of(Notice) if "stopped this message" in event.text)
    assert (notice.text, notice.hint) == ("A hook stopped this message: no secrets please", "It was: my password is x")
    front.session.submit("harmless")
    await front.session.wait_idle()
    assert [event.text for event in front.of(UserMessageSent)] == ["harmless"]
    assert "password" not in str(front.model.requests[0].messages)


async def test_an_interrupt_while_a_hook_hears_a_message_gives_it_back(place: Path, fronts: list[Front]) -> None:
    settings(place, UserPromptSubmit=[("", shell("sleep 71"))])
    fronts.append(front := await begin(place))
    front.session.submit("wait for me")
    await front.until(HookStarted)
    assert front.session.interrupt() == Draft("wait for me")
    await asyncio.wait_for(front.session.wait_idle(), 10)
    assert [event.outcome for event in front.of(HookEnded)] == ["cancelled"]
    assert front.of(UserMessageSent) == []


async def test_a_message_can_be_taken_back_while_a_hook_hears_it(place: Path, fronts: list[Front]) -> None:
    settings(place, UserPromptSubmit=[("", shell("sleep 73"))])
    fronts.append(front := await begin(place))
    front.session.submit("wait for me")
    await front.until(HookStarted)
    assert front.session.take_back() == [Draft("wait for me")]
    assert front.session.take_back() == []
    await asyncio.wait_for(front.session.wait_idle(), 10)
    assert len(front.of(MessageQueued)) == len(front.of(MessageUnqueued)) == 1
    assert warnings(front) == []


async def test_a_message_that_waited_is_announced_once(place: Path, fronts: list[Front]) -> None:
    settings(place, UserPromptSubmit=[("", shell("exit 0"))])
    hold = asyncio.Event()
    first = reply(says(0, "one"))
    first.insert(2, hold.wait)
    fronts.append(front := await begin(place, first, reply(says(0, "two"))))
    front.session.submit("first")
    await front.until(UserMessageSent)
    front.session.submit("second")
    front.session.submit("third")
    hold.set()
    await front.session.wait_idle()
    assert [event.text for event in front.of(MessageQueued)] == ["first", "second", "third"]
    assert [event.text for event in front.of(UserMessageSent)] == ["first", "second", "third"]


async def test_the_turn_goes_on_while_a_hook_wants_it_but_not_for_ever(place: Path, fronts: list[Front]) -> None:
    seen = place.parent / "seen"
    settings(place, Stop=[("", shell(f"cat >> {seen}; echo >> {seen}; echo run the tests first >&2; exit 2"))])
    front = await said(fronts, place, *(reply(says(0, f"done {number}")) for number in range(9)))
    assert len(front.model.requests) == 9
    inputs = [json.loads(line) for line in seen.read_text().splitlines()]
    assert [one["stop_hook_active"] for one in inputs] == [False, *[True] * 8]
    assert inputs[3]["last_assistant_message"] == "done 3"
    assert [event.text for event in front.of(ReminderSent)] == [
        "<system-reminder>\nrun the tests first\n</system-reminder>"
    ] * 8
    assert any("8 times in a row" in text for text in warnings(front))
    assert [event.outcome for event in front.of(TurnFinished)] == ["done"]


async def test_after_an_interrupt_no_hook_keeps_the_turn_going(place: Path, fronts: list[Front]) -> None:
    settings(place, Stop=[("", shell("exit 2"))])
    first = reply(says(0, "one"))
    first.insert(2, lambda: asyncio.Event().wait())
    fronts.append(front := await begin(place, first))
    front.session.submit("go")
    await front.until(UserMessageSent)
    front.session.interrupt()
    await front.session.wait_idle()
    assert [event.outcome for event in front.of(TurnFinished)] == ["interrupted"]
    assert front.of(HookStarted) == []


async def test_a_hook_in_the_background_wakes_an_idle_session(place: Path, fronts: list[Front]) -> None:
    settings(
        place,
        Stop=[("", shell("[ -e woken ] || { touch woken; echo the build broke >&2; exit 2; }", asyncRewake=True))],
    )
    front = await said(fronts, place, reply(says(0, "one")), reply(says(0, "two")))
    await front.until(TurnFinished, 2)
    (reminder,) = front.of(ReminderSent)
    assert "the build broke" in reminder.text
    await front.session.wait_idle()


async def test_a_task_is_made_and_done_only_if_hooks_do_not_mind(place: Path, fronts: list[Front]) -> None:
    only = 'if grep -q \'"task_subject": "%s"\'; then echo no %s >&2; exit 2; fi'
    settings(
        place,
        TaskCreated=[("", shell(only % ("Rest", "rest")))],
        TaskCompleted=[("", shell(only % ("Test", "tests were run")))],
    )
    made = [
        calls(number, "TaskCreate", {"subject": name, "description": "d"})
        for number, name in enumerate(("Rest", "Test"))
    ]
    done = calls(0, "TaskUpdate", {"taskId": "2", "status": "completed"}, "u9")
    front = await said(fronts, place, reply(*made, stop="tool_use"), reply(done, stop="tool_use"), reply(says(0, "ok")))
    assert [event.error_kind for event in front.of(ToolResultReady)] == ["hook", None, "hook"]
    assert "no tests were run" in front.of(ToolResultReady)[2].content
    assert [(task.subject, task.status) for task in front.session.runtime.services.tasks] == [("Test", "pending")]


async def test_a_turn_that_fails_is_told_with_its_kind(place: Path, fronts: list[Front]) -> None:
    told = place.parent / "told"
    settings(place, StopFailure=[("rate_limit", shell("exit 1")), ("authentication_failed", shell(f"cat > {told}"))])
    error = ModelError("authentication", "The key was refused.", is_retryable=False)
    front = await said(fronts, place, [error])
    await front.until(HookEnded)
    given = json.loads(told.read_text())
    assert (given["error"], given["error_details"]) == ("authentication_failed", "The key was refused.")
    assert [event.outcome for event in front.of(HookEnded)] == ["ok"]
