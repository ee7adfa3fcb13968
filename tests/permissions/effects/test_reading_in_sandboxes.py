# ruff: noqa: E501 - commands stand whole, many on a line
"""What a sandbox lets a command see that is let through for reading: no file outside, none that a rule denies."""

from __future__ import annotations

from pathlib import Path

import pytest
from attack_room import AttackRoom
from sandboxes import NAMES

OUTSIDE, DENIED = "MARK-OUTSIDE", "MARK-DENIED"
# Names of files come from a folder, a list or another command, and some of these are links, or files that a rule denies.
COMMANDS = (
    "grep -R MARK .", "grep -rh MARK .", "rg -L MARK", "rg -uu MARK", "find . -type l | xargs cat", "find . -print0 | xargs -0 cat", "cat */*",
    "git ls-files | xargs cat", "git ls-files -z | xargs -0 cat", "cat $(git ls-files)", "for f in $(git ls-files); do cat $f; done",
    "find . -name '*.md' | while read -r f; do cat \"$f\"; done", "shopt -s globstar; cat **/*.md", "find . -type f -exec cat {} +",
    "find . -exec head -1 {} ';'", "diff -r docs sub", "wc -l $(git ls-files) && tail -n1 $(git ls-files)", "head -1 $(find . -type l)",
    "sort $(git ls-files sub)", "awk 1 $(git ls-files)", "find sub -type f | xargs grep -h .", "ls -A | xargs cat", "cat $(ls -A)",
)  # fmt: skip


@pytest.fixture(params=NAMES)
def room(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AttackRoom:
    room = AttackRoom(tmp_path, monkeypatch, request.param)
    (room.outside / "key.md").write_text(f"{OUTSIDE}\n")
    for folder in ("docs", "sub", "secrets"):
        (room.work / folder).mkdir()
    (room.work / "docs/far.md").symlink_to(room.outside / "key.md")
    (room.work / "docs/folder").symlink_to(room.outside)
    for name in (".env", "sub/.env", "sub/tls.pem", "secrets/key"):
        (room.work / name).write_text(f"A={DENIED}\n")
    (room.work / "docs/a.md").write_text("plain\n")
    room.git("init", "-q")
    room.git("add", "-A")
    room.git("commit", "-qm", "one")
    return room


async def test_what_is_let_through_for_reading_sees_nothing_outside(room: AttackRoom) -> None:
    room.begin()
    said = {command: await room.run(command) for command in COMMANDS}
    assert [command for command, text in said.items() if OUTSIDE in text] == []
    assert sum("plain" in text for text in said.values()) > len(COMMANDS) // 3


async def test_what_is_let_through_for_reading_sees_no_denied_file(room: AttackRoom) -> None:
    deny = ["Read(.env)", "Read(**/*.pem)", "Read(secrets/**)"]
    for allow in ((), ("Bash",)):
        room.begin(*allow, settings={"permissions": {"deny": deny}})
        said = {command: await room.run(command) for command in COMMANDS}
        assert [command for command, text in said.items() if DENIED in text] == []
        assert sum("plain" in text for text in said.values()) > len(COMMANDS) // 3


async def test_beside_a_command_with_all_rights_it_sees_no_more(room: AttackRoom) -> None:
    room.begin(
        "Bash(touch *)", settings={"permissions": {"deny": ["Read(.env)", "Read(**/*.pem)", "Read(secrets/**)"]}}
    )
    joints = ("touch made && {}", "touch made; {}", "{} | grep -v none; touch made", "touch made & {}")
    for at, joint in enumerate(joints):
        said = {command: await room.run(joint.format(command)) for command in COMMANDS[at::4]}
        assert [command for command, text in said.items() if DENIED in text or OUTSIDE in text] == [], joint
