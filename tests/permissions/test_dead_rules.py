"""Rules that do nothing are found, and only those."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tui_agent.permissions.call_facts import call_from_input
from tui_agent.permissions.dead_rules import dead_rules, unknown_tools
from tui_agent.permissions.decide import decide
from tui_agent.permissions.path_context import PathContext
from tui_agent.permissions.rules import RuleSet, RuleSource
from tui_agent.settings.load import RuleEntry

WHERE = PathContext(cwd="/w", project_root="/w", home="/h", resolve=lambda path: path)


def dead(**lists: list[str]) -> dict[str, str]:
    return {problem.rule: problem.text for problem in dead_rules(RuleSet.from_lists(**lists), WHERE)}  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("allow", "deny"),
    [
        ("Bash(npm test)", "Bash"),
        ("Bash(npm test)", "Bash(npm *)"),
        ("Bash(npm test *)", "Bash(npm *)"),
        ("Bash(npm test *)", "Bash(npm test *)"),
        ("Bash(npm * test)", "Bash(npm *)"),
        ("Monitor(tail *)", "Bash(tail *)"),
        ("Read(src/a.py)", "Read"),
        ("Edit(docs/**)", "Read(docs/**)"),
        ("Edit(/src/a.py)", "Edit(src/**)"),
        ("Edit(/src/*.py)", "Edit(src/**)"),
        ("Read(~/x/y)", "Read(~/**)"),
        ("Read(/a/.env)", "Read(.env)"),
        ("WebFetch(domain:a.example.com)", "WebFetch(domain:*.example.com)"),
        ("WebFetch(domain:example.com)", "WebFetch(domain:*)"),
        ("mcp__db__get", "mcp__db"),
        ("mcp__db__get", "mcp__*"),
        ("Skill(deploy)", "Skill(deploy *)"),
        ("WebSearch", "*"),
    ],
)
def test_an_allow_rule_that_is_outweighed_is_dead(allow: str, deny: str) -> None:
    for behavior, does in (("deny", "denies"), ("ask", "asks about")):
        if behavior == "ask" and (allow, deny) == ("Edit(docs/**)", "Read(docs/**)"):
            continue  # asking about reading asks about no edit
        found = dead(allow=[allow], **{behavior: [deny]})
        assert list(found) == [allow]
        assert f"`{deny}` in session {does}" in found[allow]


@pytest.mark.parametrize(
    ("allow", "deny"),
    [
        ("Bash(npm *)", "Bash(npm test *)"),
        ("Bash(np*)", "Bash(npm *)"),
        ("Bash", "Bash(npm *)"),
        ("Bash(npm test)", "Bash(run_in_background:true)"),
        ("Read(src/**)", "Edit(src/**)"),
        ("Read(src/**)", "Read(src/*.py)"),
        ("Read(**/src/**)", "Read(/src/**)"),
        ("Read(a[0-9])", "Read(a1)"),
        ("WebFetch(domain:*.example.com)", "WebFetch(domain:a.example.com)"),
        ("WebFetch(domain:*)", "WebFetch(domain:*.com)"),
        ("mcp__db", "mcp__db__get"),
        ("Skill(deploy *)", "Skill(deploy)"),
        ("Write", "Edit(x)"),
    ],
)
def test_one_that_is_not_wholly_outweighed_is_alive(allow: str, deny: str) -> None:
    assert dead(allow=[allow], deny=[deny]) == {}


def test_a_rule_that_is_there_twice_is_named_with_the_other_place() -> None:
    def entry(kind: str, line: int, text: str = "Bash(make *)") -> RuleEntry:
        return RuleEntry("allow", text, kind, f"/{kind}.json", line, Path("/w"))  # type: ignore[arg-type]

    rules = RuleSet.from_entries([entry("user", 7), entry("project", 3), entry("user", 8, "Bash(make:*)")])
    found = dead_rules(rules, WHERE)
    assert [(problem.source, problem.line) for problem in found] == [("/user.json", 7), ("/user.json", 8)]
    assert "/project.json:3" in found[0].text


def test_the_same_path_below_different_settings_is_another_one() -> None:
    sets = [
        RuleSet.from_lists(deny=["Read(/x)"], source=RuleSource("project", "p", "/w")),
        RuleSet.from_lists(deny=["Read(/x)"], source=RuleSource("user", "u", "/h/.claude")),
    ]
    assert dead_rules(RuleSet.merged(*sets), WHERE) == ()


def test_a_rule_that_never_matches_and_one_on_no_tool_are_dead() -> None:
    found = dead(allow=["Write(x)"], deny=["bash(rm *)", "Nothing"])
    assert "never matches" in found["Write(x)"]
    assert "did you mean `Bash`" in found["bash(rm *)"]
    assert "there is no tool `Nothing`" in found["Nothing"]


def test_unknown_names_are_told_where_they_look_like_protection() -> None:
    rules = RuleSet.from_lists(deny=["Foo", "my_tool", "x*", "Own", "BashTool(rm *)"], allow=["Bar"], ask=["Baz(x)"])
    assert [problem.rule for problem in unknown_tools(rules, known={"Own"})] == ["Foo", "Baz(x)"]


COMMANDS = st.lists(st.sampled_from(["npm", "test", "run", "x", "-u"]), min_size=1, max_size=4).map(" ".join)
PATTERNS = st.lists(st.sampled_from(["npm", "test", "run", "x", "*", "te*", "-u"]), min_size=1, max_size=3).map(
    " ".join
)


@given(PATTERNS, PATTERNS, COMMANDS)
@settings(max_examples=300, deadline=None)
def test_a_dead_rule_could_be_taken_away_and_nothing_would_change(allow: str, deny: str, command: str) -> None:
    lists = {"allow": [f"Bash({allow})"], "deny": [f"Bash({deny})"]}
    if not dead(**lists):
        return
    call = call_from_input("Bash", {"command": command}, WHERE)
    with_rule = decide(call, rules=RuleSet.from_lists(**lists), mode="default", where=WHERE)  # type: ignore[arg-type]
    without = decide(call, rules=RuleSet.from_lists(deny=lists["deny"]), mode="default", where=WHERE)
    assert with_rule.behavior == without.behavior
