"""What a list of sessions tells of each: read once, gone on with, and never trusted where it is damaged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tui_agent import events as ev
from tui_agent.answer_files import write_export
from tui_agent.event_json import to_json
from tui_agent.journal.export import as_markdown
from tui_agent.journal.store import SessionFolder, delete_session
from tui_agent.journal.summary import Summary, summarize
from tui_agent.queries import MarkdownExport


@pytest.fixture
def folder(tmp_path: Path) -> SessionFolder:
    found = SessionFolder(tmp_path / "session")
    found.create()
    return found


def write(folder: SessionFolder, *events: ev.Event, mode: str = "a", end: str = "\n") -> None:
    with folder.journal.open(mode, encoding="utf-8") as file:
        file.write("".join(json.dumps(to_json(event), separators=(",", ":")) + end for event in events))


def turn(text: str, cost: float | None = 0.25) -> tuple[ev.Event, ...]:
    usage = ev.UsageReported(request_id="r", model="m", input_tokens=1, output_tokens=1, cost_usd=cost)
    said = [{"type": "text", "text": f"answer to {text}"}]
    return (
        ev.UserMessageSent(message_id="m", text=text),
        ev.TurnStarted(turn_id="t"),
        usage,
        ev.AssistantMessageCompleted(message_id="m", content=said, stop_reason="end_turn"),
        ev.TurnFinished(turn_id="t", outcome="done"),
    )


START = ev.SessionStarted(cwd="/w", model="sonnet", mode="default", version="0")


def test_a_session_in_short(folder: SessionFolder) -> None:
    write(folder, START, ev.BranchChanged(branch="main"), *turn("one"), *turn("two", None))
    found = summarize(folder)
    assert (found.messages, found.turns, found.cost_usd) == (["one", "two"], 2, 0.25)
    assert (found.branch, found.model, found.last_reply) == ("main", "sonnet", "answer to two")
    assert found.read_bytes == folder.journal.stat().st_size


def test_only_what_is_new_is_read_the_next_time(folder: SessionFolder) -> None:
    write(folder, START, *turn("one"))
    first = summarize(folder)
    data = bytearray(folder.journal.read_bytes())
    data[: first.read_bytes] = b" " * (first.read_bytes - 1) + b"\n"
    folder.journal.write_bytes(data)
    write(folder, *turn("two"))
    assert summarize(folder).messages == ["one", "two"], "what was read is not read again"


def test_a_line_that_is_being_written_waits_for_the_next_time(folder: SessionFolder) -> None:
    write(folder, START, *turn("one"))
    write(folder, ev.UserMessageSent(message_id="m", text="half"), end="")
    assert summarize(folder).messages == ["one"]
    with folder.journal.open("a") as file:
        file.write("\n")
    assert summarize(folder).messages == ["one", "half"]


@pytest.mark.parametrize(
    "kept", ["", "[]", "{}", '{"version": 1, "messages": [1]}', '{"version": 1, "read_bytes": "x"}']
)
def test_what_is_kept_and_damaged_is_read_anew(folder: SessionFolder, kept: str) -> None:
    write(folder, START, *turn("one"))
    (folder.path / "summary.json").write_text(kept)
    assert summarize(folder).messages == ["one"]


def test_a_journal_that_became_shorter_is_read_anew(folder: SessionFolder) -> None:
    write(folder, START, *turn("one"), *turn("two"))
    summarize(folder)
    write(folder, START, *turn("three"), mode="w")
    assert summarize(folder).messages == ["three"]


def test_lines_that_are_no_events_are_passed_over(folder: SessionFolder) -> None:
    folder.journal.write_bytes(b'{"v":1,"type":"user_message_sent"\n\xff\xfe\n{"v":1,"type":"turn_finished"}\n[]\n')
    assert summarize(folder) == Summary(turns=1, read_bytes=folder.journal.stat().st_size)


def test_much_text_is_kept_within_bounds(folder: SessionFolder) -> None:
    write(folder, START, *(event for number in range(100) for event in turn(f"{number} " + "x" * 5_000)))
    found = summarize(folder)
    assert sum(map(len, found.messages)) <= 60_000
    assert found.turns == 100


def test_deleting_takes_all_of_it_and_nothing_that_is_open(folder: SessionFolder) -> None:
    import fcntl

    write(folder, START)
    with folder.journal.open("a") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(BlockingIOError):
            delete_session(folder)
    assert folder.journal.exists()
    delete_session(folder)
    assert not folder.path.exists()


def test_an_export_is_markdown_that_no_result_breaks_out_of(tmp_path: Path) -> None:
    use = ev.ToolUseCompleted(tool_use_id="u", name="Bash", input={"command": "cat x"})
    result = ev.ToolResultReady(
        tool_use_id="u", name="Bash", is_error=False, content="```\n# not a heading\x1b[31m\n````"
    )
    events = [START, *turn("look")[:2], use, result, *turn("look")[2:]]
    text = as_markdown(events)
    assert text.startswith("# Conversation of ")
    assert "## You\n\nlook" in text
    assert "## Model\n\nanswer to look" in text
    assert "`````\n```\n# not a heading\n````\n`````" in text
    assert "\x1b" not in text
    first, second = (write_export(MarkdownExport("0123456789", text), tmp_path) for _ in range(2))
    assert (first.name, second.name) == ("conversation-01234567.md", "conversation-01234567-2.md")
    assert first.read_text() == text
