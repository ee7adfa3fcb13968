# ruff: noqa: E501 - commands stand whole, many on a line
"""Paths that mean something else to each process go around no rule that denies."""

from __future__ import annotations

from pathlib import Path

import pytest
from attack_room import ALL, AttackRoom

DENIED = "denywordbasilgrove"
READS = (
    "cat /proc/self/cwd/.env", "cat /proc/thread-self/cwd/.env", "cat //proc/self/cwd/.env", "cat /proc/./self/cwd/.env",
    "cat /dev/../proc/self/cwd/.env", "cat sub/../../work/.env", "cd sub && cat /proc/self/cwd/../.env", "cat /proc/self/root$PWD/.env",
    "cat /proc/$$/cwd/.env", "cat /proc/self/task/*/cwd/.env", "cat /[p]roc/self/cwd/.env", "cat /proc/self/cw[d]/.env",
    "cat /proc/se*/cwd/.env", "cat {/proc/self,x}/cwd/.env", "cd /proc/self/cwd && cat .env", "cd sub && cat p/../.env",
    "cd sub && cat p/../secrets/key", "cd secrets && cat ../p/key", "cd secrets && cat ../[p]/key", "cat /dev/fd/3/.env 3<.",
    "cat /proc/self/fd/3/.env 3<.", "grep -r . /dev/fd/3 3<secrets", "grep -r . /dev/stdin < secrets", "cat f/3/.env 3<.",
    "cat /proc/self/cwd/secrets/key", "cat /proc/self/cwd/../work/secrets/key", "head -c99 /proc/self/cwd/.env",
    "cat < /proc/self/cwd/.env", "cat /d[e]v/f?/3/.env 3<.", "cat [p]/secrets/key", "cd secrets && cat ../[p]/../.env", "cat /*/self/cwd/.env", "dd if=/proc/self/cwd/.env", "cat /proc/self/map_files/../cwd/.env", "cat /proc/1/root$PWD/.env",
    "tac /proc/self/cwd/../outside/key", "cat /proc/self/cwd/../*/key", "cat /proc/self/root/$PWD/../outside/key",
)  # fmt: skip
WRITES = (
    "tee /proc/self/cwd/keep/a < pay", "cp pay /proc/self/cwd/keep/a", "cp pay /proc/self/root$PWD/keep/a", "cd keep && tee ../p/a < ../pay",
    "cd keep; cp ../pay /proc/self/cwd/a", "cp -t /proc/self/cwd/keep pay", "tee /dev/fd/3/a < pay 3<keep",
)  # fmt: skip
HARMLESS = (
    "cat /proc/cpuinfo", "cat a.txt 2> /dev/null", "echo x > /dev/stderr", "cat /dev/stdin < a.txt", "cat a.txt 2>&1 | cat /dev/fd/0",
    "diff <(cat a.txt) a.txt", "cat link/a.txt", "cat ./a.txt ../work/a.txt", "cat *.txt",
)  # fmt: skip


@pytest.fixture(params=ALL)
def room(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AttackRoom:
    room = AttackRoom(tmp_path, monkeypatch, request.param)
    for name in (".env", "secrets/key", "sub/.env"):
        (room.work / name).parent.mkdir(exist_ok=True)
        (room.work / name).write_text(f"{DENIED}\n")
    (room.outside / "key").write_text(f"{DENIED}\n")
    (room.work / "keep").mkdir()
    (room.work / "link").symlink_to(".")
    (room.work / "p").symlink_to("/proc/self/cwd")
    (room.work / "sub/p").symlink_to("/proc/self/cwd")
    (room.work / "f").symlink_to("/dev/fd")
    (room.work / "a.txt").write_text("plain\n")
    (room.work / "pay").write_text("evil\n")
    return room


async def test_reading(room: AttackRoom) -> None:
    deny = ["Read(.env)", "Read(secrets/**)", f"Read(/{room.outside}/**)"]
    programs = ("cat", "head", "tac", "dd", "grep", "cd")
    room.begin(*(f"Bash({name} *)" for name in programs), settings={"permissions": {"deny": deny}})
    said = {command: await room.run(command) for command in READS}
    assert [command for command, text in said.items() if DENIED in text] == []
    refused = {command: text for command in HARMLESS if (text := await room.run(command)) == "asks"}
    assert refused == {}


async def test_writing(room: AttackRoom) -> None:
    for mode in ("default", "acceptEdits"):
        room.begin(
            "Bash(tee *)", "Bash(cp *)", "Bash(cd *)", mode=mode, settings={"permissions": {"deny": ["Edit(keep/**)"]}}
        )  # type: ignore[arg-type]
        for command in WRITES:
            await room.run(command)
            assert list((room.work / "keep").iterdir()) == [], command
