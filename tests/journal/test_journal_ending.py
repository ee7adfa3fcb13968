from __future__ import annotations

import json
from pathlib import Path

import pytest

from tui_agent import events as ev
from tui_agent.event_json import to_json
from tui_agent.journal.load import PASSED_STAGES, JournalError, read_ending, read_events


def journal(path: Path, turns: int, *, end: bytes = b"") -> Path:
    events: list[ev.Event] = [ev.SessionStarted(cwd="/w", model="m", mode="default", version="0")]
    for number in range(turns):
        events += [
            ev.UserMessageSent(message_id=f"m{number}", text=f"question {number}"),
            ev.ToolStageStarted(tool_use_id="t", stage="call"),
            ev.ToolStageEnded(tool_use_id="t", stage="call", outcome="ok", ms=1.0),
            ev.TextDelta(block_id=f"b{number}", text="x" * 500),
        ]
    lines = [json.dumps(to_json(event), separators=(",", ":")).encode() + b"\n" for event in events]
    path.write_bytes(b"".join(lines) + end)
    return path


def test_an_ending_begins_with_a_message_and_knows_where_the_session_is(tmp_path: Path) -> None:
    path = journal(tmp_path / "j", 100)
    events = read_ending(path, most=5000)
    assert isinstance(events[0], ev.SessionStarted)
    assert isinstance(events[1], ev.UserMessageSent)
    assert [event for event in events if isinstance(event, ev.UserMessageSent)][-1].text == "question 99"
    assert 4 < len(events) < 40
    assert not any(isinstance(event, ev.ToolStageStarted | ev.ToolStageEnded) for event in events)


@pytest.mark.parametrize("most", [1, 100, 650, 1500, 10_000, 10**7])
def test_an_ending_is_an_end_of_the_whole_wherever_it_is_cut(tmp_path: Path, most: int) -> None:
    path = journal(tmp_path / "j", 20, end=b'{"v":1,"type":"text_delta","block_id":"b')
    whole = read_events(path, but=PASSED_STAGES).events
    ending = read_ending(path, most=most)
    assert ending[0] == whole[0]
    assert ending[1:] == whole[len(whole) - len(ending) + 1 :]


def test_of_a_journal_that_cannot_be_read_there_is_no_ending(tmp_path: Path) -> None:
    assert read_ending(tmp_path / "none") == []
    (tmp_path / "garbage").write_bytes(b"garbage\n\xff\xfe\n")
    assert read_ending(tmp_path / "garbage") == []


def test_events_that_nobody_wants_are_left_out_but_count_as_whole(tmp_path: Path) -> None:
    path = journal(tmp_path / "j", 3)
    line = json.dumps(to_json(ev.ToolStageStarted(tool_use_id="t", stage="call")), separators=(",", ":")).encode()
    with path.open("ab") as file:
        file.write(line + b"\n")
    everything, wanted = read_events(path), read_events(path, but=PASSED_STAGES)
    assert wanted.events == [
        event for event in everything.events if not isinstance(event, ev.ToolStageStarted | ev.ToolStageEnded)
    ]
    assert wanted.intact_bytes == everything.intact_bytes == path.stat().st_size
    assert not wanted.is_torn


def test_a_left_out_event_that_was_cut_off_is_torn(tmp_path: Path) -> None:
    path = journal(tmp_path / "j", 1, end=b'{"v":1,"type":"tool_stage_started","tool\n')
    recording = read_events(path, but=PASSED_STAGES)
    assert recording.is_torn
    assert recording.intact_bytes == path.stat().st_size - len(b'{"v":1,"type":"tool_stage_started","tool\n')


def test_a_journal_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="none"):
        read_events(tmp_path / "none")
