"""What a call touches, told by its name and fields."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tui_agent.permissions.call_facts import call_from_input
from tui_agent.permissions.decide import decide
from tui_agent.permissions.path_context import PathContext
from tui_agent.permissions.rules import RuleSet

WHERE = PathContext(cwd="/w", project_root="/w", home="/h", shell_cwd="/w/sub", resolve=lambda path: path)
NAMES = [
    "Read",
    "Write",
    "Edit",
    "MultiEdit",
    "NotebookEdit",
    "Grep",
    "Glob",
    "LS",
    "Bash",
    "WebFetch",
    "Agent",
    "mcp__a__b",
]


@pytest.mark.parametrize(
    ("tool", "fields", "reads", "writes"),
    [
        ("Read", {"file_path": "a"}, ("/w/sub/a",), ()),
        ("Write", {"file_path": "~/a"}, ("/h/a",), ("/h/a",)),
        ("NotebookEdit", {"notebook_path": "/x/../y"}, ("/y",), ("/y",)),
        ("MultiEdit", {"edits": [{"file_path": "a"}, {"file_path": "/b"}]}, ("/w/sub/a", "/b"), ("/w/sub/a", "/b")),
        ("Grep", {"pattern": "x"}, ("/w/sub",), ()),
        ("WebFetch", {"url": "https://x"}, (), ()),
    ],
)
def test_paths_are_found_by_the_fields_they_stand_in(
    tool: str, fields: dict[str, object], reads: tuple[str, ...], writes: tuple[str, ...]
) -> None:
    call = call_from_input(tool, fields, WHERE)
    assert (call.reads, call.writes) == (reads, writes)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8), lambda inner: st.lists(inner, max_size=3)
)
FIELDS = st.dictionaries(
    st.sampled_from(["file_path", "path", "command", "url", "edits", "name", "args", "skill"]), JSON
)


@given(st.sampled_from(NAMES), FIELDS)
@settings(max_examples=150, deadline=None)
def test_an_input_of_any_shape_gets_a_verdict_and_never_an_unasked_change(tool: str, fields: dict[str, object]) -> None:
    call = call_from_input(tool, fields, WHERE)
    rules = RuleSet.from_lists(deny=["WebFetch(domain:x)", "Agent(y)", "Read(.env)"], allow=["Skill(z)"])
    verdict = decide(call, rules=rules, mode="default", where=WHERE)
    if tool not in {"Read", "Grep", "Glob", "LS", "Agent"}:
        assert verdict.behavior != "allow"
