"""Recorded sessions, as front ends ask about them with a session or before there is one."""

from __future__ import annotations

import fcntl
import json
from pathlib import Path

import pytest

from tui_agent import events as ev
from tui_agent.commands import DeleteSession
from tui_agent.engine.recorded_sessions import RecordedSessions
from tui_agent.event_json import to_json
from tui_agent.journal.store import SessionFolder
from tui_agent.queries import ExportQuery, SessionPreviewQuery, SessionQuery, SessionsQuery


def record(state: Path, cwd: str, text: str) -> SessionFolder:
    folder = SessionFolder.new(state, Path(cwd))
    folder.create()
    events = [
        ev.SessionStarted(cwd=cwd, model="sonnet", mode="default", version="0"),
        ev.UserMessageSent(message_id="m", text=text),
        ev.TurnFinished(turn_id="t", outcome="done"),
    ]
    folder.journal.write_text("".join(json.dumps(to_json(event), separators=(",", ":")) + "\n" for event in events))
    return folder


@pytest.fixture
def sessions(tmp_path: Path) -> RecordedSessions:
    return RecordedSessions(tmp_path, Path("/w"), mask=lambda text: text.replace("hunter2", "***"))


async def test_they_are_listed_found_and_described_with_masks(sessions: RecordedSessions, tmp_path: Path) -> None:
    folder, other = record(tmp_path, "/w", "my password is hunter2"), record(tmp_path, "/else", "other")
    (row,) = (await sessions.query(SessionsQuery())).sessions
    assert (row.id, row.cwd, row.first_message) == (folder.id, "/w", "my password is ***")
    assert {row.id for row in (await sessions.query(SessionsQuery(all=True))).sessions} == {folder.id, other.id}
    assert await sessions.query(SessionQuery(folder.id)) == row
    assert await sessions.query(SessionQuery(folder.id[:13])) == row
    assert await sessions.query(SessionQuery("../sessions")) is None
    preview = await sessions.query(SessionPreviewQuery(folder.id))
    assert preview is not None
    assert (preview.messages, preview.turns, preview.model) == (("my password is ***",), 1, "sonnet")
    assert await sessions.query(SessionPreviewQuery("0000-none")) is None


async def test_one_comes_as_markdown_or_with_what_is_wrong(sessions: RecordedSessions, tmp_path: Path) -> None:
    folder = record(tmp_path, "/w", "round the totals")
    export = await sessions.query(ExportQuery(folder.id))
    assert export is not None
    assert (export.session_id, export.problem) == (folder.id, "")
    assert "## You\n\nround the totals" in export.text
    assert await sessions.query(ExportQuery()) is None, "no session asks"
    own = await RecordedSessions(tmp_path, Path("/w"), current=folder.id).query(ExportQuery())
    assert own == export
    folder.journal.write_text("")
    damaged = await sessions.query(ExportQuery(folder.id))
    assert damaged is not None
    assert damaged.text == ""
    assert damaged.problem


async def test_one_is_deleted_whole_unless_it_is_open(sessions: RecordedSessions, tmp_path: Path) -> None:
    folder, other = record(tmp_path, "/w", "one"), record(tmp_path, "/w", "two")
    with folder.journal.open("rb") as journal:
        fcntl.flock(journal, fcntl.LOCK_EX)
        reply = await sessions.send(DeleteSession(folder.id))
        assert "another window" in reply.error
        own = await RecordedSessions(tmp_path, Path("/w"), current=folder.id).send(DeleteSession(folder.id))
        assert own.error == "it is open here"
    beginning = await sessions.send(DeleteSession(folder.id[:13]))
    assert beginning.ok is not None
    assert beginning.ok.was_gone, "the beginning of an id deletes nothing"
    assert folder.journal.exists()
    done = await sessions.send(DeleteSession(folder.id))
    assert done.ok is not None
    assert not done.ok.was_gone
    assert not folder.path.exists()
    again = await sessions.send(DeleteSession(folder.id))
    assert again.ok is not None
    assert again.ok.was_gone
    assert other.journal.exists()
