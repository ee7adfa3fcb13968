# ruff: noqa: E501 - commands stand whole, many on a line
"""A private key is hidden from every way to show a part of it, and a token in whatever shape a program prints it."""

from __future__ import annotations

import base64
import random
from pathlib import Path

import pytest
from attack_room import ALL, AttackRoom

from tui_agent.execution.single_use import run_one

TOKEN = "ghp_" + "aB3dE5fG7hJ9kL2mN4pQ6rS8tU1vW3xY5zA7"
COMMANDS = (
    "tail -n +2 k.txt", "sed 1d k.txt", "grep -v -- ----- k.txt", "head -9 k.txt | tail -5", "awk 'NR>3' k.txt", "tac k.txt", "cat -A k.txt",
    "nl k.txt", "grep -n -v -- ----- k.txt", "sed -n 5,9p k.txt", "grep -r --include=k.txt -v -- ----- .", "tail -n +2 k.txt | cat -n",
    "grep --color=always -E '[0-9]' t.txt", "cat u.txt", "cat n.txt", "cat z.txt", "cat t.txt u.txt",
)  # fmt: skip


@pytest.mark.parametrize("name", ALL)
async def test_no_part_is_shown(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    room = AttackRoom(tmp_path, monkeypatch, name)
    body = base64.b64encode(bytes.fromhex("308204a40201000282010100") + random.Random(3).randbytes(1190)).decode()
    lines = [body[at : at + 64] for at in range(0, len(body), 64)]
    (room.work / "k.txt").write_text(
        "\n".join(["-----BEGIN RSA PRIVATE KEY-----", *lines, "-----END RSA PRIVATE KEY-----", ""])
    )
    (room.work / "t.txt").write_text(f"{TOKEN}\n")
    (room.work / "u.txt").write_bytes(f"{TOKEN}\n".encode("utf-16"))
    (room.work / "n.txt").write_bytes(f"{TOKEN[:9]}\0{TOKEN[9:]}\n".encode())
    (room.work / "z.txt").write_text(f"{TOKEN[:9]}\u200b{TOKEN[9:]}\n")
    room.begin()
    said = {command: await room.run(command) for command in COMMANDS}
    for tool, input in (
        ("Read", {"file_path": "k.txt", "offset": 3}), ("Read", {"file_path": "k.txt", "offset": 5, "limit": 4}),
        ("Grep", {"pattern": "^[A-Za-z0-9+/]+$", "output_mode": "content"}), ("Read", {"file_path": "u.txt"}), ("Read", {"file_path": "z.txt"}),
        ("Grep", {"pattern": "ghp", "output_mode": "content"}),
    ):  # fmt: skip
        outcome, _, _ = await run_one(room.runtime.execution_context, tool, input)
        said[f"{tool} {input}"] = str(outcome.content)
    assert [key for key, text in said.items() if any(line[3:-3] in text for line in lines[:-1])] == []
    bare = {key: "".join(sign for sign in text if sign.isalnum()) for key, text in said.items()}
    assert [key for key, text in bare.items() if "hJ9kL2mN4" in text] == []
    assert [key for key, text in said.items() if text == "asks"] == []
