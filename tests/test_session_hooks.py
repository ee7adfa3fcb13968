"""Hooks in a whole session: written for settings files as people have them, in shell and in Python, on a scripted model."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from scripted_model import calls, reply, says
from session_front import Front, begin, place_apart

from tui_agent.drafts import Draft
from tui_agent.events import (
    HookEnded,
    HookStarted,
    MessageQueued,
    MessageUnqueued,
    ModeChanged,
    Notice,
    PermissionRequested,
    PermissionResolved,
    ReminderSent,
    SessionEnded,
    SettingsReloaded,
    ToolInputChanged,
    ToolResultReady,
    TurnFinished,
    UserMessageSent,
)
from tui_agent.journal.load import read_events
from tui_agent.model.protocol import ModelError

# --- three hooks as people write them, each in shell and in Python ------------------------------------------------------

FORMAT_SH = """#!/bin/sh
# Format what was written: here, no blanks at the ends of lines.
file=$(sed -n 's/.*"file_path": *"\\([^"]*\\)".*/\\1/p' | head -n 1)
case "$file" in *.py) ;; *) exit 0 ;; esac
sed -i.bak 's/[[:space:]]*$//' "$file" && rm -f "$file.bak"
"""
FORMAT_PY = """#!/usr/bin/env python3
import json, pathlib, sys
data = json.load(sys.stdin)
path = pathlib.Path(data["tool_input"]["file_path"])
if path.suffix == ".py":
    path.write_text("\\n".join(line.rstrip() for line in path.read_text().split("\\n")))
"""
BLOCK_SH = """#!/bin/sh
if grep -q '"command": *"[^"]*git push'; then
  echo "Pushing is for people: ask for a review instead." >&2
  exit 2
fi
"""
BLOCK_PY = """#!/usr/bin/env python3
import json, sys
data = json.load(sys.stdin)
if "git push" in data["tool_input"].get("command", ""):
    json.dump({"hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": "Pushing is for people: ask for a review instead.",
    }}, sys.stdout)
"""
CONTEXT_SH = """#!/bin/sh
cat > /dev/null
echo "The release is frozen until Friday."
"""
CONTEXT_PY = """#!/usr/bin/env python3
import json, sys
event = json.load(sys.stdin)["hook_event_name"]
print(json.dumps({"hookSpecificOutput": {
    "hookEventName": event, "additionalContext": "The release is frozen until Friday."}}))
"""
BOTH = pytest.mark.parametrize("language", ["sh", "py"])


def script(place: Path, name: str, text: str) -> dict[str, Any]:
    """Put a script where people keep them and return the handler that names it."""
    file = place / ".claude" / "hooks" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text.replace("/usr/bin/env python3", sys.executable))
    file.chmod(0o755)
    return {"type": "command", "command": f'"$CLAUDE_PROJECT_DIR"/.claude/hooks/{name}', "timeout": 20}


def settings(place: Path, **events: Any) -> None:
    """Write hooks into the project's settings: `Event=[(matcher, handler), …]`, and whatever else."""
    hooks = {
        event: [{"matcher": matcher, "hooks": [handler]} for matcher, handler in groups]
        for event, groups in events.items()
    }
    file = place / ".claude" / "settings.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps({"hooks": hooks}, indent=2))


def shell(command: str, **more: Any) -> dict[str, Any]:
    return {"type": "command", "command": command, **more}


def bash(command: str, use_id: str = "", index: int = 0) -> Any:
    return calls(index, "Bash", {"command": command}, use_id)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return place_apart(tmp_path, monkeypatch)


@pytest.fixture
async def fronts() -> AsyncIterator[list[Front]]:
    opened: list[Front] = []
    yield opened
    for front in opened:
        await front.session.close()


async def said(fronts: list[Front], place: Path, *scripts: Any, text: str = "go", **options: Any) -> Front:
    """Begin a session, say one thing, and wait for the end."""
    fronts.append(front := await begin(place, *scripts, **options))
    front.session.submit(text)
    await asyncio.wait_for(front.session.wait_idle(), 30)
    return front


def warnings(front: Front) -> list[str]:
    return [event.text for event in front.of(Notice) if event.level != "info"]


