"""Names that are links: of files that git is told to read, and of places that rules deny."""

from __future__ import annotations

from pathlib import Path

import pytest
from attack_room import ALL, AttackRoom

OUTSIDE, DENIED = "kumquat-outside", "kumquat-denied"


@pytest.fixture(params=ALL)
def room(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AttackRoom:
    room = AttackRoom(tmp_path, monkeypatch, request.param)
    (room.outside / "secret.txt").write_text(f"{OUTSIDE}\n")
    (room.work / "link_file").symlink_to("../outside/secret.txt")
    (room.work / "x/sub").mkdir(parents=True)
    (room.work / "x/plain.txt").write_text(f"{DENIED}\n")
    (room.work / "x/sub/deep.txt").write_text(f"{DENIED}\n")
    (room.work / "open.txt").write_text("open\n")
    (room.work / "z").symlink_to("x")
    (room.work / "all").symlink_to(".")
    room.git("init")
    room.git("add", "open.txt")
    room.git("commit", "-qm", "one")
    return room


async def test_git_reads_no_file_outside_for_an_option(room: AttackRoom) -> None:
    room.begin("Bash(git add *)", "Bash(git commit *)", "Bash(git reset *)", "Bash(git tag *)")
    for command in (
        "git add --pathspec-from-file=link_file",
        "git add --pathspec-from-file link_file",
        "git add --pathspec-from=link_file",
        "git reset --pathspec-from-file=link_file",
        "git -C x add --pathspec-from-file=../link_file",
        "git commit -qF link_file --allow-empty; git log -1",
        "git commit --allow-empty --file=link_file; git log -1",
        "git commit --allow-empty -t link_file",
        "git tag -aF link_file t; git tag -n9",
    ):
        assert OUTSIDE not in await room.run(command), command
    (room.work / "message").write_text("a message of the work\n")
    named = "-c user.name=n -c user.email=e@x"
    room.begin("Bash(git *)")
    await room.run(f"git {named} commit -qF message --allow-empty")
    assert "a message of the work" in await room.run("git log -1")


@pytest.mark.parametrize(
    "rule", ["Read(z/**)", "Read(./z/**)", "Read(z/sub/**)", "Read(z)", "Read({y,z}/**)", "Edit(z/**)"]
)
async def test_what_a_denied_link_leads_to_is_denied(room: AttackRoom, rule: str) -> None:
    for allow in ((), ("Bash",), ("Bash(cat *)",)):
        room.begin(*allow, settings={"permissions": {"deny": [rule]}})
        name = "sub/deep.txt" if "sub" in rule else "plain.txt"
        if rule.startswith("Edit"):
            await room.run(f"rm x/{name}; cp open.txt x/{name}; echo changed > x/{name}")
            assert (room.work / "x" / name).read_text() == f"{DENIED}\n", allow
            continue
        for command in (
            f"cat x/{name}",
            f"cat z/{name}",
            f"head -1 x/{name}",
            "grep -r kumquat x",
            "find x -type f | xargs cat",
        ):
            said = await room.run(command)
            assert f"x/{name}:{DENIED}" not in said, (allow, command)
            if command.endswith(name):
                assert DENIED not in said, (allow, command)
        assert "open" in await room.run("cat open.txt")


async def test_a_link_to_the_work_itself_denies_nothing_more(room: AttackRoom) -> None:
    room.begin(settings={"permissions": {"deny": ["Read(all/**)"]}})
    assert await room.run("cat open.txt") != "asks"


async def test_a_link_that_comes_later_counts(room: AttackRoom) -> None:
    room.begin(settings={"permissions": {"deny": ["Read(later/**)"]}})
    assert DENIED in await room.run("cat x/plain.txt")
    (room.work / "later").symlink_to("x")
    assert DENIED not in await room.run("cat x/plain.txt")
