"""The world of one black-box test: folders, environment, and what the program left in them."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from preloaded import run_preloaded

from tui_agent.event_json import from_json
from tui_agent.events import Event
from tui_agent.model.demo.projects import prepare_project
from tui_agent.model.demo.scenario import Scenario
from tui_agent.model.demo.scenario_file import parse_scenario
from tui_agent.settings.trust import trust

__all__ = ["World", "scenario_of", "text_reply", "tool_reply"]


@dataclass
class World:
    """Folders and environment of one test."""

    home: Path
    state: Path
    folder: Path
    env: dict[str, str] = field(default_factory=dict)
    _read: tuple[tuple[Any, ...], list[Event]] = ((), [])

    @classmethod
    def make(cls, root: Path) -> World:
        """Make a home, a state folder and an empty trusted workspace below `root`."""
        home, state, folder = root / "home", root / "state", root / "work"
        for path in (home, state, folder):
            path.mkdir()
        env = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "XDG_CONFIG_HOME": str(home / ".config"),
            "XDG_STATE_HOME": str(home / ".local" / "state"),
            "XDG_CACHE_HOME": str(home / ".cache"),
            "TUI_AGENT_HOME": str(state),
            "ANTHROPIC_API_KEY": "test-key",
            "ANTHROPIC_BASE_URL": "http://127.0.0.1:9",  # the discard port: nobody is reached by accident
            "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "IS_SANDBOX": "1",
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
            "LANG": "C.UTF-8",
            "TZ": "UTC",
        }
        world = cls(home, state, folder, env)
        world.trust(folder)
        return world

    def trust(self, folder: Path) -> None:
        """Say beforehand that the user trusts a folder."""
        trust(folder, home=self.state)

    def use_sample_project(self) -> Path:
        """Make a fresh copy of the demo's project the workspace."""
        self.folder = prepare_project("shop", self.folder)
        self.trust(self.folder)
        return self.folder

    def write(self, name: str, text: str) -> Path:
        """Write a file into the workspace."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def run(self, *arguments: str, stdin: str | None = None, timeout: float = 90) -> subprocess.CompletedProcess[str]:
        """Run the program without a terminal and wait for it."""
        return run_preloaded(arguments, cwd=self.folder, env=self.env, stdin=stdin, timeout=timeout)

    def journals(self) -> list[Path]:
        """Return the recorded sessions' files, oldest first."""
        return sorted(self.state.glob("sessions/*/*/journal.jsonl"), key=lambda path: path.stat().st_mtime)

    def events(self) -> list[Event]:
        """Return the newest session's events; a last line that is just being written does not count yet."""
        journals = self.journals()
        if not journals:
            return []
        facts = journals[-1].stat()
        state = (journals[-1], facts.st_size, facts.st_mtime_ns)
        if state != self._read[0]:  # who waits asks 50 times a second
            whole, _, _ = journals[-1].read_bytes().rpartition(b"\n")
            self._read = (state, [from_json(json.loads(line)) for line in whole.splitlines() if line])
        return list(self._read[1])

    def has(self, kind: type[Event], **fields: Any) -> bool:
        """Whether the newest journal holds an event of this kind with these values."""
        return any(
            isinstance(event, kind) and all(getattr(event, name) == value for name, value in fields.items())
            for event in self.events()
        )

    def of(self, kind: type[Any]) -> list[Any]:
        """Return the newest journal's events of one kind."""
        return [event for event in self.events() if isinstance(event, kind)]


def scenario_of(*replies: dict[str, Any], **more: Any) -> Scenario:
    """Make a scenario of replies given as data."""
    return parse_scenario({"title": "test", "reply": list(replies), **more}, "test")


def text_reply(text: str, **more: Any) -> dict[str, Any]:
    """Return a reply that only says something."""
    return {"block": [{"text": text}], **more}


def tool_reply(*uses: dict[str, Any], text: str = "", **more: Any) -> dict[str, Any]:
    """Return a reply that uses tools, after saying something if there is something to say."""
    return {"block": [*([{"text": text}] if text else []), *uses], **more}
