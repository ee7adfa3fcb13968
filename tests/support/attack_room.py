"""A session's own tools, rules and sandbox around a folder, for tests that run attacks and look at what came of them."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from runtimes import make_runtime
from sandboxes import NAMES, sandbox_or_skip
from session_front import place_apart

from tui_agent.engine.session.tool_runtime import ToolRuntime, ToolRuntimeOptions
from tui_agent.execution.single_use import run_one
from tui_agent.permissions.modes import Mode
from tui_agent.sandbox import find
from tui_agent.settings.load import load_settings

__all__ = ["ALL", "AttackRoom"]

ALL = (*NAMES, "none")
"""The sandboxes of this machine, and to have none."""


class AttackRoom:
    """A workspace `work` in a folder of its own, beside which `outside` lies; nobody is there to be asked.

    `name` is that of the sandbox to use; `none` is for a machine without one, whose user lets what reads run all the same.
    """

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
        self.name = name
        self.folder = folder
        self.work = place_apart(folder, monkeypatch)
        self.outside = folder / "outside"
        self.outside.mkdir(exist_ok=True)
        self.is_used = True
        monkeypatch.setattr(find, "_found", [None if name == "none" else sandbox_or_skip(name)])
        self.runtime = self._runtime((), "default", {})

    def _runtime(
        self, allow: tuple[str, ...], mode: Mode, settings: dict[str, Any], *, is_trusted: bool = True
    ) -> ToolRuntime:
        given = {"sandbox": {"readOnlyWithout": True}} if self.name == "none" else {}
        loaded = load_settings(self.work, inline=json.dumps({**given, **settings}), is_trusted=is_trusted)
        return make_runtime(
            ToolRuntimeOptions(cwd=self.work, allowed=allow, mode=mode),
            loaded,
            results_dir=self.folder / "results",
            is_attended=False,
        )

    def begin(
        self, *allow: str, mode: Mode = "default", settings: dict[str, Any] | None = None, is_trusted: bool = True
    ) -> None:
        """Begin a session with these allow rules."""
        self.runtime = self._runtime(allow, mode, settings or {}, is_trusted=is_trusted)

    async def run(self, command: str, *, stays: bool = False, **input: Any) -> str:
        """Run a command as the decision on it says; return what came of it, `asks` where a user would be asked.

        It begins in the workspace, or with `stays` where the last one ended.
        """
        if not stays:
            self.runtime.workspace.cwd = self.work
        outcome, stages, _ = await run_one(self.runtime.execution_context, "Bash", {"command": command, **input})
        reached = [stage["stage"] for stage in stages if stage["outcome"] == "ok"]
        if outcome.is_error and "permission" not in reached:
            return "asks"
        self.is_used = True
        return str(outcome.content)

    def renew(self, lay_out: Callable[[AttackRoom], object]) -> None:
        """Lay the room out anew, unless no command has run in it since that was done last: one that asks changes nothing."""
        if self.is_used:
            lay_out(self)
        self.is_used = False

    def lay_out(self, lay_out: Callable[[AttackRoom], object]) -> None:
        """Lay both folders out anew; after the first time as a copy of what came of that, which is sooner made than by git."""
        kept = self.folder / f"kept-{lay_out.__name__}"
        if kept.exists():
            for folder in (self.work, self.outside):
                shutil.rmtree(folder)
                shutil.copytree(kept / folder.name, folder, symlinks=True)
            return
        lay_out(self)
        for folder in (self.work, self.outside):
            shutil.copytree(folder, kept / folder.name, symlinks=True)

    def clear(self) -> None:
        """Empty both folders."""
        for folder in (self.work, self.outside):
            shutil.rmtree(folder)
            folder.mkdir()

    def git(self, *words: str, folder: Path | None = None) -> None:
        """Run git in the workspace, with a name to commit under."""
        subprocess.run(
            ["git", "-c", "user.name=n", "-c", "user.email=e@x", "-c", "init.defaultBranch=main", *words],
            cwd=folder or self.work, check=True, capture_output=True,
        )  # fmt: skip
