"""Hooks of a test: settings entries, scripts, and a runner over them that remembers what it told."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tui_agent.events import Event, HookEnded, Notice
from tui_agent.hooks.dispatch import HookedUse
from tui_agent.hooks.registry import HookRegistry
from tui_agent.hooks.runner import HookInvocation, HookOutcome, HookRunner, HookWorld
from tui_agent.settings.load import HookEntry

__all__ = ["PYTHON", "Hooks", "python_hook", "shell_hook"]

PYTHON = sys.executable


def shell_hook(script: str, event: str = "PreToolUse", matcher: str = "", **more: Any) -> HookEntry:
    """Return a hook that is a line of shell."""
    return HookEntry(event, matcher, {"type": "command", "command": script, **more}, "user", "settings.json", 1)


def python_hook(code: str, event: str = "PreToolUse", matcher: str = "", **more: Any) -> HookEntry:
    """Return a hook that is a Python program, without any start-up files."""
    handler = {"type": "command", "command": PYTHON, "args": ["-ISc", code], **more}
    return HookEntry(event, matcher, handler, "user", "settings.json", 1)


class Hooks:
    """A runner, and all it published and found late."""

    def __init__(self, folder: Path, *entries: HookEntry, **world: Any) -> None:
        self.events: list[Event] = []
        self.late: list[tuple[HookOutcome, HookInvocation]] = []
        self.world = HookWorld(
            publish=self.events.append,
            folder=lambda: str(folder),
            environment=lambda: {"PATH": os.environ["PATH"]},
            **{"fixed": {"CLAUDE_PROJECT_DIR": str(folder)}, **world},
        )
        self.runner = HookRunner(
            HookRegistry.read(entries), self.world, lambda outcome, occasion: self.late.append((outcome, occasion))
        )
        assert self.runner.book.problems == ()

    async def run(self, event: str = "PreToolUse", name: str = "Bash", **fields: Any) -> list[HookOutcome]:
        limit_s = fields.pop("limit_s", None)
        env_file = fields.pop("env_file", None)
        input: Mapping[str, Any] = {"hook_event_name": event, "tool_name": name, **fields}
        use = HookedUse(tool_use_id="t1", name=name, input=fields.get("tool_input", {}))
        return await self.runner.run(
            HookInvocation(event=event, input=input, names=(name,), use=use, limit_s=limit_s, env_file=env_file)
        )

    async def one(self, event: str = "PreToolUse", **fields: Any) -> HookOutcome:
        (outcome,) = await self.run(event, **fields)
        return outcome

    @property
    def notices(self) -> list[str]:
        return [event.text for event in self.events if isinstance(event, Notice)]

    @property
    def endings(self) -> list[str]:
        return [event.outcome for event in self.events if isinstance(event, HookEnded)]
