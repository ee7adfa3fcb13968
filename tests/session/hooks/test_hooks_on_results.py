"""What hooks hear of calls that have ended, and what they change about them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hooked import bash, printing, said, settings, shell, warnings
from scripted_model import reply, says
from session_front import Front

from tui_agent.events import ToolResultReady, TurnFinished, UserMessageSent


async def test_hooks_hear_what_came_of_a_call_and_of_one_that_failed(place: Path, fronts: list[Front]) -> None:
    heard = place.parent / "heard"
    settings(
        place,
        PostToolUse=[("Bash", shell(f"cat > {heard}.ok"))],
        PostToolUseFailure=[("Bash", shell(f"cat > {heard}.bad; echo look again >&2; exit 2"))],
        PostToolBatch=[("", shell(f"cat > {heard}.all"))],
    )
    front = await said(
        fronts,
        place,
        # The first writes a file, so the second waits for it: a command that fails ends those that run beside it.
        reply(bash("echo hi | tee said", "u1"), bash("exit 3", "u2", 1), stop="tool_use"),
        reply(says(0, "ok")),
        allowed=("Bash",),
    )
    ok, bad = (json.loads(Path(f"{heard}.{kind}").read_text()) for kind in ("ok", "bad"))
    assert (ok["hook_event_name"], ok["tool_use_id"], ok["permission_mode"]) == ("PostToolUse", "u1", "default")
    assert ok["tool_response"]["stdout"].strip() == "hi"
    assert ok["duration_ms"] >= 0
    assert (ok["session_id"], ok["cwd"]) == (front.session.id, str(place))
    assert Path(ok["transcript_path"]).name == "journal.jsonl"
    assert bad["error"].splitlines()[0] == "Exit code 3"
    assert bad["is_interrupt"] is False
    every = json.loads(Path(f"{heard}.all").read_text())["tool_calls"]
    assert [call["tool_use_id"] for call in every] == ["u1", "u2"]
    failed = next(result for result in front.of(ToolResultReady) if result.tool_use_id == "u2")  # whichever ended first
    assert "look again" in failed.content


async def test_a_hook_may_give_the_model_another_result(place: Path, fronts: list[Front]) -> None:
    output = {"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": {"stdout": "[hidden]"}}}
    settings(place, PostToolUse=[("Bash", printing(output))])
    front = await said(
        fronts, place, reply(bash("echo s3cret"), stop="tool_use"), reply(says(0, "ok")), allowed=("Bash",)
    )
    assert front.of(ToolResultReady)[0].content == "[hidden]"
    assert "s3cret" not in str(front.model.requests[1].messages[-1])


@pytest.mark.parametrize("event", ["PreToolUse", "PostToolUse", "PostToolBatch"])
async def test_a_hook_may_end_the_turn(place: Path, fronts: list[Front], event: str) -> None:
    settings(place, **{event: [("", printing({"continue": False, "stopReason": "enough for today"}))]})
    front = await said(fronts, place, reply(bash("echo hi"), stop="tool_use"), allowed=("Bash",))
    assert [event.outcome for event in front.of(TurnFinished)] == ["stopped_by_hook"]
    assert f"A {event} hook ended the turn: enough for today" in warnings(front)


async def test_long_context_goes_to_a_file(place: Path, fronts: list[Front]) -> None:
    settings(place, UserPromptSubmit=[("", shell("head -c 30000 /dev/zero | tr '\\0' x"))])
    front = await said(fronts, place, reply(says(0, "ok")))
    (sent,) = front.of(UserMessageSent)
    assert 9_000 < len(sent.context) < 10_500
    path = sent.context.partition("the whole text is in ")[2].partition("]")[0]
    assert Path(path).read_text() == "x" * 30_000
