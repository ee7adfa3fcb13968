# ruff: noqa: E501 - commands stand whole, many on a line
"""A rule that denies a program holds behind the programs of this machine that run another."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from attack_room import ALL, AttackRoom

COMMANDS = (
    "env - {x}", "env -i - {x}", "env - A=1 {x}", "logsave /dev/null {x}", "logsave -a log {x}", "logsave - {x}", "gpg-agent --daemon {x}",
    "gpg-agent --daemon -- {x}", "fakeroot-sysv {x}", "systemd-cat {x}", "fstab-decode {x}", "debconf-apt-progress -- {x}",
    "rmksh -c '{x}'", "mksh-static -c '{x}'", "env - /usr/sbin/logsave /dev/null {x}", "timeout 5 env - {x}", "nice env - {x}",
)  # fmt: skip


@pytest.fixture(params=ALL)
def room(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AttackRoom:
    return AttackRoom(tmp_path, monkeypatch, request.param)


async def test_the_denied_program_does_not_run(room: AttackRoom) -> None:
    room.begin("Bash", settings={"permissions": {"deny": ["Bash(touch *)"]}})
    for command in COMMANDS:
        await room.run(command.format(x=f"touch {room.outside}/denied"))
        assert not (room.outside / "denied").exists(), command


async def test_the_wrappers_do_run_it(room: AttackRoom) -> None:
    room.begin("Bash")
    mark = room.outside / "ran"
    for command in COMMANDS:
        if shutil.which(command.split()[0], path="/usr/bin:/usr/sbin:/bin:/sbin") and not command.startswith(
            ("gpg", "deb", "systemd", "fake")
        ):
            await room.run("PATH=/usr/bin:/usr/sbin:/bin:/sbin; " + command.format(x=f"touch {mark}"))
            assert mark.exists(), command
            mark.unlink()
