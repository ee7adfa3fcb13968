"""A repository that picks the folder of a language's programs: they do not run unasked, not even for a version."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tui_agent.permissions.call_facts import call_from_input
from tui_agent.permissions.decide import decide
from tui_agent.permissions.path_context import PathContext
from tui_agent.permissions.rules import RuleSet


def behavior(command: str, work: Path, *, cwd: Path | None = None) -> str:
    where = PathContext(cwd=str(cwd or work), project_root=str(work), home=str(work / "home"))
    call = call_from_input("Bash", {"command": command}, where)
    return decide(call, rules=RuleSet.from_lists(), mode="default", where=where).behavior


@pytest.mark.parametrize(
    "text", ["", '[toolchain]\nchannel = "stable"\n', '[toolchain]\nchannel = "nightly-2026-01-01"\n']
)
def test_a_toolchain_by_its_version_asks_nothing(text: str, tmp_path: Path) -> None:
    (tmp_path / "rust-toolchain.toml").write_text(text)
    (tmp_path / ".tool-versions").write_text("nodejs 20.1.0\npython 3.12.1 system\n")
    (tmp_path / "global.json").write_text('{"sdk": {"version": "8.0.100"}}')
    versions = ("cargo --version", "rustc -V", "node --version", "python3 --version && ls")
    for command in (*versions, "dotnet --version", "poetry --version", "ng --version"):
        assert behavior(command, tmp_path) == "allow", command


@pytest.mark.parametrize(
    ("name", "text", "commands"),
    [
        (
            "rust-toolchain.toml",
            '[toolchain]\npath = "/w/evil"\n',
            ("cargo --version", "rustc -V", "cargo -V | head -1"),
        ),
        (
            "rust-toolchain.toml",
            '[toolchain]\n"p\\u0061th" = "/w/evil"\n',
            ("cargo --version", "rustc --print sysroot"),
        ),
        ("rust-toolchain", "/w/evil\n", ("cargo --version", "ls && rustc --version")),
        ("rust-toolchain", '[toolchain]\npath = "/w/evil"\n', ("timeout 5 cargo --version",)),
        (".tool-versions", "nodejs path:/w/evil\n", ("node --version", "npm ls", "python3 --version")),
        ("global.json", '{"sdk": {"paths": ["./evil"]}}', ("dotnet --version",)),
        (".poetry/plugins/evil.py", "", ("poetry --version", "poetry --help")),
        ("node_modules/@angular/cli/package.json", "{}", ("ng --version",)),
        (".rubocop", "--require ./evil.rb\n", ("rubocop --version",)),
        (".bundle/config", "BUNDLE_PATH: evil\n", ("bundle --version",)),
    ],
)
def test_a_toolchain_by_its_folder_asks(name: str, text: str, commands: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text(text)
    for command in commands:
        assert behavior(command, tmp_path) == "ask", command
        assert behavior(command, tmp_path, cwd=tmp_path / "sub") == "ask", "it counts in the folders below, too"
    assert behavior(f"cd sub && {commands[0]}", tmp_path) == "ask"
    assert behavior("ls && cat f", tmp_path) == "allow", "other programs do not look at it"


def test_files_of_the_users_own_ask_nothing(tmp_path: Path) -> None:
    home, work = tmp_path / "home", tmp_path / "home/src/work"
    work.mkdir(parents=True)
    (home / ".bundle").mkdir()
    (home / ".tool-versions").write_text("nodejs path:/opt/node\n")
    where = PathContext(cwd=str(work), project_root=str(work), home=str(home))
    for place, expected in ((home, "allow"), (home / "src", "ask")):
        (place / ".bundle").mkdir(exist_ok=True)
        call = call_from_input("Bash", {"command": "bundle --version; node --version"}, where)
        assert decide(call, rules=RuleSet.from_lists(), mode="default", where=where).behavior == expected


def test_what_cannot_be_read_asks(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "rust-toolchain.toml")
    assert behavior("cargo --version", tmp_path) == "ask"
    (tmp_path / "rust-toolchain.toml").unlink()
    (tmp_path / "rust-toolchain.toml").symlink_to(tmp_path / "elsewhere")
    assert behavior("cargo --version", tmp_path) == "ask"


@pytest.mark.skipif(shutil.which("rustup") is None, reason="rustup is not installed")
def test_that_is_what_the_switch_of_rust_does(tmp_path: Path) -> None:
    """The real program: had it been let through, it would have run the repository's own `cargo`."""
    program = tmp_path / "evil/bin/cargo"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\necho the repository ran\n")
    program.chmod(0o755)
    (tmp_path / "rust-toolchain.toml").write_text(f'[toolchain]\npath = "{tmp_path}/evil"\n')
    done = subprocess.run(["cargo", "--version"], cwd=tmp_path, capture_output=True, text=True, check=False)
    if "the repository ran" not in done.stdout:
        pytest.skip("this `cargo` is no switch")
    assert behavior("cargo --version", tmp_path) == "ask"
