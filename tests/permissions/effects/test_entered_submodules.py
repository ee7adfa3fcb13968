# ruff: noqa: E501 - commands stand whole
"""git enters the repositories that the index names. It runs nothing that their settings name, wherever these lie."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from attack_room import ALL, AttackRoom

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="not covered here: git is missing")

READS = (
    "git status -s", "git diff", "git diff --stat", "git diff HEAD", "git describe --dirty --always", "git log -p -1",
    "git diff --submodule=diff", "git diff --submodule=log", "git log -p -1 --submodule=diff", "git -c diff.submodule=diff diff",
    "git diff --ignore-submodules=none", "git ls-files --recurse-submodules", "git diff --submodule=diff HEAD~1",
)  # fmt: skip
NAMES = (
    "core.fsmonitor",
    "filter.f.clean",
    "filter.f.process",
    "diff.external",
    "diff.f.textconv",
    "diff.f.command",
    "gpg.program",
)


@pytest.fixture(params=ALL)
def room(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AttackRoom:
    return AttackRoom(tmp_path, monkeypatch, request.param)


def poison(room: AttackRoom, folder: Path) -> None:
    """Have everything that git may run in `folder` be a program that tells of itself."""
    for name in NAMES:
        room.git("config", name, str(room.work / "evil"), folder=folder)
    (folder / ".gitattributes").write_text("* filter=f diff=f\n")
    (folder / "file").write_text("changed\n")


def inside(room: AttackRoom, top: Path, name: str) -> Path:
    """Make a repository in another and add it as it stands; return where it lies."""
    folder = top / name
    folder.mkdir()
    room.git("init", "-q", folder=folder)
    (folder / "file").write_text("one\n")
    room.git("add", ".", folder=folder)
    room.git("commit", "-qm", "one", folder=folder)
    room.git("add", name, folder=top)
    room.git("commit", "-qm", "with", folder=top)
    return folder


def lay_out(room: AttackRoom) -> None:
    room.clear()
    evil = room.work / "evil"
    evil.write_text(f"#!/bin/sh\necho RA''N >&2\necho RA''N\ntouch {room.outside}/ran\n")
    evil.chmod(0o755)
    room.git("init", "-q")
    room.git("commit", "-q", "--allow-empty", "-m", "first")


def embedded(room: AttackRoom) -> None:
    poison(room, inside(room, room.work, "m"))


def deep(room: AttackRoom) -> None:
    middle = inside(room, room.work, "m")
    poison(room, inside(room, middle, "n"))
    room.git("commit", "-qam", "again")


def elsewhere(room: AttackRoom) -> None:
    folder = inside(room, room.work, "m")
    poison(room, folder)
    shutil.move(folder / ".git", room.work / "store")
    (folder / ".git").write_text("gitdir: ../store\n")


def version_4(room: AttackRoom) -> None:
    embedded(room)
    room.git("update-index", "--index-version", "4")


def split(room: AttackRoom) -> None:
    embedded(room)
    room.git("update-index", "--split-index")


def of_the_past(room: AttackRoom) -> None:
    embedded(room)
    room.git("rm", "-q", "--cached", "m")
    room.git("config", "diff.submodule", "diff")


MAKES = (embedded, deep, elsewhere, version_4, split, of_the_past)


@pytest.mark.parametrize("make", MAKES)
async def test_git_runs_nothing_of_what_it_enters(room: AttackRoom, make: Callable[[AttackRoom], None]) -> None:
    lay_out(room)
    make(room)
    ran = []
    at = (MAKES.index(make) + ALL.index(room.name)) % 2  # one half here, the other in another sandbox
    for command in READS[at::2]:
        said = await room.run(command)
        if "RAN" in said or list(room.outside.iterdir()):
            ran.append((command, said))
            (room.outside / "ran").unlink(missing_ok=True)
    assert ran == []


async def test_it_still_tells_what_changed_there(room: AttackRoom) -> None:
    lay_out(room)
    embedded(room)
    said = await room.run("git status -s")
    assert " m m" in said, said
    assert "-dirty" in await room.run("git diff")
