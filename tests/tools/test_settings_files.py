"""Settings files stay good, whichever tool changes them and however much of the change is taken."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from runtimes import make_runtime
from tool_bench import Bench

from tui_agent.engine.session.tool_runtime import ToolRuntimeOptions
from tui_agent.permissions.rules import rule_problem
from tui_agent.settings.load import load_settings
from tui_agent.tools.file_changes.settings_file import settings_problem
from tui_agent.tools.services import Services

GOOD = '{\n  "model": "a",\n  "permissions": {\n    "allow": []\n  }\n}\n'
FAR = "\n" * 9


@pytest.fixture
def runtime(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def by_edit(path: Path, before: str, after: str) -> tuple[str, dict[str, Any]]:
    return "Edit", {"file_path": str(path), "old_string": before, "new_string": after}


def by_write(path: Path, _before: str, after: str) -> tuple[str, dict[str, Any]]:
    return "Write", {"file_path": str(path), "content": after}


def by_multi_edit(path: Path, before: str, after: str) -> tuple[str, dict[str, Any]]:
    edits = [{"old_string": before, "new_string": after}]
    return "MultiEdit", {"edits": [{"file_path": str(path), "edits": edits}]}


WAYS = [by_edit, by_write, by_multi_edit]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", [".tui-agent/settings.json", ".claude/settings.local.json"])
async def test_a_value_of_the_wrong_kind_is_refused_with_its_line_and_the_reason(
    way: Any, name: str, runtime: Bench
) -> None:
    path = runtime.write(name, GOOD)
    ran = await runtime.run(*way(path, GOOD, GOOD.replace("[]", '"Bash"')))
    assert (ran.code, ran.kind, path.read_text()) == ("bad_settings", "validation", GOOD)
    assert "line 4: `permissions.allow` must be a list" in ran.text
    assert not (await runtime.run(*way(path, GOOD, GOOD.replace("[]", '["Bash(ls)"]')))).is_error


@pytest.mark.parametrize("way", WAYS)
async def test_what_is_no_rule_is_refused_with_its_line(way: Any, runtime: Bench) -> None:
    path = runtime.write(".tui-agent/settings.json", GOOD)
    ran = await runtime.run(*way(path, GOOD, GOOD.replace("[]", '["Read", "Bash("]')))
    assert (ran.code, path.read_text()) == ("bad_settings", GOOD)
    assert "line 4: `permissions.allow` holds 'Bash(', which is no `Tool` or `Tool(specifier)`" in ran.text
    bad = runtime.write(".claude/settings.json", GOOD.replace("[]", '["Bash(", 7]'))
    ran = await runtime.run(*way(bad, bad.read_text(), bad.read_text().replace('"a"', '"b"')))
    assert not ran.is_error, "what was wrong before does not count"


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("kind", "rule", "why"),
    [
        ("allow", "*", "allow too much"),
        ("deny", "Write(x)", "use `Edit(x)`"),
        ("ask", "Read([)", "Read([)"),
        ("allow", "Bash(timeout:5)", "not allowed"),
    ],
)
async def test_a_rule_that_would_not_hold_is_refused_with_the_reason(
    way: Any, kind: str, rule: str, why: str, runtime: Bench
) -> None:
    runtime.services = Services(rule_problem=rule_problem)
    before = GOOD.replace("allow", kind)
    path = runtime.write(".tui-agent/settings.json", before)
    ran = await runtime.run(*way(path, before, before.replace("[]", json.dumps([rule]))))
    assert (ran.code, path.read_text()) == ("bad_settings", before)
    assert f"line 4: `permissions.{kind}` holds {rule!r}: " in ran.text
    assert why in ran.text
    good = before.replace("[]", '["Bash(ls *)", "Edit(/src/**)", "Read(~/x)", "mcp__a__*"]')
    assert not (await runtime.run(*way(path, before, good))).is_error
    there = runtime.write(".claude/settings.json", before.replace("[]", json.dumps([rule])))
    ran = await runtime.run(*way(there, there.read_text(), there.read_text().replace('"a"', '"b"')))
    assert not ran.is_error, "what was wrong before does not count"


@pytest.mark.parametrize("way", WAYS)
async def test_what_the_person_makes_of_the_rules_is_looked_at_too(way: Any, runtime: Bench) -> None:
    runtime.services = Services(rule_problem=rule_problem)
    path = runtime.write(".tui-agent/settings.json", GOOD)
    good = GOOD.replace("[]", '["Bash(ls)"]')
    ran = await runtime.run(*way(path, GOOD, good), edited=GOOD.replace("[]", '["*"]'))
    assert (ran.code, path.read_text()) == ("bad_settings", GOOD)


def test_a_session_judges_rules(tmp_path: Path) -> None:
    runtime = make_runtime(
        ToolRuntimeOptions(cwd=tmp_path),
        load_settings(tmp_path, is_trusted=True),
        results_dir=tmp_path / "results",
        is_attended=False,
    )
    assert "allow too much" in runtime.services.rule_problem("*", "allow")


@pytest.mark.parametrize("way", WAYS)
async def test_what_would_be_no_json_is_refused_with_line_and_column(way: Any, runtime: Bench) -> None:
    path = runtime.write(".tui-agent/settings.json", GOOD)
    ran = await runtime.run(*way(path, GOOD, GOOD.replace('"a",', '"a"')))
    assert ran.code == "bad_settings"
    assert "line 3, column" in ran.text


@pytest.mark.parametrize("way", WAYS)
async def test_the_part_that_is_taken_is_what_counts(way: Any, runtime: Bench) -> None:
    before = '{\n"model": "a",' + FAR + '"maxTurns": 3\n}\n'
    after = '{\n"model": "b",' + FAR + '"maxTurns": "many"\n}\n'
    path = runtime.write(".tui-agent/settings.json", before)
    name, raw = way(path, before, after)
    assert (await runtime.run(name, raw)).code == "bad_settings"
    good = after.replace('"many"', "4").replace("}", ',"env": {}}')
    half = good.replace('"b",', '"b"')  # not JSON without its other half
    ran = await runtime.run(*way(path, before, good), accepted={0})
    assert not ran.is_error
    assert json.loads(path.read_text())["model"] == "b"
    path = runtime.write(".tui-agent/settings.json", before)
    broken = half.replace('"maxTurns"', ',"maxTurns"')
    assert not settings_problem(str(path), broken)
    ran = await runtime.run(*way(path, before, broken), accepted={0})
    assert (ran.code, path.read_text()) == ("bad_settings", before)


def test_a_new_settings_file_is_judged_too() -> None:
    assert "must be an object" in str(settings_problem("/w/.claude/settings.json", "[]"))
    assert settings_problem("/w/.claude/settings.json", "") is None


def test_what_was_wrong_before_may_stay_and_what_is_newly_wrong_may_not() -> None:
    before = '{"maxTurns": "x", "model": "a"}'
    path = "/w/.claude/settings.json"
    assert settings_problem(path, before.replace('"a"', '"b"'), lambda: before) is None
    assert "`model` must be text" in str(settings_problem(path, before.replace('"a"', "1"), lambda: before))


def test_other_files_of_the_folders_need_only_be_json_where_their_name_says_so() -> None:
    assert settings_problem("/w/.claude/hooks/data.json", '{"model": 1}') is None
    assert "JSON" in str(settings_problem("/w/.claude/hooks/data.json", "{"))
    assert settings_problem("/w/.claude/agents/a.md", "{") is None
    assert settings_problem("/w/src/settings.json", "{") is None


def test_the_persons_own_settings_count_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert settings_problem(str(tmp_path / "tui-agent/settings.json"), '{"model": 1}') is not None
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "moved"))
    assert settings_problem(str(tmp_path / "moved/settings.json"), '{"model": 1}') is not None
    assert settings_problem(str(tmp_path / "moved/other.json"), '{"model": 1}') is None


@pytest.mark.parametrize(
    "file",
    [
        "/etc/tui-agent/settings.json",
        "/etc/tui-agent/settings.d/10-more.json",
        "/etc/claude-code/managed-settings.json",
        "/etc/claude-code/managed-settings.d/10-more.json",
    ],
)
def test_the_administrators_settings_count_too(file: str) -> None:
    assert "`hooks.Stop` must be a list" in str(settings_problem(file, '{"hooks": {"Stop": {}}}'))
    assert settings_problem(file.replace(".json", ".txt"), "{") is None
