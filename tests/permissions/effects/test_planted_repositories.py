# ruff: noqa: E501 - commands stand whole, many on a line
"""A command in the sandbox makes repositories, and the user's own git runs nothing of what they hold afterwards."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from attack_room import AttackRoom

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="not covered here: git is missing")

COMMIT = "git -C {n} -c user.name=a -c user.email=b commit -q --allow-empty -m x"
INIT = "git init -q {n} && " + COMMIT
COPY = "cp -r .git {n}.g; mkdir {n}; mv {n}.g {n}/.git"
EVIL = "$PWD/evil.sh"
# Each makes a repository `{n}` that would run a program, in one command.
PLANTS = {
    "fsmonitor": f"{INIT} && git -C {{n}} config core.fsmonitor {EVIL}; git add {{n}}",
    "copy": f"{COPY}; printf '[core]\\n\\tfsmonitor = %s\\n' {EVIL} >> {{n}}/.git/config; git add {{n}}",
    "include": f"{INIT}; printf '[core]\\n\\tfsmonitor = %s\\n' {EVIL} > more; git -C {{n}} config include.path $PWD/more",
    "condition": f"{INIT}; printf '[core]\\n\\tfsmonitor = %s\\n' {EVIL} > mor; git -C {{n}} config includeIf.gitdir:/.path $PWD/mor",
    "hook": f"{INIT}; mkdir -p {{n}}/.git/hooks; cp evil.sh {{n}}/.git/hooks/post-index-change",
    "worktree's": f"{INIT}; git -C {{n}} config extensions.worktreeConfig true; git -C {{n}} config --worktree core.fsmonitor {EVIL}",
    "deep": f"mkdir -p a/b; git init -q a/b/{{n}}; git -C a/b/{{n}} config core.fsmonitor {EVIL}; mv a/b/{{n}} {{n}}; {COMMIT}",
    "linked": f"git init -q {{n}}.d; git -C {{n}}.d config core.fsmonitor {EVIL}; mkdir {{n}}; ln -s ../{{n}}.d/.git {{n}}/.git",
    "file": f"git init -q --separate-git-dir $PWD/{{n}}.d {{n}}; git -C {{n}} config core.fsmonitor {EVIL}",
    "objects": f"git init -q --separate-git-dir $PWD/.git/objects/{{n}} {{n}}; git -C {{n}} config core.fsmonitor {EVIL}",
    "common": (
        f"git init -q {{n}}.c; git -C {{n}}.c config core.fsmonitor {EVIL}; mkdir -p {{n}} .git/worktrees/{{n}}; "
        "echo $PWD/{n}.c/.git > .git/worktrees/{n}/commondir; cp .git/HEAD .git/worktrees/{n}; "
        "echo $PWD/{n}/.git > .git/worktrees/{n}/gitdir; echo gitdir: $PWD/.git/worktrees/{n} > {n}/.git"
    ),
    "bare": f"git init -q --bare {{n}}; git -C {{n}} config core.bare false; git -C {{n}} config core.worktree $PWD; git -C {{n}} config core.fsmonitor {EVIL}",
    "submodule": (
        "git init -q --separate-git-dir $PWD/.git/modules/{n} {n} || { mkdir -p .git/modules; "
        f"git init -q --separate-git-dir $PWD/.git/modules/{{n}} {{n}}; }}; git -C {{n}} config core.fsmonitor {EVIL}"
    ),
}  # fmt: skip
# Each first makes one that runs nothing, and has it run a program in the next command.
STEPS = {
    "configured": (INIT, f"git -C {{n}} config core.fsmonitor {EVIL}"),
    "hooked": (INIT, "mkdir -p {n}/.git/hooks; cp evil.sh {n}/.git/hooks/post-index-change"),
    "replaced": (INIT, f"mv {{n}} {{n}}.old; git init -q {{n}}; git -C {{n}} config core.fsmonitor {EVIL}"),
    "empty": ("mkdir -p {n}/.git", f"git init -q {{n}}; git -C {{n}} config core.fsmonitor {EVIL}"),
    "file": ("git init -q --separate-git-dir $PWD/{n}.d {n}", f"git config -f {{n}}.d/config core.fsmonitor {EVIL}"),
    "bare": (
        "git init -q --bare {n}",
        f"git -C {{n}} config core.bare false; git -C {{n}} config core.worktree $PWD; git -C {{n}} config core.fsmonitor {EVIL}",
    ),
    "headless": (f"git init -q --bare {{n}}; rm {{n}}/HEAD; printf '[core]\\n\\tfsmonitor = %s\\n\\tworktree = %s\\n' {EVIL} $PWD > {{n}}/config", "cp .git/HEAD {n}"),
}  # fmt: skip


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AttackRoom:
    """A checkout in which commands run in the sandbox without asking."""
    room = AttackRoom(tmp_path, monkeypatch, "bubblewrap")
    room.git("init", "-q")
    (room.work / "evil.sh").write_text(f"#!/bin/sh\necho ran >> {shlex.quote(str(tmp_path / 'ran'))}\n")
    (room.work / "evil.sh").chmod(0o755)
    room.git("add", ".")
    room.git("commit", "-qm", "one")
    room.begin(settings={"sandbox": {"enabled": True}})
    return room


async def run_all(room: AttackRoom, texts: list[str]) -> str:
    """Run each with a name of its own for `{n}`, as a script; return what came of it."""
    lines = "".join(f"({text.replace('{n}', f'n{at}')})\n" for at, text in enumerate(texts))
    (room.work / "script.sh").write_text(f"exec 2>&1\n{lines}true\n")
    said = await room.run("bash script.sh")
    assert said != "asks"
    return said


def users_git(room: AttackRoom) -> list[str]:
    """Run the user's own git at the top and in each folder; return where it ran something."""
    ran = room.folder / "ran"
    found = []
    folders = [
        path for path in room.work.rglob("*") if path.is_dir() and ".git" not in path.parts and path.name != "objects"
    ]
    for folder in (room.work, *folders):
        ran.unlink(missing_ok=True)
        plain = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        subprocess.run(["git", "status"], cwd=folder, env=plain, capture_output=True, check=False)
        found += [str(folder.relative_to(room.work))] if ran.exists() else []
    return found


async def test_what_a_new_repository_would_run_does_not_run(room: AttackRoom) -> None:
    said = await run_all(room, list(PLANTS.values()))
    assert said.count(".made-in-sandbox") >= len(PLANTS), said
    assert users_git(room) == []


async def test_a_new_repository_is_protected_from_the_next_command(room: AttackRoom) -> None:
    for part in (0, 1):
        await run_all(room, [steps[part] for steps in STEPS.values()])
    assert users_git(room) == []


async def test_plain_repositories_stay(room: AttackRoom) -> None:
    said = await room.run(
        "set -e; git init -q one; git clone -q . two; git clone -q --bare . three; git worktree add -q four; "
        "git -C two worktree add -q ../five; git -C one -c user.name=a -c user.email=b commit -q --allow-empty -m x; git status"
    )
    assert "made-in-sandbox" not in said, said
    said = await room.run(
        "for one in one two four five; do git -C $one -c user.name=a -c user.email=b commit -q --allow-empty -m x; done; "
        "git -C three log -1 --format=%s; git -C five log -1 --format=%s-done"
    )
    assert "made-in-sandbox" not in said, said
    assert "one\nx-done" in said
