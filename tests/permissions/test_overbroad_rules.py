"""Rules that allow more than they seem to say so."""

from __future__ import annotations

import pytest

from tui_agent.permissions.overbroad_rules import breadth_warning
from tui_agent.permissions.rules import parse_rule


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("Bash", "every command"),
        ("Bash(*)", "every command"),
        ("Bash(* *)", "every command"),
        ("Bash(:*)", "every command"),
        ("Bash(git*)", "begins with `git`"),
        ("Bash(* --version)", "which program"),
        ("Bash(python *)", "whatever `python` is told"),
        ("Bash(python3.12:*)", "whatever `python3.12` is told"),
        ("Bash(python -c *)", "whatever `python` is told"),
        ("Bash(/usr/bin/env *)", "whatever `env` is told"),
        ("Bash(sudo *)", "whatever `sudo` is told"),
        ("Bash(xargs *)", "whatever `xargs` is told"),
        ("Bash(npm *)", "whatever `npm` can do"),
        ("Bash(npm run *)", "whatever `npm run` is told"),
        ("Bash(docker exec *)", "whatever `docker exec` is told"),
        ("Bash(sh)", "whatever `sh` is given to read"),
        ("Bash(/bin/bash -s)", "whatever `bash` is given to read"),
        ("Bash(python3)", "whatever `python3` is given to read"),
        ("Edit", "any file"),
        ("Edit(//**)", "any file on this machine"),
        ("Edit(~/**)", "any file in your home folder"),
        ("Read(//**)", "reading any file"),
        ("WebFetch", "any host"),
        ("WebFetch(domain:*)", "any host"),
        ("mcp__tracker", "every tool of that server"),
    ],
)
def test_a_broad_rule_says_what_it_lets_through(rule: str, words: str) -> None:
    assert words in breadth_warning(parse_rule(rule, "allow"))


@pytest.mark.parametrize(
    "rule",
    [
        "Bash(npm test *)",
        "Bash(npm run build)",
        "Bash(git commit *)",
        "Bash(python -m pytest *)",
        "Bash(python setup.py)",
        "Bash(sh build.sh)",
        "Bash(ls *)",
        "Bash(ls)",
        "Edit(src/**)",
        "Edit(~/notes/**)",
        "Read(/docs/**)",
        "WebFetch(domain:docs.python.org)",
        "WebFetch(domain:*.python.org)",
        "mcp__tracker__create_issue",
        "WebSearch",
    ],
)
def test_a_narrow_rule_says_nothing(rule: str) -> None:
    assert breadth_warning(parse_rule(rule, "allow")) == ""
