"""What hooks are given of tool calls."""

from __future__ import annotations

from pathlib import Path

from tui_agent.engine.hooks.inputs import HookInputs, suggestions, tool_names
from tui_agent.hooks.dispatch import HookedUse
from tui_agent.hooks.post_tool_use import HookedResult
from tui_agent.tools.workspace import Workspace


def inputs(folder: Path) -> HookInputs:
    return HookInputs(session_id="s", transcript="/t.jsonl", workspace=Workspace(folder), mode=lambda: "plan")


def use(name: str = "Edit", **input: object) -> HookedUse:
    return HookedUse(tool_use_id="u", name=name, input=dict(input))


def test_paths_are_absolute_but_those_of_servers_stay(tmp_path: Path) -> None:
    made = inputs(tmp_path)
    edit = made.of_use("PreToolUse", use(file_path="a/../b.py", old_string="path"))
    assert edit["tool_input"] == {"file_path": str(tmp_path / "b.py"), "old_string": "path"}
    assert made.of_use("PreToolUse", use("mcp__repo__get", path="src"))["tool_input"] == {"path": "src"}
    assert made.of_use("PreToolUse", use(file_path=5, path="\0"))["tool_input"] == {"file_path": 5, "path": "\0"}


def test_every_event_says_where_it_happens(tmp_path: Path) -> None:
    made = inputs(tmp_path)
    common = {"session_id": "s", "transcript_path": "/t.jsonl", "cwd": str(tmp_path), "permission_mode": "plan"}
    assert made.common("Stop", x=1) == {**common, "hook_event_name": "Stop", "x": 1}
    made.prompt_id = "m1"
    assert made.common("Stop")["prompt_id"] == "m1"


def test_a_result_is_told_as_data_and_a_failure_as_words(tmp_path: Path) -> None:
    made = inputs(tmp_path)
    fine = made.of_result(
        "PostToolUse", HookedResult(use=use("Bash"), content="x", data={"stdout": "x"}, duration_ms=4.6)
    )
    assert (fine["tool_response"], fine["duration_ms"], fine["tool_use_id"]) == ({"stdout": "x"}, 5, "u")
    wrapped = "<tool_use_error>Exit code 2\nno</tool_use_error>"
    bad = made.of_result("PostToolUseFailure", HookedResult(use=use("Bash"), content=wrapped, data=None, is_error=True))
    assert (bad["error"], bad["is_interrupt"]) == ("Exit code 2\nno", False)
    assert "tool_response" not in bad


def test_rules_are_offered_as_updates() -> None:
    (one, other) = suggestions(["Bash(echo (x) *)", "WebSearch"])
    assert one["rules"] == [{"toolName": "Bash", "ruleContent": "echo (x) *"}]
    assert other["rules"] == [{"toolName": "WebSearch"}]


def test_old_names_of_a_tool_are_heard_too() -> None:
    assert tool_names("Agent") == ("Agent", "Task")
    assert tool_names("Bash") == ("Bash",)
