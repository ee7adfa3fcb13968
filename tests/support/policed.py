"""Commands run as a session would run them: with the limits that settings, rules and the folder make of them."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tui_agent.engine.gate.sandbox_policy import SandboxPolicy
from tui_agent.permissions.path_context import PathContext
from tui_agent.permissions.rules import RuleSet
from tui_agent.permissions.verdict import Confinement
from tui_agent.sandbox.confined import Confined
from tui_agent.sandbox.limits import Sandbox
from tui_agent.settings.load import load_settings


@dataclass
class Place:
    """A home with a project in it, and what else a machine has; `run` runs a command of bash in the project.

    Settings are given as they are written; `readable` is what was judged besides. `settled` is what was said after a command of
    what it had made.
    """

    base: Path
    sandbox: Sandbox
    settings: dict[str, Any] = field(default_factory=dict)
    folder: str = "home/work"
    is_trusted: bool = True
    environment: Mapping[str, str] = field(default_factory=dict)
    settled: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("home/work/.git", "home/work/sub/deep", "home/.ssh", "home/other", "outside"):
            (self.base / name).mkdir(parents=True, exist_ok=True)
        for name in ("home/.ssh/id", "home/other/secret.txt", "outside/secret.txt", "home/.netrc"):
            (self.base / name).write_text("SECRET\n")
        (self.base / "home/work/file.txt").write_text("public\n")

    @property
    def home(self) -> Path:
        return self.base / "home"

    @property
    def work(self) -> Path:
        return self.base / self.folder

    def sandbox_policy(self) -> SandboxPolicy:
        settings = load_settings(
            self.work,
            home=self.home,
            inline=json.dumps(self.settings),
            is_trusted=self.is_trusted,
            policy_dir=self.base / "none",
        )
        where = PathContext(
            cwd=str(self.work), project_root=str(settings.project_root), home=str(self.home), is_trusted=self.is_trusted
        )
        rules = RuleSet.from_entries(settings.rules)
        return SandboxPolicy(settings, rules=lambda: rules, where=lambda: where, find=lambda: self.sandbox)

    def look(self, command: str, *, readable: tuple[str, ...] = ()) -> str:
        """Return all that a command prints that was let through as one that only reads."""
        return self.run(command, "read_only", readable=readable)

    def run(self, command: str, confinement: Confinement, *, readable: tuple[str, ...] | None = ()) -> str:
        """Return all that a command prints."""
        confined = self.sandbox_policy().confine(confinement, readable)
        assert isinstance(confined, Confined)
        argv = ("/bin/bash", "--noprofile", "--norc", "-c", "--", command)
        with tempfile.TemporaryDirectory() as scratch:
            environment = {**os.environ, "HOME": str(self.home), **self.environment}
            launch = confined.launch(argv, folder=str(self.work), scratch=scratch, environment=environment)
            try:
                done = subprocess.run(
                    launch.argv,
                    pass_fds=launch.fds,
                    cwd=self.work,
                    env=launch.environment,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    text=True,
                    errors="replace",
                    timeout=30,
                    check=False,
                )
            finally:
                launch.close()
                self.settled = launch.settle()
                launch.clean()
        return done.stdout
