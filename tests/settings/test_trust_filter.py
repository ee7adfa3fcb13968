"""What does not count: without trust, in the wrong file, against a policy."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from settings_desk import Desk

from tui_agent.permissions.save import remove_rule, save_rule
from tui_agent.settings.confirmed import confirmed_file
from tui_agent.settings.withholding import NOT_OURS

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
    found = {(setting.kind, setting.text, setting.line) for setting in desk.load(is_trusted=False).withheld}
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
    assert {setting.file for setting in desk.load(is_trusted=False).withheld} == {str(file)}


# --- local files -----------------------------------------------------------------------------------------------------


def allowed(desk: Desk, **rest: Any) -> list[str]:
    return [rule.text for rule in desk.load(is_trusted=False, **rest).rules if not rule.is_held_back]


def allow(rule: str) -> dict[str, Any]:
    return {"permissions": {"allow": [rule]}}


@pytest.mark.parametrize("name", ["local", "claude-local"])
@pytest.mark.parametrize("has_git", [True, False])
def test_local_settings_that_this_program_did_not_write_may_have_come_with_the_folder(
    desk: Desk, name: str, has_git: bool
) -> None:
    if has_git:
        desk.init_git()
    file = desk.write(name, {"permissions": {"allow": ["Bash(ls *)"], "deny": ["Read(x)"]}})
    assert allowed(desk) == ["Read(x)"]
    (held, *_) = desk.load(is_trusted=False).explain("permissions.allow")
    assert (held.counts, held.file, held.reason) == (False, str(file), NOT_OURS)


def test_rules_that_the_user_saved_here_count_without_trust_and_nothing_else_of_that_file(desk: Desk) -> None:
    hook = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "evil"}]}]}}
    desk.write("local", {**hook, "env": {"LD_PRELOAD": "x"}, **allow("Bash(evil *)")})
    save_rule("Bash(ls *)", "local", start_dir=desk.project, home=desk.home)
    settings = desk.load(is_trusted=False)
    assert [rule.text for rule in settings.rules if not rule.is_held_back] == ["Bash(ls *)"]
    assert [rule.text for rule in settings.rules if rule.is_held_back] == ["Bash(evil *)"]
    assert settings.values.permissions.allow == ("Bash(ls *)",)
    assert settings.values.env == {}
    assert [hook.is_held_back for hook in settings.hooks] == [True]
    assert [setting.text for setting in settings.withheld] == ["Stop: evil", "LD_PRELOAD=x", "Bash(evil *)"]


def test_a_rule_that_was_saved_counts_where_it_was_saved(desk: Desk) -> None:
    save_rule("Bash(ls *)", "local", start_dir=desk.project, home=desk.home)
    save_rule("Bash(cat *)", "project", start_dir=desk.project, home=desk.home)
    assert allowed(desk) == ["Bash(ls *)"], "a shared file is everybody's"
    text = desk.file("local").read_text()
    desk.file("local").unlink()
    desk.write("claude-local", text)
    assert allowed(desk) == []


def test_a_rule_that_was_taken_out_is_new_when_it_comes_back(desk: Desk) -> None:
    save_rule("Bash(ls *)", "local", start_dir=desk.project, home=desk.home)
    text = desk.file("local").read_text()
    remove_rule("Bash(ls *)", "allow", desk.file("local"))
    desk.file("local").write_text(text)
    assert allowed(desk) == []


def test_what_a_record_that_is_damaged_or_not_ones_own_confirms_is_nothing(desk: Desk) -> None:
    save_rule("Bash(ls *)", "local", start_dir=desk.project, home=desk.home)
    record = confirmed_file()
    for content in ("", "{", "[]", '{"written": 3, "folders": []}', '{"written": [null, {}]}'):
        record.write_text(content)
        assert allowed(desk) == []
    record.unlink()
    os.mkfifo(record)
    assert allowed(desk) == []


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
