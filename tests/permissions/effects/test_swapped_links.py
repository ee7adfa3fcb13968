# ruff: noqa: E501 - commands stand whole, many on a line
"""What the shell itself opens or looks up, once a command with the user's rights has put links in its way."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from attack_room import ALL, AttackRoom

from tui_agent.execution.single_use import run_one

SWAP = "#!/bin/sh\nln -sf ../outside/secret README.md\n[ -e src ] && mv src old && ln -s ../outside src\nexit 0\n"
READING = (
    "{x}; cat < README.md", "{x} && echo \"$(<README.md)\"", "{x}; head -3 < README.md | cat", "{x} | {{ sleep 1; cat < README.md; }}",
    "{{ sleep 1; cat < README.md; }} | {x}", "cat <(sleep 1; cat < README.md) & {x}; wait", "true <(sleep 1; cat < README.md >&2); {x}; sleep 2",
    "for i in 1 2; do cat < README.md; {x}; done", "{x}; {{ cat; }} < README.md", "if {x}; then cat < README.md; fi", "{x}; cd src; cat < secret",
    "{x}; while read -r l; do echo \"$l\"; done < README.md", "{x}; V=$(<README.md); echo \"$V\"", "{x}; cd src; echo *", "{x}; echo src/*", "{x}; printf '%s ' src/*",
    "{x} && cat 0< README.md", "{x}; cat < README.md 2>&1", "{x}; (cat) < README.md", "{x}; p='src/*'; echo $p",
)  # fmt: skip
WRITING = (
    "{x}; echo more > README.md",
    "{x}; ls >> README.md",
    "{x} | cat > README.md",
    "{x}; {{ echo more; }} > README.md",
)
NAMES = (
    "git checkout -q evil; cd src; echo *", "git checkout -q evil; echo src/*", "git checkout -q evil && ls src/*", "git checkout -q evil; for f in src/*; do echo \"$f\"; done",
    "git stash -q; git stash pop -q; git checkout -q evil; printf '%s ' src/*", "cp -a links/dd q; echo q/*", "mv links/dd q; echo q/*", "mv links/dd q; cd q; ls *",
    "tar xf x.tar; echo dd/*", "tar xf x.tar; p='dd/*'; for f in $p; do echo \"$f\"; done", "ln -s ../outside l; [ x = l/* ]; echo l/*", "mv links/dd q; cat q/*",
)  # fmt: skip
DAILY = (
    "make > out.txt", "make 2>&1 | tee build.log", "make -q > out.txt; tail -20 out.txt", "make; cat README.md", "make; npm test > out.txt", "make && ls src/*", "make; echo done *.md",
    "cd src && make && ls *", "git checkout -q -b new; echo *", "git add README.md; cat < README.md", "git commit -qm x; wc -l < README.md", "npm test; cat <<< text", "make < README.md",
    "cat < README.md | make", "sort < README.md; make", "for f in src/*; do make \"$f\"; echo \"$f\"; done", "for f in src/*; do mv \"$f\" old; echo \"$f\"; done", "make 2> /dev/null | head -3",
)  # fmt: skip


@pytest.fixture(params=ALL)
def room(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AttackRoom:
    room = AttackRoom(tmp_path, monkeypatch, request.param)
    (room.folder / "bin").mkdir()
    for name in ("make", "npm"):
        program = room.folder / "bin" / name
        program.write_text(SWAP)
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{room.folder / 'bin'}:/usr/bin:/bin")
    room.begin(
        *(f"Bash({name} *)" for name in ("make", "npm", "git", "mv", "cp", "tar", "tee", "ln")), "Bash(make)", "Edit(*)"
    )
    fill(room)
    return room


def fill(room: AttackRoom) -> None:
    room.clear()
    (room.outside / "secret").write_text("SECRET\n")
    (room.outside / "SECRET-name").write_text("")
    (room.work / "README.md").write_text("fine\n")
    for name in ("src", "old", "links"):
        (room.work / name).mkdir()
    (room.work / "src/a").write_text("fine\n")
    (room.work / "links/dd").symlink_to("../../outside")


def fill_with_history(room: AttackRoom) -> None:
    """Fill the workspace, and give it a branch and an archive in which a folder is a link."""
    fill(room)
    room.git("init", "-q")
    room.git("add", "README.md", "src")
    room.git("commit", "-qm", "a")
    room.git("checkout", "-qb", "evil")
    room.git("rm", "-rq", "src")
    (room.work / "src").symlink_to("../outside")
    room.git("add", "src")
    room.git("commit", "-qm", "b")
    room.git("checkout", "-q", "main")
    room.git("config", "user.name", "n")
    room.git("config", "user.email", "e@x")
    (room.work / "dd").symlink_to("../outside")
    subprocess.run(["tar", "cf", "x.tar", "dd"], cwd=room.work, check=True)
    (room.work / "dd").unlink()


async def test_the_shell_opens_nothing_that_a_program_may_have_swapped(room: AttackRoom) -> None:
    shown, changed = [], []
    for shape in READING:
        fill(room)
        if "SECRET" in await room.run(shape.format(x="make")):
            shown.append(shape)
    for shape in WRITING:
        fill(room)
        await room.run(shape.format(x="make"))
        if (room.outside / "secret").read_text() != "SECRET\n":
            changed.append(shape)
    assert (shown, changed) == ([], [])


async def test_the_shell_names_nothing_below_links_made_meanwhile(room: AttackRoom) -> None:
    shown = []
    for command in NAMES:
        room.lay_out(fill_with_history)
        if "SECRET" in await room.run(command):
            shown.append(command)
    assert shown == []


async def test_the_attack_works_where_a_rule_covers_it(room: AttackRoom) -> None:
    room.begin("Bash")
    assert "SECRET" in await room.run("make; cat < README.md")
    fill(room)
    assert "SECRET" in await room.run("ln -s ../outside l; echo l/*")


async def test_what_people_run_daily_is_let_through(room: AttackRoom) -> None:
    asked = []
    for command in DAILY:
        room.lay_out(fill_with_history)
        if await room.run(command) == "asks":
            asked.append(command)
    assert asked == []


async def test_a_working_folder_that_became_a_link_is_asked_about(room: AttackRoom) -> None:
    room.begin("Bash(make *)", mode="acceptEdits")
    kept = room.folder / "kept"
    room.work.rename(kept)
    room.work.symlink_to(room.outside)
    before = sorted(room.outside.iterdir())
    for command in (
        "cat secret",
        "ls",
        "grep -r .",
        "touch new",
        "make x",
        "cp secret copy",
        "echo x > new",
        "git status",
    ):
        assert await room.run(command) == "asks", command
    for tool, input in (
        ("Read", {"file_path": "secret"}), ("Grep", {"pattern": "."}), ("LS", {}), ("Glob", {"pattern": "*"}),
        ("Write", {"file_path": "new", "content": "x"}),
    ):  # fmt: skip
        outcome, _, _ = await run_one(room.runtime.execution_context, tool, input)
        assert outcome.is_error, tool
        assert "SECRET" not in str(outcome.content), tool
    assert sorted(room.outside.iterdir()) == before
    room.work.unlink()
    kept.rename(room.work)
    assert await room.run("cat README.md") == "fine"
