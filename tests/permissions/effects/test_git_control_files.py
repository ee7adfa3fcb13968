# ruff: noqa: E501 - names stand whole, many on a line
"""git reads no device, pipe or boundless file that a repository has in place of one of git's own files."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Never

import pytest
from attack_room import ALL, AttackRoom

from tui_agent.git_control_files import why_git_cannot_read
from tui_agent.neutral_git import neutral_environment

PLACES = (
    "HEAD", "index", "config", "packed-refs", "shallow", "FETCH_HEAD", "MERGE_HEAD", "info/attributes", "info/exclude", "info/grafts",
    "info/sparse-checkout", "objects/info/alternates", "objects/info/commit-graph", "refs/heads/other", "refs/stash", "rebase-merge/done",
)  # fmt: skip
KINDS = ("link", "pipe", "sparse")
COMMANDS = ("git status", "git log -1", "git diff HEAD", "ls; git branch -a", "git blame a.txt | head -1")


@pytest.fixture(params=ALL)
def room(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AttackRoom:
    room = AttackRoom(tmp_path, monkeypatch, request.param)
    (room.work / "a.txt").write_text("one\n")
    room.git("init")
    room.git("add", "a.txt")
    room.git("commit", "-qm", "one")
    return room


def put(path: Path, kind: str) -> None:
    """Put a link to a device, a pipe, or a file of 40 GB that takes no room in place of a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    if kind == "link":
        path.symlink_to("/dev/zero")
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.touch()
        os.truncate(path, 40 << 30)


@pytest.mark.parametrize("place", PLACES)
def test_each_is_refused(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    room = AttackRoom(tmp_path, monkeypatch, "none")
    room.git("init")
    (room.work / "sub").mkdir()
    assert why_git_cannot_read(str(room.work / "sub")) == ""
    for kind in KINDS:
        if kind == "sparse" and place.startswith("refs/heads"):
            continue  # too many to ask each for its size
        put(room.work / ".git" / place, kind)
        assert place in why_git_cannot_read(str(room.work / "sub")), kind
        assert neutral_environment([str(room.work)], os.environ)["GIT_DIR"] == "/dev/null", kind


@pytest.mark.parametrize("place", ["packed-refs", "info/attributes", "sequencer/todo"])
@pytest.mark.parametrize("beside", ["other case", "other letters", "many", "closed"])
def test_no_name_beside_hides_one(place: str, beside: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    room = AttackRoom(tmp_path, monkeypatch, "none")
    room.git("init")
    path = room.work / ".git" / place
    put(path, "pipe")
    names = {"other case": [path.name.upper(), path.name.title()], "other letters": ["\u212a"]}
    for name in names.get(beside, [f"{number:05}" for number in range(4500)] if beside == "many" else []):
        (path.parent / name).touch()
    if beside == "closed":
        monkeypatch.setattr("tui_agent.git_control_files.os.scandir", no_listing)
    assert place in why_git_cannot_read(str(room.work))


def no_listing(_path: str) -> Never:
    """Fail as where a folder lets nobody list it, and its files be opened all the same."""
    raise PermissionError


@pytest.mark.parametrize("place", ["objects/info/alternates", "info/attributes", "packed-refs"])
async def test_commands_ask_at_once(room: AttackRoom, place: str) -> None:
    for kind in KINDS:
        put(room.work / ".git" / place, kind)
        for rules in ((), ("Bash(git status *)", "Bash(git log *)", "Bash(git *)")):
            room.begin(*rules)
            started = time.monotonic()
            for command in COMMANDS:
                assert await room.run(command, timeout=20_000) == "asks", (kind, rules, command)
            assert time.monotonic() - started < 15


async def test_repositories_as_tools_make_them_are_read(room: AttackRoom, tmp_path: Path) -> None:
    git = room.work / ".git"
    kept = tmp_path / "kept"
    kept.mkdir()
    for name in ("config", "info"):  # as tools do that share them among checkouts
        (git / name).rename(kept / name)
        (git / name).symlink_to(kept / name)
    room.git("branch", "other")
    room.git("pack-refs", "--all")
    room.git("worktree", "add", "-q", str(room.work / "tree"), "other")
    assert why_git_cannot_read(str(room.work)) == ""
    assert why_git_cannot_read(str(room.work / "tree")) == ""
    room.begin()
    assert await room.run("git log --oneline | wc -l") != "asks"
