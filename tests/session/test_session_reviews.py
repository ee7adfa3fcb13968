"""What the user writes on lines of a change reaches the model, whole and once, with what became of the change."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted_model import calls, reply, says
from session_front import Front, begin, place_apart

from tui_agent.event_json import from_json, to_json
from tui_agent.events import PermissionRequested, PermissionResolved, ToolResultReady
from tui_agent.journal.load import read_events
from tui_agent.permissions.verdict import Decision
from tui_agent.review_comments import LineComment, review_text

OLD = "".join(f"line {number}\n" for number in range(1, 31))


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return place_apart(tmp_path, monkeypatch)


def comment(path: Path, line: int, text: str, **fields: Any) -> LineComment:
    return LineComment(path=str(path), line=line, text=text, **{"side": "new", "quote": f"line {line}", **fields})


async def asked(work: Path) -> tuple[Front, str, Path]:
    """Return a session in which the model wants to change two lines of a file, and the question about it."""
    file = work / "a.txt"
    file.write_text(OLD)
    edits = [
        {"old_string": "line 3\n", "new_string": "line three\n"},
        {"old_string": "line 20\n", "new_string": "line twenty\n"},
    ]
    front = await begin(
        work,
        reply(calls(0, "Read", {"file_path": str(file)}), stop="tool_use"),
        reply(calls(0, "MultiEdit", {"edits": [{"file_path": str(file), "edits": edits}]}, "change"), stop="tool_use"),
        reply(says(0, "done")),
    )
    front.session.submit("change it")
    (question,) = await front.until(PermissionRequested)
    return front, question.request_id, file


def last_result(front: Front) -> str:
    """Return what the model was told of its last tool use."""
    block = front.model.requests[-1].messages[-1]["content"][0]
    content = block["content"]
    return content if isinstance(content, str) else "\n".join(part["text"] for part in content)


async def test_comments_go_along_with_the_result_of_what_was_taken(work: Path) -> None:
    front, question, file = await asked(work)
    (change,) = front.session.proposals(question)
    comments = (
        comment(file, 20, "and mention it in the docs", quote="line twenty", last=21),
        comment(file, 3, "why?\nreally", side="old"),
    )
    decision = Decision(behavior="allow", approved=(change.approve([1]),), comments=comments)
    assert front.session.answer(question, decision)
    await front.session.wait_idle()
    text = last_result(front)
    assert text.endswith(
        "\n\n<review>\n"
        "The user commented on lines of the proposed change. (old) counts lines as they are before it, (new) as it would "
        "leave them.\n"
        f'{file}:3 (old): "line 3" → why?\n  really\n'
        f'{file}:20-21 (new): "line twenty" → and mention it in the docs\n'
        "</review>"
    )
    assert text.count("<review>") == 1
    assert "refused: 1" in text
    assert file.read_text() == OLD.replace("line 20\n", "line twenty\n")
    await front.session.close()


async def test_comments_with_a_refusal_are_its_reason_and_the_turn_goes_on(work: Path) -> None:
    front, question, file = await asked(work)
    comments = (comment(file, 3, "keep this"),)
    front.session.answer(question, Decision(behavior="deny", message="not like that", comments=comments))
    await front.session.wait_idle()
    text = last_result(front)
    assert f"not like that\n\n{review_text(comments)}" in text
    assert file.read_text() == OLD
    results = front.of(ToolResultReady)
    assert (results[-1].is_error, results[-1].error_kind) == (True, "denied")
    await front.session.close()


async def test_refusing_every_hunk_with_comments_tells_the_model_of_them(work: Path) -> None:
    front, question, file = await asked(work)
    (change,) = front.session.proposals(question)
    decision = Decision(behavior="allow", approved=(change.approve([]),), comments=(comment(file, 3, "no"),))
    front.session.answer(question, decision)
    await front.session.wait_idle()
    assert '"line 3" → no' in last_result(front)
    assert file.read_text() == OLD
    await front.session.close()


async def test_a_change_that_cannot_be_written_any_more_still_brings_the_comments(work: Path) -> None:
    front, question, file = await asked(work)
    file.write_text("another\n")
    front.session.answer(question, Decision(behavior="allow", comments=(comment(file, 3, "but why"),)))
    await front.session.wait_idle()
    text = last_result(front)
    assert "has changed" in text
    assert '"line 3" → but why' in text
    await front.session.close()


async def test_the_record_holds_the_comments_and_gives_them_back(work: Path) -> None:
    front, question, file = await asked(work)
    comments = (comment(file, 3, "keep this", last=4), comment(file, 9, "é → “x”", side="old"))
    front.session.answer(question, Decision(behavior="deny", comments=comments))
    await front.session.wait_idle()
    await front.session.close()
    (journal,) = work.parent.glob("*/sessions/*/*/journal.jsonl")
    recorded = [event for event in read_events(journal).events if isinstance(event, PermissionResolved)]
    assert tuple(LineComment.from_json(item) for item in recorded[-1].comments) == comments


async def test_a_secret_in_a_quoted_line_is_hidden_from_the_model(work: Path) -> None:
    front, question, file = await asked(work)
    secret = "ghp_" + "a1B2" * 9
    front.session.answer(
        question, Decision(behavior="allow", comments=(comment(file, 3, "rotate it", quote=f"token = {secret}"),))
    )
    await front.session.wait_idle()
    text = last_result(front)
    assert "rotate it" in text
    assert secret not in text
    await front.session.close()


COMMENTS = st.lists(
    st.builds(
        LineComment,
        path=st.sampled_from(["/w/a.py", "/w/b c.py"]),
        line=st.integers(1, 9),
        side=st.sampled_from(["old", "new"]),
        quote=st.text(max_size=30),
        text=st.text(min_size=1, max_size=30).filter(str.strip),
        last=st.integers(0, 12),
    ),
    max_size=6,
)


@given(COMMENTS)
def test_every_comment_stands_in_the_text_once_and_nothing_else_ends_it(comments: list[LineComment]) -> None:
    text = review_text(comments)
    entries = [line for line in text.split("\n") if line.startswith("/w/")]
    assert len(entries) >= len(comments)
    for one in comments:
        assert any(entry.startswith(f"{one.path}:{one.place}: ") for entry in entries)
    quoted = [replace(one, text="x") for one in comments]
    assert review_text(quoted).count("</review>") == bool(comments)


@given(COMMENTS)
def test_comments_come_back_from_an_event_as_they_went(comments: list[LineComment]) -> None:
    event = PermissionResolved(
        request_id="r",
        tool_use_id="u",
        behavior="allow",
        by="person",
        comments=tuple(one.to_json() for one in comments),
    )
    back = from_json(to_json(event))
    assert isinstance(back, PermissionResolved)
    assert [LineComment.from_json(item) for item in back.comments] == comments
