# ruff: noqa: E501 - commands stand whole, many on a line
"""Where edits are accepted, `mkdir`, `mv`, `cp` and their like change the working folders, whatever the text says.

A link that is moved first and written through then leads out of the workspace, where only the sandbox sees it. Where none holds
both the border and what is protected inside, such texts ask.
"""

from __future__ import annotations

import shutil
import stat
from pathlib import Path

import pytest
from attack_room import ALL, AttackRoom

from tui_agent.changes import FileChange
from tui_agent.permissions.verdict import ToolCall, Verdict

LINKS = (
    "mv linkdir d; cp x d/sub/y", "mv linkdir d && cp x d/y", "mv linkdir d; touch d/y", "mv linkdir d; mkdir d/new", "mv linkdir d; rm d/old",
    "mv linkdir d; mv x d/", "cp -P linkdir d; cp x d/y", "cp -a linkdir d; touch d/y", "cp -r holder d; touch d/in/y", "mv linkdir d; echo x > d/y",
    "mv holder d; sed -i s/o/p/ d/in/old", "rmdir empty; mv linkdir empty; cp x empty/y", "mv linkfile f; echo x > f", "mv linkfile f; cp x f",
    "mkdir a && mv linkdir a/b && touch a/b/y", "mv linkdir d; rm -rf d/sub", "mv linkdir d; cp -r holder/plain d/sub", "mv linkdir d; ls > d/y",
    "mv linkdir d; for f in 1 2; do touch d/$f; done", "(mv linkdir d; touch d/y)", "mv linkdir d\ntouch d/y", "mv linkdir d | touch d/y",
    "mv linkdir d; cd d && touch y", "mv linkdir d; cd d/sub; touch y; cd ..; rm old", "mv linkfile f; sed -i s/o/p/ f", "mv linkdir d; mv d/old here",
    "mv holder d; cp x d/in/sub/y; touch d/in/z", "cp -d linkfile f; cat x >> f", "mv linkfile f; touch f", "mv linkdir d; cp /dev/null d/old",
)  # fmt: skip
PROTECTED = (
    "mv gitlink d; cp x d/hooks/pre-commit", "mv gitlink d; echo x > d/config", "mv gitlink d; cp x d/config", "mv gitlink d; mkdir d/hooks/a",
    "cp -P gitlink d; cp x d/config", "mv gitlink d; rm d/config", "cp -r evil/. .", "cp x .git/config", "mv .git g; cp x g/config; mv g .git",
    "mv gitlink d; sed -i s/a/b/ d/config", "mkdir .claude; cp x .claude/settings.json", "cp -r evil/.claude .", "mv evil/.claude .claude", "cd evil && cp --parents .git/config ..", "cd evil; cp --parents .claude/settings.json ..",
    "cp --parents evil/.git/config ..", "cd evil && cp --parents -r .git ..", "cd evil && cp --parents .g*/config ..",
)  # fmt: skip
READING = (
    "mv linkdir d; cat d/old", "mv linkdir d; cp d/old here", "mv linkfile f; cat f", "mv linkfile f; cat f > here", "mv homelink d; cp d/key here",
    "mv homelink d; cat d/key", "mv linkdir d; cp -r d/. sub", "mv linkdir d; cp -rL holder/in sub", "mv holder d; cat d/in/old", "mv homelink d; cd d && cat key",
    "mv linkdir d; grep -r SECRET d/", "mv linkdir d; sort < d/old > here", "mv linkfile f; mv f sub; cp -L sub/f g",
)  # fmt: skip
BY_RULE = (
    "mv linkdir d; git add x; cp x d/y", "git add x; mv linkdir d; touch d/y", "mv linkdir d; git add x > d/y", "mv linkdir d; git add x < d/old",
    "mv linkfile f; git add x > f", "mv linkdir d; git add x; echo x > d/y", "mv linkdir d | git add x > d/y", "for i in 1 2; do git add x > d/y; mv linkdir d; done",
)  # fmt: skip
ONE_STEP = (
    "mkdir -p a/b", "touch new", "mv x y", "cp x sub/", "rm x", "echo hi > new", "cp -p x y", "cp -a sub other", "rm -rf sub", "mv sub other",
    "touch -d yesterday x", "cat x > y", "sort x > y", "mkdir 'a b'", "cp x ./sub/y", "cd sub && touch y", "rmdir empty", "touch a b c", "cp -r holder/. sub", "echo a > one; cat one x > two; wc -l two",
)  # fmt: skip
STEPS = (
    "mkdir a && touch a/b && ls a", "mkdir -p src/x && cp x src/x/ && mv src/x src/y && cat src/y/x", "touch a b; rm a; ls -la", "cp -r holder/plain evil; rm -r evil; ls",
    "for n in 1 2 3; do mkdir -p dir$n; cp x dir$n/; done", "cat x > one; cp one two; wc -l two", "mv x y && git status", "mkdir a; cd a; touch b",
)  # fmt: skip


