# ruff: noqa: E501 - commands stand whole, many on a line
"""Where edits are accepted, no folder or link that is moved or copied brings along what programs obey."""

from __future__ import annotations

from pathlib import Path

import pytest
from attack_room import ALL, AttackRoom

SETUP = (
    "v/bin/python",
    "g/workflows/ci.yml",
    "n/.bin/tool",
    "pack/.envrc",
    "pack/deep/.mcp.json",
    "e/pyvenv.cfg",
    "e/bin/python",
    "lib/site-packages/x.pth",
    "t/.vscode/tasks.json",
    "inner/.git/config",
)
ATTACKS = {
    "mv v .venv": ".venv/bin/python", "cp -r v .venv": ".venv/bin/python", "cp -r v/. .venv": ".venv/bin/python", "mv vlink .venv": ".venv/bin/python", "cp -P vlink .venv": ".venv/bin/python",
    "mv g .github": ".github/workflows/ci.yml", "cp -a g .github": ".github/workflows/ci.yml", "mv -T g .github": ".github/workflows/ci.yml", "cp -r g/workflows .github/": ".github/workflows/ci.yml",
    "mv n node_modules": "node_modules/.bin/tool", "mv pack sub/new": "sub/new/.envrc", "mv pack sub": "sub/pack/deep/.mcp.json", "cp -r pack sub": "sub/pack/.envrc", "cp -r pack/. .": ".envrc",
    "mv pack/deep .": "deep/.mcp.json", "mv e f": "f/bin/python", "cp -r t/. .": ".vscode/tasks.json", "mv t/.vscode .": ".vscode/tasks.json", "cp -r lib env-lib": "env-lib/site-packages/x.pth",
    "cp pay lib/site-packages/y.pth": "lib/site-packages/y.pth", "mv pay lib/site-packages/sitecustomize.py": "lib/site-packages/sitecustomize.py", "echo EVIL > lib/site-packages/z.pth": "lib/site-packages/z.pth",
    "mv e/bin e/bin2": "e/bin2/python", "mv inner other": "other/.git/config", "mkdir -p w/bin; cp pay w/bin/python; mv w .venv": ".venv/bin/python", "mkdir -p w/x; cp pay w/x/.envrc; mv w sub/w": "sub/w/x/.envrc",
    "mkdir -p w/.vscode; cp pay w/.vscode/tasks.json; cp -r w/. .": ".vscode/tasks.json",
}  # fmt: skip
EVERYDAY = (
    "mv plain other", "cp -r plain sub", "cp -r plain/. sub", "mv sub/a.txt .", "mkdir .github", "cp pay .github/README.md", "mkdir -p .venv/lib", "mv plain node", "cp -r plain docs && mv docs sub/docs",
    "mv model.pth sub/", "cp link link2", "rm -rf pack",
)  # fmt: skip


@pytest.fixture(params=ALL)
def room(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AttackRoom:
    return AttackRoom(tmp_path, monkeypatch, request.param)


def lay_out(room: AttackRoom) -> None:
    room.clear()
    for name in (*SETUP, "plain/deep/a.txt", "sub/a.txt", "model.pth", "pay"):
        (room.work / name).parent.mkdir(parents=True, exist_ok=True)
        (room.work / name).write_text("EVIL\n" if name != "inner/.git/config" else "[core]\n\tfsmonitor = EVIL\n")
    (room.work / "vlink").symlink_to("v")
    (room.work / "link").symlink_to("pay")
    room.runtime.workspace.cwd = room.work


async def test_protected_names_are_not_brought_along(room: AttackRoom) -> None:
    room.begin(mode="acceptEdits")
    made = {}
    for command, path in ATTACKS.items():
        lay_out(room)
        said = await room.run(command)
        if (room.work / path).exists() or (said != "asks" and ";" not in command):
            made[command] = said
    assert made == {}


async def test_everyday_moves_do_not_ask(room: AttackRoom) -> None:
    room.begin(mode="acceptEdits")
    asked = []
    for command in EVERYDAY:
        lay_out(room)
        is_single = "&&" not in command
        if await room.run(command) == "asks" and (room.name == "bubblewrap" or (room.name == "landlock" and is_single)):
            asked.append(command)
    assert asked == []


@pytest.mark.parametrize(
    "command",
    [
        "cp -r t/. .",
        "mv -T m .emacs.d",
        "mv m .emacs.d",
        "cp -r m .config/nvim",
        "mv t/.xprofile .",
        "mv -T x .config",
        "cp -r t/bin .",
    ],
)
async def test_so_it_is_with_home_as_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "work"))
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    room = AttackRoom(tmp_path, monkeypatch, "bubblewrap")
    monkeypatch.setenv("HOME", str(room.work))
    room.begin(mode="acceptEdits")
    for name in (
        "t/.xprofile",
        "t/.config/environment.d/x.conf",
        "m/init.el",
        "x/direnv/direnvrc",
        "t/bin/git",
        "t/plain",
    ):
        (room.work / name).parent.mkdir(parents=True, exist_ok=True)
        (room.work / name).write_text("EVIL\n")
    assert await room.run(command) == "asks"
    assert await room.run("mkdir new; cp t/plain new/plain; mv new newer; ls newer") == "plain"
    steps = f"mkdir -p u/.config/environment.d; cp m/init.el u/.config/environment.d/x.conf; cp m/init.el u/.xprofile; cp -r u/. .; {command}"
    await room.run(steps)
    for name in (".xprofile", ".config/environment.d/x.conf", ".emacs.d/init.el", ".config/nvim/init.el", "bin/git"):
        assert not (room.work / name).exists(), name
