"""Which hooks there are, where they stand, and which of them run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from settings_desk import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def hooks(command: str, event: str = "Stop", **rest: Any) -> dict[str, Any]:
    return {"hooks": {event: [{"hooks": [{"type": "command", "command": command}]}]}, **rest}


def running(desk: Desk, **rest: Any) -> list[str]:
    return [hook.handler["command"] for hook in desk.load(**rest).hooks if not hook.is_held_back]


def test_hooks_of_all_sources_run_the_strongest_first(desk: Desk) -> None:
    for name in ("user", "claude-user", "policy", "claude-project", "local"):
        desk.write(name, hooks(name))
    assert running(desk, inline='{"hooks": {"Stop": [{"hooks": [{"command": "flag"}]}]}}') == [
        "flag", "local", "claude-project", "policy", "user", "claude-user",
    ]  # fmt: skip


def test_a_hook_knows_its_place_and_bad_ones_leave_the_others(desk: Desk) -> None:
    text = """{"hooks": {
"PreToolUse": [
{"matcher": "Bash",
"hooks": [7,
{"type": "command", "command": "a"},
{"type": "http", "url": "https://x"}]},
{"matcher": "Edit"},
{"matcher": 3, "hooks": [{"command": "b"}]}],
"Stop": {"hooks": []},
"SessionStart": [{"hooks": [{"command": "c"}], "matcher": null}]
}}"""
    file = desk.write("project", text)
    settings = desk.load()
    assert [(hook.event, hook.matcher, hook.line, dict(hook.handler)) for hook in settings.hooks] == [
        ("PreToolUse", "Bash", 5, {"type": "command", "command": "a"}),
        ("PreToolUse", "Bash", 6, {"type": "http", "url": "https://x"}),
        ("SessionStart", "", 10, {"command": "c"}),
    ]
    assert [str(problem) for problem in settings.problems] == [
        f"{file}:4: `hooks.PreToolUse.hooks` must be an object, not 7; ignored",
        f"{file}:7: `hooks.PreToolUse` lacks `hooks`; ignored",
        f"{file}:8: `hooks.PreToolUse.matcher` must be text, not 3; ignored",
        f"{file}:9: `hooks.Stop` must be a list, not an object; ignored",
    ]


def test_a_group_that_is_left_with_nothing_goes_as_well(desk: Desk) -> None:
    file = desk.write("project", {"hooks": {"Stop": [{"hooks": "x"}, {"hooks": [{"command": "a"}]}]}})
    settings = desk.load()
    assert [hook.handler for hook in settings.hooks if not hook.is_held_back] == [{"command": "a"}]
    assert [str(problem) for problem in settings.problems] == [
        f'{file}:1: `hooks.Stop.hooks` must be a list, not "x"; ignored'
    ]


def test_without_trust_a_folders_hooks_never_run_and_yours_only_where_nobody_was_asked(desk: Desk) -> None:
    desk.write("project", hooks("project"))
    desk.write("claude-project", hooks("claude-project"))
    desk.write("user", hooks("user"))
    desk.write("policy", hooks("policy"))
    assert running(desk, is_trusted=False, is_attended=True) == ["policy"]
    assert running(desk, is_trusted=False, is_attended=False) == ["policy", "user"]
    assert running(desk, is_attended=True) == ["project", "claude-project", "policy", "user"]
    reasons = {h.handler["command"]: h.reason for h in desk.load(is_trusted=False, is_attended=True).hooks}
    assert reasons["policy"] == ""
    assert "trusted" in reasons["user"]


def test_hooks_can_be_switched_off_but_not_the_policys(desk: Desk) -> None:
    desk.write("policy", hooks("policy"))
    desk.write("user", hooks("user", disableAllHooks=True))
    assert running(desk) == ["policy"]
    desk.write("project", {"disableAllHooks": False})
    assert running(desk) == ["policy", "user"], "the stronger source has the say"
    desk.write("policy", hooks("policy", disableAllHooks=True))
    desk.write("project", {})
    assert running(desk) == []


def test_an_untrusted_folder_cannot_switch_your_hooks_off(desk: Desk) -> None:
    desk.write("project", {"disableAllHooks": True, "allowedHttpHookUrls": ["https://evil/*"]})
    desk.write("user", hooks("guard", allowedHttpHookUrls=[]))
    assert running(desk, is_trusted=False) == ["guard"]
    assert desk.load(is_trusted=False).values.allowed_http_hook_urls == ()


def test_a_policy_can_let_only_its_own_hooks_run(desk: Desk) -> None:
    desk.write("user", hooks("user", allowManagedHooksOnly=True))
    settings = desk.load()
    assert running(desk) == ["user"]
    assert "counts only in a policy" in settings.problems[0].text
    desk.write("claude-policy", hooks("policy", allowManagedHooksOnly=True))
    assert running(desk) == ["policy"]


def test_a_policys_list_of_addresses_is_not_added_to(desk: Desk) -> None:
    desk.write("policy", {"allowedHttpHookUrls": ["https://ours/*"]})
    desk.write("user", {"allowedHttpHookUrls": ["https://mine/*"], "httpHookAllowedEnvVars": ["A"]})
    desk.write("project", {"httpHookAllowedEnvVars": ["B"]})
    values = desk.load().values
    assert values.allowed_http_hook_urls == ("https://ours/*",)
    assert values.http_hook_allowed_env_vars == ("B", "A")
