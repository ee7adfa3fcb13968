# ruff: noqa: E501 - commands stand whole, many on a line
"""Local sockets: a client of a program of this machine reaches that program, nothing beside it does, and it reaches no other.

`docker` is a program here that tries every socket it is told of; the table is made to say that one of them is its own.
"""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from attack_room import ALL, AttackRoom

from tui_agent.permissions import part_confinement
from tui_agent.permissions.shell import analysis
from tui_agent.permissions.shell.programs import judge
from tui_agent.permissions.shell.programs.table import ProgramEntry, entry_for

# An interpreter that commands see in the sandbox, whatever home the tests are run in.
PYTHON = next((path for path in ("/usr/bin/python3", "/usr/local/bin/python3") if Path(path).exists()), sys.executable)
CLIENT = f"""#!{PYTHON} -IS
import os, socket, sys
for name in open({{names!r}}).read().split():
    one = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        one.connect(name.replace("@", "\\0"))
        print("reached", os.path.basename(name))
    except OSError:
        pass
for family in (socket.AF_INET, socket.AF_INET6):
    try:
        one = socket.socket(family, socket.SOCK_STREAM)
        one.settimeout(2)
        one.connect(("localhost", {{port}}))
        print("reached the network")
    except OSError:
        pass
"""


class Sockets:
    """Sockets that are listened on: docker's own, and others in every kind of place."""

    def __init__(self, room: AttackRoom) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="tui-agent-sockets-", dir="/tmp"))
        self.own = str(self.folder / "docker.sock")
        self.listening = [self._on(self.own)]
        others = [str(self.folder / "other.sock"), f"@{self.folder}/abstract", f"{Path.home()}/agent.sock"]
        others += [str(room.work / "server.sock")] if len(str(room.work)) < 90 else []
        self.names = [self.own]
        for name in others:
            with contextlib.suppress(OSError):
                self.listening.append(self._on(name.replace("@", "\0")))
                self.names.append(name)
        self.tcp = socket.create_server(("localhost", 0))
        self.port = self.tcp.getsockname()[1]

    @staticmethod
    def _on(name: str) -> socket.socket:
        one = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        one.bind(name)
        one.listen(64)
        return one

    def close(self) -> None:
        """Close all of them."""
        for one in (*self.listening, self.tcp):
            one.close()
        for path in self.folder.iterdir():
            path.unlink()
        self.folder.rmdir()


@pytest.fixture(params=ALL)
def room(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[AttackRoom]:
    room = AttackRoom(tmp_path, monkeypatch, request.param)
    sockets = Sockets(room)
    (room.folder / "names").write_text("\n".join(sockets.names))
    (room.folder / "bin").mkdir()
    # The client has to be visible in the sandbox, and what it reads: `bin` is on the PATH.
    names = room.folder / "bin" / "names"
    names.write_text("\n".join(sockets.names))
    for program in ("docker", "evil"):
        (room.folder / "bin" / program).write_text(CLIENT.format(names=str(names), port=sockets.port))
        (room.folder / "bin" / program).chmod(0o755)
    monkeypatch.setenv("PATH", f"{room.folder / 'bin'}:{os.environ['PATH']}")

    def entry(name: str) -> ProgramEntry | None:
        found = entry_for("docker" if name == "evil" else name)
        if found is not None and name == "docker":
            return replace(found, sockets=(sockets.own,))
        return found if found is None or name != "evil" else replace(found, sockets=())

    monkeypatch.setattr(judge, "entry_for", entry)
    monkeypatch.setattr(part_confinement, "entry_for", entry)
    analysis.analyse.cache_clear()
    room.begin()
    yield room
    sockets.close()
    analysis.analyse.cache_clear()


async def test_a_client_reaches_its_own_program_and_nothing_else(room: AttackRoom) -> None:
    said = await room.run("docker ps")
    if room.name == "bubblewrap":
        assert said.split("\n") == ["reached docker.sock"]
    elif room.name == "landlock":
        assert said == "asks"
    else:  # whose user lets what reads run with all rights
        assert "reached docker.sock" in said


async def test_nothing_beside_a_client_reaches_anything(room: AttackRoom) -> None:
    if room.name == "none":
        pytest.skip("without a sandbox sockets are as they are")
    for command in (
        "docker ps; evil ps", "evil ps; docker ps", "docker ps | evil ps", "evil ps | docker ps > /dev/null", "docker ps > /dev/null && evil ps",
        "echo \"$(evil ps)\" | docker ps > /dev/null; evil ps", "for i in 1; do docker ps > /dev/null; evil ps; done", "timeout 9 docker ps; (evil ps)",
        "evil ps", "docker ps <(evil ps) > /dev/null; cat <(evil ps)",
    ):  # fmt: skip
        said = await room.run(command)
        lines = [line for line in said.splitlines() if line.startswith("reached")]
        assert len(lines) <= command.count("docker ps"), (command, said)
        assert set(lines) <= {"reached docker.sock"}, (command, said)
        if (
            room.name == "bubblewrap"
            and command.count("docker ps") > command.count("> /dev/null")
            and "| evil" not in command
        ):
            assert lines, (command, said)
        assert (said == "asks") == (room.name == "landlock" and "docker" in command), command


async def test_what_would_share_the_socket_asks(room: AttackRoom) -> None:
    if room.name == "none":
        pytest.skip("without a sandbox sockets are as they are")
    room.begin("Bash(git add *)")
    for command in (
        "echo x | xargs docker inspect",
        "git add x; docker ps; echo $((1))",
        "docker ps; read x",
        "docker ps -n $((1 + 1))",
        "docker logs x; (( 1 ))",
        "find . -exec docker inspect {} +",
    ):
        assert await room.run(command) == "asks", command


async def test_the_attack_works_where_nothing_stops_it(room: AttackRoom) -> None:
    room.begin("Bash")
    assert (await room.run("evil ps")).count("reached") >= 4
