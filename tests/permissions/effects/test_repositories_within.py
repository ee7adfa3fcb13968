"""A repository that names another among its files has git look into that one too: by the settings that lie there.

Such a repository came whole with the project, settings and all, and is no submodule whose settings lie in the project's own.
"""

from __future__ import annotations

import shutil
import zlib
from pathlib import Path

import pytest
from attack_room import ALL, AttackRoom

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="not covered here: git is missing")

LOOKS = (
    "git status", "git diff", "git diff --stat", "git diff --submodule=diff", "git diff-files", "git diff-index HEAD",
    "git status --porcelain=2", "git ls-files --recurse-submodules", "git grep --recurse-submodules one",
)  # fmt: skip
RAN = "it ran"


@pytest.fixture
def program(tmp_path: Path) -> Path:
    program = tmp_path / "work/program"  # where a sandbox shows it
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\necho it 'ran' >&2\n: > {tmp_path}/outside/mark\nexit 1\n")
    program.chmod(0o755)
    return program


def make(room: AttackRoom, folder: Path) -> None:
    """Make a repository in `folder`, and name it in that around it."""
    folder.mkdir()
    for name in ("one.txt", "two.png"):
        (folder / name).write_text("one\n")
    room.git("init", "-q", folder=folder)
    room.git("add", ".", folder=folder)
    room.git("commit", "-qm", "inner", folder=folder)
    room.git("add", folder.name, folder=folder.parent)
    room.git("commit", "-qm", "outer", folder=folder.parent)


def arm(folder: Path, program: Path) -> None:
    """Have git run the program in `folder`."""
    (folder / ".gitattributes").write_text("*.txt filter=own\n*.png filter=other diff=own\n")
    for name in ("one.txt", "two.png"):
        (folder / name).write_text("two\n")
    with (folder / ".git/config").open("a") as config:
        config.write(
            f"[core]\n\tfsmonitor = {program}\n"
            f'[filter "own"]\n\tclean = {program}\n[filter "other"]\n\tprocess = {program}\n'
            f'[diff "own"]\n\ttextconv = {program}\n[diff]\n\texternal = {program}\n'
        )


@pytest.mark.parametrize("name", ALL)
async def test_git_runs_nothing_that_a_repository_among_the_files_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, program: Path
) -> None:
    room = AttackRoom(tmp_path, monkeypatch, name)
    (room.work / "a.txt").write_text("one\n")
    room.git("init", "-q")
    room.git("add", ".")
    room.git("commit", "-qm", "first")
    folders = (room.work / "inner", room.work / "inner/deep")
    for folder in folders:
        make(room, folder)
    for folder in folders:
        arm(folder, program)
    room.begin()
    said = [await room.run(command) for command in LOOKS]
    assert not (room.outside / "mark").exists()
    assert not any(RAN in one for one in said)
    assert any("inner" in one for one in said), "git still tells of it"


@pytest.mark.parametrize("way", ["lazily fetched", "top", "worktree's"])
async def test_without_a_sandbox_git_runs_nothing_that_the_repository_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str, program: Path
) -> None:
    room = AttackRoom(tmp_path, monkeypatch, "none")
    git = room.work / ".git"
    room.git("init", "-q")
    for text in ("one\n", "two\n"):
        (room.work / "a.txt").write_text(text)
        room.git("add", ".")
        room.git("commit", "-qm", text)
    (room.work / "a.txt").write_text("three\n")
    sets = f"[core]\n\tfsmonitor = {program}\n[diff]\n\texternal = {program}\n"
    if way == "lazily fetched":
        room.git("config", "core.repositoryFormatVersion", "1")
        sets = (
            f"[core]\n\tsshCommand = {program}\n[extensions]\n\tpartialClone = origin\n[protocol]\n\tallow = always\n"
            f"[remote \"origin\"]\n\turl = {room.work}\n\tpromisor = true\n\tuploadpack = {program}\n"
        )  # fmt: skip
        for file in git.glob("objects/??/*"):
            if zlib.decompress(file.read_bytes()).startswith(b"blob"):
                file.unlink()
    if way == "worktree's":
        room.git("config", "extensions.worktreeConfig", "true")
        (git / "config.worktree").write_text(sets)
    else:
        (git / "config").write_text((git / "config").read_text() + sets)
    room.begin()
    for command in ("git status", "git diff", "git log -p", "git show HEAD", "git blame a.txt", "git grep one HEAD~1"):
        assert RAN not in await room.run(command), command
    assert not (room.outside / "mark").exists()
