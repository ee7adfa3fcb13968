"""Recordings of version 1, in which no event names an agent: real ones, one that ended and one whose program was killed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from scripted_model import ScriptedModel, reply, says
from session_driver import open_session
from session_front import place_apart

from tui_agent.conversation_fold import by_agent
from tui_agent.engine.conversation.history import History
from tui_agent.engine.session.config import SessionOptions
from tui_agent.event_json import SCHEMA_VERSION
from tui_agent.journal.export import as_markdown
from tui_agent.journal.load import PASSED_STAGES, read_ending, read_events
from tui_agent.journal.repair import closing_events
from tui_agent.journal.store import SessionFolder
from tui_agent.journal.summary import summarize
from tui_agent.ui.projection.projection import Projection

RECORDINGS = sorted((Path(__file__).parent / "recordings_v1").glob("*.jsonl"))


def test_there_are_some_of_an_older_version() -> None:
    assert [path.stem for path in RECORDINGS] == ["finished", "killed"]
    for path in RECORDINGS:
        for line in path.read_text().splitlines():
            assert json.loads(line)["v"] == 1 < SCHEMA_VERSION
            assert '"agent_id"' not in line


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_it_is_read_whole_as_the_main_conversation(path: Path) -> None:
    recording = read_events(path)
    assert recording.problems == ()
    assert len(recording.events) == len(path.read_text().splitlines())
    assert set(by_agent(recording.events)) == {""}
    without = read_events(path, but=PASSED_STAGES).events
    assert len(without) == sum("tool_stage_" not in line[:40] for line in path.read_text().splitlines())
    events = [*recording.events, *closing_events(recording.events)]
    messages = History.from_events(events).messages()
    assert [message["role"] for message in messages[:2]] == ["user", "assistant"]
    assert "never answered" not in json.dumps(messages)
    projection = Projection()
    projection.apply(events)
    assert projection.tools
    assert all(not use.agent_id and use.parent_id is None for use in projection.tools.values())
    assert not projection.status.is_busy
    assert "## You" in as_markdown(events)
    assert read_ending(path)[-1] == recording.events[-1]


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
async def test_it_goes_on(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = place_apart(tmp_path, monkeypatch)
    folder = SessionFolder.new(tmp_path / "tui_agent_home", place)
    folder.create()
    shutil.copy(path, folder.journal)
    before = summarize(folder)
    assert before.messages
    model = ScriptedModel(reply(says(0, "Gladly.")))
    session = await open_session(SessionOptions(cwd=place, is_trusted=True, resume=folder.id), model)
    session.start()
    session.submit("go on")
    await session.wait_idle()
    await session.close()
    assert before.messages[0] in json.dumps(model.requests[0].messages, ensure_ascii=False)
    whole = read_events(folder.journal)
    assert whole.problems == ()
    versions = [json.loads(line)["v"] for line in folder.journal.read_text().splitlines()]
    assert versions == sorted(versions)
    assert set(versions) == {1, 2}
    after = summarize(folder)
    assert after.messages == [*before.messages, "go on"]
    assert after.last_reply == "Gladly."
