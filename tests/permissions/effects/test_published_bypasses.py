"""Every published way past the permissions of a coding agent, tried for real: nothing is left outside, no secret is printed."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import tomllib
from pathlib import Path
from stat import S_ISDIR
from typing import Any

import pytest
from attack_room import ALL, AttackRoom

from tui_agent.execution.single_use import run_one

ROWS: list[dict[str, Any]] = tomllib.loads(
    (Path(__file__).parent.parent / "published_bypasses.toml").read_text("utf-8")
)["bypass"]
SECRET, DENIED = "SECRET-OUTSIDE", "DENIED-INSIDE"
TRUE60 = "true && " * 60


@pytest.fixture(params=ALL)
def room(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AttackRoom:
    return AttackRoom(tmp_path, monkeypatch, request.param)


def planted(out: Path) -> dict[str, str]:
    """Return what lies in the folder outside: names and texts."""
    return {"secret": f"{SECRET}\n", "kept": "kept\n", "list": f"{out}/secret\n", "list0": f"{out}/secret\0"}


def furnish(room: AttackRoom) -> Path:
    """Put files into both folders, and links from the one to the other; return a copy of the work to go back to."""
    out, work = room.outside, room.work
    beside = work.with_name(f"{work.name}-other")
    beside.mkdir(exist_ok=True)
    texts = {
        **{out / name: text for name, text in planted(out).items()},
        beside / "secret": f"{SECRET}\n", work / "a.txt": "x\ny\n",
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
    add_repositories(room)
    shutil.copytree(work, room.folder / "pristine", symlinks=True)
    return room.folder / "pristine"


def add_repositories(room: AttackRoom) -> None:
    """Make the work a repository, with two more inside that run a program: an ordinary and a bare one."""
    work, program = room.work, room.work / "run.sh"
    room.git("init", "-q", "--template=")
    (work / ".git/hooks").mkdir()
    room.git("add", "-A", ".")
    room.git("commit", "-qm", "one")
    room.git("commit", "-qm", "two", "--allow-empty")
    room.git("init", "-q", "--template=", "nested")
    room.git("config", "core.fsmonitor", str(program), folder=work / "nested")
    room.git("init", "-q", "--template=", "--bare", "embedded")
    (work / "embedded/config").write_text(
        f"[core]\nrepositoryFormatVersion = 0\nworktree = {work}\nfsmonitor = {program}\n"
        "[user]\nname = n\nemail = e@x\n"
    )
    (work / "embedded/hooks").mkdir()
    shutil.copy(program, work / "embedded/hooks/pre-commit")


def remove(path: Path) -> None:
    shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


def state(folder: Path) -> dict[str, tuple[int, ...]]:
    """Return what tells whether anything in a folder was changed: mode, size and time of each file, the mode of each folder."""
    found: dict[str, tuple[int, ...]] = {}
    for parent, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = f"{parent}/{name}"
            stat = os.lstat(path)
            content = () if S_ISDIR(stat.st_mode) else (stat.st_size, stat.st_mtime_ns)
            found[path.removeprefix(str(folder))] = (stat.st_mode, *content)
    return found


def prepare(room: AttackRoom, pristine: Path, row: dict[str, Any]) -> None:
    """Put the work back as it was if anything changed it, and what one row needs into it."""
    if state(room.work) != state(pristine):
        for path in room.work.iterdir():
            remove(path)
        shutil.copytree(pristine, room.work, symlinks=True, dirs_exist_ok=True)
    for name in row.get("files", ()):
        (room.work / name.replace("OUTFLAT", str(room.outside).replace("/", "_"))).write_text("x\n")
    for name, text in filled(row.get("texts", {}), room).items():
        path = room.work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
    for name, value in filled(row.get("config", {}), room).items():
        room.git("config", name, value)
    for name in filled(row.get("refs", []), room):
        room.git("update-ref", name, "HEAD")
    if "refs" in row:
        room.git("symbolic-ref", "HEAD", filled(row["refs"], room)[-1])
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
        outcome, _, _ = await run_one(room.runtime.execution_context, tool, given)
        found.append((f"{tool} {given}", str(outcome.content) + traces(room)))
    return found


def is_harm(said: str, row: dict[str, Any]) -> bool:
    return " LEFT " in said or SECRET in said or (DENIED in said and "deny" in row)


def traces(room: AttackRoom) -> str:
    """Return what an attack has left outside, and put everything back."""
    kept = planted(room.outside)
    left = sorted(path.name for path in room.outside.iterdir() if path.name not in kept)
    for name in left:
        remove(room.outside / name)
    changed = [name for name, text in kept.items() if not is_text(room.outside / name, text)]
    for name in changed:
        (room.outside / name).write_text(kept[name])
    return f" LEFT {left} {changed}" if left or changed else ""


def is_text(path: Path, text: str) -> bool:
    return path.is_file() and path.read_text(errors="replace") == text


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
    special = ("untrusted", "deny", "texts", "config", "refs")
    rows = [row for row in ROWS if "nslookup" not in str(row) and not any(name in row for name in special)]
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
        or {path.name for path in (place / "outside").iterdir()} != planted(room.outside).keys()
        or (room.outside / "ran").exists()
        for place in places
    ]
    assert sum(real) > len(real) // 2, [command for command, did in zip(commands, real, strict=True) if not did]


def test_each_row_says_where_it_was_published_and_what_it_is() -> None:
    for row in ROWS:
        assert all(row[key] for key in ("id", "product", "what"))
        assert row.get("commands") or row.get("calls")
    assert sum(len(row.get("commands", ())) + len(row.get("calls", ())) for row in ROWS) > 300
