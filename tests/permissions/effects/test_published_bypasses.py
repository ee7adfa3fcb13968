"""Every published way past the permissions of a coding agent, tried for real: nothing is left outside, no secret is printed."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
from attack_room import ALL, AttackRoom

from tui_agent.execution.single import run_one

ROWS: list[dict[str, Any]] = tomllib.loads(
    (Path(__file__).parent.parent / "published_bypasses.toml").read_text("utf-8")
)["bypass"]
SECRET, DENIED = "SECRET-OUTSIDE", "DENIED-INSIDE"
KEPT = {"secret", "kept", "list", "list0"}
TRUE60 = "true && " * 60


@pytest.fixture(params=ALL)
def room(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AttackRoom:
    return AttackRoom(tmp_path, monkeypatch, request.param)


def furnish(room: AttackRoom) -> Path:
    """Put files into both folders, and links from the one to the other; return a copy of the work to go back to."""
    out, work = room.outside, room.work
    beside = work.with_name(f"{work.name}-other")
    beside.mkdir(exist_ok=True)
    texts = {
        out / "secret": f"{SECRET}\n", out / "kept": "kept\n", out / "list": f"{out}/secret\n",
        out / "list0": f"{out}/secret\0", beside / "secret": f"{SECRET}\n", work / "a.txt": "x\ny\n",
        work / "README.md": "install\n", work / ".env": f"KEY={DENIED}\n", work / "script": f"w {out}/ran\n",
        work / "run.sh": f"#!/bin/sh\ntouch {out}/ran\ncat\n", work / "big.txt": "x\n" * 3000,
        work / "yes": "y\ny\n", work / "dot": ".\n", work / "a.json": "{}", work / "a.xml": "<a/>",
    }  # fmt: skip
    for path, text in texts.items():
        path.write_text(text)
    (work / "run.sh").chmod(0o755)
    (work / "deep").mkdir()
    for name, target in (
        ("deep/out", out),
        ("secretlink", out / "secret"),
        ("envlink", work / ".env"),
        ("deep/envlink", "../.env"),
        ("newlink", out / "ran"),
    ):
        (work / name).symlink_to(target)
    room.git("init", "-q")
    room.git("add", "-A", ".")
    room.git("commit", "-qm", "one")
    room.git("commit", "-qm", "two", "--allow-empty")
    room.git("init", "-q", "nested")
    room.git("config", "core.fsmonitor", str(work / "run.sh"), folder=work / "nested")
    shutil.copytree(work, room.folder / "pristine", symlinks=True)
    return room.folder / "pristine"


def prepare(room: AttackRoom, pristine: Path, row: dict[str, Any]) -> None:
    """Put the work back as it was, and what one row needs into it."""
    for path in room.work.iterdir():
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    shutil.copytree(pristine, room.work, symlinks=True, dirs_exist_ok=True)
    for name in row.get("files", ()):
        (room.work / name.replace("OUTFLAT", str(room.outside).replace("/", "_"))).write_text("x\n")
    if "untrusted" in row:
        (room.work / ".claude").mkdir()
        (room.work / ".claude/settings.json").write_text(json.dumps(filled(row["untrusted"], room)))


def filled(value: Any, room: AttackRoom) -> Any:
    text = (
        json.dumps(value)
        .replace("TRUE60 ", TRUE60)
        .replace("OUT/", f"{room.outside}/")
        .replace("OUT", str(room.outside))
    )
    return json.loads(text.replace("WORK", str(room.work)))


def begin(room: AttackRoom, row: dict[str, Any]) -> None:
    settings = {"permissions": {"deny": row.get("deny", [])}}
    trusted = "untrusted" not in row
    room.begin(*row.get("allow", ()), mode=row.get("mode", "default"), settings=settings, is_trusted=trusted)


async def attempts(room: AttackRoom, row: dict[str, Any]) -> list[tuple[str, str]]:
    """Try each command and each call of a row; return it, and what came of it."""
    found = []
    for command in filled(row.get("commands", []), room):
        said = await room.run(command, timeout=3000)
        found.append((command, said + traces(room)))
    for tool, given in filled(row.get("calls", []), room):
        outcome, _, _ = await run_one(room.bench.toolbox, tool, given)
        found.append((f"{tool} {given}", str(outcome.content) + traces(room)))
    return found


def is_harm(said: str, row: dict[str, Any]) -> bool:
    return " LEFT " in said or SECRET in said or (DENIED in said and "deny" in row)


def traces(room: AttackRoom) -> str:
    """Return what an attack has left outside, and put everything back."""
    left = sorted(path.name for path in room.outside.iterdir() if path.name not in KEPT)
    changed = [name for name in ("kept", "secret") if not (room.outside / name).exists()]
    if not changed and (room.outside / "kept").read_text() != "kept\n":
        changed.append("kept")
    for name in left:
        path = room.outside / name
        path.rmdir() if path.is_dir() else path.unlink()
    (room.outside / "kept").write_text("kept\n")
    (room.outside / "secret").write_text(f"{SECRET}\n")
    return f" LEFT {left} {changed}" if left or changed else ""


async def test_no_published_attack_has_its_effect(room: AttackRoom) -> None:
    pristine = furnish(room)
    harmed = []
    for row in ROWS:
        prepare(room, pristine, row)
        begin(room, row)
        harmed.extend((row["id"], *one) for one in await attempts(room, row) if is_harm(one[1], row))
    assert not harmed, "\n".join(map(repr, harmed))


@pytest.mark.parametrize("room", ["none"], indirect=True)
def test_the_attacks_are_real(room: AttackRoom) -> None:
    """Most of the commands have their effect where nothing stops them: some are run by bash, each in copies of both folders."""
    furnish(room)
    rows = [row for row in ROWS if "untrusted" not in row and "nslookup" not in str(row) and "deny" not in row]
    commands = [command for row in rows for command in row.get("commands", ())][::4]  # enough to tell
    lines, places = [], []
    for at, command in enumerate(commands):
        place = room.folder / "copies" / str(at)
        text = command.replace("OUT/", f"{place}/outside/").replace("OUT", f"{place}/outside")
        text = text.replace("WORK", f"{place}/{room.work.name}").replace("TRUE60 ", TRUE60)
        lines.append(
            f"(mkdir -p {place} && cp -a {room.work} {room.work}-other {room.outside} {place}; cd {place}/{room.work.name};"
            f" timeout -k 1 1 bash -c {shlex.quote(text)} < /dev/null > {place}/said 2>&1) &"
            + " wait"
            * (at % 24 == 23)
        )
        places.append(place)
    subprocess.run(
        ["bash"], input="\n".join([*lines, "wait"]), text=True, check=False, timeout=50, stderr=subprocess.DEVNULL
    )
    real = [
        SECRET in (place / "said").read_text(errors="replace")
        or {path.name for path in (place / "outside").iterdir()} != KEPT
        or (room.outside / "ran").exists()
        for place in places
    ]
    assert sum(real) > len(real) // 2, [command for command, did in zip(commands, real, strict=True) if not did]


def test_each_row_says_where_it_was_published_and_what_it_is() -> None:
    for row in ROWS:
        assert all(row[key] for key in ("id", "product", "what"))
        assert row.get("commands") or row.get("calls")
    assert sum(len(row.get("commands", ())) + len(row.get("calls", ())) for row in ROWS) > 300
