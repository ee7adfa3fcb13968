"""What the engine remembers for the main conversation is not changed by what agents say and use."""

from __future__ import annotations

from pathlib import Path

from agent_streams import owned, session_events

from tui_agent import events as ev
from tui_agent.bus import Bus
from tui_agent.changes import FileChange
from tui_agent.engine.context.job_notices import missed_notices
from tui_agent.engine.files.change_history import ChangeHistory
from tui_agent.engine.session.manual_tools import Results
from tui_agent.queries import StateQuery
from tui_agent.tools.file_changes.versions import Versions
from tui_agent.ui.replay import Player

CHANGE = FileChange.between("/w/a.txt", "old\n", "new\n")


def test_numbered_results_are_those_of_the_main_conversation() -> None:
    results = Results()
    for event in session_events():
        results.follow(event)
    assert list(results.env()) == ["R1", "R2", "R"]
    for event in owned([ev.HistoryCleared()], "a1"):
        results.follow(event)
    assert "R2" in results.env()


def test_a_job_that_ended_is_still_to_be_told_after_a_message_to_an_agent() -> None:
    events: list[ev.Event] = [
        ev.JobStarted(job_id="j", tool_use_id="u1", command="make", output_path="/o"),
        ev.JobEnded(job_id="j", outcome="done", exit_code=0),
        *owned([ev.UserMessageSent(message_id="m", text="look"), ev.ReminderSent(text="mind")], "a1"),
    ]
    assert [notice.job_id for notice in missed_notices(events)] == ["j"]
    assert missed_notices([*events, ev.UserMessageSent(message_id="m", text="look")]) == []


def test_what_was_undone_is_still_to_be_told_after_a_message_to_an_agent(tmp_path: Path) -> None:
    bus = Bus("s")
    history = ChangeHistory(Versions(tmp_path / "versions"), bus, folder=lambda: tmp_path, state=None)
    agent = bus.for_agent("a1")
    agent.publish(ev.EditApplied(tool_use_id="u1", change=CHANGE, after_hash="hash"))
    assert [file.path for file in history.files] == ["/w/a.txt"], "whoever changes a file, the session has changed it"
    bus.publish(ev.EditUndone(path="/w/a.txt", change=CHANGE, after_hash=""))
    agent.publish(ev.UserMessageSent(message_id="m", text="look"))
    assert "/w/a.txt" in history.take_news()


async def test_a_replay_says_what_the_main_conversation_ended_in() -> None:
    events: list[ev.Event] = [
        ev.SessionStarted(cwd="/w", model="large", mode="plan", version="0"),
        *owned([ev.ModeChanged(mode="acceptEdits", previous=""), ev.ModelChanged(model="small", previous="")], "a1"),
    ]
    state = await Player(events).query(StateQuery())
    assert (state.mode, state.model) == ("plan", "large")
