"""Deny rules as people write them: each of these keeps the file from every way to read it."""

from __future__ import annotations

from pathlib import Path

import pytest
from attack_room import ALL, AttackRoom

from tui_agent.execution.single_use import run_one

DENIED = "denywordbasilgrove"
RULES = {
    "Read(*.{pem,key})": "sub/k.pem",
    "Read(**/*.{pem,key})": "sub/k.pem",
    "Read({secrets,private}/**)": "secrets/one",
    "Read(../work/secrets/**)": "secrets/one",
    "Read(../outside/**)": "../outside/one",
    "Read(sub/../secrets/**)": "secrets/one",
    "Read(~/../home-beside/**)": "../home-beside/one",
}


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("rule", RULES)
async def test_each_spelling_counts(rule: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    room = AttackRoom(tmp_path, monkeypatch, name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    place = RULES[rule]
    file = Path(room.work, place)
    for folder in (tmp_path / "home", room.work / "sub", file.parent):
        folder.mkdir(exist_ok=True)
    file.write_text(f"{DENIED}\n")
    room.begin("Bash(cat *)", "Bash(grep *)", "Read", settings={"permissions": {"deny": [rule]}})
    said = [
        await room.run(f"cat {place}"),
        await room.run(f"grep -r . {Path(place).parent}"),
        await room.run("grep -r . ."),
    ]
    for tool, input in (("Read", {"file_path": place}), ("Grep", {"pattern": ".", "output_mode": "content"})):
        outcome, _, _ = await run_one(room.runtime.execution_context, tool, input)
        said.append(str(outcome.content))
    assert [text for text in said if DENIED in text] == []