@BOTH
async def test_what_was_written_is_formatted_and_the_model_told(
    place: Path, fronts: list[Front], language: str
) -> None:
    handler = script(place, f"format.{language}", {"sh": FORMAT_SH, "py": FORMAT_PY}[language])
    settings(place, PostToolUse=[("Edit|Write", handler)])
    file = place / "a.py"
    front = await said(
        fronts,
        place,
        reply(calls(0, "Write", {"file_path": str(file), "content": "x = 1   \ny = 2\t\n"}), stop="tool_use"),
        reply(says(0, "done")),
        mode="acceptEdits",
    )
    assert warnings(front) == []
    assert file.read_text() == "x = 1\ny = 2\n"
    (result,) = front.of(ToolResultReady)
    assert f"{file} was changed by a hook after this call" in result.content
    assert [event.outcome for event in front.of(HookEnded)] == ["ok"]


@BOTH
async def test_a_command_is_blocked_with_a_reason_and_others_are_not(
    place: Path, fronts: list[Front], language: str
) -> None:
    handler = script(place, f"block.{language}", {"sh": BLOCK_SH, "py": BLOCK_PY}[language])
    settings(place, PreToolUse=[("Bash", handler)])
    front = await said(
        fronts,
        place,
        reply(bash("git push origin main"), bash("echo fine", index=1), stop="tool_use"),
        reply(says(0, "ok")),
        allowed=("Bash",),
    )
    first, second = front.of(ToolResultReady)
    assert (first.error_kind, first.is_error) == ("hook", True)
    assert "Pushing is for people: ask for a review instead." in first.content
    assert second.content.startswith("fine")
    assert front.of(PermissionRequested) == []
    assert "Pushing is for people" in str(front.model.requests[1].messages)


@BOTH
@pytest.mark.parametrize("event", ["UserPromptSubmit", "SessionStart"])
async def test_context_goes_to_the_model_beside_the_message(
    place: Path, fronts: list[Front], language: str, event: str
) -> None:
    handler = script(place, f"context.{language}", {"sh": CONTEXT_SH, "py": CONTEXT_PY}[language])
    settings(place, **{event: [("", handler)]})
    front = await said(fronts, place, reply(says(0, "one")), reply(says(0, "two")))
    front.session.submit("more")
    await front.session.wait_idle()
    first, second = front.of(UserMessageSent)
    assert "The release is frozen until Friday." in first.context
    assert ("The release is frozen until Friday." in second.context) is (event == "UserPromptSubmit")
    assert "The release is frozen" in str(front.model.requests[0].messages)
    assert warnings(front) == []


# --- who decides --------------------------------------------------------------------------------------------------------

ALLOW = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}}


def printing(output: Any) -> dict[str, Any]:
    return shell(f"cat <<'E'\n{json.dumps(output)}\nE")


@pytest.mark.parametrize(
    ("rules", "handler", "kind", "is_asked"),
    [
        ({"disallowed": ("Bash(touch *)",)}, printing(ALLOW), "denied", False),
        ({}, printing(ALLOW), None, False),
        ({"allowed": ("Bash",)}, shell("exit 2"), "hook", False),
        ({"ask": "Bash(touch *)"}, printing(ALLOW), "denied", True),
        ({}, shell("exit 1"), "denied", True),
        ({}, shell("sleep 60", timeout=0.05), "denied", True),
        ({}, shell("sleep 60", timeout=0.05, onFailure="block"), "hook", False),
        ({}, printing({"decision": "approve"}), None, False),
        ({"allowed": ("Bash",)}, printing({"decision": "block", "reason": "no"}), "hook", False),
        (
            {"allowed": ("Bash",)},
            printing({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "defer"}}),
            "denied",
            True,
        ),
    ],
)
async def test_rules_and_hooks_decide_together(
    place: Path, fronts: list[Front], rules: Any, handler: Any, kind: str | None, is_asked: bool
) -> None:
    settings(place, PreToolUse=[("Bash", handler)])
    if ask := rules.pop("ask", None):
        file = place / ".claude" / "settings.json"
        file.write_text(json.dumps({**json.loads(file.read_text()), "permissions": {"ask": [ask]}}))
    front = await said(
        fronts, place, reply(bash("touch a.txt"), stop="tool_use"), reply(says(0, "ok")), is_attended=False, **rules
    )
    (result,) = front.of(ToolResultReady)
    assert result.error_kind == kind
    assert bool(front.of(PermissionRequested)) is is_asked
    assert (place / "a.txt").exists() is (kind is None)