@pytest.fixture(params=ALL)
def room(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AttackRoom:
    return AttackRoom(tmp_path, monkeypatch, request.param)


def lay_out(room: AttackRoom) -> None:
    """Make both folders anew: links that lead out, a repository, and one file outside."""
    room.clear()
    work, outside = room.work, room.outside
    room.git("init", "-q")
    (work / "x").write_text("x\n")
    for name in ("sub", "empty", "holder/plain", "evil/.claude", "evil/.git"):
        (work / name).mkdir(parents=True)
    (work / "evil/.claude/settings.json").write_text("{}")
    (work / "evil/.git/config").write_text("[core]\n\tfsmonitor = evil\n")
    (outside / "sub").mkdir()
    (outside / "old").write_text("old\n")
    (work / "linkdir").symlink_to(outside)
    (work / "linkfile").symlink_to(outside / "old")
    (work / "holder/in").symlink_to(outside)
    (work / "gitlink").symlink_to(".git")
    room.runtime.workspace.cwd = work


def seen(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """Return all that is in a folder, with modes, times and contents."""
    found = {}
    for path in sorted(folder.rglob("*")):
        about = path.lstat()
        content = path.read_bytes() if stat.S_ISREG(about.st_mode) else b""
        found[str(path.relative_to(folder))] = (about.st_mode, about.st_mtime_ns, content)
    return found


async def tried(room: AttackRoom, command: str) -> tuple[str, bool]:
    """Run a command in a new layout; return what came of it, and whether it left everything else alone."""
    room.renew(lay_out)
    git, outside = seen(room.work / ".git"), seen(room.outside)
    said = await room.run(command)
    is_whole = (room.work / ".git/config").exists() and seen(room.work / ".git") == git
    is_kept = seen(room.outside) == outside and not (room.work / ".claude/settings.json").exists()
    return said, is_whole and is_kept


@pytest.mark.parametrize("attacks", [LINKS, PROTECTED], ids=["links", "protected"])
async def test_accepted_edits_stay_in_the_workspace(room: AttackRoom, attacks: tuple[str, ...]) -> None:
    room.begin(mode="acceptEdits")
    results = {command: await tried(room, command) for command in attacks}
    assert [command for command, (_, is_kept) in results.items() if not is_kept] == []
    if room.name != "bubblewrap":  # which alone holds both the border and what is protected inside
        assert [command for command, (said, _) in results.items() if said != "asks"] == []


async def test_what_lies_outside_is_not_copied_in(room: AttackRoom) -> None:
    """A link that is moved first would be read through as well."""
    room.begin(mode="acceptEdits")
    (Path.home() / "key").write_text("SECRET\n")
    for command in READING:
        lay_out(room)
        (room.outside / "old").write_text("SECRET\n")
        (room.work / "homelink").symlink_to(Path.home())
        said = await room.run(command)
        assert "SECRET" not in said, command
        copies = [path for path in room.work.rglob("*") if path.is_file() and not path.is_symlink()]
        assert not any(b"SECRET" in path.read_bytes() for path in copies), command


async def test_so_they_do_beside_what_a_rule_allows(room: AttackRoom) -> None:
    room.begin("Bash(git add *)", mode="acceptEdits")
    left = []
    for command in BY_RULE:
        room.renew(lay_out)
        outside = seen(room.outside)
        await room.run(command)
        if seen(room.outside) != outside:
            left.append(command)
    assert left == []


async def test_the_attack_works_where_nothing_stops_it(room: AttackRoom) -> None:
    room.begin("Bash", "Edit")
    assert not (await tried(room, LINKS[0]))[1]


async def test_a_rule_that_forbids_a_file_holds_behind_a_link_too(room: AttackRoom) -> None:
    room.begin(mode="acceptEdits", settings={"permissions": {"deny": ["Edit(**/*.lock)"]}})
    for command in (
        "mv holder d; touch d/plain/a.lock; cp x d/plain/a.lock",
        "mv holderlink d; cp x d/plain/a.lock",
        "cp x holder/plain/a.lock",
    ):
        lay_out(room)
        lock = room.work / "holder/plain/a.lock"
        lock.write_text("kept\n")
        (room.work / "holderlink").symlink_to("holder")
        await room.run(command)
        kept = [path.read_text() for path in room.work.rglob("a.lock")]
        assert set(kept) == {"kept\n"}, command


async def test_one_step_in_plain_words_does_not_ask_where_a_sandbox_holds_it(room: AttackRoom) -> None:
    room.begin(mode="acceptEdits")
    results = {command: await tried(room, command) for command in ONE_STEP}
    wrong = {command: said for command, (said, _) in results.items() if (said == "asks") != (room.name == "none")}
    assert wrong == {}
    assert not any("error" in said for said, _ in results.values())
    assert all(is_kept for _, is_kept in results.values())


async def test_several_steps_do_not_ask_where_the_sandbox_holds_them(room: AttackRoom) -> None:
    room.begin(mode="acceptEdits")
    for command in STEPS:
        said, is_kept = await tried(room, command)
        assert (said != "asks") == (room.name == "bubblewrap"), command
        assert "error" not in said, (command, said)
        assert is_kept


async def test_an_edit_has_no_network_and_no_more_of_the_disk_than_the_mode_says(room: AttackRoom) -> None:
    """What the user's settings give to commands in the sandbox is not for what the mode alone lets through."""
    if room.name == "none":
        pytest.skip("there is no sandbox to set up")
    settings = {"sandbox": {"filesystem": {"disabled": True}, "network": {"enabled": True}}}
    room.begin(mode="acceptEdits", settings=settings)
    for command in LINKS:
        assert (await tried(room, command))[1], command


SWAPPED = ("cp x d/y", "sed -i s/old/new/ d/old", "sed -i s/o/n/ d/sub/../old", "cp -rL holder/in sub/all", "mv x d/y", "touch d/y", "mkdir d/new", "rm d/old", "echo x > d/y", "echo x >> d/old")  # fmt: skip


@pytest.mark.parametrize("command", SWAPPED)
async def test_a_folder_that_becomes_a_link_meanwhile_leads_nowhere(
    room: AttackRoom, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is a link from the moment at which the decision has been made."""
    lay_out(room)
    (room.work / "linkdir").unlink()
    shutil.rmtree(room.work / "holder")
    for name in ("d/sub", "holder/in/sub"):
        (room.work / name).mkdir(parents=True)
        (room.work / name).parent.joinpath("old").write_text("old\n")
    (room.outside / "old").write_text("old SECRET\n")
    room.begin(mode="acceptEdits")
    outside = seen(room.outside)
    broker = room.runtime.broker
    decide = broker.decide

    def swapping(call: ToolCall, proposals: tuple[FileChange, ...]) -> Verdict:
        verdict = decide(call, proposals)
        for name in ("d", "holder/in"):
            if not (room.work / name).is_symlink():
                (room.work / name).rename(room.work / "was" / name.replace("/", "-"))
                (room.work / name).symlink_to(room.outside)
        return verdict

    (room.work / "was").mkdir()
    monkeypatch.setattr(broker, "decide", swapping)
    said = await room.run(command)
    assert seen(room.outside) == outside
    assert "SECRET" not in said
    copies = [path for path in room.work.rglob("*") if path.is_file() and not path.is_symlink()]
    assert not any(b"SECRET" in path.read_bytes() for path in copies)
    if room.name == "none" and not command.startswith("sed"):
        assert said == "asks"


async def test_a_substitution_that_is_shown_is_not_made_by_sed(room: AttackRoom) -> None:
    """Without a sandbox a change that could not be worked out before asks: sed itself would make it."""
    room.begin(mode="acceptEdits")
    lay_out(room)
    assert "was changed as it was shown before" in await room.run("sed -i s/x/y/ x")
    assert (room.work / "x").read_text() == "y\n"
    for command in ("sed -i s/nothing/y/ x", "sed -i s/y/z/ x sub/../x", "sed -i '1d' x"):
        assert (await room.run(command) == "asks") == (room.name == "none"), command
