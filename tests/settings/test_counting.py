"""What does not count: without trust, in the wrong file, against a policy."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from settings_desk import Desk

ALL_LOOSE = {
    "env": {"A": "1"},
    "maskSecrets": False,
    "disableAllHooks": True,
    "plansDirectory": "/somewhere",
    "permissions": {"allow": ["Bash"], "additionalDirectories": ["/etc"], "defaultMode": "acceptEdits"},
    "sandbox": {
        "enabled": True,
        "readOnlyWithout": True,
        "excludedCommands": ["docker *"],
        "filesystem": {"allowWrite": ["/"], "disabled": True},
        "network": {"enabled": True, "allowedDomains": ["*"]},
    },
}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_an_untrusted_folder_changes_nothing_that_loosens(desk: Desk) -> None:
    nothing = desk.load(is_trusted=False)
    desk.write("project", ALL_LOOSE)
    settings = desk.load(is_trusted=False)
    assert settings.values == nothing.values
    assert settings.sandbox_paths == nothing.sandbox_paths
    assert settings.additional_directories == ()
    assert len(settings.held_back) == 14
    assert desk.load().held_back == ()


def test_what_an_untrusted_folder_tightens_counts_at_once(desk: Desk) -> None:
    desk.write("user", {"sandbox": {"autoAllowBashIfSandboxed": True}})
    tight = {"failIfUnavailable": True, "autoAllowBashIfSandboxed": False, "filesystem": {"denyRead": ["~/.ssh"]}}
    desk.write(
        "project", {"sandbox": tight, "permissions": {"disableBypassPermissionsMode": "disable", "deny": ["Read(x)"]}}
    )
    settings = desk.load(is_trusted=False)
    assert settings.held_back == ()
    assert settings.values.sandbox.fail_if_unavailable
    assert not settings.values.sandbox.auto_allow_bash_if_sandboxed
    assert settings.sandbox_paths.deny_read == (f"{desk.home}/.ssh",)
    assert settings.values.permissions.disable_bypass_permissions_mode == "disable"


def test_what_is_wished_is_said_with_its_place(desk: Desk) -> None:
    file = desk.write(
        "project",
        """{"env": {
"NODE_OPTIONS": "--require ./x.js", "A_TOKEN": "hush"},
"permissions": {"allow": [
"Bash(npm run *)"], "additionalDirectories": ["../other"], "defaultMode": "acceptEdits"},
"sandbox": {"excludedCommands": ["a", "b"]},
"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
{"type": "command", "command": "sh", "args": ["-c", "x"]},
{"type": "http", "url": "https://x.example"}]}]}}""",
    )
    found = {(wish.kind, wish.text, wish.line) for wish in desk.load(is_trusted=False).wishes}
    assert found == {
        ("environment", "NODE_OPTIONS=--require ./x.js", 2),
        ("environment", "A_TOKEN=(hidden)", 2),
        ("rule", "Bash(npm run *)", 4),
        ("folder", "../other", 4),
        ("other", 'permissions.defaultMode: "acceptEdits"', 4),
        ("sandbox", "sandbox.excludedCommands: a, b", 5),
        ("hook", "PreToolUse Bash: sh -c x", 7),
        ("hook", "PreToolUse Bash: https://x.example", 8),
    }
    assert {wish.file for wish in desk.load(is_trusted=False).wishes} == {str(file)}


# --- local files -----------------------------------------------------------------------------------------------------


def allowed(desk: Desk, **rest: Any) -> list[str]:
    return [rule.text for rule in desk.load(is_trusted=False, **rest).rules if not rule.is_held_back]


def allow(rule: str) -> dict[str, Any]:
    return {"permissions": {"allow": [rule]}}


@pytest.mark.parametrize("name", ["local", "claude-local"])
def test_local_settings_that_git_does_not_know_are_yours(desk: Desk, name: str) -> None:
    desk.init_git()
    file = desk.write(name, allow("Bash(ls *)"))
    assert allowed(desk) == ["Bash(ls *)"]
    desk.track(file)
    assert allowed(desk) == [], "it comes with every clone"


def test_local_settings_outside_of_git_may_have_come_with_the_folder(desk: Desk) -> None:
    (desk.project / ".git").rmdir()
    desk.write("local", allow("Bash(ls *)"))
    assert allowed(desk) == []


def test_local_settings_in_a_link_are_not_believed(desk: Desk) -> None:
    desk.init_git()
    (desk.project / "there").mkdir()
    (desk.project / "there/settings.local.json").write_text('{"permissions": {"allow": ["Bash"]}}')
    (desk.project / ".claude").symlink_to("there")
    assert allowed(desk) == []
    (desk.project / ".claude").unlink()
    (desk.project / ".claude").mkdir()
    (desk.project / ".claude/settings.local.json").symlink_to("../there/settings.local.json")
    assert allowed(desk) == []


def test_a_repository_within_that_holds_local_settings_is_not_believed(desk: Desk) -> None:
    desk.init_git()
    desk.write("claude-local", allow("Bash"))
    (desk.project / ".claude/.git").mkdir()
    assert allowed(desk) == []


def test_git_that_is_misled_or_missing_says_nothing_in_favour(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.init_git()
    file = desk.write("local", allow("Bash"))
    desk.track(file)
    empty = desk.project / "empty-index"
    monkeypatch.setenv("GIT_INDEX_FILE", str(empty))
    assert allowed(desk) == []
    monkeypatch.setenv("PATH", str(desk.home))
    desk.write("claude-local", allow("Edit"))
    assert allowed(desk) == []


def test_asking_git_runs_nothing_of_the_repositorys(desk: Desk) -> None:
    desk.init_git()
    desk.write("local", allow("Bash"))
    mark = desk.project / "ran"
    monitor = desk.project / "monitor.sh"
    monitor.write_text(f"#!/bin/sh\ntouch {mark}\n")
    monitor.chmod(0o755)
    with (desk.project / ".git/config").open("a") as config:
        config.write(f"[core]\n\tfsmonitor = {monitor}\n\tpager = {monitor}\n")
    assert allowed(desk) == ["Bash"]
    assert not mark.exists()


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="giving a folder away needs root")
def test_in_somebody_elses_repository_local_settings_stay_in_the_start_folder(desk: Desk) -> None:
    sub = desk.project / "sub"
    (sub / ".tui-agent").mkdir(parents=True)
    (sub / ".tui-agent/settings.local.json").write_text('{"model": "sub"}')
    desk.write("local", {"model": "root"})
    assert desk.load(start_dir=sub).values.model == "root"
    os.chown(desk.project, 12345, 12345)
    assert desk.load(start_dir=sub).values.model == "sub"


# --- the wrong file --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["project", "claude-project"])
@pytest.mark.parametrize("mode", ["bypassPermissions", "auto"])
def test_a_shared_file_cannot_start_in_a_mode_that_asks_nothing(desk: Desk, name: str, mode: str) -> None:
    file = desk.write(name, f'{{\n"permissions": {{"defaultMode": "{mode}"}},\n"autoMode": {{}}}}')
    settings = desk.load()
    assert settings.values.permissions.default_mode is None
    assert [problem.line for problem in settings.problems] == [2, 3]
    assert all(problem.file == str(file) for problem in settings.problems)
    desk.write("local", {"permissions": {"defaultMode": mode}})
    assert desk.load().values.permissions.default_mode == mode


# --- a policy --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["policy", "claude-policy"])
def test_what_a_policy_restricts_holds_whatever_the_others_say(desk: Desk, name: str) -> None:
    sandbox = {"enabled": True, "failIfUnavailable": True, "allowUnsandboxedCommands": False}
    desk.write(
        name, {"sandbox": sandbox, "permissions": {"disableBypassPermissionsMode": "disable"}, "maskSecrets": True}
    )
    loose = {"sandbox": {key: not value for key, value in sandbox.items()}, "maskSecrets": False}
    for source in ("local", "project", "user"):
        desk.write(source, loose)
    for inline in (None, '{"sandbox": {"enabled": false, "failIfUnavailable": false}}'):
        values = desk.load(inline=inline).values
        assert (values.sandbox.enabled, values.sandbox.fail_if_unavailable) == (True, True)
        assert not values.sandbox.allow_unsandboxed_commands
        assert values.mask_secrets
        assert values.permissions.disable_bypass_permissions_mode == "disable"


def test_a_value_that_restricts_nothing_gives_way_to_the_project(desk: Desk) -> None:
    desk.write("policy", {"sandbox": {"enabled": False}, "model": "policy"})
    desk.write("project", {"sandbox": {"enabled": True}, "model": "project"})
    values = desk.load().values
    assert (values.sandbox.enabled, values.model) == (True, "project")


def test_a_project_cannot_weaken_the_sandbox_that_a_policy_requires(desk: Desk) -> None:
    weak = {
        "excludedCommands": ["docker *"],
        "filesystem": {"allowWrite": ["/"], "allowRead": ["~/.ssh"], "disabled": True, "denyRead": ["/secret"]},
        "network": {"enabled": True, "allowedDomains": ["*"]},
    }
    desk.write("claude-project", {"sandbox": weak})
    desk.write("user", {"sandbox": {"excludedCommands": ["git push"]}})
    assert desk.load().values.sandbox.filesystem.disabled
    desk.write("policy", {"sandbox": {"enabled": True}})
    settings = desk.load()
    assert settings.values.sandbox.excluded_commands == ("git push",)
    assert not settings.values.sandbox.filesystem.disabled
    assert not settings.values.sandbox.network.enabled
    assert settings.sandbox_paths.allow_write == settings.sandbox_paths.allow_read == ()
    assert settings.sandbox_paths.deny_read == ("/secret",)
