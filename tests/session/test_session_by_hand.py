"""`/tool` in a session: all stages, the permission, the journal, an undoable edit; and what the model hears of it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from scripted_model import Script, ScriptedModel, calls, reply, says
from session_driver import open_session
from session_front import Front

from tui_agent.engine.session.config import SessionOptions
from tui_agent.events import (
    EditApplied,
    Event,
    MessageQueued,
    PermissionRequested,
    ToolResultReady,
    ToolsActivated,
    ToolStageEnded,
    ToolStageStarted,
    ToolStateChanged,
    ToolUseCompleted,
    TurnFinished,
    UserMessageSent,
)
from tui_agent.journal.load import read_events
from tui_agent.journal.repair import closing_events
from tui_agent.permissions.verdict import Decision

STAGES = ["lookup", "validate", "pre_hooks", "permission", "call", "store", "post_hooks", "result"]


class Hand(Front):
    """A front end that runs tools by hand."""

    async def run(self, line: str) -> ToolResultReady:
        before = len(self.of(ToolResultReady))
        assert self.session.run_tool(line) == ""
        await self.session.wait_idle()
        result = self.of(ToolResultReady)[before]
        assert isinstance(result, ToolResultReady)
        return result


@pytest.fixture
async def begin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    for name in ("HOME", "TUI_AGENT_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    work = tmp_path / "work"
    work.mkdir()
    (work / "a.txt").write_text("one\n")
    opened: list[Hand] = []

    async def start(*scripts: Script, **options: Any) -> Hand:
        model = ScriptedModel(*scripts)
        opened.append(Hand(await open_session(SessionOptions(cwd=work, is_trusted=True, **options), model), model))
        return opened[-1]

    yield start
    for hand in opened:
        await hand.session.close()


def recorded(tmp_path: Path) -> list[Event]:
    (journal,) = (tmp_path / "tui_agent_home").rglob("journal.jsonl")
    return list(read_events(journal).events)


async def test_a_tool_runs_through_all_stages_and_is_recorded(begin: Any, tmp_path: Path) -> None:
    hand = await begin()
    result = await hand.run("Read --file_path=a.txt")
    assert "one" in str(result.content)
    assert [event.stage for event in hand.of(ToolStageEnded)] == STAGES
    assert [event.to_state for event in hand.of(ToolStateChanged)] == ["queued", "executing", "completed", "yielded"]
    (turn,) = hand.of(TurnFinished)
    assert (turn.outcome, turn.detail) == ("done", "Run by you: the model does not see the result.")
    assert hand.model.requests == []
    await hand.session.close()
    assert {"ToolUseStarted", "ToolUseCompleted", "ToolResultReady"} <= {
        type(event).__name__ for event in recorded(tmp_path)
    }


async def test_results_are_named_in_the_next_line(begin: Any) -> None:
    hand = await begin(allowed=("Bash(echo *)",))
    await hand.run("Read --file_path=a.txt")
    result = await hand.run('Bash --command="echo $R1"')
    assert "filePath:" in str(result.content)
    assert "There is no $R3" in hand.session.run_tool("Bash --command=$R3")
    hand.session.clear()
    assert "There is no $R1" in hand.session.run_tool("Bash --command=$R1")


async def test_a_part_of_a_result_goes_into_the_next_line(begin: Any, tmp_path: Path) -> None:
    hand = await begin()
    (tmp_path / "work" / "sub").mkdir()
    (tmp_path / "work" / "sub" / "b.txt").write_text("two\n")
    await hand.run("Grep --pattern=two --output_mode=content")
    assert "two" in str((await hand.run("Read --file_path=$R1.matches.0.file")).content)
    assert "two" in str(
        (await hand.run("Read --file_path=work/../$R1.filenames[0] --offset=$R1.matches[0].line")).content
    )
    assert "$R1 has no .nothing; it has mode, numFiles, filenames," in hand.session.run_tool(
        "Read --file_path=$R1.nothing"
    )


async def test_the_person_is_asked_as_ever_and_may_refuse(begin: Any, tmp_path: Path) -> None:
    hand = await begin(reply(says(0, "Hi.")))
    hand.session.run_tool("Bash --command='touch made'")
    (asked,) = await hand.until(PermissionRequested)
    assert asked.name == "Bash"
    hand.session.answer(asked.request_id, Decision(behavior="deny"))
    await hand.session.wait_idle()
    assert hand.of(TurnFinished)[0].outcome == "declined"
    assert not (tmp_path / "work/made").exists()
    hand.session.submit("hello")
    await hand.session.wait_idle()
    assert "by hand" not in str(hand.model.requests[0].messages)  # nothing happened
    denied = await begin(disallowed=("Bash(touch *)",))
    assert (await denied.run("Bash --command='touch made'")).error_kind == "denied"


async def test_an_edit_by_hand_is_an_edit_like_any_other(begin: Any, tmp_path: Path) -> None:
    change = {"file_path": "a.txt", "old_string": "two", "new_string": "three"}
    hand = await begin(
        reply(calls(0, "Read", {"file_path": "a.txt"}), stop="tool_use"),
        reply(says(0, "Read.")),
        reply(calls(0, "Edit", change, "toolu_2"), stop="tool_use"),
        reply(says(0, "So.")),
        mode="acceptEdits",
    )
    hand.session.submit("read it")
    await hand.session.wait_idle()
    edit = "Edit --file_path=a.txt --old_string=one --new_string=two"
    assert (await hand.run(edit)).data == {"code": "not_read"}  # the model read it, the person did not
    await hand.run("Read --file_path=a.txt")
    assert not (await hand.run(edit)).is_error
    assert (tmp_path / "work/a.txt").read_text() == "two\n"
    assert [event.change.path for event in hand.of(EditApplied)] == [str(tmp_path / "work/a.txt")]
    hand.session.submit("go on")
    await hand.session.wait_idle()
    (sent,) = [event for event in hand.of(UserMessageSent) if event.text == "go on"]
    assert "The user ran these tools" in sent.context
    assert '- Edit {"file_path": "a.txt"' in sent.context
    assert "Read {" not in sent.context  # it changed nothing
    results = [event for event in hand.of(ToolResultReady) if event.name == "Edit"]
    assert results[-1].data == {"code": "changed_on_disk"}  # the model has to look again
    assert (tmp_path / "work/a.txt").read_text() == "two\n"


async def test_results_stay_out_of_the_conversation(begin: Any, tmp_path: Path) -> None:
    hand = await begin(reply(says(0, "Hi.")), reply(says(0, "Yes.")))
    hand.session.submit("hello")
    await hand.session.wait_idle()
    await hand.run("Read --file_path=a.txt")
    hand.session.submit("and now?")
    await hand.session.wait_idle()
    request = hand.model.requests[-1]
    assert "tool_use" not in str(request.messages)
    assert "by hand" not in str(request.messages)
    assert "Read" not in str(request.messages)
    await hand.run("Read --file_path=a.txt")
    await hand.session.close()
    assert closing_events(recorded(tmp_path)) == []  # a session that is taken up again knows nothing of it either


async def test_one_that_was_cut_off_is_closed_and_stays_out(begin: Any, tmp_path: Path) -> None:
    hand = await begin(allowed=("Bash(sleep *)",))
    hand.session.run_tool("Bash --command='sleep 60' --run_in_background=false")
    await hand.until(ToolStageStarted, 5)  # the call
    closing = {type(event).__name__ for event in closing_events(recorded(tmp_path))}
    assert "AssistantMessageCompleted" not in closing
    assert {"ToolResultReady", "TurnFinished"} <= closing
    hand.session.interrupt()
    await hand.session.wait_idle()
    assert hand.of(TurnFinished)[0].outcome == "interrupted"
    assert hand.of(ToolResultReady)[0].error_kind == "aborted"


async def test_one_thing_runs_at_a_time_and_messages_wait(begin: Any) -> None:
    hold = asyncio.Event()
    first = reply(says(0, "one"))
    first.insert(2, hold.wait)
    hand = await begin(first, reply(says(0, "two")), allowed=("Bash(sleep *)",))
    hand.session.submit("first")
    await hand.until(UserMessageSent)
    assert "A turn is running" in hand.session.run_tool("Read --file_path=a.txt")
    hold.set()
    await hand.session.wait_idle()
    hand.session.run_tool("Bash --command='sleep 60'")
    (use,) = await hand.until(ToolUseCompleted)
    hand.session.submit("second")
    assert len(hand.of(MessageQueued)) == 1
    hand.session.stop_tool(use.tool_use_id)
    await hand.session.wait_idle()
    assert [event.text for event in hand.of(UserMessageSent)] == ["first", "second"]
    assert len(hand.of(TurnFinished)) == 3


async def test_starting_afresh_ends_what_runs_by_hand(begin: Any) -> None:
    hand = await begin(reply(says(0, "Hi.")), allowed=("Bash(touch *)", "Bash(sleep *)"))
    await hand.run("Bash --command='touch b'")
    hand.session.run_tool("Bash --command='sleep 60'")
    await hand.until(ToolUseCompleted, 2)
    hand.session.clear()
    await hand.session.wait_idle()
    hand.session.submit("hello")
    await hand.session.wait_idle()
    assert "by hand" not in str(hand.model.requests[0].messages)


async def test_closing_ends_what_runs_by_hand(begin: Any, tmp_path: Path) -> None:
    hand = await begin(allowed=("Bash(sleep *)",))
    hand.session.run_tool("Bash --command='sleep 60'")
    await hand.until(ToolStageStarted, 5)  # the call
    await hand.session.close()
    assert hand.of(ToolResultReady)[0].error_kind == "aborted"
    assert hand.session.run_tool("Read --file_path=a.txt") == "The session is closed."
    await asyncio.wait_for(hand.session.wait_idle(), 5)


async def test_a_deferred_tool_stays_unknown_to_the_model(begin: Any) -> None:
    hand = await begin()
    deferred = [tool.name for tool in hand.session.runtime.pool.deferred]
    if "Think" not in deferred:
        pytest.skip("no deferred tool to try")
    await hand.run("Think --thought=hm")
    assert hand.of(ToolsActivated) == []


async def test_a_wrong_value_is_the_tools_own_answer(begin: Any) -> None:
    hand = await begin()
    result = await hand.run("Read --file_path=a.txt --limit=many")
    assert result.error_kind == "invalid_input"
    assert "`limit`" in str(result.content)
