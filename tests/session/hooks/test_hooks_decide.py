"""Who decides where rules, modes and hooks have something to say about a call."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hooked import bash, printing, said, script, settings, shell, warnings
from scripted_model import calls, reply, says
from session_front import Front

from tui_agent.events import (
    ModeChanged,
    PermissionRequested,
    PermissionResolved,
    ToolInputChanged,
    ToolResultReady,
    TurnFinished,
)

ALLOW = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}}


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
    assert "A hook allows you to try this call again." in front.of(ToolResultReady)[0].content


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
