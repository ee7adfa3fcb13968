"""One conversation from the front end's side: commands in, events out, on a model that follows a script."""

from __future__ import annotations

import asyncio
import gc
import json
from pathlib import Path
from typing import Any

import pytest
from scripted_model import calls, reply, says
from session_front import Front, begin

from tui_agent.commands import AddFolder, FolderAdded
from tui_agent.drafts import Draft
from tui_agent.engine.conversation.cache_marks import mark
from tui_agent.engine.conversation.history import History
from tui_agent.engine.session.config import SessionConfigError
from tui_agent.events import (
    Event,
    HistoryCleared,
    MessageQueued,
    MessageUnqueued,
    MessageWithdrawn,
    ModeChanged,
    Notice,
    PermissionRequested,
    PermissionResolved,
    ResponseStarted,
    SessionEnded,
    SessionStarted,
    SettingsReloaded,
    ToolResultReady,
    TurnFinished,
    UserMessageSent,
)
from tui_agent.journal.export import as_markdown
from tui_agent.journal.load import JournalError, read_events
from tui_agent.journal.store import SessionFolder, session_info
from tui_agent.journal.summary import summarize
from tui_agent.permissions.verdict import Decision
from tui_agent.queries import StateQuery
from tui_agent.tools.registry import ToolPool
from tui_agent.ui.projection.projection import Projection


async def test_a_message_is_answered_and_recorded(place: Path, fronts: list[Front]) -> None:
    fronts.append(front := await begin(place, reply(says(0, "Hi"))))
    front.session.submit("hello")
    await front.session.wait_idle()
    await front.session.close()
    (started,) = front.of(SessionStarted)
    assert (started.source, started.mode, started.cwd) == ("startup", "default", str(place))
    assert started.tools == ToolPool.build().names
    (finished,) = front.of(TurnFinished)
    assert finished.outcome == "done"
    assert isinstance(front.events[-1], SessionEnded)
    (journal,) = (place.parent / "tui_agent_home").rglob("journal.jsonl")
    recorded = [type(event).__name__ for event in read_events(journal).events]
    assert recorded[0] == "SessionStarted"
    assert recorded[-1] == "SessionEnded"


async def test_the_request_carries_prompt_tools_memory_and_marks(place: Path, fronts: list[Front]) -> None:
    (place / "CLAUDE.md").write_text("Use tabs.")
    fronts.append(front := await begin(place, reply(says(0, "Hi")), reply(says(0, "again"))))
    front.session.submit("hello")
    front.session.submit("and again")
    await front.session.wait_idle()
    first, second = front.model.requests
    assert first.tools == mark(first, builtin_tools=len(ToolPool.build().core)).tools
    assert [tool["name"] for tool in first.tools] == [tool.name for tool in ToolPool.build().core]
    assert "Use tabs." in str(first.messages[0])
    assert str(second.messages).count("Use tabs.") == 1
    assert json.dumps(first.system) == json.dumps(second.system)
    assert 1 <= json.dumps([first.system, first.messages, first.tools]).count("cache_control") <= 4


async def test_messages_wait_while_it_works_and_can_be_taken_back(place: Path, fronts: list[Front]) -> None:
    hold = asyncio.Event()
    first = reply(says(0, "one"))
    first.insert(2, hold.wait)
    fronts.append(front := await begin(place, first, reply(says(0, "two"))))
    front.session.submit("first")
    await front.until(ResponseStarted)
    front.session.submit("second")
    front.session.submit("third")
    assert front.session.take_back() == [Draft("second"), Draft("third")]
    assert len(front.of(MessageQueued)) == 2
    assert len(front.of(MessageUnqueued)) == 2
    front.session.submit("fourth")
    hold.set()
    await front.session.wait_idle()
    assert [event.text for event in front.of(UserMessageSent)] == ["first", "fourth"]
    assert front.session.take_back() == []


