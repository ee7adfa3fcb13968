"""Whatever a file holds: it is read without a fault, and it can only do what its source may do."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from settings_desk import Desk

from tui_agent.settings.keys import KEYS
from tui_agent.settings.load import Settings
from tui_agent.settings.report import all_rows
from tui_agent.settings.schema import SettingsValues
from tui_agent.settings.schema_export import settings_schema
from tui_agent.settings.values import put

WORDS = st.text(max_size=8)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=6,
)
HOOKS = st.dictionaries(
    st.sampled_from(["Stop", "PreToolUse"]),
    st.lists(
        st.fixed_dictionaries({"hooks": st.lists(st.fixed_dictionaries({"command": WORDS}), max_size=2)}), max_size=2
    ),
    max_size=2,
)


def fitting(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Return values that the schema of one key takes."""
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "const" in schema:
        return st.just(schema["const"])
    match schema.get("type"):
        case "boolean":
            return st.booleans()
        case "integer":
            return st.integers(1, 9)
        case "number":
            return st.sampled_from([1, 1.0])  # which every range holds
        case "array":
            return st.lists(fitting(schema["items"]), max_size=2)
        case "object" if "properties" in schema:
            return st.just({})
        case "object":
            inner = schema.get("additionalProperties")
            return st.dictionaries(WORDS, fitting(inner) if isinstance(inner, dict) else WORDS, max_size=2)
        case _:
            return st.sampled_from(["Bash(ls *)", "/x", "~/y", "name"])


SCHEMA = settings_schema()


def schema_of(key: str) -> dict[str, Any]:
    node = SCHEMA
    for part in key.split("."):
        node = node["properties"][part]
    return node


STRATEGIES = {key: HOOKS if key == "hooks" else fitting(schema_of(key)) for key in KEYS}

# Nearly right: what is wrong lies deep enough that leaving it out leaves something else that lacks it.
ODD_HOOKS = st.dictionaries(
    st.sampled_from(["Stop", "PreToolUse"]),
    ANYTHING
    | st.lists(ANYTHING | st.fixed_dictionaries({"hooks": ANYTHING}, optional={"matcher": ANYTHING}), max_size=3),
    max_size=2,
)


@st.composite
def valid(draw: st.DrawFn) -> dict[str, Any]:
    """Settings that are valid throughout, with some of the keys."""
    found: dict[str, Any] = {}
    for key in draw(st.lists(st.sampled_from(sorted(KEYS)), max_size=8, unique=True)):
        found = put(found, tuple(key.split(".")), draw(STRATEGIES[key]))
    return found


@st.composite
def mixed(draw: st.DrawFn) -> dict[str, Any]:
    """Settings of which some entries are valid and others anything."""
    found = draw(valid())
    for key in draw(st.lists(st.sampled_from(sorted(KEYS)), max_size=4)):
        found = put(found, tuple(key.split(".")), draw(ANYTHING))
    if draw(st.booleans()):
        found = put(found, ("hooks",), draw(ODD_HOOKS))
    return found | draw(st.dictionaries(WORDS, ANYTHING, max_size=2))


def loaded(files: dict[str, Any], **rest: Any) -> Settings:
    with tempfile.TemporaryDirectory() as folder:
        desk = Desk(Path(folder))
        for source, content in files.items():
            desk.write(source, content)
        return desk.load(**rest)


QUICK = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@QUICK
@given(mixed() | ANYTHING, st.booleans())
def test_whatever_a_file_holds_it_is_read_and_told(content: Any, is_trusted: bool) -> None:
    text = json.dumps(content)
    found = loaded({"project": text}, is_trusted=is_trusted)
    assert isinstance(found.values, SettingsValues)
    assert all(problem.line >= 1 for problem in found.problems)
    for row in all_rows(found):
        json.dumps(row.to_json())
        assert row.said
        assert row.source


