# ruff: noqa: E501 - commands stand whole, many on a line
"""A hard link is the file itself: what rules say of a file they say of it under all its names."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from attack_room import ALL, AttackRoom

from tui_agent.execution.single_use import run_one
from tui_agent.permissions import hard_links
from tui_agent.tools.resolved_path import ResolvedPath

DENYING = {"permissions": {"deny": ["Read(.env)", "Read(secrets/**)"]}}
READING = (
    "cat other", "cat < other", "grep -r . .", "grep -rh . sub", "head -5 sub/again", "cat sub/*", "find . -type f -print0 | xargs -0 cat",
    "cat kept", "tar -c . | cat", "echo \"$(<other)\"", "cd sub && cat again", "cat .git/objects/aa/bb", "diff other file.txt",
    "wc -l other && cat ./sub/../other", "cat link",
)  # fmt: skip


@pytest.fixture(params=ALL)
def room(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AttackRoom:
    room = AttackRoom(tmp_path, monkeypatch, request.param)
    for name in ("sub", "secrets/deep", ".git/objects/aa"):
        (room.work / name).mkdir(parents=True)
    (room.work / ".env").write_text("SECRET\n")
    (room.work / "secrets/deep/one").write_text("SECRET\n")
    (room.work / "file.txt").write_text("fine\n")
    for name in ("other", "sub/again", ".git/objects/aa/bb"):
        (room.work / name).hardlink_to(room.work / ".env")
    (room.work / "kept").hardlink_to(room.work / "secrets/deep/one")
    (room.work / "plain").write_text("fine\n")
    (room.work / "plain-again").hardlink_to(room.work / "plain")
    (room.work / "link").symlink_to("sub/again")
    return room


async def use(room: AttackRoom, tool: str, **input: object) -> str:
    outcome, _, _ = await run_one(room.runtime.execution_context, tool, input)
    return str(outcome.content)


async def test_commands_do_not_show_a_denied_file_by_another_name(room: AttackRoom) -> None:
    room.begin(settings=DENYING)
    shown = [command for command in READING if "SECRET" in await room.run(command)]
    assert shown == []
    assert "fine" in await room.run("cat plain plain-again file.txt")
    if room.name != "none":
        assert "fine" in await room.run("grep -r . .")


async def test_the_names_show_it_where_no_rule_denies_it(room: AttackRoom) -> None:
    assert "SECRET" in await room.run("cat kept")
    assert "SECRET" in await use(room, "Read", file_path=str(room.work / "kept"))


async def test_commands_with_rules_do_not_either(room: AttackRoom) -> None:
    room.begin("Bash(cat *)", "Bash(grep *)", "Bash(find *)", mode="acceptEdits", settings=DENYING)
    shown = [command for command in (*READING, "cp other new; cat new") if "SECRET" in await room.run(command)]
    assert shown == []


async def test_file_tools_do_not_show_it(room: AttackRoom) -> None:
    room.begin(settings=DENYING)
    for name in ("other", "sub/again", "kept", "link"):
        assert "SECRET" not in await use(room, "Read", file_path=str(room.work / name))
        assert "SECRET" not in await use(room, "Grep", pattern=".", path=str(room.work / name), output_mode="content")
    found = await use(room, "Grep", pattern=".", path=str(room.work), output_mode="content")
    assert "SECRET" not in found
    assert "fine" in found
    assert "fine" in await use(room, "Read", file_path=str(room.work / "plain-again"))


async def test_rules_that_ask_and_secrets_ask_for_it(room: AttackRoom) -> None:
    room.begin(settings={"permissions": {"ask": ["Read(secrets/**)"]}})
    assert [await room.run(f"cat {name}") for name in ("kept", "other", "link")] == ["asks"] * 3
    assert "SECRET" not in await use(room, "Read", file_path=str(room.work / "kept"))
    assert "SECRET" not in await use(room, "Read", file_path=str(room.work / "other"))
    assert "fine" in await room.run("cat plain-again")


async def test_too_much_to_look_through_asks(room: AttackRoom, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui_agent.permissions.matching_files._MOST_FOLDERS", 2)
    room.begin(settings=DENYING)
    assert "SECRET" not in await room.run("cat other")
    assert "SECRET" not in await use(room, "Read", file_path=str(room.work / "other"))
    assert "SECRET" not in await use(room, "Grep", pattern=".", path=str(room.work), output_mode="content")


async def test_a_name_given_between_judgement_and_opening_is_refused(
    room: AttackRoom, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name belongs to a harmless file while it is judged."""
    room.begin(settings=DENYING)
    plain_open = ResolvedPath.open
    swapped: list[str] = []

    def opened(self: ResolvedPath, flags: int) -> int:
        if self.path.endswith("file.txt") and not swapped:
            swapped.append(self.path)
            os.replace(room.work / "other", room.work / "file.txt")  # noqa: PTH105
        return plain_open(self, flags)

    monkeypatch.setattr(ResolvedPath, "open", opened)
    said = await use(room, "Read", file_path=str(room.work / "file.txt"))
    assert swapped
    assert "SECRET" not in said
    assert "other names" in said


async def test_accepted_edits_change_no_file_outside(room: AttackRoom) -> None:
    room.begin(mode="acceptEdits")
    outside = room.outside / "kept"
    for command in ("cp file.txt shared", "cp file.txt new && cp new shared", "echo x > shared", "echo x >> shared", "cp -r sub/. .", "cp plain sub", "touch -d 2001-01-01 shared", "ls > shared"):  # fmt: skip
        outside.write_text("mine\n")
        for name in ("shared", "sub/plain"):
            (room.work / name).unlink(missing_ok=True)
            (room.work / name).hardlink_to(outside)
        before = outside.stat().st_mtime_ns
        said = await room.run(command)
        assert (outside.read_text(), outside.stat().st_mtime_ns) == ("mine\n", before), command
        assert said == "asks", command
    for command in ("sed -i s/mine/yours/ shared", "mv file.txt shared", "rm sub/plain"):
        is_held = room.name != "none" or command.startswith("sed")  # which is shown as a change, and made without sed
        assert (await room.run(command) != "asks") == is_held, command
        assert outside.read_text() == "mine\n", command


async def test_the_sandbox_of_commands_asks_where_a_name_is_shared(room: AttackRoom) -> None:
    if room.name != "bubblewrap":
        pytest.skip("there is none that lets commands through")
    room.begin(settings={"sandbox": {"enabled": True}})
    (room.outside / "kept").write_text("mine\n")
    (room.work / "shared").hardlink_to(room.outside / "kept")
    for command in ("echo x > shared", "cp file.txt shared", "printf x | tee shared"):
        assert await room.run(command) == "asks", command
        assert (room.outside / "kept").read_text() == "mine\n"
    assert await room.run("echo x > new") != "asks"


async def test_nothing_is_looked_for_where_no_file_has_several_names(
    room: AttackRoom, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("other", "sub/again", ".git/objects/aa/bb", "kept", "plain-again", "link"):
        (room.work / name).unlink()
    looked: list[object] = []
    monkeypatch.setattr(hard_links._SameFiles, "matches", lambda *args: looked.append(args) or False)  # type: ignore[func-returns-value]
    monkeypatch.setattr(hard_links.RuledHardLinks, "_scan", lambda *args: looked.append(args))
    room.begin(settings=DENYING)
    await room.run("cat file.txt")
    await use(room, "Read", file_path=str(room.work / "file.txt"))
    assert looked == []
