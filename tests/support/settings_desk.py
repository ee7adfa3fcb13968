"""A project, a user's folders and an administrator's, with settings files in them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from tui_agent.settings.load import Settings, load_settings

__all__ = ["Desk"]


class Desk:
    """All folders are empty at first. `write` takes `local`, `project`, `policy`, `user`, or those with `claude-` before."""

    def __init__(self, root: Path) -> None:
        self.project = root / "project"
        self.config = root / "config"
        self.policy = root / "policy"
        self.claude_policy = root / "claude-policy"
        self.home = root / "home"
        for folder in (self.project / ".git", self.config, self.policy, self.claude_policy, self.home):
            folder.mkdir(parents=True)

    def file(self, source: str) -> Path:
        return {
            "local": self.project / ".tui-agent/settings.local.json",
            "claude-local": self.project / ".claude/settings.local.json",
            "project": self.project / ".tui-agent/settings.json",
            "claude-project": self.project / ".claude/settings.json",
            "user": self.config / "settings.json",
            "claude-user": self.home / ".claude/settings.json",
            "policy": self.policy / "settings.json",
            "claude-policy": self.claude_policy / "managed-settings.json",
        }[source]

    def write(self, source: str, content: Any) -> Path:
        file = self.file(source)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content if isinstance(content, str) else json.dumps(content))
        return file

    def init_git(self) -> None:
        """Make the project a real repository."""
        subprocess.run(["git", "init", "-q", str(self.project)], check=True)

    def track(self, file: Path) -> None:
        subprocess.run(["git", "add", "-f", str(file)], cwd=self.project, check=True)

    def load(self, **rest: Any) -> Settings:
        given = {
            "start_dir": self.project,
            "is_trusted": True,
            "config_dir": self.config,
            "policy_dir": self.policy,
            "claude_policy_dir": self.claude_policy,
            "home": self.home,
        }
        return load_settings(**{**given, **rest})
