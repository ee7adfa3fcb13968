"""Hooks as people write them for their settings, in shell and in Python, in a whole session."""

from __future__ import annotations

from pathlib import Path

import pytest
from hooked import bash, said, script, settings, warnings
from scripted_model import calls, reply, says
from session_front import Front

from tui_agent.events import HookEnded, PermissionRequested, ToolResultReady, UserMessageSent

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