async def test_an_input_that_a_hook_changes_is_judged_again(place: Path, fronts: list[Front]) -> None:
    output = {"hookSpecificOutput": {**ALLOW["hookSpecificOutput"], "updatedInput": {"command": "touch forbidden"}}}
    settings(place, PreToolUse=[("Bash", printing(output))])
    front = await said(
        fronts,
        place,
        reply(bash("touch a.txt"), stop="tool_use"),
        reply(says(0, "ok")),
        disallowed=("Bash(touch forbidden)",),
    )
    (result,) = front.of(ToolResultReady)
    (changed,) = front.of(ToolInputChanged)
    assert (result.error_kind, changed.input, changed.by) == ("denied", {"command": "touch forbidden"}, "hook")
    assert not (place / "forbidden").exists()
    assert not (place / "a.txt").exists()


async def test_a_question_is_answered_by_a_hook_that_changes_rules_and_mode(place: Path, fronts: list[Front]) -> None:
    updates = [
        {
            "type": "addRules",
            "rules": [{"toolName": "Bash", "ruleContent": "touch *"}],
            "behavior": "allow",
            "destination": "session",
        },
        {"type": "setMode", "mode": "acceptEdits", "destination": "session"},
        {"type": "setMode", "mode": "bypassPermissions", "destination": "session"},
        {"type": "addDirectories", "directories": ["/nowhere/at-all"], "destination": "session"},
    ]
    decision = {"behavior": "allow", "updatedPermissions": updates}
    output = {"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decision}}
    given = place.parent / "given"
    settings(place, PermissionRequest=[("Bash", shell(f"cat > {given}; echo '{json.dumps(output)}'"))])
    front = await said(
        fronts,
        place,
        reply(bash("touch a.txt", "u1"), stop="tool_use"),
        reply(bash("touch b.txt", "u2"), stop="tool_use"),
        reply(says(0, "ok")),
    )
    assert [event.is_error for event in front.of(ToolResultReady)] == [False, False]
    (resolved,) = front.of(PermissionResolved)
    assert (resolved.behavior, resolved.by) == ("allow", "hook")
    assert [event.mode for event in front.of(ModeChanged)] == ["acceptEdits"]
    assert any("Bypassing permissions was not allowed" in text for text in warnings(front))
    assert any("/nowhere/at-all is not a folder" in text for text in warnings(front))
    input = json.loads(given.read_text())
    assert input["permission_suggestions"][0]["rules"] == [{"toolName": "Bash", "ruleContent": "touch *"}]
    assert "tool_use_id" not in input


async def test_a_refusal_of_a_hook_may_end_the_turn(place: Path, fronts: list[Front]) -> None:
    decision = {"behavior": "deny", "message": "not today", "interrupt": True}
    output = {"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decision}}
    settings(place, PermissionRequest=[("", printing(output))])
    front = await said(fronts, place, reply(bash("touch a.txt"), stop="tool_use"))
    assert [event.outcome for event in front.of(TurnFinished)] == ["stopped_by_hook"]
    assert "not today" in front.of(ToolResultReady)[0].content


async def test_a_denial_for_want_of_a_person_is_heard_and_may_be_tried_again(place: Path, fronts: list[Front]) -> None:
    output = {"hookSpecificOutput": {"hookEventName": "PermissionDenied", "retry": True}}
    settings(place, PermissionDenied=[("Bash", printing(output))])
    front = await said(
        fronts, place, reply(bash("touch a.txt"), stop="tool_use"), reply(says(0, "ok")), is_attended=False
    )
    assert "A hook lets you try this call once more." in front.of(ToolResultReady)[0].content


GUARD = """import json, sys
data = json.load(sys.stdin)
if "secret" in data["tool_input"]["file_path"]:
    print("not that file", file=sys.stderr)
    sys.exit(2)
"""


def multi_edit(place: Path, *names: str) -> Any:
    edits = [{"file_path": str(place / name), "edits": [{"old_string": "", "new_string": name}]} for name in names]
    return calls(0, "MultiEdit", {"edits": edits})


async def test_a_guard_of_edits_guards_each_file_of_several(place: Path, fronts: list[Front]) -> None:
    settings(place, PreToolUse=[("Edit|Write", script(place, "guard.py", "#!/usr/bin/env python3\n" + GUARD))])
    front = await said(
        fronts,
        place,
        reply(multi_edit(place, "a.txt", "secret.txt"), stop="tool_use"),
        reply(multi_edit(place, "a.txt", "b.txt"), stop="tool_use"),
        reply(says(0, "ok")),
        mode="acceptEdits",
    )
    first, second = front.of(ToolResultReady)
    assert (first.error_kind, second.error_kind) == ("hook", None), second.content
    assert "not that file" in first.content
    assert [(place / name).exists() for name in ("a.txt", "b.txt", "secret.txt")] == [True, True, False]


async def test_a_yes_to_one_file_is_none_to_the_others(place: Path, fronts: list[Front]) -> None:
    allow = json.dumps({"hookSpecificOutput": {**ALLOW["hookSpecificOutput"]}})
    settings(place, PreToolUse=[("Edit", shell(f"if grep -q a.txt; then echo '{allow}'; fi"))])
    front = await said(
        fronts,
        place,
        reply(multi_edit(place, "a.txt", "b.txt"), stop="tool_use"),
        reply(says(0, "ok")),
        is_attended=False,
    )
    assert front.of(ToolResultReady)[0].error_kind == "denied"


async def test_a_hook_may_change_one_of_several_edits(place: Path, fronts: list[Front]) -> None:
    other = {"file_path": str(place / "b.txt"), "edits": [{"old_string": "", "new_string": "other"}]}
    output = {"hookSpecificOutput": {**ALLOW["hookSpecificOutput"], "updatedInput": other}}
    change = f"if grep -q b.txt; then echo '{json.dumps(output)}'; fi"
    settings(place, PreToolUse=[("MultiEdit", shell(change))])
    front = await said(
        fronts,
        place,
        reply(multi_edit(place, "a.txt", "b.txt"), stop="tool_use"),
        reply(says(0, "ok")),
        mode="acceptEdits",
    )
    assert front.of(ToolResultReady)[0].error_kind is None
    assert [(place / name).read_text() for name in ("a.txt", "b.txt")] == ["a.txt", "other"]


# --- after a call -------------------------------------------------------------------------------------------------------


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
        reply(bash("echo hi", "u1"), bash("exit 3", "u2", 1), stop="tool_use"),
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
    assert "look again" in front.of(ToolResultReady)[1].content


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


# --- messages and turns -------------------------------------------------------------------------------------------------


async def test_a_message_that_a_hook_stops_is_not_sent(place: Path, fronts: list[Front]) -> None:
    stop = "if grep -q password; then echo no secrets please >&2; exit 2; fi"
    settings(place, UserPromptSubmit=[("", shell(stop))])
    front = await said(fronts, place, reply(says(0, "ok")), text="my password is x")
    assert front.of(UserMessageSent) == []
    assert len(front.of(MessageQueued)) == len(front.of(MessageUnqueued)) == 1
    notice = next(event for event in front.of(Notice) if "stopped this message" in event.text)
    assert (notice.text, notice.hint) == ("A hook stopped this message: no secrets please", "It was: my password is x")
    front.session.submit("harmless")
    await front.session.wait_idle()
    assert [event.text for event in front.of(UserMessageSent)] == ["harmless"]
    assert "password" not in str(front.model.requests[0].messages)


async def test_an_interrupt_while_a_hook_hears_a_message_gives_it_back(place: Path, fronts: list[Front]) -> None:
    settings(place, UserPromptSubmit=[("", shell("sleep 71"))])
    fronts.append(front := await begin(place))
    front.session.submit("wait for me")
    await front.until(HookStarted)
    assert front.session.interrupt() == Draft("wait for me")
    await asyncio.wait_for(front.session.wait_idle(), 10)
    assert [event.outcome for event in front.of(HookEnded)] == ["cancelled"]
    assert front.of(UserMessageSent) == []


async def test_a_message_can_be_taken_back_while_a_hook_hears_it(place: Path, fronts: list[Front]) -> None:
    settings(place, UserPromptSubmit=[("", shell("sleep 73"))])
    fronts.append(front := await begin(place))
    front.session.submit("wait for me")
    await front.until(HookStarted)
    assert front.session.take_back() == [Draft("wait for me")]
    assert front.session.take_back() == []
    await asyncio.wait_for(front.session.wait_idle(), 10)
    assert len(front.of(MessageQueued)) == len(front.of(MessageUnqueued)) == 1
    assert warnings(front) == []


async def test_a_message_that_waited_is_announced_once(place: Path, fronts: list[Front]) -> None:
    settings(place, UserPromptSubmit=[("", shell("exit 0"))])
    hold = asyncio.Event()
    first = reply(says(0, "one"))
    first.insert(2, hold.wait)
    fronts.append(front := await begin(place, first, reply(says(0, "two"))))
    front.session.submit("first")
    await front.until(UserMessageSent)
    front.session.submit("second")
    front.session.submit("third")
    hold.set()
    await front.session.wait_idle()
    assert [event.text for event in front.of(MessageQueued)] == ["first", "second", "third"]
    assert [event.text for event in front.of(UserMessageSent)] == ["first", "second", "third"]


async def test_the_turn_goes_on_while_a_hook_wants_it_but_not_for_ever(place: Path, fronts: list[Front]) -> None:
    seen = place.parent / "seen"
    settings(place, Stop=[("", shell(f"cat >> {seen}; echo >> {seen}; echo run the tests first >&2; exit 2"))])
    front = await said(fronts, place, *(reply(says(0, f"done {number}")) for number in range(9)))
    assert len(front.model.requests) == 9
    inputs = [json.loads(line) for line in seen.read_text().splitlines()]
    assert [one["stop_hook_active"] for one in inputs] == [False, *[True] * 8]
    assert inputs[3]["last_assistant_message"] == "done 3"
    assert [event.text for event in front.of(ReminderSent)] == [
        "<system-reminder>\nrun the tests first\n</system-reminder>"
    ] * 8
    assert any("8 times in a row" in text for text in warnings(front))
    assert [event.outcome for event in front.of(TurnFinished)] == ["done"]


async def test_after_an_interrupt_no_hook_keeps_the_turn_going(place: Path, fronts: list[Front]) -> None:
    settings(place, Stop=[("", shell("exit 2"))])
    first = reply(says(0, "one"))
    first.insert(2, lambda: asyncio.Event().wait())
    fronts.append(front := await begin(place, first))
    front.session.submit("go")
    await front.until(UserMessageSent)
    front.session.interrupt()
    await front.session.wait_idle()
    assert [event.outcome for event in front.of(TurnFinished)] == ["interrupted"]
    assert front.of(HookStarted) == []


async def test_a_hook_in_the_background_wakes_an_idle_session(place: Path, fronts: list[Front]) -> None:
    settings(
        place,
        Stop=[("", shell("[ -e woken ] || { touch woken; echo the build broke >&2; exit 2; }", asyncRewake=True))],
    )
    front = await said(fronts, place, reply(says(0, "one")), reply(says(0, "two")))
    await front.until(TurnFinished, 2)
    (reminder,) = front.of(ReminderSent)
    assert "the build broke" in reminder.text
    await front.session.wait_idle()


async def test_a_task_is_made_and_done_only_if_hooks_do_not_mind(place: Path, fronts: list[Front]) -> None:
    only = 'if grep -q \'"task_subject": "%s"\'; then echo no %s >&2; exit 2; fi'
    settings(
        place,
        TaskCreated=[("", shell(only % ("Rest", "rest")))],
        TaskCompleted=[("", shell(only % ("Test", "tests were run")))],
    )
    made = [
        calls(number, "TaskCreate", {"subject": name, "description": "d"})
        for number, name in enumerate(("Rest", "Test"))
    ]
    done = calls(0, "TaskUpdate", {"taskId": "2", "status": "completed"}, "u9")
    front = await said(fronts, place, reply(*made, stop="tool_use"), reply(done, stop="tool_use"), reply(says(0, "ok")))
    assert [event.error_kind for event in front.of(ToolResultReady)] == ["hook", None, "hook"]
    assert "no tests were run" in front.of(ToolResultReady)[2].content
    assert [(task.subject, task.status) for task in front.session.bench.services.tasks] == [("Test", "pending")]


async def test_a_turn_that_fails_is_told_with_its_kind(place: Path, fronts: list[Front]) -> None:
    told = place.parent / "told"
    settings(place, StopFailure=[("rate_limit", shell("exit 1")), ("authentication_failed", shell(f"cat > {told}"))])
    error = ModelError("authentication", "The key was refused.", is_retryable=False)
    front = await said(fronts, place, [error])
    await front.until(HookEnded)
    given = json.loads(told.read_text())
    assert (given["error"], given["error_details"]) == ("authentication_failed", "The key was refused.")
    assert [event.outcome for event in front.of(HookEnded)] == ["ok"]


# --- the session --------------------------------------------------------------------------------------------------------


async def test_variables_that_a_hook_leaves_reach_later_commands(place: Path, fronts: list[Front]) -> None:
    lines = 'echo "export GREETING=\\"hi $USER_NAME\\"" >> "$CLAUDE_ENV_FILE"; echo "export API_TOKEN=t" >> "$CLAUDE_ENV_FILE"'
    settings(place, SessionStart=[("startup", shell(f"USER_NAME=x; {lines}"))])
    front = await said(
        fronts,
        place,
        reply(bash("echo $GREETING/$API_TOKEN/$CLAUDE_ENV_FILE"), stop="tool_use"),
        reply(says(0, "ok")),
        allowed=("Bash",),
    )
    assert (
        front.of(ToolResultReady)[0].content.startswith("hi x/t/\n")
        or front.of(ToolResultReady)[0].content == "hi x/t/"
    )


async def test_beginning_clearing_and_end_are_told(place: Path, fronts: list[Front]) -> None:
    told = place.parent / "told"
    note = shell(f'sed \'s/.*"\\(source\\|reason\\)": "\\([^"]*\\)".*/\\2/\' >> {told}; echo >> {told}')
    (place / "CLAUDE.md").write_text("Use tabs.")
    files = shell(f"grep -o 'CLAUDE.md' | head -n 1 >> {told}")
    settings(place, SessionStart=[("", note)], SessionEnd=[("", note)], InstructionsLoaded=[("session_start", files)])
    front = await said(fronts, place, reply(says(0, "one")), reply(says(0, "two")))
    front.session.clear()
    front.session.submit("again")
    await front.session.wait_idle()
    await front.session.close()
    assert told.read_text().split() == ["CLAUDE.md", "startup", "clear", "CLAUDE.md", "clear", "prompt_input_exit"]


async def test_hooks_at_the_end_have_a_second_and_a_half(place: Path, fronts: list[Front]) -> None:
    settings(place, SessionEnd=[("", shell("trap '' TERM; sleep 72"))])
    front = await said(fronts, place, reply(says(0, "one")))
    began = asyncio.get_running_loop().time()
    await front.session.close()
    assert asyncio.get_running_loop().time() - began < 4
    assert front.of(HookEnded)[-1].outcome == "timeout"


async def test_a_second_order_to_stop_does_not_wait_for_hooks_and_the_record_is_whole(
    place: Path, fronts: list[Front]
) -> None:
    settings(place, SessionEnd=[("", shell("sleep 74", timeout=50))])
    front = await said(fronts, place, reply(says(0, "one")))
    closing = asyncio.create_task(front.session.close())
    await front.until(HookStarted)
    closing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(closing, 10)
    (journal,) = (place.parent / "tui_agent_home").rglob("journal.jsonl")
    kinds = [type(event) for event in read_events(journal).events]
    assert kinds[-2:] == [HookEnded, SessionEnded]


async def test_clearing_forgets_the_hooks_of_a_beginning_that_still_run(place: Path, fronts: list[Front]) -> None:
    settings(place, SessionStart=[("startup", shell("sleep 75")), ("clear", shell("echo newborn"))])
    fronts.append(front := await begin(place, reply(says(0, "one"))))
    await front.until(HookStarted)
    front.session.clear()
    front.session.submit("hello")
    await asyncio.wait_for(front.session.wait_idle(), 10)
    assert "newborn" in front.of(UserMessageSent)[0].context
    assert sorted(event.outcome for event in await front.until(HookEnded, 2)) == ["cancelled", "ok"]


async def test_who_keeps_the_session_waiting_is_told_of_it(
    place: Path, fronts: list[Front], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui_agent.agent.hook_moments._QUESTION_S", 0.01)
    monkeypatch.setattr("tui_agent.agent.hook_moments._IDLE_S", 0.02)
    told = place.parent / "told"
    settings(place, Notification=[("permission_prompt|idle_prompt", shell(f"cat >> {told}; echo >> {told}"))])
    fronts.append(front := await begin(place, reply(bash("touch a"), stop="tool_use")))
    front.session.submit("go")
    await front.until(HookEnded)
    front.session.interrupt()
    await front.until(HookEnded, 2)
    kinds = [json.loads(line)["notification_type"] for line in told.read_text().splitlines()]
    assert kinds == ["permission_prompt", "idle_prompt"]


async def test_hooks_change_while_the_session_runs_and_may_refuse_that(place: Path, fronts: list[Front]) -> None:
    settings(
        place, PreToolUse=[("Bash", shell("exit 0"))], ConfigChange=[("project_settings", shell("echo no >&2; exit 2"))]
    )
    front = await said(
        fronts, place, reply(says(0, "one")), reply(bash("echo hi"), stop="tool_use"), reply(says(0, "x"))
    )
    settings(place, PreToolUse=[("Bash", shell("exit 2"))])
    front.session.submit("more")
    await front.session.wait_idle()
    assert front.of(SettingsReloaded) == []
    assert any("refused the change" in text for text in warnings(front))
    assert front.of(ToolResultReady)[0].error_kind != "hook"


async def test_hooks_of_a_folder_that_is_not_trusted_do_not_run(place: Path, fronts: list[Front]) -> None:
    settings(place, UserPromptSubmit=[("", shell("touch ran"))], SessionStart=[("", shell("touch ran"))])
    front = await said(fronts, place, reply(says(0, "one")), is_trusted=False)
    assert not (place / "ran").exists()
    assert front.of(HookStarted) == []


async def test_the_simple_mode_hears_no_hooks(place: Path, fronts: list[Front]) -> None:
    settings(place, UserPromptSubmit=[("", shell("touch ran"))])
    await said(fronts, place, reply(says(0, "one")), is_simple=True)
    assert not (place / "ran").exists()


async def test_keys_of_the_app_are_not_in_a_hooks_environment(
    place: Path, fronts: list[Front], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret")
    monkeypatch.setenv("GITHUB_TOKEN", "t")
    settings(place, UserPromptSubmit=[("", shell("env"))])
    front = await said(fronts, place, reply(says(0, "one")))
    (sent,) = front.of(UserMessageSent)
    assert f"CLAUDE_PROJECT_DIR={place}" in sent.context
    assert f"TUI_AGENT_SESSION_ID={front.session.id}" in sent.context
    assert "sk-secret" not in sent.context
    assert "GITHUB_TOKEN" not in sent.context


async def test_what_a_stopped_hook_says_is_masked(
    place: Path, fronts: list[Front], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "ghp_0123456789abcdefghijklmnopqrstuvwxyz")
    (place / "secret").write_text("the token is ghp_0123456789abcdefghijklmnopqrstuvwxyz")
    echo = "cat secret"
    settings(
        place,
        UserPromptSubmit=[("", shell(echo))],
        Stop=[("", shell(f"[ -e x ] || {{ touch x; {echo} >&2; exit 2; }}"))],
    )
    front = await said(fronts, place, reply(says(0, "one")), reply(says(0, "two")))
    assert len(front.model.requests) == 2
    assert "the token is" in str(front.model.requests[0].messages)
    assert "ghp_0123" not in str(front.model.requests[1].messages)
    (journal,) = (place.parent / "tui_agent_home").rglob("journal.jsonl")
    await front.session.close()
    assert "ghp_0123" not in journal.read_text()
