# ruff: noqa: E501 - commands stand whole, many on a line
"""A rule that names git covers the project's own repository, and none that somebody put into a folder of it.

The repositories here name a program that git would run. The rules of the attacked user let git run with all rights.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from attack_room import ALL, AttackRoom

RULES = (
    "Bash(git status *)",
    "Bash(git status)",
    "Bash(git diff *)",
    "Bash(git *)",
    "Bash(git log *)",
    "Bash(timeout *)",
    "Bash(cd *)",
)
# One call, or several of which the shell's folder stays.
ATTACKS = (
    ("cd nested && npm test",), ("cd bare", "npm version"), ("cd fake && git status",), ("cd fake", "git status"),
    ("cd bare && git status",), ("cd bare", "git status"), ("cd bare", "ls", "git status --short"), ("cd bare/hooks && git status",),
    ("cd nested && git status",), ("cd nested", "git status"), ("cd nested/deep", "git diff"), ("cd deep/bare; git status",),
    ("git -C bare status",), ("git -C nested status",), ("git --git-dir=bare --work-tree=. status",), ("git --git-dir bare status",),
    ("git --git-dir=nested/.git status",), ("git -C deep -C bare status",), ("cd deep", "git -C bare status"), ("cd link && git status",),
    ("cd link", "git status"), ("git -C link status",), ("(cd bare && git status)",), ("for d in bare nested; do cd $d && git status; done",),
    ("cd deep && cd bare && git status",), ("D=bare; cd $D && git status",), ("cd ./bare/../bare && git status",), ("cd be*re; cd bare; git status",),
    ("cd bare && timeout 5 git status",), ("cd bare", "timeout 5 git status"), ("cd bare && git log -1",), ("cd \"$(ls -d bare)\" && git status",),
    ("GIT_DIR=bare git status",), ("export GIT_DIR=bare; git status",), ("cd bare && command git status",), ("cd bare && echo \"$(git status)\"",),
    ("if cd bare; then git status; fi",), ("cd deep && git -C ../bare status",), ("cd outer && git status",),
    ("git -c core.worktree=. -C bare status",), ("cd nested && env git status",), ("git -Cbare status",), ("cp -r nested/.git deep/.git; cd deep; git status",),
    ("ln -s nested inner; cd inner; git status",), ("mv nested other; cd other && git status",), ("mv bare sub2; cd sub2 && git status",),
)  # fmt: skip
FINE = (
    ("cd module && git status",), ("cd module", "git status", "npm test"), ("git -C module log -1",),
    ("git status",), ("cd plain && git status",), ("cd plain", "git status"), ("cd plain/inner", "git diff", "git log -1"), ("git -C plain status",),
    ("cd plain && git -C .. status",), ("cd ./plain/inner && git status",), ("cd plain", "cd inner", "git status"), ("git -C . status",),
    ("git status && git log -1 && git diff",), ("timeout 5 git status",), ("(cd plain && git status)",), ("npm test && git status",),
)  # fmt: skip


@pytest.fixture(params=ALL)
def room(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AttackRoom:
    room = AttackRoom(tmp_path, monkeypatch, request.param)
    work = room.work
    monitor = room.folder / "monitor"
    monitor.write_text(f"#!/bin/sh\ntouch {room.folder}/ran\n")
    monitor.chmod(0o755)
    (work / "plain/inner").mkdir(parents=True)
    (work / "deep").mkdir()
    (work / "plain/f").write_text("f\n")
    room.git("init")
    room.git("add", "plain")
    room.git("commit", "-qm", "one")
    for bare in ("bare", "deep/bare"):
        room.git("init", "-q", "--bare", bare)
        room.git("config", "core.bare", "false", folder=work / bare)
        room.git("config", "core.worktree", ".", folder=work / bare)
    room.git("init", "-q", "nested")
    (work / "nested/deep").mkdir()
    (work / "outer").symlink_to(room.outside)
    room.git("init", "-q", folder=room.outside)
    (work / "link").symlink_to(work / "nested")
    (work / "fake").mkdir()
    (work / "fake/.git").write_text("gitdir: ../bare\n")
    room.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(work), "module")
    for one in (work / "bare", work / "deep/bare", work / "nested", room.outside):
        (one / "f").write_text("f\n")
        room.git("config", "core.fsmonitor", str(monitor), folder=one)
        room.git("config", "core.pager", str(monitor), folder=one)
    room.begin(*RULES, "Bash(npm *)", "Bash(cp *)", "Bash(ln *)", "Bash(mv *)", "Bash(env *)")
    return room


async def test_git_under_a_rule_runs_nothing_of_another_repository(room: AttackRoom) -> None:
    canary = room.folder / "ran"
    ran, passed = [], []
    for calls in ATTACKS:
        said = [await room.run(call, stays=bool(index)) for index, call in enumerate(calls)]
        if canary.exists():
            ran.append(calls)
            canary.unlink()
        if said[-1] != "asks":
            passed.append(calls)
    assert ran == []
    assert passed == []


async def test_the_attack_works_where_nothing_stops_it(room: AttackRoom) -> None:
    room.begin("Bash")
    await room.run("cd nested && git status")
    assert (room.folder / "ran").exists()


async def test_git_in_the_projects_own_folders_does_not_ask(room: AttackRoom) -> None:
    asked = [
        calls
        for calls in FINE
        if "asks" in [await room.run(call, stays=bool(index)) for index, call in enumerate(calls)]
    ]
    assert asked == []


async def test_what_only_reads_looks_at_the_repository_too_when_the_shell_has_stayed_in_one(room: AttackRoom) -> None:
    room.begin()
    assert await room.run("cd bare") != "asks"
    assert await room.run("git status", stays=True) == "asks"
    assert await room.run("ls", stays=True) != "asks"
    assert await room.run("cd plain") != "asks"
    assert await room.run("git status", stays=True) != "asks"


async def test_a_rule_for_a_program_is_about_the_project(room: AttackRoom) -> None:
    """What `make` or `npm` run is told by the folder they stand in."""
    room.begin("Bash(make *)", "Bash(make)", "Bash(cd *)", "Read(//**)")
    (room.outside / "Makefile").write_text(f"all:\n\ttouch {room.folder}/ran\n")
    (room.work / "plain/Makefile").write_text("all:\n\techo fine\n")
    for command in (
        f"cd {room.outside} && make",
        "cd outer && make",
        "cd ../outside; make",
        "cd $X && make",
        "cd - && make",
    ):
        assert await room.run(command) == "asks", command
    assert not (room.folder / "ran").exists()
    assert "fine" in await room.run("cd plain && make")
    assert "fine" in await room.run("make -C plain")
