"""Where files lie."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tui_agent.settings import standard_paths


def test_the_state_can_be_moved_and_the_settings_stay(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    before = standard_paths.config_dir()
    monkeypatch.setenv("TUI_AGENT_HOME", str(tmp_path))
    assert standard_paths.state_home() == tmp_path
    assert standard_paths.config_dir() == before


def test_the_project_root_is_the_top_of_the_checkout(tmp_path: Path) -> None:
    (tmp_path / "repo/.git").mkdir(parents=True)
    (tmp_path / "repo/a/b").mkdir(parents=True)
    assert standard_paths.project_root(tmp_path / "repo/a/b") == tmp_path / "repo"
    assert standard_paths.project_root(tmp_path / "plain") == tmp_path / "plain"


def test_a_linked_worktree_shares_the_local_settings_of_its_main_checkout(tmp_path: Path) -> None:
    main, linked = tmp_path / "main", tmp_path / "linked"
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@y"]
    subprocess.run([*git, "init", "-q", str(main)], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "x"], cwd=main, check=True)
    subprocess.run([*git, "worktree", "add", "-q", str(linked)], cwd=main, check=True)
    assert standard_paths.local_settings_file(linked) == main / standard_paths.LOCAL_SETTINGS
    assert standard_paths.project_settings_file(linked) == linked / standard_paths.PROJECT_SETTINGS


def test_a_forged_link_to_another_repository_is_not_believed(tmp_path: Path) -> None:
    main, forged = tmp_path / "main", tmp_path / "forged"
    (main / ".git/worktrees/x").mkdir(parents=True)
    (main / ".git/worktrees/x/commondir").write_text("../..")
    (main / ".git/worktrees/x/gitdir").write_text(str(tmp_path / "elsewhere/.git"))
    forged.mkdir()
    (forged / ".git").write_text(f"gitdir: {main}/.git/worktrees/x\n")
    assert standard_paths.main_checkout(forged) == forged


def test_a_forged_worktree_that_came_with_foreign_files_is_not_believed(tmp_path: Path) -> None:
    main, forged = tmp_path / "main", tmp_path / "forged"
    (main / ".git/worktrees").mkdir(parents=True)
    (forged / "own").mkdir(parents=True)
    (forged / ".git").write_text("gitdir: own\n")
    (forged / "own/gitdir").write_text("../.git\n")
    (forged / "own/commondir").write_text("../../main/.git\n")
    assert standard_paths.worktree_folders(forged) is None
    assert standard_paths.local_settings_file(forged) == forged / standard_paths.LOCAL_SETTINGS


def test_in_a_home_that_is_a_repository_local_settings_stay_in_the_start_folder(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "work").mkdir()
    assert (
        standard_paths.local_settings_file(tmp_path / "work", home=tmp_path)
        == tmp_path / "work" / standard_paths.LOCAL_SETTINGS
    )


def test_asking_for_places_imports_nothing_heavy() -> None:
    code = "import sys, tui_agent.settings.standard_paths, tui_agent.settings.trust; print('pydantic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
