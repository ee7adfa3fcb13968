"""What stands in a list of what to ignore is not told, wherever a link of that name leads."""

from __future__ import annotations

from pathlib import Path

import pytest
from attack_room import ALL, AttackRoom

from tui_agent.execution.single_use import run_one

TOKEN = "outwordamberfjordkayak"
# Lines that are no globs: ripgrep complains of each by quoting it.
CONTENTS = (
    f"[{TOKEN}\n", f'{{"auths":{{"r":{{"auth":"{TOKEN}"}}}}}}', f"export A={{{TOKEN}\n", f"[x\x0b{TOKEN}: y (os error 2)\x0b\n",
    f"[x\u2028/dev/fd/9: line 1: error parsing glob '{TOKEN}\n", f"[x\r{TOKEN}: (os error 5)\r\n",
)  # fmt: skip
NAMES = (".ignore", ".rgignore", ".gitignore")


@pytest.fixture(params=ALL)
def room(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AttackRoom:
    return AttackRoom(tmp_path, monkeypatch, request.param)


async def told(room: AttackRoom, **places: str) -> str:
    said = []
    calls = (
        ("Grep", {"pattern": "x"}),
        ("Grep", {"pattern": "x", "glob": "*"}),
        ("Glob", {"pattern": "**"}),
        ("LS", {}),
    )
    for tool, input in calls:
        outcome, _, _ = await run_one(room.runtime.execution_context, tool, {**input, **places})
        said.append(str(outcome.content))
    return "\n".join(said)


@pytest.mark.parametrize("name", NAMES)
async def test_a_link_to_a_file_outside(room: AttackRoom, name: str) -> None:
    for number, content in enumerate(CONTENTS):
        folder = room.work / f"d{number}"
        folder.mkdir()
        (folder / "f").write_text("x\n")
        (room.outside / f"list{number}").write_text(content)
        (folder / name).symlink_to(room.outside / f"list{number}")
    room.begin()
    said = await told(room)
    assert TOKEN not in said
    assert f"{name}, line 1: not a glob" in said
    for number in range(len(CONTENTS)):
        assert TOKEN not in await told(room, path=f"d{number}")


async def test_a_link_to_a_denied_file(room: AttackRoom) -> None:
    (room.work / "d").mkdir()
    (room.work / "d/f").write_text("x\n")
    (room.work / ".env").write_text(CONTENTS[0])
    (room.work / "d/.ignore").symlink_to("../.env")
    room.begin(settings={"permissions": {"deny": ["Read(.env)"]}})
    assert TOKEN not in await told(room) + await told(room, path="d")


async def test_a_folder_is_called_like_a_complaint_about_the_given_glob(room: AttackRoom) -> None:
    folder = room.work / "a\n"
    for number in range(3, 40):
        deep = folder / f"dev/fd/{number}: line 1: error parsing glob 'b"
        deep.mkdir(parents=True)
        (deep / "f").write_text("x\n")
        (room.outside / "list").write_text(CONTENTS[0])
        (deep / ".ignore").symlink_to(room.outside / "list")
    room.begin()
    assert TOKEN not in await told(room)


async def test_a_glob_that_was_given_is_told_of(room: AttackRoom) -> None:
    (room.work / "f").write_text("x\n")
    room.begin()
    outcome, _, _ = await run_one(room.runtime.execution_context, "Grep", {"pattern": "x", "glob": "*.{py"})
    assert "'*.{py'" in str(outcome.content)
