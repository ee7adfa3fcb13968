"""The journal: written before it is shown, readable after any cut, brought to an orderly end."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tui_agent.bus import Bus
from tui_agent.engine.conversation.history import History
from tui_agent.events import (
    AssistantMessageCompleted,
    Event,
    Notice,
    PermissionRequested,
    PermissionResolved,
    RequestSent,
    ResponseStarted,
    SessionStarted,
    TextDelta,
    TextFinished,
    ThinkingDelta,
    ThinkingFinished,
    ToolInputDelta,
    ToolProgressed,
    ToolResultReady,
    ToolStateChanged,
    ToolUseCompleted,
    ToolUseDropped,
    ToolUseStarted,
    TurnFinished,
    TurnStarted,
    UserMessageSent,
)
from tui_agent.journal.load import JournalError, read_events
from tui_agent.journal.repair import closing_events
from tui_agent.journal.store import SessionFolder, find_session, list_sessions, newest_session
from tui_agent.journal.writer import JournalWriter


def started(cwd: str = "/w") -> SessionStarted:
    return SessionStarted(cwd=cwd, model="m", mode="default", version="0")


async def test_an_event_is_in_the_file_before_a_frame_could_show_it(tmp_path: Path) -> None:
    bus = Bus("s")
    path = tmp_path / "j.jsonl"
    writer = JournalWriter(path, bus)
    seen: list[int] = []
    loop = asyncio.get_running_loop()
    # the screen subscribes after the journal and is woken by the same publish
    bus.subscribe("screen", lambda: loop.call_soon(lambda: seen.append(len(path.read_bytes().splitlines()))) and None)
    bus.publish(started())
    bus.publish(Notice(level="info", text="x"))
    await asyncio.sleep(0)
    assert seen == [2]
    await writer.close()


async def test_deltas_are_joined_and_stand_before_what_followed_them(tmp_path: Path) -> None:
    bus = Bus("s")
    writer = JournalWriter(tmp_path / "j.jsonl", bus)
    for piece in ("Hel", "lo ", "you"):
        bus.publish(TextDelta(block_id="b", text=piece))
        bus.publish(ToolInputDelta(tool_use_id="t", partial_json="{"))
        bus.publish(ToolProgressed(tool_use_id="t", data={"message": piece}))
        await asyncio.sleep(0)
    bus.publish(TextFinished(block_id="b"))
    await writer.close()
    events = read_events(tmp_path / "j.jsonl").events
    assert [type(event).__name__ for event in events] == ["TextDelta", "ToolProgressed", "TextFinished"]
    assert isinstance(events[0], TextDelta)
    assert isinstance(events[1], ToolProgressed)
    assert events[0].text == "Hello you"
    assert events[1].data == {"message": "you"}


async def test_text_alone_does_not_wait_for_another_event(tmp_path: Path) -> None:
    bus = Bus("s")
    path = tmp_path / "j.jsonl"
    writer = JournalWriter(path, bus)
    bus.publish(TextDelta(block_id="b", text="thinking aloud"))
    for _ in range(400):
        await asyncio.sleep(0.01)
        if path.stat().st_size:
            break
    assert b"thinking aloud" in path.read_bytes()
    await writer.close()


async def test_a_second_window_cannot_write_to_the_same_session(tmp_path: Path) -> None:
    writer = JournalWriter(tmp_path / "j.jsonl", Bus("s"))
    with pytest.raises(JournalError, match="open in another window"):
        JournalWriter(tmp_path / "j.jsonl", Bus("s"))
    await writer.close()
    await JournalWriter(tmp_path / "j.jsonl", Bus("s")).close()


async def test_a_full_disk_is_said_once_and_does_not_stop_the_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bus = Bus("s")
    listener = bus.subscribe("listener")
    writer = JournalWriter(tmp_path / "j.jsonl", bus)

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tui_agent.journal.writer.os.write", full)
    for _ in range(3):
        bus.publish(started())
        await asyncio.sleep(0)
    monkeypatch.undo()
    await writer.close()
    notices = [event.text for event in listener.take() if isinstance(event, Notice)]
    assert notices == ["The session is no longer recorded: No space left on device."]


async def test_broken_characters_in_a_file_name_keep_the_line_readable(tmp_path: Path) -> None:
    bus = Bus("s")
    writer = JournalWriter(tmp_path / "j.jsonl", bus)
    bus.publish(Notice(level="info", text="caf\udce9 \u2028 é"))
    await writer.close()
    (event,) = read_events(tmp_path / "j.jsonl").events
    assert isinstance(event, Notice)
    assert event.text.endswith("\u2028 é")


async def test_resuming_cuts_the_torn_end_off(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    bus = Bus("s")
    writer = JournalWriter(path, bus)
    bus.publish(started())
    bus.publish(Notice(level="info", text="whole"))
    await writer.close()
    with path.open("ab") as file:
        file.write(b'{"v":1,"type":"notice","lev')
    recording = read_events(path)
    assert recording.is_torn
    assert len(recording.events) == 2
    bus = Bus("s")
    writer = JournalWriter(path, bus, keep_bytes=recording.intact_bytes)
    bus.publish(Notice(level="info", text="after"))
    await writer.close()
    again = read_events(path)
    assert not again.is_torn
    assert [event.text for event in again.events if isinstance(event, Notice)] == ["whole", "after"]


def test_a_damaged_line_is_skipped_and_named(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    good = json.dumps({"v": 1, "type": "notice", "level": "info", "text": "x"})
    path.write_text(f"{good}\n{{broken\n{good}\n")
    recording = read_events(path)
    assert len(recording.events) == 2
    assert recording.problems == (f"{path}:2: not JSON",)


@pytest.mark.parametrize("content", ["", "hello\n", "[1]\n", '{"type":"x"}\n'])
def test_what_is_no_journal_is_refused_by_name(tmp_path: Path, content: str) -> None:
    path = tmp_path / "j.jsonl"
    path.write_text(content)
    with pytest.raises(JournalError, match=r"j\.jsonl"):
        read_events(path)
    with pytest.raises(JournalError, match="missing"):
        read_events(tmp_path / "missing")


def a_session() -> list[Event]:
    """A turn with thinking, text, two tools (one asks), results and a second reply."""
    tool = "toolu_1"
    other = "toolu_2"
    return [
        started(),
        UserMessageSent(message_id="u1", text="hello"),
        TurnStarted(turn_id="t"),
        RequestSent(turn_id="t", request_id="r1", model="m"),
        ResponseStarted(request_id="r1", message_id="m1"),
        ThinkingDelta(block_id="r1:0", text="hm"),
        ThinkingFinished(block_id="r1:0", duration_ms=5.0, signature="sig"),
        TextDelta(block_id="r1:1", text="Let me look."),
        TextFinished(block_id="r1:1"),
        ToolUseStarted(tool_use_id=tool, name="Read"),
        ToolUseCompleted(tool_use_id=tool, name="Read", input={"file_path": "/w/a"}),
        ToolStateChanged(tool_use_id=tool, from_state="new", to_state="queued"),
        ToolStateChanged(tool_use_id=tool, from_state="queued", to_state="executing"),
        ToolUseStarted(tool_use_id=other, name="Bash"),
        ToolUseCompleted(tool_use_id=other, name="Bash", input={"command": "ls"}),
        ToolStateChanged(tool_use_id=other, from_state="new", to_state="queued"),
        ToolResultReady(tool_use_id=tool, name="Read", is_error=False, content="text"),
        ToolStateChanged(tool_use_id=tool, from_state="executing", to_state="completed"),
        ToolStateChanged(tool_use_id=tool, from_state="completed", to_state="yielded"),
        AssistantMessageCompleted(
            message_id="m1",
            content=[
                {"type": "thinking", "thinking": "hm", "signature": "sig"},
                {"type": "text", "text": "Let me look."},
                {"type": "tool_use", "id": tool, "name": "Read", "input": {"file_path": "/w/a"}},
                {"type": "tool_use", "id": other, "name": "Bash", "input": {"command": "ls"}},
            ],
            stop_reason="tool_use",
        ),
        ToolStateChanged(tool_use_id=other, from_state="queued", to_state="executing"),
        PermissionRequested(request_id="q", tool_use_id=other, name="Bash", input={}, by="default", reason="asks"),
        PermissionResolved(request_id="q", tool_use_id=other, behavior="allow", by="person"),
        ToolResultReady(tool_use_id=other, name="Bash", is_error=False, content="a b"),
        ToolStateChanged(tool_use_id=other, from_state="executing", to_state="completed"),
        ToolStateChanged(tool_use_id=other, from_state="completed", to_state="yielded"),
        RequestSent(turn_id="t", request_id="r2", model="m"),
        ResponseStarted(request_id="r2", message_id="m2"),
        TextDelta(block_id="r2:0", text="Do"),
        TextDelta(block_id="r2:0", text="ne."),
        TextFinished(block_id="r2:0"),
        AssistantMessageCompleted(message_id="m2", content=[{"type": "text", "text": "Done."}], stop_reason="end_turn"),
        TurnFinished(turn_id="t", outcome="done"),
    ]


def check_orderly(events: list[Event]) -> None:
    """What a live session promises: states in order, one result each, every question settled, the turn ended."""
    state: dict[str, str] = {}
    results: list[str] = []
    asked: set[str] = set()
    completed: set[str] = set()
    open_turn = False
    streaming: set[str] = set()
    for event in events:
        match event:
            case ToolStateChanged():
                assert state.get(event.tool_use_id, "new") == event.from_state
                state[event.tool_use_id] = event.to_state
                if event.to_state == "completed":
                    assert event.tool_use_id in results
            case ToolResultReady():
                results.append(event.tool_use_id)
            case ToolUseStarted():
                streaming.add(event.tool_use_id)
            case ToolUseCompleted():
                completed.add(event.tool_use_id)
                streaming.discard(event.tool_use_id)
            case ToolUseDropped():
                streaming.discard(event.tool_use_id)
            case PermissionRequested():
                asked.add(event.request_id)
            case PermissionResolved():
                asked.remove(event.request_id)
            case TurnStarted():
                open_turn = True
            case TurnFinished():
                open_turn = False
            case _:
                pass
    assert not streaming
    assert not asked
    assert not open_turn
    assert sorted(results) == sorted(completed)
    assert all(state[use] == "yielded" for use in completed)


def check_valid(messages: list[dict[str, object]]) -> None:
    """What the Messages API refuses: roles that do not alternate, tool uses not answered at once, strays."""
    roles = [message["role"] for message in messages]
    assert roles == ["user" if index % 2 == 0 else "assistant" for index in range(len(roles))]
    for index, message in enumerate(messages):
        content = message["content"]
        assert isinstance(content, list)
        assert content
        uses = [block["id"] for block in content if block["type"] == "tool_use"]
        answers = [block["tool_use_id"] for block in content if block["type"] == "tool_result"]
        if uses:
            following = messages[index + 1]["content"]
            assert isinstance(following, list)
            assert [block["tool_use_id"] for block in following[: len(uses)]] == uses
        if answers:
            before = messages[index - 1]["content"]
            assert isinstance(before, list)
            assert answers == [block["id"] for block in before if block["type"] == "tool_use"]


@pytest.mark.parametrize("cut", range(1, len(a_session()) + 1))
def test_killed_after_any_event_the_recording_is_brought_to_an_orderly_end(cut: int) -> None:
    events = a_session()[:cut]
    events += closing_events(events)
    check_orderly(events)
    check_valid(History.from_events(events).messages())
    assert closing_events(events) == []


def test_a_complete_session_needs_no_closing() -> None:
    assert closing_events(a_session()) == []


def test_text_that_was_shown_before_a_kill_stays_in_the_conversation() -> None:
    events = a_session()
    cut = next(i for i, event in enumerate(events) if isinstance(event, TextDelta) and event.text == "ne.")
    events = events[: cut + 1]
    events += closing_events(events)
    assert History.from_events(events).messages()[-1] == {
        "role": "assistant",
        "content": [{"type": "text", "text": "Done."}],
    }


def test_signed_thinking_of_a_killed_reply_is_sent_back_and_unsigned_is_not() -> None:
    events = a_session()
    cut = next(i for i, event in enumerate(events) if isinstance(event, AssistantMessageCompleted))
    for upto, kinds in ((cut, ["thinking", "text", "tool_use", "tool_use"]), (6, [])):
        recovered = events[:upto]
        closing = closing_events(recovered)
        contents = [event.content for event in closing if isinstance(event, AssistantMessageCompleted)]
        assert [block["type"] for content in contents for block in content] == kinds


def test_a_reply_that_was_retried_does_not_leave_its_first_half() -> None:
    events: list[Event] = [
        UserMessageSent(message_id="u", text="hi"),
        TurnStarted(turn_id="t"),
        RequestSent(turn_id="t", request_id="r1", model="m"),
        TextDelta(block_id="r1:0", text="half of a"),
        TextFinished(block_id="r1:0"),
        RequestSent(turn_id="t", request_id="r2", model="m", attempt=2),
        TextDelta(block_id="r2:0", text="whole"),
    ]
    events += closing_events(events)
    last = History.from_events(events).messages()[-1]
    assert last["content"] == [{"type": "text", "text": "whole"}]


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 100_000))
def test_a_file_cut_at_any_byte_loads_and_goes_on(tmp_path: Path, cut: int) -> None:
    async def write() -> bytes:
        bus = Bus("s")
        path = tmp_path / f"{os.getpid()}.jsonl"
        path.unlink(missing_ok=True)
        writer = JournalWriter(path, bus)
        for event in a_session():
            bus.publish(event)
        await writer.close()
        return path.read_bytes()

    data = asyncio.run(write())
    first = data.index(b"\n") + 1
    path = tmp_path / "cut.jsonl"
    path.write_bytes(data[: first + cut % (len(data) - first)])
    recording = read_events(path)
    events = recording.events + closing_events(recording.events)
    check_orderly(events)
    check_valid(History.from_events(events).messages())


async def test_sessions_are_found_by_directory_and_by_id(tmp_path: Path) -> None:
    home = tmp_path / "state"
    made: list[SessionFolder] = []
    for cwd, text, when in (("/w/a", "first", 100), ("/w/a", "second", 300), ("/w/b", "third", 200)):
        folder = SessionFolder.new(home, Path(cwd))
        folder.create()
        bus = Bus(folder.id)
        writer = JournalWriter(folder.journal, bus)
        bus.publish(started(cwd))
        bus.publish(UserMessageSent(message_id="u", text=text))
        await writer.close()
        os.utime(folder.journal, (when, when))
        made.append(folder)
    assert [info.first_message for info in list_sessions(home)] == ["second", "third", "first"]
    assert [info.first_message for info in list_sessions(home, Path("/w/b"))] == ["third"]
    newest = newest_session(home, Path("/w/a"))
    assert newest is not None
    assert newest.id == made[1].id
    assert newest_session(home, Path("/w/none")) is None
    found = find_session(home, made[2].id)
    assert found is not None
    assert found.path == made[2].path
    assert find_session(home, "../../etc") is None
    assert find_session(home, "0000") is None
