"""What hooks say in JSON: every field that means something, and objects that do not fit."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_agent.hooks.catalog import EVENTS
from tui_agent.hooks.output import BadOutputError, HookOutput, parse_output
from tui_agent.hooks.permission_request import PermissionUpdate


def said(event: str, own: dict[str, Any] | None = None, **whole: Any) -> HookOutput:
    if own is not None:
        whole["hookSpecificOutput"] = {"hookEventName": event, **own}
    found = parse_output(event, json.dumps(whole))
    assert found is not None
    return found


@pytest.mark.parametrize("text", ["", "hello", "[1]", '"x"', "{", "{nope}", "{" * 100_000, '{"a":' * 100_000])
def test_what_is_no_json_object_is_text(text: str) -> None:
    assert parse_output("PreToolUse", text) is None


def test_an_empty_object_says_nothing() -> None:
    assert parse_output("Stop", " {} ") == HookOutput()
    assert said("PreToolUse", None, **{"continue": None, "reason": None, "unknown": 1}) == HookOutput()


def test_what_any_event_may_say() -> None:
    found = said("Stop", **{"continue": False, "stopReason": "why", "systemMessage": "hi", "suppressOutput": True})
    assert (found.stops, found.stop_reason, found.message) == (True, "why", "hi")
    found = said("Stop", decision="block", reason="tests")
    assert (found.blocks, found.reason) == (True, "tests")
    assert said("Notification", {"additionalContext": "c"}).context == "c"


@pytest.mark.parametrize(("given", "meant"), [("allow", "allow"), ("deny", "deny"), ("ask", "ask"), ("defer", "ask")])
def test_decisions_before_a_tool(given: str, meant: str) -> None:
    found = said("PreToolUse", {"permissionDecision": given, "permissionDecisionReason": "r", "updatedInput": {"a": 1}})
    assert (found.decision, found.reason, found.updated_input) == (meant, "r", {"a": 1})


def test_the_old_way_to_decide() -> None:
    assert said("PreToolUse", decision="approve").decision == "allow"
    old = said("PreToolUse", decision="block", reason="r")
    assert (old.decision, old.blocks, old.reason) == ("deny", True, "r")
    both = said("PreToolUse", {"permissionDecision": "ask"}, decision="approve")
    assert both.decision == "ask"
    assert said("Stop", decision="approve").decision is None


def test_answers_to_questions() -> None:
    updates = [
        {
            "type": "replaceRules",
            "rules": [{"toolName": "Bash", "ruleContent": "ls *"}, {"toolName": "Read"}],
            "behavior": "deny",
            "destination": "userSettings",
        },
        {"type": "setMode", "mode": "plan", "destination": "session"},
        {"type": "addDirectories", "directories": ["/x"], "destination": "localSettings"},
    ]
    found = said("PermissionRequest", {"decision": {"behavior": "allow", "updatedPermissions": updates}})
    assert found.decision == "allow"
    assert found.updates == (
        PermissionUpdate(
            type="replaceRules", destination="userSettings", rules=("Bash(ls *)", "Read"), behavior="deny"
        ),
        PermissionUpdate(type="setMode", destination="session", mode="plan"),
        PermissionUpdate(type="addDirectories", destination="localSettings", directories=("/x",)),
    )
    no = said("PermissionRequest", {"decision": {"behavior": "deny", "message": "m", "interrupt": True}})
    assert (no.decision, no.reason, no.ends_turn) == ("deny", "m", True)


def test_what_other_events_have_of_their_own() -> None:
    assert said("PostToolUse", {"updatedToolOutput": {"stdout": ""}}).updated_output == {"stdout": ""}
    assert said("PostToolUse", {"updatedMCPToolOutput": "x", "updatedToolOutput": "y"}).updated_output == "x"
    assert said("PermissionDenied", {"retry": True}).retries
    assert said("UserPromptSubmit", {"suppressOriginalPrompt": True}, decision="block").hides_prompt
    start = said("SessionStart", {"initialUserMessage": "go", "watchPaths": ["a"], "sessionTitle": "t"})
    assert (start.first_message, start.ignored) == ("go", ("sessionTitle", "watchPaths"))


@pytest.mark.parametrize(
    ("event", "output"),
    [
        ("PreToolUse", {"continue": "no"}),
        ("PreToolUse", {"hookSpecificOutput": []}),
        ("PreToolUse", {"hookSpecificOutput": {"permissionDecision": "allow"}}),
        ("PreToolUse", {"hookSpecificOutput": {"hookEventName": "PostToolUse"}}),
        ("PreToolUse", {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "maybe"}}),
        ("PreToolUse", {"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": "ls"}}),
        ("PermissionRequest", {"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": "allow"}}),
        ("Stop", {"decision": "deny"}),
        ("Stop", {"reason": 5}),
    ],
)
def test_an_object_that_does_not_fit_is_no_answer(event: str, output: Any) -> None:
    with pytest.raises(BadOutputError, match="its JSON does not fit"):
        parse_output(event, json.dumps(output))


KEYS = st.sampled_from([
    "continue", "decision", "reason", "hookSpecificOutput", "hookEventName", "permissionDecision", "updatedInput",
    "behavior", "x",
])  # fmt: skip
WORDS = st.sampled_from(["allow", "deny", "block", "approve"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


@given(st.sampled_from(sorted(EVENTS)), st.dictionaries(KEYS, JSON, max_size=5))
def test_whatever_it_says_is_understood_or_refused_and_never_a_yes_by_chance(event: str, output: Any) -> None:
    try:
        found = parse_output(event, json.dumps(output))
    except BadOutputError:
        return
    assert found is not None
    if found.decision == "allow":
        assert {"allow", "approve"} & set(json.dumps(output).split('"'))
