"""No program checks signatures for a repository that asks for it: those of the system would write in home."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from attack_room import ALL, AttackRoom

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="not covered here: git is missing")

COMMANDS = ("git log -1", "git show", "git log --oneline", "git rev-list --pretty HEAD", "git log -1 && git status")
ASKING = ("git log --format=%G?", "git log --pretty='%h %GG'", "git log --show-signature", "git show --show-signature")


@pytest.mark.parametrize("kind", ["PGP SIGNATURE", "SIGNED MESSAGE", "SSH SIGNATURE"])
@pytest.mark.parametrize("name", ALL)
async def test_formats_of_a_repository_run_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, kind: str
) -> None:
    room = AttackRoom(tmp_path, monkeypatch, name)
    programs = room.folder / "programs"
    programs.mkdir()
    for program in ("gpg", "gpg2", "gpgsm", "ssh-keygen"):
        (programs / program).write_text(f"#!/bin/sh\necho RA''N >&2\ntouch {room.outside}/ran\n")
        (programs / program).chmod(0o755)
    monkeypatch.setenv("PATH", str(programs), prepend=":")
    room.git("init", "-q")
    room.git("commit", "-qm", "one", "--allow-empty")
    sign(room, kind)
    for setting, value in (
        ("format.pretty", "%G? %GS %GG"),
        ("gpg.ssh.allowedSignersFile", "/dev/null"),
        ("pretty.oneline", "%G?"),
    ):
        room.git("config", setting, value)
    room.begin()
    for command in COMMANDS:
        said = await room.run(command)
        assert "RAN" not in said, command
        assert said != "asks", command
        assert not (room.outside / "ran").exists(), command
    assert [await room.run(command) for command in ASKING] == ["asks"] * len(ASKING)


def sign(room: AttackRoom, kind: str) -> None:
    """Give the newest commit a signature of a kind."""

    def git(*words: str, text: str | None = None) -> str:
        done = subprocess.run(["git", *words], cwd=room.work, input=text, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    head, _, message = git("cat-file", "commit", "HEAD").partition("\n\n")
    signature = f"gpgsig -----BEGIN {kind}-----\n \n iQ\n -----END {kind}-----"
    commit = git("hash-object", "-t", "commit", "-w", "--stdin", text=f"{head}\n{signature}\n\n{message}\n")
    git("update-ref", "HEAD", commit)
