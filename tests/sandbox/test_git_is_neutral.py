"""git in the sandbox of commands that only read runs nothing that a repository names; it says what it says elsewhere."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from policed import Place
from sandboxes import NAMES, sandbox_or_skip

from tui_agent.sandbox import neutral_run
from tui_agent.sandbox.limits import Sandbox

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="not covered here: git is missing")

COMMANDS = (
    "git status", "git diff", "git log -p", "git show", "git blame file.txt", "git -p log", "git ls-files -m",
    "git grep -e public", "git log --show-signature", "git cat-file --textconv HEAD:file.txt",
    "git cat-file --filters HEAD:file.txt", "git stash list", "git st", "cd sub && git status", "cd bare && git status",
    "git -C bare log", "git --git-dir=bare status",
)  # fmt: skip


@pytest.fixture(params=NAMES)
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    return sandbox_or_skip(request.param)


@pytest.fixture
def place(tmp_path: Path, sandbox: Sandbox) -> Place:
    """A repository that would have git run `evil` wherever it can, and a bare one in it that would, too."""
    place = Place(tmp_path, sandbox)
    evil = place.work / "evil"
    evil.write_text("#!/bin/sh\necho EVIL RAN >&2\ncat\n")
    evil.chmod(0o755)
    names = (
        "core.fsmonitor", "core.pager", "core.sshCommand", "diff.external", "diff.x.textconv", "diff.x.command", "gpg.program",
        "filter.x.clean", "filter.x.smudge", "filter.x.process", "alias.st", "pager.log", "credential.helper",
    )  # fmt: skip
    poison = "; ".join(f"git config {name} {'!' if name == 'alias.st' else ''}{evil}" for name in names)
    script = (
        f"rm -rf .git; git init -q; git add file.txt; git commit -qm one; echo more >> file.txt; git init -q --bare bare; "
        f"printf '* diff=x filter=x\\n' > .gitattributes; {poison}; git config core.hooksPath {place.work}/hooks; mkdir hooks; "
        f"cp evil hooks/post-index-change; git -C bare config core.fsmonitor {evil}; git -C bare config core.bare false; "
        f"git -C bare config core.worktree {place.work}; cp .git/index bare/index; cp -r .git/objects .git/refs bare/"
    )
    environment = {**os.environ, "HOME": str(tmp_path), "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b"}
    environment |= {"GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
    subprocess.run(["bash", "-ec", script], cwd=place.work, env=environment, check=True, capture_output=True)
    return place


def test_nothing_of_the_repository_runs(place: Place) -> None:
    said = place.look("; ".join(f"echo '## {command}'; ({command}) 2>&1" for command in COMMANDS))
    ran = [one.splitlines()[0] for one in said.split("## ") if "EVIL RAN" in one]
    assert ran == []
    assert "+more" in said
    assert "safe.bareRepository" in said


def test_nothing_of_it_runs_for_the_program_itself(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neutral_run, "find_sandbox", lambda: place.sandbox)
    out = neutral_run.run_git("status", "--porcelain", folder=place.work, is_trusted=False, timeout_s=10)
    assert b" M file.txt" in out
    assert b"EVIL" not in out
