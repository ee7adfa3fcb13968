"""A rule for a part that only reads anyway takes the sandbox from no other part of the command."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from attack_room import ALL, AttackRoom

OUTSIDE = "kumquat-outside"
ATTACKS = (
    ("Bash(ls *)", "ls src && find . -name link_file | xargs cat"),
    ("Bash(ls *)", "ls link_file | xargs cat"),
    ("Bash(echo *)", "echo link_dir/secret.txt | xargs cat"),
    ("Bash(echo *)", "echo link_file | xargs -n1 head"),
    ("Bash(echo *)", "echo hold/in | xargs grep -r ."),
    ("Bash(echo *)", "echo x; grep -R outside ."),
    ("Bash(echo *)", "echo x; diff -rN src hold"),
    ("Bash(cat a.txt)", "cat a.txt; find . -name link_file | xargs cat"),
    ("Bash(wc *)", "find . -name link_file | xargs cat | wc -l; find . -name link_file | xargs cat"),
    ("Bash(find *)", "find . -type l | xargs cat"),
    ("Bash(git ls-files *)", "git ls-files -o | xargs cat"),
    ("Bash(git log *)", "git log -1; find . -name link_file | xargs cat"),
    ("Bash(npm test *)", "npm test; find . -name link_file | xargs cat"),
    ("Bash(ls *)", "for f in $(ls hold/in); do cat hold/in/$f; done"),
)


@pytest.fixture(params=ALL)
def room(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AttackRoom:
    room = AttackRoom(tmp_path, monkeypatch, request.param)
    (room.outside / "secret.txt").write_text(f"outside {OUTSIDE}\n")
    (room.work / "a.txt").write_text("one\n")
    (room.work / "src").mkdir()
    (room.work / "hold").mkdir()
    (room.work / "link_file").symlink_to("../outside/secret.txt")
    (room.work / "link_dir").symlink_to("../outside")
    (room.work / "hold/in").symlink_to("../../outside")
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "npm").write_text("#!/bin/sh\necho ran\n")
    (programs / "npm").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    room.git("init")
    room.git("add", "a.txt")
    room.git("commit", "-qm", "one")
    return room


async def test_a_rule_for_one_part_shows_the_others_nothing_outside(room: AttackRoom) -> None:
    for rule, command in ATTACKS:
        room.begin(rule)
        assert OUTSIDE not in await room.run(command), (rule, command)


async def test_a_rule_shows_its_own_part_what_it_names(room: AttackRoom) -> None:
    room.begin("Bash(cat *)")
    assert OUTSIDE in await room.run(f"cat {room.outside}/secret.txt | wc -c; cat {room.outside}/secret.txt")
    assert OUTSIDE in await room.run(f"cat {room.outside}/secret.txt; ls src")


async def test_what_people_run_beside_a_rule_is_let_through(room: AttackRoom) -> None:
    room.begin("Bash(npm test *)", "Bash(ls *)", "Bash(echo *)", "Bash(git log *)")
    for command, expected in {
        "npm test | tail": "ran",
        "npm test 2>&1 | tail -3; ls": "a.txt",
        "ls src; cat a.txt": "one",
        "echo a.txt | xargs cat": "one" if room.name != "none" else "asks",
        "git log --oneline | head -1": "one",
        "ls | wc -l": "5",
    }.items():
        assert expected in await room.run(command), command
