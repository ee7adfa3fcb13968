"""Where there is no sandbox, a program that only reads connects to no socket that the command names."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest
from attack_room import AttackRoom


async def test_no_socket_of_the_commands_choosing_is_reached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    room = AttackRoom(tmp_path, monkeypatch, "none")
    monkeypatch.chdir(room.work)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("w.sock")
        server.listen(1)
        server.setblocking(False)
        room.begin()
        for command in (
            f"tmux -S {room.work}/w.sock ls",
            f"tmux -L ../../{os.path.relpath(room.work, '/')}/w.sock ls",
            "tmux -Sw.sock ls",
        ):
            assert await room.run(command, timeout=4000) == "asks", command
        with pytest.raises(BlockingIOError):
            server.accept()
        assert await room.run("tmux ls", timeout=4000) != "asks"
