"""The `if` of a hook: which uses of a tool a permission rule is about, for whoever only wants to hear of them."""

from __future__ import annotations

from typing import Any

import pytest

from tui_agent.engine.hooks.conditions import fits_rule, if_problem
from tui_agent.hooks.dispatch import HookedUse
from tui_agent.permissions.path_context import PathContext

WHERE = PathContext(cwd="/w/app", project_root="/w", home="/h", resolve=lambda path: path)


def fits(rule: str, name: str, **input: Any) -> bool:
    return fits_rule(rule, HookedUse(tool_use_id="t", name=name, input=input), WHERE)


@pytest.mark.parametrize(
    ("rule", "command", "does"),
    [
        ("Bash(git push *)", "git push origin main", True),
        ("Bash(git push *)", "git status", False),
        ("Bash(git push *)", "cd sub && git push", True),
        ("Bash(git push *)", "echo $(git push)", True),
        ("Bash(git push *)", "FOO=1 timeout 5 git push -f", True),
        ("Bash(git push *)", "echo 'git push'", False),
        ("Bash(git push *)", "for (((", True),  # who knows
        ("Bash(git push *)", "$tool push", True),
        ("Bash", "ls", True),
        ("Bash(run_in_background:true)", "ls", False),
        ("Edit", "ls", False),
    ],
)
def test_of_a_command_any_part_counts(rule: str, command: str, does: bool) -> None:
    assert fits(rule, "Bash", command=command) is does


@pytest.mark.parametrize(
    ("rule", "name", "path", "does"),
    [
        ("Edit(src/**)", "Edit", "/w/app/src/a.py", True),
        ("Edit(src/**)", "Write", "src/a.py", True),
        ("Edit(src/**)", "MultiEdit", "src/a.py", True),
        ("Edit(src/**)", "Edit", "/w/app/lib/src/a.py", False),  # only below the session's folder
        ("Edit(src/**)", "Read", "/w/app/src/a.py", False),
        ("Edit(*.py)", "Edit", "/w/app/deep/er/a.py", True),
        ("Read(~/notes/**)", "Read", "/h/notes/x", True),
        ("Read(//etc/**)", "Read", "/etc/passwd", True),
        ("Edit", "Edit", "/anywhere", True),
        ("Write", "Write", "/anywhere", True),
    ],
)
def test_paths_start_at_the_folder_of_the_session(rule: str, name: str, path: str, does: bool) -> None:
    assert fits(rule, name, file_path=path) is does


def test_other_rules() -> None:
    assert fits("WebFetch(domain:example.com)", "WebFetch", url="https://example.com/x")
    assert not fits("WebFetch(domain:example.com)", "WebFetch", url="https://example.org/x")
    assert fits("mcp__github", "mcp__github__get_issue")
    assert not fits("mcp__github", "mcp__gitlab__get_issue")
    assert fits("Bash(run_in_background:true)", "Bash", command="ls", run_in_background=True)


@pytest.mark.parametrize(("rule", "is_fine"), [("Bash(ls *)", True), ("Bash(", False), ("", False), ("Grep(x)", False)])
def test_a_rule_that_means_nothing_is_said_to(rule: str, is_fine: bool) -> None:
    assert (if_problem(rule) == "") is is_fine
