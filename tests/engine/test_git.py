"""The branch and the number of changed files, from a real git."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tui_agent.engine.session.git_status import GitStatus, git_status
from tui_agent.sandbox.find import find_sandbox


def git(folder: Path, *words: str) -> str:
    name = ("-c", "user.name=t", "-c", "user.email=t@example.invalid", "-c", "commit.gpgsign=false")
    return subprocess.run(["git", *name, *words], cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "-b", "trunk")
    (tmp_path / "a").write_text("1\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "first")
    return tmp_path


async def test_a_clean_checkout(repository: Path) -> None:
    assert await git_status(repository) == GitStatus("trunk", 0)


async def test_changed_new_and_renamed_files_count_once_each(repository: Path) -> None:
    git(repository, "mv", "a", "b c")
    (repository / "new\nline").write_text("x")
    (repository / "d").write_text("x")
    git(repository, "add", "d")
    assert await git_status(repository) == GitStatus("trunk", 3)


async def test_a_detached_head_shows_its_commit(repository: Path) -> None:
    git(repository, "checkout", "-q", "--detach")
    assert (await git_status(repository)).branch == git(repository, "rev-parse", "HEAD")[:7]


async def test_outside_a_repository_and_without_git_there_is_nothing_to_say(
    tmp_path: Path, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert await git_status(tmp_path / "gone") == GitStatus()
    monkeypatch.setenv("PATH", str(tmp_path))
    assert await git_status(repository) == GitStatus()


async def test_what_the_repository_has_git_run_changes_nothing(repository: Path) -> None:
    if find_sandbox() is None:
        pytest.skip("not covered here: there is no sandbox")
    marks = repository.parent / "ran"
    git(repository, "config", "core.fsmonitor", f"sh -c 'touch {marks} {repository}/new'")
    git(repository, "config", "filter.x.clean", f"sh -c 'touch {marks}; cat'")
    (repository / ".gitattributes").write_text("* filter=x\n")
    (repository / "a").write_text("2\n")
    found = await git_status(repository)
    assert found.branch == "trunk"
    assert not marks.exists()
    assert not (repository / "new").exists()
