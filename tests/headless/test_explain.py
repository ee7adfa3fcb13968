from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tui_agent.headless.explain import ExplainQuery, QueryError

Run = Callable[..., tuple[int, str, str]]


def test_the_answer_has_the_agreed_shape(in_process: Run) -> None:
    code, out, _ = in_process(
        "permissions", "explain", "Bash", '{"command": "npm test"}', "--allowedTools", "Bash(npm *)"
    )
    answer = json.loads(out)
    assert code == 0
    assert set(answer) >= {"verdict", "by", "rule", "source", "reason", "steps", "suggestions", "read_only"}
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
        ExplainQuery.from_line(json.dumps({"tool": "Read", "input": {}, **change}))


def test_rules_and_a_mode_can_be_tried_out(in_process: Run) -> None:
    call = ("permissions", "explain", "Bash", '{"command": "npm test && ls"}')
    cases: list[tuple[tuple[str, ...], str]] = [
        ((), "ask"),
        (("--allow", "Bash(npm *)"), "allow"),
        (("--allow", "Bash(npm *)", "--ask", "Bash(ls)"), "ask"),
        (("--allow", "Bash(npm *)", "--deny", "Bash(ls)", "--ask", "Bash"), "deny"),
        (("--mode", "dontAsk"), "deny"),
    ]
    for options, expected in cases:
        code, out, _ = in_process(*call, *options)
        assert (code, json.loads(out)["verdict"]) == (0, expected), options


def test_a_rule_or_a_mode_that_is_none_is_refused(in_process: Run) -> None:
    call = ("permissions", "explain", "Bash", '{"command": "ls"}')
    for options, says in (
        (("--allow", "Bash("), "not a rule"),
        (("--deny", "Write(x)"), "never matches"),
        (("--mode", "wild"), "wild"),
    ):
        code, out, err = in_process(*call, *options)
        assert (code, out) == (2, "")
        assert says in err


def test_each_part_and_what_it_needs_is_told(in_process: Run) -> None:
    code, out, _ = in_process(
        "permissions", "explain", "Bash", '{"command": "cd src; npm test > out.txt | sed -i s/a/b/ f"}'
    )
    answer = json.loads(out)
    assert (code, answer["verdict"], answer["confinement"]) == (0, "ask", None)
    assert [(part["command"], part["verdict"]) for part in answer["parts"]] == [
        ("cd src", "allow"), ("npm test", "ask"), ("sed -i s/a/b/ f", "ask"),
    ]  # fmt: skip
    assert answer["parts"][2]["check"]
    assert answer["offers"][0] == ["Bash(npm test *)", "Bash(npm test)"]
    assert ["Bash(sed -i *)", "Bash(sed -i s/a/b/ f)"] in answer["offers"]
    assert any(step["check"] == "part: npm test" for step in answer["steps"])


def test_for_a_person_it_is_said_in_lines(in_process: Run) -> None:
    call = ("permissions", "explain", "Bash")
    code, out, _ = in_process(*call, json.dumps({"command": "ls; npm test"}), "--text", "--deny", "Bash(rm *)")
    assert code == 0
    assert "? asks: " in out
    assert "✓ ls: it is read-only" in out
    assert "Bash(npm test *)" in out
    _, out, _ = in_process(*call, json.dumps({"command": "ls; npm test \u202e"}), "--text")
    assert "U+202E" in out
    assert "\u202e" not in out
    _, out, _ = in_process("permissions", "explain", "Bash", '{"command": "rm x"}', "--text", "--deny", "Bash(rm *)")
    assert "✗ denied: " in out
    assert "rule Bash(rm *) from command line" in out
    assert "step that decided: deny rules: deny" in out


def test_a_line_may_bring_a_sandbox_trust_a_hook_and_the_persons_own_rules() -> None:
    query = ExplainQuery.from_line(
        json.dumps({
            "tool": "Bash", "input": {"command": "x"}, "sandbox": {"enabled": True, "available": False}, "trusted": False,
            "hook": "deny", "rules": {}, "user_rules": {"allow": ["Bash(x)"]},
        })
    )  # fmt: skip
    assert (query.trusted, query.hook) == (False, "deny")
    for change, says in (
        ({"sandbox": {"enabled": "yes"}}, '"sandbox"'), ({"sandbox": []}, '"sandbox"'), ({"hook": "maybe"}, '"hook"'),
        ({"trusted": 1}, '"trusted"'), ({"user_rules": {"allow": 1}}, '"user_rules"'),
    ):  # fmt: skip
        with pytest.raises(QueryError, match=says):
            ExplainQuery.from_line(json.dumps({"tool": "Read", "input": {}, **change}))


def test_without_a_sandbox_reading_asks_unless_it_is_consented_to(program: Any) -> None:
    lines = [
        json.dumps({"tool": "Bash", "input": {"command": "ls"}, "rules": {}, "sandbox": sandbox})
        for sandbox in ({"available": False}, {"available": False, "readOnlyWithout": True}, {"enabled": True}, None)
    ]
    answers = program.lines("permissions", "explain", "--jsonl", stdin="\n".join(lines))
    assert [answer["verdict"] for answer in answers] == ["ask", "allow", "allow", "allow"]
    assert [answer["confinement"] for answer in answers] == [None, "read_only", "read_only", "read_only"]


def test_a_change_that_a_session_shows_needs_no_sandbox(program: Any, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    at = {"cwd": str(tmp_path), "mode": "acceptEdits", "rules": {}, "trusted": True, "sandbox": {"available": False}}
    commands = ("sed -i s/one/two/ a.txt", "sed -i s/one/two/ gone.txt", "sed -i s/one/two/ a.txt; mv a.txt b.txt")
    queries = [{"tool": "Bash", "input": {"command": command}, **at} for command in commands]
    answers = program.lines("permissions", "explain", "--jsonl", stdin="\n".join(map(json.dumps, queries)))
    assert [answer["verdict"] for answer in answers] == ["allow", "ask", "ask"]
    assert (tmp_path / "a.txt").read_text() == "one\n"


def test_modes_may_go_by_the_names_that_settings_have_for_them() -> None:
    for name, mode in (("manual", "default"), ("auto", "default"), ("plan", "plan")):
        assert ExplainQuery.from_line(json.dumps({"tool": "Read", "mode": name})).mode == mode
    with pytest.raises(QueryError, match="mode"):
        ExplainQuery.from_line('{"tool": "Read", "mode": ["plan"]}')
