"""The files of Claude Code are read beside ours: the same scope, ours winning, each with its own anchors."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest
from settings_desk import Desk

from tui_agent.settings import standard_paths
from tui_agent.settings.load import load_settings

SCOPES = ("local", "project", "policy", "user")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.mark.parametrize("scope", SCOPES)
def test_of_one_scope_ours_wins_and_lists_are_joined(desk: Desk, scope: str) -> None:
    theirs = desk.write(f"claude-{scope}", {"model": "theirs", "theme": "x", "permissions": {"deny": ["Read(a)"]}})
    assert desk.load().values.model == "theirs"
    ours = desk.write(scope, {"model": "ours", "permissions": {"deny": ["Read(b)"]}})
    settings = desk.load()
    assert (settings.values.model, settings.values.theme) == ("ours", "x")
    assert [(rule.text, rule.file) for rule in settings.rules] == [("Read(b)", str(ours)), ("Read(a)", str(theirs))]


def test_the_scope_comes_before_whose_file_it_is(desk: Desk) -> None:
    for weaker, stronger in zip(
        ("user", "policy", "project"), ("claude-policy", "claude-project", "claude-local"), strict=True
    ):
        desk.write(weaker, {"model": weaker})
        desk.write(stronger, {"model": stronger})
        assert desk.load().values.model == stronger


def test_rules_start_where_their_file_says(desk: Desk) -> None:
    sub = desk.project / "sub"
    sub.mkdir()
    for name in ("local", "project", "user", "policy"):
        desk.write(name, {"permissions": {"deny": [f"Read(/{name})"]}})
        if name != "project":
            desk.write(f"claude-{name}", {"permissions": {"deny": [f"Read(/claude-{name})"]}})
    (sub / ".claude").mkdir()
    (sub / ".claude/settings.json").write_text('{"permissions": {"deny": ["Read(/claude-project)"]}}')
    bases = {rule.text[6:-1]: rule.base for rule in desk.load(start_dir=sub).rules}
    assert bases == {
        "local": sub,
        "claude-local": sub,
        "project": desk.project,
        "claude-project": desk.project,
        "user": desk.config,
        "claude-user": desk.home / ".claude",
        "policy": desk.policy,
        "claude-policy": desk.claude_policy,
    }


def test_a_shared_file_is_read_in_the_start_folder_only(desk: Desk) -> None:
    sub = desk.project / "sub"
    sub.mkdir()
    desk.write("claude-project", {"model": "root"})
    assert desk.load(start_dir=sub).values.model is None
    (sub / ".claude").mkdir()
    (sub / ".claude/settings.json").write_text('{"model": "sub"}')
    assert desk.load(start_dir=sub).values.model == "sub"


def test_a_local_file_is_read_at_the_root_and_in_the_start_folder_whose_copy_wins(desk: Desk) -> None:
    sub = desk.project / "sub"
    (sub / ".claude").mkdir(parents=True)
    desk.write("claude-local", {"model": "root", "theme": "root"})
    (sub / ".claude/settings.local.json").write_text('{"model": "sub"}')
    values = desk.load(start_dir=sub).values
    assert (values.model, values.theme) == ("sub", "root")


def test_managed_files_are_laid_over_each_other_by_name(desk: Desk) -> None:
    desk.write("claude-policy", {"model": "first", "permissions": {"deny": ["A"]}})
    folder = desk.claude_policy / "managed-settings.d"
    folder.mkdir()
    (folder / "20-b.json").write_text('{"model": "third"}')
    (folder / "10-a.json").write_text('{"model": "second", "permissions": {"deny": ["B"]}}')
    settings = desk.load()
    assert settings.values.model == "third"
    assert {rule.text for rule in settings.rules} == {"A", "B"}


def test_their_folder_can_be_moved(desk: Desk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(desk.home))
    desk.write("claude-user", {"model": "at home"})
    load = {"config_dir": desk.config, "policy_dir": desk.policy, "claude_policy_dir": desk.claude_policy}
    assert load_settings(desk.project, is_trusted=True, **load).values.model == "at home"  # type: ignore[arg-type]
    (tmp_path / "moved").mkdir()
    (tmp_path / "moved/settings.json").write_text('{"model": "moved"}')
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "moved"))
    assert load_settings(desk.project, is_trusted=True, **load).values.model == "moved"  # type: ignore[arg-type]
    assert standard_paths.claude_dir(desk.home) == desk.home / ".claude", "a home that is given is not the user's"


def test_at_home_the_persons_own_file_is_read_once_and_needs_no_trust(desk: Desk) -> None:
    desk.write("claude-user", {"permissions": {"allow": ["Bash(ls *)"]}, "env": {"A": "1"}})
    settings = desk.load(start_dir=desk.home, is_trusted=False)
    assert [(rule.kind, rule.is_held_back) for rule in settings.rules] == [("user", False)]
    assert settings.values.env == {"A": "1"}
    assert settings.held_back == ()


def test_their_files_need_trust_as_ours_do(desk: Desk) -> None:
    desk.write("claude-project", {"env": {"A": "1"}, "permissions": {"allow": ["Bash"], "deny": ["Read(.env)"]}})
    settings = desk.load(is_trusted=False)
    assert settings.values.env == {}
    assert {rule.text for rule in settings.rules if not rule.is_held_back} == {"Read(.env)"}


def test_sources_that_are_not_wanted_are_read_of_neither_family(desk: Desk) -> None:
    for name in ("claude-user", "user", "claude-local"):
        desk.write(name, {"env": {name.upper().replace("-", "_"): "1"}})
    desk.write("claude-policy", {"env": {"POLICY": "1"}})
    assert set(desk.load(sources=["local"]).values.env) == {"CLAUDE_LOCAL", "POLICY"}


def test_a_file_as_people_have_it_is_taken_without_complaint(desk: Desk) -> None:
    file = desk.file("claude-user")
    file.parent.mkdir()
    text = """{
  "$schema": "https://json.schemastore.org/claude-code-settings.json",
  "permissions": {
    "defaultMode": "acceptEdits",
    "allow": ["Bash(npm run test *)", "Read(~/notes/**)", "WebFetch(domain:docs.python.org)", "mcp__github__get_issue"],
    "ask": ["Bash(git push *)"], "deny": ["Read(./.env)", "Read(./secrets/**)", "Bash(curl *)"],
    "additionalDirectories": ["../shared-lib"]
  },
  "env": {"NODE_ENV": "test"},
  "hooks": {"PostToolUse": [{"matcher": "Edit|Write", "hooks": [{"type": "command", "command": "fmt.sh", "timeout": 30}]}]},
  "statusLine": {"type": "command", "command": "~/.claude/statusline.sh", "padding": 0},
  "sandbox": {"enabled": true, "excludedCommands": ["docker *"], "network": {"allowedDomains": ["*.npmjs.org"]}},
  "enabledMcpjsonServers": ["github"], "cleanupPeriodDays": 20, "attribution": {"commit": "", "pr": ""}
}"""
    file.write_bytes(codecs.BOM_UTF8 + text.encode())
    settings = desk.load()
    assert settings.problems == ()
    assert settings.values.permissions.default_mode == "acceptEdits"
    assert settings.values.sandbox.excluded_commands == ("docker *",)
    assert settings.values.sandbox.network.allowed_domains == ("*.npmjs.org",)
    assert settings.additional_directories == (desk.project.parent / "shared-lib",)
    (hook,) = settings.hooks
    assert (hook.event, hook.matcher, hook.handler["command"], hook.line) == ("PostToolUse", "Edit|Write", "fmt.sh", 10)


def test_sandbox_folders_start_where_their_file_says(desk: Desk) -> None:
    def told(**lists: list[str]) -> dict[str, object]:
        return {"sandbox": {"filesystem": lists}}

    desk.write("claude-project", told(allowWrite=["build", "./out", "/abs", "//also/abs", "~/cache", ".."]))
    desk.write("claude-user", told(denyRead=["secrets", "~/.ssh"]))
    desk.write("user", told(denyRead=["mine"], allowRead=["~/.ssh/known_hosts"]))
    paths = desk.load(inline='{"sandbox": {"filesystem": {"denyWrite": ["here"]}}}').sandbox_paths
    project, home = str(desk.project), str(desk.home)
    above = str(desk.project.parent)
    assert paths.allow_write == (f"{project}/build", f"{project}/out", "/abs", "/also/abs", f"{home}/cache", above)
    assert paths.deny_read == (f"{desk.config}/mine", f"{home}/.claude/secrets", f"{home}/.ssh")
    assert paths.allow_read == (f"{home}/.ssh/known_hosts",)
    assert paths.deny_write == (f"{project}/here",)
