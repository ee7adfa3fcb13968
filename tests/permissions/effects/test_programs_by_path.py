# ruff: noqa: E501 - commands stand whole, many on a line
"""A rule for a program that is named by its path is about one file, as it was when the command was judged."""

from __future__ import annotations

from pathlib import Path

import pytest
from attack_room import ALL, AttackRoom

REPLACING = (
    "cp evil.sh build.sh && ./build.sh", "cat evil.sh > build.sh; ./build.sh", "echo './evil.sh' >> build.sh; ./build.sh",
    "mv evil.sh build.sh; ./build.sh now", "cp evil.sh build.sh; bash build.sh", "sed -i 's/fine/x; .\\/evil.sh/' build.sh; ./build.sh",
    "for i in 1 2; do ./build.sh; cp evil.sh build.sh; done", "cp other/build.sh . ; ./build.sh", "cp evil.sh build.sh; timeout 9 ./build.sh",
    "rm build.sh; mv evil.sh build.sh; ./build.sh",
)  # fmt: skip
NAMESAKES = (
    "cd other && ./build.sh",
    "cd other; ./build.sh",
    "(cd other && timeout 9 ./build.sh)",
    "cd other && ../other/build.sh",
)
DAILY = (
    "./build.sh", "./build.sh > log; cat log", "touch new; ./build.sh", "cp build.sh copy.sh; ./build.sh", "cd android && ./gradlew build",
    "mkdir -p out && ./build.sh out", "./build.sh; cp evil.sh spare.sh", "cd other && ../build.sh",
)  # fmt: skip


@pytest.fixture(params=ALL)
def room(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AttackRoom:
    room = AttackRoom(tmp_path, monkeypatch, request.param)
    room.renew(lay_out)
    return room


def lay_out(room: AttackRoom) -> None:
    room.clear()
    evil = f"#!/bin/sh\ntouch ran {room.outside}/ran {room.work}/ran\n"
    for name, text in {
        "build.sh": "#!/bin/sh\necho fine\n",
        "evil.sh": evil,
        "other/build.sh": evil,
        "android/gradlew": "#!/bin/sh\necho fine\n",
    }.items():
        (room.work / name).parent.mkdir(exist_ok=True)
        (room.work / name).write_text(text)
        (room.work / name).chmod(0o755)


def has_run(room: AttackRoom) -> bool:
    return any((folder / "ran").exists() for folder in (room.work, room.outside, room.work / "other"))


async def test_what_another_part_has_written_is_not_run(room: AttackRoom) -> None:
    room.begin("Bash(./build.sh)", "Bash(./build.sh *)", "Bash(bash build.sh)", mode="acceptEdits")
    ran = []
    for command in REPLACING:
        room.renew(lay_out)
        await room.run(command)
        ran += [command] if has_run(room) else []
    assert ran == []


async def test_its_namesake_elsewhere_is_not_run(room: AttackRoom) -> None:
    room.begin("Bash(./build.sh)", "Bash(../other/build.sh)", "Bash(cd *)")
    ran = [command for command in NAMESAKES if await room.run(command) != "asks" or has_run(room)]
    assert ran == ["cd other && ../other/build.sh"]  # which the rule names
    room.clear()
    lay_out(room)
    assert await room.run("cd other") != "asks"
    assert await room.run("./build.sh", stays=True) == "asks"
    assert not has_run(room)


async def test_daily_work_does_not_ask(room: AttackRoom) -> None:
    allowed = ("Bash(./build.sh)", "Bash(./build.sh *)", "Bash(../build.sh)", "Bash(./gradlew *)", "Bash(touch *)", "Bash(mkdir *)", "Bash(cp *)", "Edit(log)")  # fmt: skip
    room.begin(*allowed, mode="acceptEdits")
    assert [command for command in DAILY if await room.run(command) == "asks"] == []
