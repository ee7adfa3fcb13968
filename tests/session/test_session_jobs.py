"""Background jobs in a session: the model is told of their ends, also after the session went on in another process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from scripted_model import Script, ScriptedModel, calls, reply, says
from session_driver import open_session
from session_front import Front

from tui_agent.engine.context.job_notices import missed_notices
from tui_agent.engine.conversation.history import History
from tui_agent.engine.session.config import SessionOptions
from tui_agent.events import (
    JobEnded,
    JobStarted,
    Notice,
    ReminderSent,
    SessionEnded,
    ToolResultReady,
    ToolStateChanged,
    UserMessageSent,
)
from tui_agent.journal.load import read_events
from tui_agent.journal.repair import closing_events

WAITS = "until test -e go; do sleep 0.01; done; echo late"


class Talk(Front):
    """A front end that says something and waits for the end of it, and looks at what its model was asked."""

    async def say(self, text: str) -> None:
        self.session.submit(text)
        await self.session.wait_idle()

    def sent(self, number: int) -> str:
        return str(self.model.requests[number].messages)


async def talk(place: Path, *scripts: Script, **options: Any) -> Talk:
    options = {"is_trusted": True, "allowed": ("Bash",), **options}
    model = ScriptedModel(*scripts)
    return Talk(await open_session(SessionOptions(cwd=place, **options), model), model)


@pytest.fixture
async def talks() -> AsyncIterator[list[Talk]]:
    opened: list[Talk] = []
    yield opened
    for one in opened:
        await one.session.close()


def background(command: str) -> Script:
    return reply(calls(0, "Bash", {"command": command, "run_in_background": True}), stop="tool_use")


async def test_the_model_is_told_with_the_next_message(place: Path, talks: list[Talk]) -> None:
    talks.append(one := await talk(place, background(WAITS), reply(says(0, "ok")), reply(says(0, "I see"))))
    await one.say("start it")
    started = one.of(JobStarted)[0]
    (place / "go").touch()
    assert (await one.until(JobEnded))[-1].exit_code == 0
    await one.say("and?")
    told = one.of(UserMessageSent)[-1].context
    assert f"Background job {started.job_id}" in told
    assert "ended with exit code 0" in told
    assert told in one.sent(2).replace("\\n", "\n")
    assert one.sent(2).count("Background job") == 1


async def test_the_model_is_told_between_two_steps_and_the_record_gives_the_same_history(
    place: Path, talks: list[Talk]
) -> None:
    look = reply(calls(0, "Bash", {"command": "touch go; sleep 60"}), stop="tool_use")
    talks.append(one := await talk(place, background(WAITS), look, reply(says(0, "done"))))
    one.session.submit("start it")
    await one.until(JobEnded)
    running = [event.tool_use_id for event in one.of(ToolStateChanged) if event.to_state == "executing"][-1]
    one.session.stop_tool(running)
    await one.session.wait_idle()
    (reminder,) = one.of(ReminderSent)
    assert "ended with exit code 0" in reminder.text
    assert "Background job" in one.sent(2)
    await one.session.close()
    (journal,) = (place.parent / "tui_agent_home").rglob("journal.jsonl")
    again = History.from_events(read_events(journal).events)
    assert again.messages()[: len(one.model.requests[2].messages)] == [
        {
            **message,
            "content": [{k: v for k, v in block.items() if k != "cache_control"} for block in message["content"]],
        }
        for message in one.model.requests[2].messages
    ]


async def test_jobs_end_with_the_session_and_the_next_part_of_it_is_told(place: Path, talks: list[Talk]) -> None:
    one = await talk(place, background("sleep 60"), reply(says(0, "ok")))
    await one.say("start it")
    await one.session.close()
    assert one.of(JobEnded)[0].outcome == "stopped"
    assert isinstance(one.events[-1], SessionEnded)
    assert one.session.runtime.jobs.running == ()
    talks.append(again := await talk(place, reply(says(0, "hm")), is_continued=True))
    await again.say("go on")
    assert "was stopped" in again.of(UserMessageSent)[-1].context


async def test_a_job_can_be_stopped_by_the_person(place: Path, talks: list[Talk]) -> None:
    talks.append(one := await talk(place, background("sleep 60"), reply(says(0, "ok")), reply(says(0, "oh"))))
    await one.say("start it")
    one.session.stop_job(one.of(JobStarted)[0].job_id)
    assert (await one.until(JobEnded))[-1].outcome == "stopped"
    await one.say("and?")
    assert "was stopped" in one.sent(2)


async def test_a_running_command_can_be_sent_to_the_background(place: Path, talks: list[Talk]) -> None:
    script = reply(calls(0, "Bash", {"command": "touch begun; sleep 60"}), stop="tool_use")
    talks.append(one := await talk(place, script, reply(says(0, "ok"))))
    one.session.submit("run it")
    while not (place / "begun").exists():
        await asyncio.sleep(0.01)
    executing = [event for event in one.of(ToolStateChanged) if event.to_state == "executing"]
    one.session.move_to_background(executing[0].tool_use_id)
    await one.session.wait_idle()
    assert len(one.of(JobStarted)) == 1
    assert "moved this command to the background" in one.sent(1)


async def test_an_interrupted_command_tells_the_model_what_it_had_printed(place: Path, talks: list[Talk]) -> None:
    script = reply(calls(0, "Bash", {"command": "echo so far; touch begun; sleep 60"}), stop="tool_use")
    talks.append(one := await talk(place, script, reply(says(0, "ok"))))
    one.session.submit("run it")
    while not (place / "begun").exists():
        await asyncio.sleep(0.01)
    one.session.interrupt()
    await one.session.wait_idle()
    (result,) = one.of(ToolResultReady)
    assert result.error_kind == "aborted"
    assert "The user interrupted." in result.content
    assert "What it had printed until then:\nso far" in result.content
    assert result.data["stdout"] == "so far\n"
    await one.say("go on")
    assert "so far" in one.sent(1)


async def test_a_job_s_output_is_read_without_asking(place: Path, talks: list[Talk]) -> None:
    one = await talk(
        place, background("echo hello"), reply(says(0, "ok")), reply(says(0, "x")), allowed=("Bash(echo *)",)
    )
    talks.append(one)
    await one.say("start it")
    await one.until(JobEnded)
    path = one.of(JobStarted)[0].output_path
    one.model.scripts[:] = [reply(calls(0, "Read", {"file_path": path}), stop="tool_use"), reply(says(0, "read"))]
    await one.say("look")
    result = one.of(ToolResultReady)[-1]
    assert (result.name, result.is_error) == ("Read", False)
    assert "hello" in str(result.content)
    assert not one.of(Notice)


def test_a_recording_that_stops_with_a_job_running_ends_it_and_tells_it() -> None:
    started = JobStarted(job_id="bash_1", tool_use_id="t", command="serve", output_path="/o")
    told = UserMessageSent(message_id="m", text="x")
    closing = closing_events([told, started])
    assert closing == [JobEnded(job_id="bash_1", outcome="stopped")]
    assert [news.job_id for news in missed_notices([told, started, *closing])] == ["bash_1"]
    assert missed_notices([started, *closing, told]) == []
    assert missed_notices([started, *closing, ReminderSent(text="x")]) == []
