"""What this program runs in a repository runs nothing that the repository names, in each sandbox and without one."""

from __future__ import annotations

import os
import resource
import subprocess
import time
from pathlib import Path

import pytest
from hostile_repository import make_hostile
from sandboxes import NAMES, sandbox_or_skip

from tui_agent.engine.session.git_status import GitStatus, git_status
from tui_agent.sandbox import neutral_run
from tui_agent.ui.prompting.file_lists import find_files, git_files, git_stamp, untracked_files

PLACES = (".", "tools", "bare")


@pytest.fixture
def marks(tmp_path: Path) -> Path:
    return tmp_path / "marks"


@pytest.fixture
def repository(tmp_path: Path, marks: Path) -> Path:
    make_hostile(tmp_path / "work", marks)
    return tmp_path / "work"


def ran(marks: Path) -> list[str]:
    return sorted(file.name for file in marks.iterdir())


async def look_at_everything(folder: Path, *, is_trusted: bool) -> list[GitStatus]:
    for place in PLACES:
        git_files(folder / place, is_trusted=is_trusted)
        untracked_files(folder / place, is_trusted=is_trusted, respects_ignore=True)
        git_stamp(folder / place)
        find_files(folder / place, respects_ignore=True)
    return [await git_status(folder / place, is_trusted=is_trusted) for place in PLACES]


def test_the_repository_does_run_its_programs_in_a_git_of_anybody_elses(repository: Path, marks: Path) -> None:
    subprocess.run(["git", "status"], cwd=repository, capture_output=True, check=True)
    assert {"worktree-config", "clean"} & set(ran(marks)), "else these tests show nothing"


@pytest.mark.parametrize("is_trusted", [True, False])
@pytest.mark.parametrize("name", [*NAMES, "none"])
async def test_nothing_of_the_repositorys_runs(
    name: str, is_trusted: bool, repository: Path, marks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sandbox = None if name == "none" else sandbox_or_skip(name)
    monkeypatch.setattr(neutral_run, "find_sandbox", lambda: sandbox)
    found = await look_at_everything(repository, is_trusted=is_trusted)
    assert ran(marks) == []
    assert found[0].branch == "trunk"
    if sandbox is None and not is_trusted:
        assert found[0].changed_files is None
        assert git_files(repository, is_trusted=False) is None
    else:
        assert found[0].changed_files
        assert "a.txt" in (git_files(repository, is_trusted=is_trusted) or [])


async def test_without_a_sandbox_no_git_starts_in_a_folder_that_is_not_trusted(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "git").write_text(f"#!/bin/sh\n: > {tmp_path}/started\n")
    (programs / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    monkeypatch.setattr(neutral_run, "find_sandbox", lambda: None)
    await look_at_everything(repository, is_trusted=False)
    assert not (tmp_path / "started").exists()
    await look_at_everything(repository, is_trusted=True)
    assert (tmp_path / "started").exists(), "else this test shows nothing"


async def test_a_program_of_that_name_in_the_folder_is_not_run(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("git", "rg"):
        (repository / name).write_text(f"#!/bin/sh\n: > {tmp_path}/started\n")
        (repository / name).chmod(0o755)
    monkeypatch.chdir(repository)
    monkeypatch.setenv("PATH", f".::{os.environ['PATH']}")
    monkeypatch.setattr(neutral_run, "find_sandbox", lambda: None)
    found = await look_at_everything(repository, is_trusted=True)
    assert found[0].branch == "trunk"
    assert not (tmp_path / "started").exists()


@pytest.mark.parametrize(
    "name", ["HEAD", "config", "index", "packed-refs", "info/exclude", "../.gitignore", "../.gitattributes"]
)
async def test_a_pipe_where_git_expects_a_file_is_not_waited_for(
    name: str, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = Path(os.path.normpath(repository / ".git" / name))
    file.unlink(missing_ok=True)
    os.mkfifo(file)
    began = time.monotonic()
    for sandbox in (neutral_run.find_sandbox(), None):
        monkeypatch.setattr(neutral_run, "find_sandbox", lambda sandbox=sandbox: sandbox)
        for is_trusted in (True, False):
            await git_status(repository, is_trusted=is_trusted)
            git_files(repository, is_trusted=is_trusted)
            git_stamp(repository)
    assert time.monotonic() - began < 2, "git's own time limit is 3 s, for each"


@pytest.mark.parametrize("has_sandbox", [True, False])
async def test_a_pipe_in_a_folder_below_is_not_waited_for(
    repository: Path, monkeypatch: pytest.MonkeyPatch, *, has_sandbox: bool
) -> None:
    if not has_sandbox:
        monkeypatch.setattr(neutral_run, "find_sandbox", lambda: None)
    (repository / "new").mkdir()
    (repository / "new/file").touch()
    for name in (".gitignore", ".gitattributes"):
        os.mkfifo(repository / "new" / name)
    began = time.monotonic()
    assert (await git_status(repository, is_trusted=True)).branch == "trunk"
    assert "new/file" in untracked_files(repository, is_trusted=True, respects_ignore=True)
    found, is_cut = find_files(repository, respects_ignore=True)
    assert "new/file" in found
    assert not is_cut
    assert time.monotonic() - began < 5, "one list may take 8 seconds"


@pytest.mark.parametrize("name", [".gitconfig", ".config/git/config", ".config/git/ignore"])
async def test_a_pipe_in_place_of_the_persons_configuration_is_not_waited_for(
    name: str, repository: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    (home / name).parent.mkdir(parents=True)
    os.mkfifo(home / name)
    monkeypatch.setenv("HOME", str(home))
    for variable in ("GIT_CONFIG_GLOBAL", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(variable, raising=False)
    began = time.monotonic()
    await git_status(repository, is_trusted=True)
    git_files(repository, is_trusted=True)
    assert time.monotonic() - began < 2, "git's own time limit is 3 s, for each"


@pytest.mark.parametrize("name", ["config", "index", "packed-refs", "info/exclude", "HEAD", "../.gitignore"])
async def test_a_file_without_end_in_place_of_gits_own_starts_no_git(
    name: str, repository: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with Path(os.path.normpath(repository / ".git" / name)).open("wb") as file:
        file.truncate(5 << 30)
    started = tmp_path / "started"
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "git").write_text(f"#!/bin/sh\n: > {started}\n")
    (programs / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    monkeypatch.setattr(neutral_run, "find_sandbox", lambda: None)
    await git_status(repository, is_trusted=True)
    git_files(repository, is_trusted=True)
    git_stamp(repository)
    assert not started.exists()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 1 << 20, "kilobytes"


async def test_the_branch_is_read_with_care_where_git_may_not_run(
    repository: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(neutral_run, "find_sandbox", lambda: None)
    head = repository / ".git/HEAD"
    secret = tmp_path / "secret"
    secret.write_text("ref: refs/heads/hunter2\n")
    for make, expected in (
        (lambda: head.write_text("ref: refs/heads/a/b\n"), "a/b"),
        (lambda: head.write_text("0123456789abcdef0123456789abcdef01234567\n"), "0123456"),
        (lambda: head.write_text("ref: refs/heads/" + "x" * 100_000), ""),
        (lambda: head.write_text("root:x:0:0\n"), ""),
        (lambda: head.write_bytes(b"\xff\xfe"), ""),
        (lambda: head.symlink_to(secret), ""),
        (lambda: head.symlink_to("/dev/zero"), ""),
        (lambda: os.mkfifo(head), ""),
        (lambda: head.mkdir(), ""),
    ):
        head.unlink(missing_ok=True)
        make()
        assert await git_status(repository) == GitStatus(expected, None)
