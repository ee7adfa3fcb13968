"""The program as a process, in folders of its own and without the developer's environment."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from preloaded import run_preloaded


@dataclass
class Program:
    home: Path
    work: Path
    env: dict[str, str]

    def __call__(self, *arguments: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "tui_agent", *arguments],
            cwd=self.work,
            env=self.env,
            input=stdin or "",
            capture_output=True,
            text=True,
            timeout=50,
            check=False,
        )

    def lines(self, *arguments: str, stdin: str | None = None) -> list[dict[str, Any]]:
        """Run it forked from a process that has imported it, and return what it printed."""
        done = run_preloaded(arguments, cwd=self.work, env=self.env, stdin=stdin, timeout=50)
        assert "Traceback" not in done.stderr, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture
def program(tmp_path: Path) -> Program:
    home, work = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    work.mkdir()
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "TUI_AGENT_HOME": str(tmp_path / "state"),
        "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
        "LANG": "C.UTF-8",
    }
    return Program(home, work, env)


@pytest.fixture
def in_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Any]:
    """Run the command line in this process: what is printed is returned, and nothing heavy is imported twice."""
    monkeypatch.setenv("TUI_AGENT_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)

    def run(*arguments: str) -> tuple[int, str, str]:
        from tui_agent.cli import run as run_cli

        code = run_cli(list(arguments))
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run
