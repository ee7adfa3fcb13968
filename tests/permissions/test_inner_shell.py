"""`bash -c 'text'`: judged by the text, wherever that stands, and under the rules for the commands in it."""

from __future__ import annotations

from typing import Any

import pytest

from tui_agent.permissions.call_facts import call_from_input
from tui_agent.permissions.decide import decide
from tui_agent.permissions.path_context import PathContext
from tui_agent.permissions.rules import RuleSet
from tui_agent.permissions.shell.analysis import analyse

WHERE = PathContext(cwd="/w", project_root="/w", home="/h", resolve=lambda path: path)


def behavior(command: str, mode: Any = "default", **rules: Any) -> str:
    call = call_from_input("Bash", {"command": command}, WHERE)
    return decide(call, rules=RuleSet.from_lists(**rules), mode=mode, where=WHERE).behavior


@pytest.mark.parametrize(
    ("command", "reads"),
    [
        ("bash -c 'cat a b'", ["a", "b"]),
        ("bash -c 'cd src && cat a'", ["src", "src/a"]),
        ("bash -c 'cd src && cd /etc && cat a'", ["src", "/etc", "/etc/a"]),
        ("bash -c 'cd src; cat a'", ["src", "a", "src/a"]),
        ("bash -c 'cd src && cat *.py /x'", ["src", "src/*.py", "/x"]),
        ("bash -c 'cat < a'", ["a"]),
        ("bash -c 'ls $(cat a)'", ["a", "$(cat a)"]),
        ("bash -n a.sh", ["a.sh"]),
    ],
)
def test_what_it_reads_is_told(command: str, reads: list[str]) -> None:
    (part,) = analyse(command).parts
    assert part.judgement.kind == "read_only"
    assert sorted(word.value for word in part.judgement.reads) == sorted(reads)


@pytest.mark.parametrize(
    ("command", "rule", "expected"),
    [
        ("bash -c 'cat keys.txt'", "Read(keys.txt)", "deny"),
        ("sh -c 'cat keys.txt'", "Read(keys.txt)", "deny"),
        ("bash -lc 'ls && cat < keys.txt'", "Read(keys.txt)", "deny"),
        ("bash -c 'cd sub && cat keys.txt'", "Read(sub/keys.txt)", "deny"),
        ("bash -c \"bash -c 'cat keys.txt'\"", "Read(keys.txt)", "deny"),
        ("bash -c 'grep x a'", "Bash(grep *)", "deny"),
        ("timeout 5 bash -c 'true; grep x a'", "Bash(grep *)", "deny"),
        ("bash -n keys.txt", "Read(keys.txt)", "deny"),
        ("find . -name '*.x' -exec cat {} +", "Bash(cat *)", "deny"),
    ],
)
def test_rules_reach_into_it(command: str, rule: str, expected: str) -> None:
    assert behavior(command) == "allow"
    assert behavior(command, deny=[rule]) == expected


@pytest.mark.parametrize(
    "command",
    [
        "bash -c 'rm x'", "bash -c 'ls > x'", "bash -c 'cat /etc/passwd'", "bash -c 'cd /; cat etc/x'", "bash -c 'touch x'",
        "bash -c 'cat ~/.ssh/id_rsa'", "cd /etc && bash -c 'cat passwd'", "bash -c 'cd && cat x'", "bash -c 'cat ../x'",
        "bash -c 'git -C sub status'", "bash -c 'cd sub && git status'", "cd sub && bash -c 'git log'", "bash -c \"$x\"",
    ],
)  # fmt: skip
def test_what_asks_outside_asks_inside(command: str) -> None:
    assert behavior(command) == "ask"
    assert behavior(command, allow=["Bash(cat *)", "Bash(ls *)"]) == "ask"
    assert behavior(command, "acceptEdits") == "ask"
