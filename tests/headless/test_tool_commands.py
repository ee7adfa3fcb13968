from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from processes import wait_gone

from tui_agent.headless.tools import NamedCall, parse_call
from tui_agent.tools.registry import ToolPool

Run = Callable[..., tuple[int, str, str]]
STAGES = ["lookup", "validate", "pre_hooks", "permission", "call", "store", "post_hooks", "result"]


def test_the_pool_is_listed_by_name(in_process: Run) -> None:
    code, out, _ = in_process("tools", "list")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == list(ToolPool.build().names)
    assert "\nThink" in out
    assert "\nSleep" not in out
    _, out, _ = in_process("tools", "list", "--features", "kairos")
    assert "\nSleep" in out


def test_simple_mode_and_denials_shorten_the_pool(in_process: Run) -> None:
    _, out, _ = in_process("tools", "list", "--simple", "--disallowedTools", "Bash")
    assert [line.split()[0] for line in out.splitlines()] == ["Edit", "Read"]


def test_the_pool_is_listed_as_json(in_process: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    code, out, _ = in_process("tools", "list", "--json")
    tools = {tool["name"]: tool for tool in json.loads(out)}
    assert (code, list(tools)) == (0, list(ToolPool.build().names))
    assert all(list(tool) == ["name", "description", "source", "deferred", "read_only"] for tool in tools.values())
    assert {tool["source"] for tool in tools.values()} == {"built-in"}
    assert [tools[name]["read_only"] for name in ("Read", "Edit", "Bash")] == [True, False, None]
    assert [tools[name]["deferred"] for name in ("Read", "Think")] == [False, True]
    assert tools["Read"]["description"].startswith("Reads a file")
    monkeypatch.setenv("CLAUDE_CODE_SIMPLE", "1")
    assert [tool["name"] for tool in json.loads(in_process("tools", "list", "--json")[1])] == ["Bash", "Edit", "Read"]


def test_a_schema_is_what_the_model_is_told(in_process: Run) -> None:
    code, out, _ = in_process("tools", "schema", "Read")
    schema = json.loads(out)
    assert code == 0
    assert schema["name"] == "Read"
    assert "file_path" in schema["input_schema"]["required"]
    code, _, err = in_process("tools", "schema", "Reed")
    assert code == 2
    assert "Did you mean Read" in err


def test_a_schema_that_a_model_has_to_look_up_is_shown_too(in_process: Run) -> None:
    code, out, _ = in_process("tools", "schema", "Think")
    assert (code, json.loads(out)["name"]) == (0, "Think")
    assert in_process("tools", "schema", "Sleep")[0] == 2


def test_a_tool_may_be_looked_up_and_run_in_one_session(in_process: Run) -> None:
    code, out, _ = in_process("tools", "run", "tool_search", json.dumps({"query": "select:Think"}))
    result = json.loads(out)
    assert (code, result["name"], result["data"]["matches"]) == (0, "ToolSearch", ["Think"])
    code, out, _ = in_process("tools", "run", "Think", json.dumps({"thought": "x"}))
    assert (code, json.loads(out)["content"]) == (0, "Noted.")
    code, out, _ = in_process("tools", "run", "Sleep", json.dumps({"seconds": 0.01}))
    assert (code, json.loads(out)["error_kind"]) == (1, "unknown_tool")
    code, out, _ = in_process("tools", "run", "--features", "proactive", "Sleep", json.dumps({"seconds": 0.01}))
    assert (code, json.loads(out)["data"]["wokenByPerson"]) == (0, False)


def test_one_tool_runs_through_all_stages(in_process: Run, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hello\n")
    code, out, _ = in_process("tools", "run", "Read", json.dumps({"file_path": str(tmp_path / "a.txt")}))
    result = json.loads(out)
    assert code == 0
    assert set(result) == {"name", "tool_use_id", "is_error", "content", "data", "error_kind", "stages", "states"}
    assert [stage["stage"] for stage in result["stages"]] == STAGES
    assert result["states"] == ["queued", "executing", "completed", "yielded"]
    assert "hello" in result["content"]


def test_what_would_ask_is_denied_unless_yes_is_said(in_process: Run, tmp_path: Path) -> None:
    command = json.dumps({"command": "touch made"})
    code, out, _ = in_process("tools", "run", "Bash", command)
    assert (code, json.loads(out)["error_kind"]) == (1, "denied")
    assert not (tmp_path / "made").exists()
    code, out, _ = in_process("tools", "run", "Bash", command, "--yes")
    assert (code, json.loads(out)["is_error"]) == (0, False)
    assert (tmp_path / "made").exists()


def test_yes_does_not_answer_for_what_is_denied(in_process: Run, tmp_path: Path) -> None:
    command = json.dumps({"command": "touch made"})
    code, out, _ = in_process("tools", "run", "Bash", command, "--yes", "--disallowedTools", "Bash(touch *)")
    assert (code, json.loads(out)["error_kind"]) == (1, "denied")
    assert not (tmp_path / "made").exists()


def test_bypassing_as_root_is_refused_outside_a_sandbox(in_process: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.delenv("IS_SANDBOX", raising=False)
    code, _, err = in_process("tools", "run", "Bash", '{"command": "true"}', "--dangerously-skip-permissions")
    assert code == 2
    assert "IS_SANDBOX=1" in err
    monkeypatch.setenv("IS_SANDBOX", "1")
    assert in_process("tools", "run", "Bash", '{"command": "true"}', "--dangerously-skip-permissions")[0] == 0


def test_a_run_leaves_no_session_behind(in_process: Run, tmp_path: Path) -> None:
    in_process("tools", "run", "Read", '{"file_path": "/etc/hostname"}')
    assert in_process("sessions", "list", "--all") == (0, "", "")
    assert not list((tmp_path / "state").glob("sessions/*/*"))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("Read",), "input are needed"),
        (("Read", "{"), "not JSON"),
        (("Read", "[]"), "must be a JSON object"),
        (("Read", "{}", "--jsonl"), "standard input"),
        (("Read", "{}", "--permission-mode", "wild"), "wild"),
        (("Read", "{}", "--cwd", "/nowhere/at/all"), "no such folder"),
        (("Read", "{}", "--settings", "{"), "--settings"),
        (("Read", "{}", "--setting-sources", "moon"), "moon"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_code_2(in_process: Run, arguments: tuple[str, ...], says: str) -> None:
    code, out, err = in_process("tools", "run", *arguments)
    assert (code, out) == (2, "")
    assert says in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("flag", ["--disallowedTools", "--allowedTools"])
@pytest.mark.parametrize("command", [("tools", "run"), ("permissions", "explain")])
def test_a_name_that_a_rule_flag_has_taken_is_told(in_process: Run, flag: str, command: tuple[str, str]) -> None:
    call = ("Write", '{"file_path": "f", "content": "x"}')
    code, out, err = in_process(*command, flag, "Write", *call)
    assert (code, out) == (2, "")
    assert f"{flag} has taken Write Write." in err
    assert f"{flag}=RULES" in err
    assert err.count("\n") == 1
    assert f"{flag} has taken Write." in in_process(*command, flag, *call)[2]
    assert in_process(*command, f"{flag}=Write", *call)[0] != 2
    assert in_process(*command, *call, flag, "Write")[0] != 2
    assert "has taken" not in in_process(*command, flag, "Write")[2]


def test_an_unknown_tool_and_a_wrong_input_are_results(in_process: Run) -> None:
    code, out, _ = in_process("tools", "run", "Raed", "{}")
    assert (code, json.loads(out)["error_kind"]) == (1, "unknown_tool")
    code, out, _ = in_process("tools", "run", "Read", '{"path": "x"}')
    assert (code, json.loads(out)["error_kind"]) == (1, "invalid_input")


def test_half_of_a_surrogate_pair_reaches_no_tool(in_process: Run) -> None:
    for name, data in (("Glob", {"pattern": "x\ud800"}), ("Grep", {"pattern": "x", "glob": "\udcff"})):
        code, out, _ = in_process("tools", "run", name, json.dumps(data))
        assert (code, json.loads(out)["content"]) == (0, "No files found")
    call = parse_call(r'{"name": "A\ud800", "input": {"b\udfff": ["c\ud83d\ude00", {"d": "\ud83d"}]}}')
    assert call == NamedCall("A\ufffd", {"b\ufffd": ["c\U0001f600", {"d": "\ufffd"}]})


def test_many_calls_share_one_session(program: Any) -> None:
    (program.work / "a.txt").write_text("one\n")
    path = str(program.work / "a.txt")
    edit = {"file_path": path, "old_string": "one", "new_string": "two"}
    calls = [
        {"name": "Edit", "input": edit},
        {"name": "Read", "input": {"file_path": path}},
        {"name": "Edit", "input": edit},
    ]
    text = "\n".join(json.dumps(call) for call in calls) + "\nnot json\n\n" + json.dumps({"name": "Read", "input": []})
    unread, read, edited, no_json, no_object = program.lines("tools", "run", "--jsonl", "--yes", stdin=text)
    assert unread["data"]["code"] == "not_read"
    assert (read["is_error"], edited["is_error"]) == (False, False)
    assert (program.work / "a.txt").read_text() == "two\n"
    assert "not JSON" in no_json["content"]
    assert "must be an object" in no_object["content"]


@pytest.mark.parametrize(
    ("numbers", "code"),
    [((signal.SIGINT,), 130), ((signal.SIGTERM, signal.SIGTERM), 143), ((signal.SIGHUP,), 129)],
)
def test_a_run_that_is_told_to_end_stops_the_command(program: Any, numbers: tuple[int, ...], code: int) -> None:
    command = json.dumps({"command": "echo $$ > pid; exec sleep 300"})
    process = subprocess.Popen(
        [sys.executable, "-m", "tui_agent", "tools", "run", "Bash", command, "--yes"],
        cwd=program.work, env=program.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    pid_file = program.work / "pid"
    deadline = time.monotonic() + 30
    while not (pid_file.exists() and pid_file.read_text().strip()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    for number in numbers:
        process.send_signal(number)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (code, b"", b"")
    wait_gone(int(pid_file.read_text()))
