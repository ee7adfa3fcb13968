"""A whole session without a screen, on a model that follows a script, and a front end that remembers what it was told."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from scripted_model import Script, ScriptedModel
from session_driver import SessionDriver, open_session

from tui_agent.engine.session.config import SessionOptions
from tui_agent.events import Event

__all__ = ["Front", "begin", "place_apart"]


def place_apart(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder to work in, apart from the user's own settings and sessions."""
    work = folder / "work"
    work.mkdir(exist_ok=True)
    for name in ("HOME", "TUI_AGENT_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(folder / name.lower()))
        (folder / name.lower()).mkdir()
    for name in ("ANTHROPIC_MODEL", "ENABLE_TOOL_SEARCH"):
        monkeypatch.delenv(name, raising=False)
    return work


class Front:
    """A front end that remembers what it was told."""

    def __init__(self, session: SessionDriver, model: ScriptedModel) -> None:
        self.session = session
        self.model = model
        self.subscription = session.subscribe("test")
        self.events: list[Event] = []
        session.start()

    def of(self, kind: type[Event]) -> list[Any]:
        self.events += self.subscription.take()
        return [event for event in self.events if isinstance(event, kind)]

    async def until(self, kind: type[Event], count: int = 1) -> list[Any]:
        async def wait() -> list[Any]:
            while len(found := self.of(kind)) < count:
                await self.subscription.wait()
            return found

        return await asyncio.wait_for(wait(), 20)


async def begin(place: Path, *scripts: Script, **options: Any) -> Front:
    model = ScriptedModel(*scripts)
    return Front(await open_session(SessionOptions(cwd=place, **{"is_trusted": True, **options}), model), model)
