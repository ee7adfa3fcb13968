# ruff: noqa: E501 - commands stand whole, many on a line
"""Where there is no sandbox, what passes as reading leaves nothing behind: no cache, log, settings, index or ref of its own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from attack_room import AttackRoom

# They keep something; the last ones by an option, or behind another program.
KEEPING = (
    "npm ls", "npm --help", "npm config get registry", "npm run", "npm pkg get version", "top -b -n 1", "svn status", "uv pip list",
    "svn --version", "conda list", "go version", "apt list", "apt-cache search x", "timeout 9 npm ls", "bash -c 'npm ls'",
    "ls && npm ls", "npm ls | cat", "git describe --always --dirty", "git describe --always --broken",
)  # fmt: skip
# The index and a cache of what is shown could be brought up to date in passing.
LOOKING = (
    "npm --version", "git diff", "git diff --stat", "git diff -w", "git status -s", "git log -p", "git log -G text", "git log -Stext",
    "git describe --always", "git show", "git grep text", "git stash list", "timeout 9 git diff", "bash -c 'git diff'",
    "ls; git diff", "git ls-files -m", "git blame file", "git submodule status", "git fsck", "git worktree list",
)  # fmt: skip


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AttackRoom:
    room = AttackRoom(tmp_path, monkeypatch, "none")
    for name in ("XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    (room.work / "file").write_text("text\n")
    (room.work / ".gitattributes").write_text("* diff=x\n")
    room.git("init", "-q")
    room.git("add", ".")
    room.git("commit", "-qm", "one")
    room.git("config", "diff.x.textconv", "cat")
    room.git("config", "diff.x.cachetextconv", "true")
    os.utime(room.work / "file", (1, 1))  # so git finds it changed, and looks again
    room.begin()
    return room


def seen(room: AttackRoom) -> dict[str, tuple[int, int]]:
    """Return what there is besides the program's own, with its size and time."""
    own = (f"{room.folder}/results", f"{room.folder}/tui_agent_home")
    paths = (f"{at}/{name}" for at, folders, files in os.walk(room.folder) for name in (*folders, *files))
    return {
        path: (about.st_size, about.st_mtime_ns)
        for path in paths
        if not path.startswith(own)
        for about in [os.lstat(path)]
    }


async def test_what_keeps_something_asks(room: AttackRoom) -> None:
    assert [command for command in KEEPING if await room.run(command) != "asks"] == []


async def test_what_passes_keeps_nothing(room: AttackRoom) -> None:
    before = seen(room)
    for command in LOOKING:
        assert await room.run(command, timeout=8000) != "asks", command
        assert seen(room) == before, command


async def test_in_a_sandbox_it_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    room = AttackRoom(tmp_path, monkeypatch, "bubblewrap")
    room.git("init", "-q")
    room.begin()
    before = seen(room)
    assert [command for command in ("npm ls", "git describe --dirty") if await room.run(command) == "asks"] == []
    assert seen(room) == before


async def test_a_pipe_is_asked_about_before_anything_waits_for_it(room: AttackRoom) -> None:
    os.mkfifo(room.work / "pipe")
    for command in ("cat pipe", "cat < pipe", "diff pipe file", "sort file pipe", "timeout 9 head pipe"):
        assert await room.run(command) == "asks", command
    for command in ("ls -l pipe", "test -p pipe", "stat pipe"):
        assert await room.run(command) != "asks", command
