"""The grammar of rules, their order, and what is said of bad ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tui_agent.permissions.call_facts import call_from_input
from tui_agent.permissions.decide import decide
from tui_agent.permissions.path_context import PathContext
from tui_agent.permissions.rules import RuleError, RuleSet, RuleSource, parse_rule
from tui_agent.settings.load import RuleEntry

WHERE = PathContext(cwd="/w", project_root="/w", home="/h", resolve=lambda path: path)


@pytest.mark.parametrize(
    "text", ["", "  ", "(x)", "Bash(", "Bash)", "Bash (a) b", "Two words", "Bash()", "Bash( )", "Read(!x)", "Read([)"]
)
def test_what_is_no_rule_is_left_out_with_a_reason(text: str) -> None:
    rules = RuleSet.from_lists(deny=[text, "Bash(rm *)"])
    assert [rule.text for rule in rules.deny] == ["Bash(rm *)"]
    assert "ignored" in rules.problems[0].text


@pytest.mark.parametrize("text", ["*", "B*", "mcp__*", "*__x"])
def test_an_allow_rule_for_unnamed_tools_is_left_out(text: str) -> None:
    with pytest.raises(RuleError, match="too much"):
        parse_rule(text, "allow")
    assert parse_rule(text, "deny").is_for("mcp__x") is (text in {"*", "mcp__*", "*__x"})


@pytest.mark.parametrize(
    "text", ["Write(docs/**)", "Glob(x)", "Bash(command:rm *)", "Edit(file_path:x)", "WebFetch(example.com)"]
)
def test_a_rule_that_can_never_match_warns_and_never_matches(text: str) -> None:
    rules = RuleSet.from_lists(deny=[text])
    assert "never matches" in rules.problems[0].text
    assert rules.denied_tools() == frozenset()


def test_odd_names_are_harmless() -> None:
    rules = RuleSet.from_lists(allow=["toString", "__proto__", "mcp__a-b__c.d"], deny=["constructor(x)"])
    assert not rules.problems
    call = call_from_input("Read", {"file_path": "/w/a"}, WHERE)
    assert decide(call, rules=rules, mode="default", where=WHERE).behavior == "allow"


def test_a_star_in_the_brackets_is_the_whole_tool() -> None:
    assert RuleSet.from_lists(deny=["Bash(*)", "Read(x)", "mcp__*"]).denied_tools() == {"Bash", "mcp__*"}


def test_old_names_mean_the_new_tools() -> None:
    assert parse_rule("Task(Explore)", "deny").tool == "Agent"
    assert parse_rule("KillShell", "deny").tool == "TaskStop"


def test_the_strongest_source_is_named_first() -> None:
    sets = [
        RuleSet.from_lists(deny=["Bash(rm *)"], source=RuleSource(kind, kind))  # type: ignore[arg-type]
        for kind in ("user", "policy", "project", "local", "cli", "session")
    ]
    merged = RuleSet.merged(*sets)
    assert [rule.source.kind for rule in merged.deny] == ["session", "cli", "local", "project", "policy", "user"]


def test_rules_of_settings_keep_file_and_line_and_held_back_ones_take_no_part() -> None:
    def entry(behavior: str, text: str, line: int, *, held: bool = False) -> RuleEntry:
        return RuleEntry(behavior, text, "project", "/w/s.json", line, Path("/w"), held)  # type: ignore[arg-type]

    rules = RuleSet.from_entries(
        [entry("allow", "Bash", 3, held=True), entry("deny", "Bash(", 4), entry("deny", "Read(/x)", 5)]
    )
    assert not rules.allow
    assert str(rules.problems[0]).startswith("/w/s.json:4: ")
    assert rules.denies_path("/w/x", "edit", WHERE) == "`Read(/x)` in /w/s.json denies it"
    assert rules.denies_path("/w/y", "edit", WHERE) is None


COMMANDS = st.sampled_from(
    ["npm test", "npm run x", "git push", "rm -rf build", "ls", "cat .env", "npm test; ls", "$X"]
)
PATTERNS = st.sampled_from(
    ["Bash", "Bash(npm *)", "Bash(git push)", "Bash(rm *)", "Bash(* test)", "Read(.env)", "Bash(ls*)"]
)
LISTS = st.lists(PATTERNS, max_size=3)


@given(
    COMMANDS, LISTS, LISTS, LISTS, st.sampled_from(["default", "acceptEdits", "plan", "dontAsk", "bypassPermissions"])
)
@settings(max_examples=200, deadline=None)
def test_deny_beats_ask_beats_allow_in_every_mode(command, allow, ask, deny, mode) -> None:  # type: ignore[no-untyped-def] # noqa: ANN001
    order = {"allow": 0, "ask": 1, "deny": 2}

    def judged(**lists: list[str]) -> int:
        call = call_from_input("Bash", {"command": command}, WHERE)
        return order[decide(call, rules=RuleSet.from_lists(**lists), mode=mode, where=WHERE).behavior]  # type: ignore[arg-type]

    everything = judged(allow=allow, ask=ask, deny=deny)
    assert everything >= judged(allow=allow, ask=ask)
    assert everything >= judged(allow=allow, deny=deny)
    assert everything <= judged(ask=ask, deny=deny)
    if judged(deny=deny) == 2 and mode != "dontAsk":
        assert everything == 2


def test_every_name_a_tool_goes_by_is_known_to_rules() -> None:
    from tui_agent.permissions.tool_names import TOOL_NAMES, canonical
    from tui_agent.tools.catalog import entries
    from tui_agent.tools.registry import load_tool

    for entry in entries():
        tool = load_tool(entry, frozenset())
        assert entry.name in TOOL_NAMES
        for alias in (f"{tool.name}Tool", *tool.aliases):
            assert canonical(alias) == tool.name, alias
