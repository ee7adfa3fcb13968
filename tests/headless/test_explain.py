from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tui_agent.headless.explain import Query, QueryError

Run = Callable[..., tuple[int, str, str]]


def test_the_answer_has_the_agreed_shape(in_process: Run) -> None:
    code, out, _ = in_process(
        "permissions", "explain", "Bash", '{"command": "npm test"}', "--allowedTools", "Bash(npm *)"
    )
    answer = json.loads(out)
    assert code == 0
    assert set(answer) == {"verdict", "by", "rule", "source", "reason", "steps", "suggestions", "read_only"}
    assert (answer["verdict"], answer["by"], answer["rule"]) == ("allow", "rule", "Bash(npm *)")
    assert all(set(step) == {"check", "outcome"} for step in answer["steps"])


def test_a_tool_that_is_not_loaded_is_judged_by_its_name_and_fields(program: Any) -> None:
    rules = {"allow": ["Edit(docs/**)", "mcp__db__get_*"]}
    asked: list[tuple[str, dict[str, str]]] = [
        ("Write", {"file_path": "/w/docs/a.md"}),
        ("NotebookEdit", {"notebook_path": "/w/other.ipynb"}),
        ("mcp__db__get_row", {}),
        ("Nothing", {}),
    ]
    lines = [json.dumps({"tool": tool, "input": raw, "cwd": "/w", "rules": rules}) for tool, raw in asked]
    answers = program.lines("permissions", "explain", "--jsonl", stdin="\n".join(lines))
    assert [answer["verdict"] for answer in answers] == ["allow", "ask", "allow", "ask"]


def test_a_path_alone_is_enough_to_ask_about(in_process: Run) -> None:
    _, out, _ = in_process("permissions", "explain", "Edit", '{"file_path": "/etc/hosts"}')
    assert json.loads(out)["verdict"] == "ask"


def test_lines_bring_their_own_rules_mode_and_folders(program: Any) -> None:
    rules = {"allow": ["Bash(make *)"], "deny": ["Bash(make deploy *)"], "ask": []}
    at = {"cwd": "/w", "home": "/h", "rules": rules}
    edit = {"file_path": "/w/a.py", "old_string": "a", "new_string": "b"}
    read = {"file_path": "/h/.claude/x/y"}
    queries: list[dict[str, Any]] = [
        {"tool": "Bash", "input": {"command": "make test"}, **at},
        {"tool": "Bash", "input": {"command": "make deploy now"}, **at},
        {"tool": "Bash", "input": {"command": "cargo build"}, **at},
        {"tool": "Edit", "input": edit, "mode": "acceptEdits", **at},
        {"tool": "Edit", "input": edit, **at},
        {
            "tool": "Read",
            "input": read,
            "cwd": "/w",
            "home": "/h",
            "rules": {"allow": ["Read(/x/**)"]},
            "scope": "user",
        },
        {"tool": "Read", "input": read, "cwd": "/w", "home": "/h", "rules": {"allow": ["Read(/x/**)"]}},
    ]
    answers = program.lines("permissions", "explain", "--jsonl", stdin="\n".join(map(json.dumps, queries)))
    assert [answer["verdict"] for answer in answers] == ["allow", "deny", "ask", "allow", "ask", "allow", "ask"]


def test_a_line_that_cannot_be_read_is_answered_too(program: Any) -> None:
    text = 'junk\n{"tool": 1}\n{"tool": "Read", "input": {"file_path": "/etc/passwd"}}\n'
    done = program("permissions", "explain", "--jsonl", stdin=text)
    assert done.returncode == 1
    assert ["error" in json.loads(line) for line in done.stdout.splitlines()] == [True, True, False]


def test_a_path_that_no_file_can_have_is_judged_like_any_other(in_process: Run) -> None:
    for path in ("a\0b", "/etc/\ud800"):
        code, out, err = in_process("permissions", "explain", "Read", json.dumps({"file_path": path}))
        assert (code, err) == (0, "")
        assert json.loads(out)["verdict"] in ("allow", "ask")
    code, out, _ = in_process("permissions", "explain", "Bash", json.dumps({"command": "cat x > /etc/\0"}))
    assert (code, json.loads(out)["verdict"]) == (0, "ask")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"input": []}, '"input"'),
        ({"mode": "wild"}, '"mode"'),
        ({"rules": []}, '"rules"'),
        ({"rules": {"allow": "Bash"}}, '"rules"'),
        ({"rules": {"permit": []}}, '"rules"'),
        ({"cwd": "relative"}, '"cwd"'),
        ({"additional_dirs": "x"}, '"additional_dirs"'),
        ({"scope": "moon"}, '"scope"'),
    ],
)
def test_a_field_of_the_wrong_form_is_named(change: dict[str, Any], says: str) -> None:
    with pytest.raises(QueryError, match=says):
        Query.from_line(json.dumps({"tool": "Read", "input": {}, **change}))