async def test_an_interrupt_before_any_answer_takes_the_message_back(place: Path, fronts: list[Front]) -> None:
    (place / "CLAUDE.md").write_text("Use tabs.")
    hold = asyncio.Event()
    first = reply(says(0, "one"))
    first.insert(1, hold.wait)
    fronts.append(front := await begin(place, first, reply(says(0, "two"))))
    front.session.submit("the wrong words")
    await front.until(ResponseStarted)
    assert front.session.interrupt() == Draft("the wrong words")
    await front.session.wait_idle()
    (sent,) = front.of(UserMessageSent)
    assert [event.message_id for event in front.of(MessageWithdrawn)] == [sent.message_id]
    front.session.submit("the right words")
    await front.session.wait_idle()
    said = str(front.model.requests[-1].messages)
    assert "the wrong words" not in said
    assert said.count("Use tabs.") == 1, "what the program had added stays"
    await front.session.close()
    (journal,) = (place.parent / "tui_agent_home").rglob("journal.jsonl")
    events = read_events(journal).events
    assert "the wrong words" not in str(History.from_events(events).messages())
    assert "the wrong words" not in as_markdown(events)
    info = session_info(SessionFolder(journal.parent))
    assert info is not None
    assert info.first_message == "the right words"
    assert summarize(SessionFolder(journal.parent)).messages == ["the right words"]
    shown = Projection()
    shown.apply(events)
    assert [block.text for block in shown.blocks if block.kind == "user"] == ["the right words"]
    assert [block.outcome for block in shown.blocks if block.kind == "turn"] == ["done"]


async def test_an_interrupt_sends_what_waits(place: Path, fronts: list[Front]) -> None:
    first = reply(says(0, "one"))
    first.insert(2, lambda: asyncio.Event().wait())
    fronts.append(front := await begin(place, first, reply(says(0, "two"))))
    front.session.submit("first")
    await front.until(ResponseStarted)
    front.session.submit("instead")
    front.session.interrupt()
    await front.session.wait_idle()
    assert [event.outcome for event in front.of(TurnFinished)] == ["interrupted", "done"]


async def test_a_command_asks_and_an_always_settles_what_else_waits(place: Path, fronts: list[Front]) -> None:
    both = reply(
        calls(0, "Bash", {"command": "touch a.txt"}), calls(1, "Bash", {"command": "touch b.txt"}), stop="tool_use"
    )
    fronts.append(front := await begin(place, both, reply(says(0, "ok"))))
    front.session.submit("go")
    (asked,) = await front.until(PermissionRequested)
    assert asked.reason
    assert not (place / "a.txt").exists()
    decision = Decision(behavior="allow", rules=("Bash(touch *)",), scope="local")
    assert front.session.answer(asked.request_id, decision)
    assert not front.session.answer(asked.request_id, Decision(behavior="deny"))
    await front.session.wait_idle()
    assert (place / "a.txt").exists()
    assert (place / "b.txt").exists()
    assert [event.is_error for event in front.of(ToolResultReady)] == [False, False]
    saved = json.loads((place / ".tui-agent" / "settings.local.json").read_text())
    assert saved["permissions"]["allow"] == ["Bash(touch *)"]


async def test_the_first_question_is_settled_by_a_mode_that_allows_it(place: Path, fronts: list[Front]) -> None:
    (place / "f.txt").write_text("one\n")
    steps = reply(calls(0, "Read", {"file_path": str(place / "f.txt")}), stop="tool_use")
    edit = reply(
        calls(0, "Edit", {"file_path": str(place / "f.txt"), "old_string": "one", "new_string": "two"}, "toolu_e"),
        stop="tool_use",
    )
    fronts.append(front := await begin(place, steps, edit, reply(says(0, "ok"))))
    front.session.submit("go")
    (asked,) = await front.until(PermissionRequested)
    (change,) = front.session.proposals(asked.request_id)
    assert change.after == "two\n"
    front.session.set_mode("acceptEdits")
    (resolved,) = await front.until(PermissionResolved)
    assert (resolved.behavior, resolved.by) == ("allow", "rule")
    await front.session.wait_idle()
    assert (place / "f.txt").read_text() == "two\n"
    assert front.session.proposals(asked.request_id) == ()


async def test_bypassing_must_have_been_asked_for_at_the_start(place: Path, fronts: list[Front]) -> None:
    fronts.append(front := await begin(place))
    front.session.set_mode("bypassPermissions")
    assert front.session.mode == "default"
    assert "not allowed" in front.of(Notice)[-1].text
    seen = []
    for _ in range(3):
        front.session.cycle_mode()
        seen.append(front.session.mode)
    assert seen == ["acceptEdits", "plan", "default"]
    assert len(front.of(ModeChanged)) == 3


async def test_clearing_starts_afresh(place: Path, fronts: list[Front]) -> None:
    fronts.append(front := await begin(place, reply(says(0, "Hi")), reply(says(0, "Hello"))))
    front.session.submit("first")
    await front.session.wait_idle()
    front.session.clear()
    front.session.submit("second")
    await front.session.wait_idle()
    assert len(front.of(HistoryCleared)) == 1
    assert len(front.model.requests[1].messages) == 1


