"""Rules under other names, what stands in their brackets, and plan mode: what must not get past them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from judging import WHERE, judged

from tui_agent.permissions.call_facts import call_from_input
from tui_agent.permissions.decide import decide
from tui_agent.permissions.modes import Mode
from tui_agent.permissions.path_context import PathContext
from tui_agent.permissions.rules import RuleSet, parse_rule


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("run_shell", "Bash"), ("BashTool", "Bash"), ("read_file", "Read"), ("FileRead", "Read"), ("FileReadTool", "Read"),
        ("edit_file", "Edit"), ("FileWrite", "Write"), ("list_files", "Glob"), ("grep_search", "Grep"), ("Task", "Agent"),
        ("KillShell", "TaskStop"), ("web_fetch", "WebFetch"), ("ListMcpResourcesTool", "ListMcpResourcesTool"),
        ("mcp__x__yTool", "mcp__x__yTool"), ("bash", "bash"),
    ],
)  # fmt: skip
def test_a_tool_may_be_named_by_any_of_its_names(alias: str, name: str) -> None:
    assert parse_rule(alias, "deny").tool == name


def test_a_rule_under_another_name_works() -> None:
    assert judged("rm x", deny=["run_shell(rm *)"]).behavior == "deny"
    assert judged("cat .env", deny=["read_file(.env)"]).behavior == "deny"
    assert RuleSet.from_lists(deny=["BashTool"]).denied_tools() == {"Bash"}


def test_a_tool_that_runs_commands_obeys_the_rules_for_commands() -> None:
    call = call_from_input("Monitor", {"command": "tail -f log; rm x"}, WHERE)
    for lists, expected in (
        ({"deny": ["Bash(rm *)"]}, "deny"),
        ({"ask": ["Bash"]}, "ask"),
        ({"allow": ["Bash"]}, "allow"),
    ):
        assert decide(call, rules=RuleSet.from_lists(**lists), mode="default", where=WHERE).behavior == expected


@pytest.mark.parametrize(
    ("rule", "behavior", "tool", "input", "hits"),
    [
        ("Agent(Explore)", "deny", "Agent", {"subagent_type": "Explore"}, True),
        ("Agent(Explore)", "deny", "Agent", {"subagent_type": "explore"}, False),
        ("Agent(general-purpose)", "deny", "Agent", {"prompt": "x"}, True),
        ("Task(Explore)", "deny", "Agent", {"subagent_type": "Explore"}, True),
        ("Agent(model:op*)", "deny", "Agent", {"model": "opus"}, True),
        ("Agent(run_in_background:true)", "deny", "Agent", {"run_in_background": True}, True),
        ("Agent(run_in_background:true)", "deny", "Agent", {"run_in_background": [True]}, False),
        ("Skill(plugin:deploy)", "deny", "Skill", {"skill": "plugin:deploy"}, True),
        ("Skill(deploy)", "deny", "Skill", {"skill": "deploy", "args": "prod"}, True),
        ("Skill(deploy)", "allow", "Skill", {"skill": "deploy", "args": "prod"}, False),
        ("Skill(deploy *)", "allow", "Skill", {"skill": "deploy", "args": "prod"}, True),
        ("Skill(deploy *)", "allow", "Skill", {"skill": "deployment"}, False),
        ("mcp__plugin_a_b__x", "allow", "mcp__plugin_a_b__x", {}, True),
        ("mcp__a__*", "allow", "mcp__a__x", {}, True),
        ("mcp__a", "allow", "mcp__ab__x", {}, False),
        ("mcp__a__x(force:true)", "deny", "mcp__a__x", {"force": True}, True),
        ("*", "deny", "Anything", {}, True),
        ("Web*", "deny", "WebFetch", {"url": "https://x"}, True),
        ("WebFetch( domain:x )", "deny", "WebFetch", {"url": "https://x"}, True),
        ("toString", "allow", "toString", {}, True),
    ],
)  # fmt: skip
def test_what_stands_in_brackets(rule: str, behavior: str, tool: str, input: dict[str, Any], hits: bool) -> None:
    call = call_from_input(tool, input, WHERE)
    verdict = decide(call, rules=RuleSet.from_lists(**{behavior: [rule]}), mode="default", where=WHERE)  # type: ignore[arg-type]
    assert (verdict.rule == rule) is hits


@pytest.mark.parametrize("rule", ["WebSearch(x)", "mcp__a__b(x)", "Glob(x)", "Bash(url:x)", "NotebookEdit(a)"])
def test_brackets_that_mean_nothing_are_told(rule: str) -> None:
    assert "never matches" in RuleSet.from_lists(deny=[rule]).problems[0].text


# Plan mode


def test_the_plan_itself_may_be_written_while_nothing_else_may() -> None:
    where = replace(WHERE, writable_in_plan=("/w/.tui-agent/plans/p.md",))

    def written(path: str, mode: Mode = "plan", **lists: list[str]) -> str:
        call = call_from_input("Write", {"file_path": path}, where)
        return decide(call, rules=RuleSet.from_lists(**lists), mode=mode, where=where).behavior  # type: ignore[arg-type]

    assert written("/w/.tui-agent/plans/p.md") == "allow"
    assert written("/w/.tui-agent/plans/q.md") == "deny"
    assert written("/w/a.py", allow=["Edit"]) == "deny"
    assert written("/w/.tui-agent/plans/p.md", "acceptEdits") == "ask"
    assert written("/w/.tui-agent/plans/p.md", deny=["Edit(p.md)"]) == "deny"
    assert judged("ls | head", "plan", where).behavior == "allow"
    assert judged("npm test", "plan", where, allow=["Bash"]).behavior == "deny"


def test_a_plan_that_is_a_link_is_no_plan(disk: PathContext) -> None:
    plan = Path(disk.cwd) / "plan.md"
    plan.symlink_to(Path(disk.cwd) / "a.py")
    where = replace(disk, writable_in_plan=(str(plan),))
    call = call_from_input("Write", {"file_path": f"{disk.cwd}/a.py"}, where)
    assert decide(call, rules=RuleSet(), mode="plan", where=where).behavior == "deny"
