# ruff: noqa: E501 - commands stand whole
"""Where there is no sandbox, and reading is let through all the same, git runs nothing of the repository's and stays in it."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from attack_room import AttackRoom

from tui_agent.git_redirects import is_led_out

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="not covered here: git is missing")

COMMANDS = (
    "git status -s", "git diff", "git log -p", "git show HEAD:secret", "git blame file", "git ls-files -m", "git grep -n fruit",
    "git log -1", "git config -l", "git shortlog -s HEAD", "git check-ignore -v file", "git check-attr -a file", "git describe --dirty --always",
    "git log -1 && git status -s", "git status -s; git diff | cat", "git show HEAD:file", "git cat-file -p HEAD:file", "git log -p --all",
)  # fmt: skip
# Reading commands beside one that a rule allows: `touch`, and the shell's own `export`.
MIXED = (
    "touch new; git status -s", "touch new && git diff", "git diff; touch new", "touch new; git log -p | cat", "git show HEAD | cat; touch new",
    "touch new; time git status -s", "touch new; command git diff", "touch new; (git status -s; git diff)", "if touch new; then git diff; fi",
    "touch new; for n in 1 2; do git status -s; done", "touch new | git diff", "touch new; git blame file; git grep -n two", "touch new; x=$(git diff); echo \"$x\"",
    "touch new; find . -name file -exec git diff -- {} +", "touch new; git ls-files | xargs git diff --", "touch new; env git diff", "touch new; timeout 9 git diff",
    "touch new; bash -c 'git diff'", "export GIT_EXTERNAL_DIFF=./evil; git diff", "export GIT_CONFIG_COUNT=0; git diff", "export GIT_PAGER=./evil; touch new; git -p diff",
    "touch new; GIT_EXTERNAL_DIFF=./evil git diff", "touch new; git config -l; git diff", "unset GIT_CONFIG_COUNT; git diff", "touch new; cat file; git diff HEAD",
)  # fmt: skip
# What a repository's configuration may say; `X` is a program of its own, `O` a folder outside.
SETTINGS = (
    "core.fsmonitor=X", "filter.f.clean=X", "filter.f.process=X", "diff.external=X", "diff.f.textconv=X", "core.pager=X", "pager.log=X",
    "gpg.program=X", "log.showSignature=true", "core.hooksPath=O",
)  # fmt: skip
READING = (
    "include.path=O/settings",
    "core.excludesFile=O/ignored",
    "core.attributesFile=O/attributes",
    "mailmap.file=O/mailmap",
)
LEADING = ("core.worktree=O", "blame.ignoreRevsFile=O/secret")
FETCHING = (
    "extensions.partialClone=o",
    "remote.o.url=O",
    "remote.o.promisor=true",
    "remote.o.uploadpack=X",
    "core.repositoryFormatVersion=1",
)


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AttackRoom:
    return AttackRoom(tmp_path, monkeypatch, "none")


def lay_out(room: AttackRoom, *settings: str) -> None:
    room.clear()
    evil = room.work / "evil"
    evil.write_text(f"#!/bin/sh\necho RA''N >&2\necho RA''N\ntouch {room.outside}/ran\n")
    evil.chmod(0o755)
    room.git("init", "-q")
    (room.work / "file").write_text("one\n")
    room.git("add", ".")
    room.git("commit", "-qm", "one")
    (room.work / ".gitattributes").write_text("* filter=f diff=f\n")
    (room.work / "file").write_text("two\n")
    (room.outside / "secret").write_text("the fruit is PINEAPPLE\n")
    (room.outside / "settings").write_text("[a]\n\tb = PINEAPPLE\n")
    (room.outside / "ignored").write_text("file*\n# PINEAPPLE\nf*E\n")
    (room.outside / "attributes").write_text("* fruit=PINEAPPLE\n")
    (room.outside / "mailmap").write_text("PINEAPPLE <z@z> <e@x>\n")
    for setting in settings:
        name, _, value = setting.partition("=")
        room.git("config", name, value.replace("X", str(evil)).replace("O", str(room.outside)))


async def tried(room: AttackRoom, commands: tuple[str, ...] = COMMANDS) -> list[tuple[str, str]]:
    """Run all commands; return those that ran something, changed something or told of what lies outside."""
    before = sorted(room.outside.iterdir())
    config = (room.work / ".git/config").read_bytes() if (room.work / ".git/config").exists() else b""
    found = []
    for command in commands:
        said = await room.run(command)
        now = (room.work / ".git/config").read_bytes() if (room.work / ".git/config").exists() else b""
        if "RAN" in said or "PINEAPPLE" in said or sorted(room.outside.iterdir()) != before or now != config:
            found.append((command, said))
    return found


@pytest.mark.parametrize("settings", [SETTINGS, READING], ids=lambda names: names[0])
async def test_so_they_do_beside_what_a_rule_allows(room: AttackRoom, settings: tuple[str, ...]) -> None:
    lay_out(room, *settings)
    room.begin("Bash(touch *)", "Bash(export *)", "Bash(unset *)")
    found = await tried(room, MIXED)
    assert found == []


async def test_the_attack_works_where_a_rule_covers_git(room: AttackRoom) -> None:
    lay_out(room, *SETTINGS)
    room.begin("Bash(touch *)", "Bash(git *)")
    assert "RAN" in await room.run("git add file; git commit -qm two")


@pytest.mark.parametrize("settings", [SETTINGS, READING, *((one,) for one in LEADING)], ids=lambda names: names[0])
async def test_settings_run_nothing_and_lead_nowhere(room: AttackRoom, settings: tuple[str, ...]) -> None:
    lay_out(room, *settings)
    assert await tried(room) == []


async def test_what_is_missing_is_not_fetched(room: AttackRoom) -> None:
    lay_out(room, *FETCHING)
    blob = hashlib.sha1(b"blob 4\0one\n", usedforsecurity=False).hexdigest()
    (room.work / ".git/objects" / blob[:2] / blob[2:]).unlink()
    assert await tried(room) == []


@pytest.mark.parametrize("way", ["file", "commondir", "link"])
async def test_another_repository_is_not_read(room: AttackRoom, way: str) -> None:
    lay_out(room)
    room.git("init", "-q", folder=room.outside)
    room.git("add", "secret", folder=room.outside)
    room.git("commit", "-qm", "one", folder=room.outside)
    git = room.work / ".git"
    shutil.rmtree(git)
    if way == "file":
        git.write_text(f"gitdir: {room.outside}/.git\n")
    elif way == "link":
        git.symlink_to(room.outside / ".git")
    else:
        git.mkdir()
        (git / "HEAD").write_text("ref: refs/heads/main\n")
        (git / "commondir").write_text(f"{room.outside}/.git\n")
        for name in ("refs", "objects"):
            (git / name).mkdir()
    assert await tried(room) == []


BORROWING = (
    "alternates", "relative", "chain", "linked list", "comment before", "objects", "kind of objects", "pack", "one object", "list of packs",
    "behind an empty .git", "in a link inside",
)  # fmt: skip


@pytest.mark.parametrize("way", BORROWING)
async def test_objects_of_another_repository_are_not_shown(room: AttackRoom, way: str) -> None:
    lay_out(room)
    room.git("init", "-q", folder=room.outside)
    room.git("add", "secret", folder=room.outside)
    room.git("commit", "-qm", "PINEAPPLE", folder=room.outside)
    if way in ("pack", "list of packs"):
        room.git("repack", "-adq", folder=room.outside)
    theirs, own = room.outside / ".git/objects", room.work / ".git/objects"
    (room.work / ".git/HEAD").write_bytes((room.outside / ".git/refs/heads/main").read_bytes())
    borrow(room, way, theirs, own)
    assert borrows(room), "git itself follows it"
    at = BORROWING.index(way)  # each way with other commands, so that all ways together try them all
    assert await tried(room, COMMANDS[at % 3 :: 3]) == []
    room.begin("Bash(touch *)")
    assert await tried(room, MIXED[at % 4 :: 4]) == []
    if way == "behind an empty .git":
        room.runtime.workspace.cwd = room.work / "sub"
        for command in COMMANDS[1::2]:
            assert "PINEAPPLE" not in await room.run(command, stays=True), command


def borrow(room: AttackRoom, way: str, theirs: Path, own: Path) -> None:
    """Have the workspace's repository, whose objects are in `own`, read another's."""
    lenders = own / "info/alternates"
    lists = {
        "relative": "../../../outside/.git/objects\n",
        "comment before": f"# none\n\n{theirs}\n",
        "chain": f"{room.work}/store\n",
    }
    if way == "objects":
        shutil.rmtree(own)
        own.symlink_to(theirs)
    elif way == "pack":
        shutil.rmtree(own / "pack")
        (own / "pack").symlink_to(theirs / "pack")
    elif way == "list of packs":
        for file in (theirs / "pack").iterdir():
            (own / "pack" / file.name).symlink_to(file)
    elif way in ("kind of objects", "one object", "in a link inside"):
        borrow_single(room, way, theirs, own)
    elif way == "linked list":
        (room.outside / "list").write_text(f"{theirs}\n")
        lenders.symlink_to(room.outside / "list")
    else:
        lenders.write_text(lists.get(way, f"{theirs}\n"))
    if way == "chain":
        (room.work / "store/info").mkdir(parents=True)
        (room.work / "store/info/alternates").write_text(f"{theirs}\n")
    if way == "behind an empty .git":
        (room.work / "sub/.git").mkdir(parents=True)


def borrow_single(room: AttackRoom, way: str, theirs: Path, own: Path) -> None:
    for folder in (one for one in theirs.iterdir() if len(one.name) == 2):
        mine = own / folder.name
        shutil.rmtree(mine, ignore_errors=True)
        if way == "kind of objects":
            mine.symlink_to(folder)
            continue
        inside = room.work / "inside" / folder.name if way == "in a link inside" else mine
        inside.mkdir(parents=True)
        for file in folder.iterdir():
            (inside / file.name).symlink_to(file)
        if inside != mine:
            mine.symlink_to(inside)


def borrows(room: AttackRoom) -> bool:
    said = subprocess.run(["git", "log", "-1", "-p"], cwd=room.work, capture_output=True, check=False).stdout
    return b"the fruit is PINEAPPLE" in said


async def test_a_submodule_borrows_nothing(room: AttackRoom) -> None:
    lay_out(room)
    room.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(room.work), "part")
    assert not is_led_out(str(room.work), dict(os.environ))
    (room.work / ".git/modules/part/objects/info/alternates").write_text(f"{room.outside}\n")
    assert is_led_out(str(room.work), dict(os.environ))
    shutil.rmtree(room.work / ".git/modules/part")
    room.git("init", "-q", folder=room.outside)
    (room.work / "part/.git").write_text(f"gitdir: {room.outside}/.git\n")
    assert is_led_out(str(room.work), dict(os.environ))


async def test_it_still_works(room: AttackRoom) -> None:
    lay_out(room)
    assert " M file" in await room.run("git status -s")
    room.begin("Bash(touch *)")
    assert " M file" in await room.run("touch new; git status -s")
    assert "+two" in await room.run("touch new; git diff | cat")
    assert "one" in await room.run("touch new && git log -1 --format=%s")


def test_worktrees_and_submodules_lead_nowhere_else(room: AttackRoom) -> None:
    lay_out(room)
    room.git("worktree", "add", "-q", "--detach", str(room.folder / "other"))
    room.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(room.work), "part")
    for folder in (room.work, room.folder / "other", room.work / "part", room.outside):
        assert not is_led_out(str(folder), dict(os.environ))
    (room.outside / ".git").write_text(f"gitdir: {room.work}/.git\n")
    assert is_led_out(str(room.outside), dict(os.environ))