@QUICK
@given(valid())
def test_what_is_valid_is_taken_whole(content: dict[str, Any]) -> None:
    found = loaded({"user": content})
    misplaced = [problem for problem in found.problems if "only in a policy" not in problem.text]
    assert misplaced == []
    for row in all_rows(found):
        locked = row.key in ("allowManagedPermissionRulesOnly", "allowManagedHooksOnly")
        assert row.state == "set" or locked or row.said[0].reason, row


@QUICK
@given(valid(), valid())
def test_an_untrusted_folder_loosens_nothing(own: dict[str, Any], foreign: dict[str, Any]) -> None:
    """Compared with the same person in an empty folder: nothing more is allowed, run, set or reached."""
    before = loaded({"user": own}, is_trusted=False)
    after = loaded({"user": own, "project": foreign}, is_trusted=False)
    allowed = [
        {rule.text for rule in one.rules if rule.behavior == "allow" and not rule.is_held_back}
        for one in (before, after)
    ]
    assert allowed[1] <= allowed[0]
    denied = [{rule.text for rule in one.rules if rule.behavior == "deny"} for one in (before, after)]
    assert denied[1] >= denied[0]
    running = [
        sorted(json.dumps(dict(hook.handler)) for hook in one.hooks if not hook.is_held_back) for one in (before, after)
    ]
    assert running[1] == running[0]
    assert after.values.env == before.values.env
    assert len(after.additional_directories) == len(before.additional_directories)
    for key in ("allowed_http_hook_urls", "http_hook_allowed_env_vars"):
        limit, new_limit = getattr(before.values, key), getattr(after.values, key)
        assert new_limit == limit or (limit is None and new_limit == ()), "nothing at all is the one limit it may set"
    assert after.values.mask_secrets >= before.values.mask_secrets
    old, new = before.values.sandbox, after.values.sandbox
    assert new.enabled == old.enabled
    assert new.excluded_commands == old.excluded_commands
    assert new.fail_if_unavailable >= old.fail_if_unavailable
    assert new.auto_allow_bash_if_sandboxed <= old.auto_allow_bash_if_sandboxed
    assert new.allow_unsandboxed_commands <= old.allow_unsandboxed_commands
    assert new.read_only_without <= old.read_only_without
    assert new.filesystem.disabled <= old.filesystem.disabled
    assert new.filesystem.allow_write == old.filesystem.allow_write
    assert new.network.enabled <= old.network.enabled
    assert new.network.allowed_domains == old.network.allowed_domains
    assert set(new.network.denied_domains) >= set(old.network.denied_domains)


@QUICK
@given(valid(), valid(), valid())
def test_what_a_policy_restricts_holds_whatever_the_others_say(
    local: dict[str, Any], project: dict[str, Any], user: dict[str, Any]
) -> None:
    policy = {
        "allowManagedHooksOnly": True,
        "allowedHttpHookUrls": ["https://ours/*"],
        "permissions": {"disableBypassPermissionsMode": "disable", "deny": ["Bash(rm *)"], "ask": ["Bash(git *)"]},
        "sandbox": {"enabled": True, "failIfUnavailable": True, "allowUnsandboxedCommands": False},
        "hooks": {"Stop": [{"hooks": [{"command": "guard"}]}]},
    }
    inline = json.dumps(local)
    found = loaded({"policy": policy, "local": local, "project": project, "user": user}, inline=inline)
    assert {("deny", "Bash(rm *)"), ("ask", "Bash(git *)")} <= {(rule.behavior, rule.text) for rule in found.rules}
    assert found.values.permissions.disable_bypass_permissions_mode == "disable"
    sandbox = found.values.sandbox
    assert (sandbox.enabled, sandbox.fail_if_unavailable, sandbox.allow_unsandboxed_commands) == (True, True, False)
    assert found.values.allowed_http_hook_urls == ("https://ours/*",)
    assert [hook.handler["command"] for hook in found.hooks if not hook.is_held_back] == ["guard"]