async def test_a_session_closed_in_mid_tool_goes_on_with_a_valid_conversation(place: Path, fronts: list[Front]) -> None:
    script = reply(says(0, "I wait."), calls(1, "Bash", {"command": "sleep 60"}), stop="tool_use")
    front = await begin(place, script, allowed=("Bash(sleep *)",))
    front.session.submit("go")
    while not any(getattr(event, "to_state", "") == "executing" for event in front.events):
        await front.subscription.wait()
        front.of(Event)
    await asyncio.wait_for(front.session.close(), 10)
    fronts.append(again := await begin(place, reply(says(0, "back")), is_continued=True))
    assert again.of(SessionStarted)[-1].source == "continue"
    again.session.submit("go on")
    await again.session.wait_idle()
    messages = again.model.requests[0].messages
    assert [message["role"] for message in messages] == ["user", "assistant", "user"]
    assert messages[2]["content"][0]["type"] == "tool_result"
    assert again.session.id == front.session.id


async def test_two_windows_cannot_share_a_session(place: Path, fronts: list[Front]) -> None:
    fronts.append(front := await begin(place, reply(says(0, "Hi"))))
    front.session.submit("x")
    await front.session.wait_idle()
    with pytest.raises(JournalError, match="open in another window"):
        await begin(place, is_continued=True)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"mode": "yolo"}, "unknown permission mode 'yolo'"),
        ({"resume": "no-such-session"}, "No conversation found with session ID: no-such-session"),
        ({"is_continued": True}, "no session to continue"),
        ({"settings": "{broken"}, "settings"),
        ({"additional_dirs": (Path("/nowhere/at/all"),)}, "/nowhere/at/all is not a folder"),
        ({"setting_sources": ("moon",)}, "moon"),
    ],
)
async def test_what_cannot_start_says_why(place: Path, options: dict[str, Any], words: str) -> None:
    with pytest.raises(SessionConfigError, match=words):
        await begin(place, **options)


async def test_root_does_not_bypass_permissions_outside_a_sandbox(
    place: Path, monkeypatch: pytest.MonkeyPatch, fronts: list[Front]
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 0)
    with pytest.raises(SessionConfigError, match="IS_SANDBOX=1"):
        await begin(place, mode="bypassPermissions", environment={})
    fronts.append(front := await begin(place, may_bypass=True, environment={"IS_SANDBOX": "1"}))
    assert front.session.mode == "bypassPermissions"


async def test_malformed_settings_are_named_and_the_rest_holds(place: Path, fronts: list[Front]) -> None:
    (place / ".tui-agent").mkdir()
    (place / ".tui-agent" / "settings.json").write_text('{\n "model": 7,\n "permissions": {"deny": ["Bash(rm *)"]}\n}')
    (place / ".tui-agent" / "settings.local.json").write_text("{\n oops")
    fronts.append(front := await begin(place))
    (reloaded,) = front.of(SettingsReloaded)
    assert any("settings.json:2" in problem for problem in reloaded.problems)
    assert any("settings.local.json:2" in problem for problem in reloaded.problems)
    assert [rule.text for rule in front.session.runtime.rulebook.rules.deny] == ["Bash(rm *)"]


async def test_a_recording_is_let_go_once_everybody_has_been_told(place: Path, fronts: list[Front]) -> None:
    fronts.append(front := await begin(place, reply(says(0, "Hi"))))
    front.session.submit("hello")
    await front.session.wait_idle()
    await front.session.close()
    fronts.append(again := await begin(place, reply(says(0, "again")), resume=front.session.id))
    assert len(again.of(UserMessageSent)) == 1
    for one in fronts:
        one.subscription.take()
        one.events.clear()
    gc.collect()
    messages = [kept for kept in gc.get_objects() if isinstance(kept, UserMessageSent)]
    assert not [message for message in messages if message.session_id == front.session.id]


async def test_a_folder_is_added_and_the_model_told(place: Path, fronts: list[Front]) -> None:
    library = place.parent / "library"
    library.mkdir()
    fronts.append(front := await begin(place, reply(says(0, "Hi"))))
    engine = front.session.engine
    assert "is not a folder" in (await engine.send(AddFolder("../nowhere"))).error
    assert (await engine.send(AddFolder("../library"))).ok == FolderAdded(str(library))
    assert "already" in (await engine.send(AddFolder(str(library)))).error
    assert (await engine.query(StateQuery())).additional_dirs == (str(library),)
    front.session.submit("hello")
    await front.session.wait_idle()
    assert f"The user has added {library}" in str(front.model.requests[0].messages)
