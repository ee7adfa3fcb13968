"""Saving a rule."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tui_agent.permissions.rules import RuleError, RuleSet
from tui_agent.permissions.save import SaveError, save_rule
from tui_agent.settings.load import load_settings
from tui_agent.settings.trust import trust


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    return root


def test_a_saved_rule_is_read_back(project: Path, tmp_path: Path) -> None:
    save_rule("Bash(npm test *)", "local", start_dir=project)
    save_rule("Read(~/notes/**)", "user", start_dir=project, config_dir=tmp_path / "config")
    loaded = load_settings(project, config_dir=tmp_path / "config", is_trusted=True, policy_dir=tmp_path / "none")
    rules = RuleSet.from_entries(loaded.rules)
    assert [(rule.text, rule.source.kind) for rule in rules.allow] == [
        ("Bash(npm test *)", "local"),
        ("Read(~/notes/**)", "user"),
    ]


def test_the_local_file_is_kept_out_of_git(project: Path) -> None:
    for rule in ("Bash(a)", "Bash(b)"):
        file = save_rule(rule, "local", start_dir=project)
    status = subprocess.run(["git", "status", "--porcelain"], cwd=project, capture_output=True, text=True, check=True)
    assert file.exists()
    assert status.stdout == ""
    exclude = (project / ".git/info/exclude").read_text()
    assert exclude.count("settings.local.json") == 1


@pytest.mark.parametrize("link", [".git/info/exclude", ".git/info", ".git"])
def test_a_repository_cannot_have_a_line_added_to_a_file_elsewhere(project: Path, tmp_path: Path, link: str) -> None:
    outside = tmp_path / "outside"
    (outside / "info").mkdir(parents=True)
    (outside / "exclude").write_text("theirs\n")
    (outside / "info/exclude").write_text("theirs\n")
    (project / ".git").rename(project / "git")
    if link != ".git":
        shutil.copytree(project / "git", project / ".git")
    place = project / link
    if place.is_dir():
        shutil.rmtree(place)
    else:
        place.unlink(missing_ok=True)
    place.symlink_to(outside / "exclude" if link.endswith("exclude") else outside)
    save_rule("Bash(a)", "local", start_dir=project)
    assert {path.read_text() for path in outside.rglob("exclude")} == {"theirs\n"}


@pytest.mark.parametrize("kind", ["pipe", "endless"])
def test_an_exclude_list_that_is_no_file_is_left_alone(project: Path, kind: str) -> None:
    exclude = project / ".git/info/exclude"
    exclude.unlink(missing_ok=True)
    if kind == "pipe":
        os.mkfifo(exclude)
    else:
        with exclude.open("wb") as file:
            file.truncate(1 << 32)
    assert save_rule("Bash(a)", "local", start_dir=project).exists()
    assert exclude.lstat().st_size == (0 if kind == "pipe" else 1 << 32)


def test_everything_else_in_the_file_stays(project: Path) -> None:
    file = project / ".tui-agent/settings.local.json"
    file.parent.mkdir()
    file.write_text(
        '{\n    "model": "ü",\n    "permissions": {\n        "deny": ["X"],\n        "allow": ["Y"]\n    },\n    "z": 1\n}\n'
    )
    file.chmod(0o640)
    save_rule("Bash(ls)", "local", start_dir=project)
    text = file.read_text()
    assert json.loads(text) == {"model": "ü", "permissions": {"deny": ["X"], "allow": ["Y", "Bash(ls)"]}, "z": 1}
    assert '\n    "model": "ü",' in text
    assert list(json.loads(text)) == ["model", "permissions", "z"]
    assert file.stat().st_mode & 0o777 == 0o640


def test_a_rule_is_not_saved_twice(project: Path) -> None:
    for _time in range(2):
        file = save_rule("Bash(ls)", "local", start_dir=project)
    assert json.loads(file.read_text())["permissions"]["allow"] == ["Bash(ls)"]


@pytest.mark.parametrize(
    "content", ['{"a": 1,}', "[]", '{"permissions": []}', '{"permissions": {"allow": "x"}}', "{", '"x"']
)
def test_a_damaged_file_is_left_as_it_is(project: Path, content: str) -> None:
    file = project / ".tui-agent/settings.local.json"
    file.parent.mkdir()
    file.write_text(content)
    with pytest.raises(SaveError, match="not saved"):
        save_rule("Bash(ls)", "local", start_dir=project)
    assert file.read_text() == content
    assert [entry.name for entry in file.parent.iterdir()] == [file.name]


def test_a_file_that_is_a_link_stays_one(project: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.json"
    real.write_text("{}")
    file = project / ".tui-agent/settings.local.json"
    file.parent.mkdir()
    file.symlink_to(real)
    trust(project)
    save_rule("Bash(ls)", "local", start_dir=project)
    assert file.is_symlink()
    assert "Bash(ls)" in real.read_text()


@pytest.mark.parametrize("rule", ["", "Bash(", "Write(x)", "*"])
def test_a_rule_that_means_nothing_is_not_saved(project: Path, rule: str) -> None:
    with pytest.raises(RuleError):
        save_rule(rule, "local", start_dir=project)
    assert not (project / ".tui-agent").exists()


@pytest.mark.parametrize(
    "place", ["config/settings.json", "other/.tui-agent/settings.local.json", "home/.claude/settings.json"]
)
def test_a_rule_for_a_project_is_not_saved_where_it_would_hold_elsewhere(
    project: Path, tmp_path: Path, place: str
) -> None:
    elsewhere = tmp_path / place
    elsewhere.parent.mkdir(parents=True)
    elsewhere.write_text("{}")
    (project / ".tui-agent").mkdir()
    (project / ".tui-agent/settings.local.json").symlink_to(elsewhere)
    with pytest.raises(SaveError, match="link to settings elsewhere"):
        save_rule("Bash(ls)", "local", start_dir=project, config_dir=tmp_path / "config", home=tmp_path / "home")
    assert elsewhere.read_text() == "{}"


def test_ones_own_settings_may_be_a_link(project: Path, tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "dotfiles.json").write_text("{}")
    (tmp_path / "config/settings.json").symlink_to(tmp_path / "dotfiles.json")
    save_rule("Bash(ls)", "user", start_dir=project, config_dir=tmp_path / "config")
    assert "Bash(ls)" in (tmp_path / "dotfiles.json").read_text()
