# ruff: noqa: E501 - commands stand whole
"""A repository whose own files lead git to another one, or to files elsewhere: no sandbox shows that, and no rule covers it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from attack_room import ALL, AttackRoom

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="not covered here: git is missing")

READING = (
    "git log -p", "git show HEAD:secret", "git diff HEAD", "git cat-file --batch --batch-all-objects", "git log -p other", "git show SHA", "git cat-file -p SHA",
    "git grep PINE HEAD", "git log --all -p", "cd sub && git log -p", "git -C sub show SHA", "git blame secret",
)  # fmt: skip
WRITING = (
    "git add pay", "git add -A", "git stash", "git branch new", "git tag t", "git commit -qam x", "git checkout -f HEAD -- .", "git reset -q --hard", "cd sub && git add ../pay",
    "git add pay; ls", "git -C . add pay", "ls && git restore .",
)  # fmt: skip
OTHERS = (
    "file", "relative file", "link", "relative link", "commondir", "objects", "pack", "alternates", "relative alternates", "linked alternates", "chain", "one folder",
)  # fmt: skip
LED_OUT = ("file", "link", "commondir", "objects", "refs", "heads", "pack", "worktree", "included worktree", "index")


@pytest.fixture(params=ALL)
def room(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AttackRoom:
    return AttackRoom(tmp_path, monkeypatch, request.param)


def lay_out(room: AttackRoom, way: str) -> str:
    """Have the workspace's repository lead to the one outside; return the commit of that."""
    room.clear()
    for folder in (room.work, room.outside):
        room.git("init", "-q", folder=folder)
        (folder / "pay").write_text("mine\n")
        (folder / "secret").write_text("the fruit is PINEAPPLE\n" if folder == room.outside else "none\n")
        room.git("add", "-A", folder=folder)
        room.git("commit", "-qm", "one", folder=folder)
    (room.work / "sub").mkdir()
    (room.work / "pay").write_text("changed\n")
    theirs, own = room.outside / ".git", room.work / ".git"
    sha = (theirs / "refs/heads/main").read_text().strip()
    if way == "pack":
        room.git("repack", "-adq", folder=room.outside)
    if "alternates" in way or way in ("chain", "objects", "pack", "one folder"):
        (own / "refs/heads/other").write_text(f"{sha}\n")
    lead(way, own, theirs)
    return sha


def lead(way: str, own: Path, theirs: Path) -> None:
    lenders = own / "objects/info/alternates"
    relative = Path("../outside/.git")
    if way in ("file", "link", "relative file", "relative link", "commondir"):
        shutil.rmtree(own)
        target = relative if way.startswith("relative") else theirs
        if way == "commondir":
            for name in ("refs", "objects"):
                (own / name).mkdir(parents=True)
            (own / "HEAD").write_text("ref: refs/heads/main\n")
            (own / "commondir").write_text(f"{theirs}\n")
        elif way.endswith("file"):
            own.write_text(f"gitdir: {target}\n")
        else:
            own.symlink_to(target)
    elif way in ("objects", "refs", "index"):
        path = own / way
        shutil.rmtree(path) if path.is_dir() else path.unlink()
        path.symlink_to(theirs / way)
    elif way in ("pack", "heads"):
        inside = "objects/pack" if way == "pack" else "refs/heads"
        shutil.rmtree(own / inside)
        (own / inside).symlink_to(theirs / inside)
    elif way == "one folder":
        for folder in (theirs / "objects").iterdir():
            if len(folder.name) == 2:
                shutil.rmtree(own / "objects" / folder.name, ignore_errors=True)
                (own / "objects" / folder.name).symlink_to(folder)
    elif "worktree" in way:
        text = f"[core]\n\tworktree = {theirs.parent}\n"
        (own / "more").write_text(text)
        with (own / "config").open("a") as file:
            file.write("[include]\n\tpath = more\n" if way.startswith("included") else text)
    elif way == "linked alternates":
        (own.parent / "lent").symlink_to(theirs / "objects")
        lenders.write_text(f"{own.parent}/lent\n")
    elif way == "chain":
        (own.parent / "store/info").mkdir(parents=True)
        (own.parent / "store/info/alternates").write_text(f"{theirs}/objects\n")
        lenders.write_text(f"{own.parent}/store\n")
    else:
        lenders.write_text(f"{'../../../outside/.git' if way.startswith('relative') else theirs}/objects\n")


def seen(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("way", OTHERS)
async def test_reading_shows_nothing_of_another_repository(room: AttackRoom, way: str) -> None:
    sha = lay_out(room, way)
    room.begin()
    at = (OTHERS.index(way) + ALL.index(room.name)) % 2  # one half here, the other in another sandbox
    said = {command: await room.run(command.replace("SHA", sha)) for command in READING[at::2]}
    assert [command for command, text in said.items() if "PINEAPPLE" in text] == []


@pytest.mark.parametrize("way", LED_OUT)
async def test_a_rule_for_git_is_about_the_project_alone(room: AttackRoom, way: str) -> None:
    changed = []
    for command in WRITING:
        room.renew(lambda room: lay_out(room, way))
        before = seen(room.outside)
        room.begin("Bash(git *)", "Bash(cd *)", mode="acceptEdits")
        said = await room.run(command)
        if seen(room.outside) != before or said != "asks":
            changed.append((command, said))
    assert changed == []


async def test_worktrees_and_submodules_are_the_projects_own(room: AttackRoom) -> None:
    lay_out(room, "chain")
    (room.work / ".git/objects/info/alternates").unlink()
    room.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(room.work), "part")
    room.git("worktree", "add", "-q", "--detach", str(room.folder / "tree"))
    for setting in ("user.name", "user.email"):
        room.git("config", setting, "n")
    room.begin("Bash(git *)")
    for command in ("git add pay", "cd part && git add pay", "git tag t", "git stash -q"):
        assert await room.run(command) != "asks", command
    tree = room.work = room.folder / "tree"
    room.begin("Bash(git *)")
    (tree / "pay").write_text("three\n")
    for command in ("git add pay", "git commit -qm x", "git log -p", "git status"):
        assert await room.run(command) != "asks", command
    assert "PINEAPPLE" not in await room.run("git log -p")
    assert "three" in await room.run("git show")
