"""A running app, its engine and its transcript, for tests of what a user does in the conversation."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fake_engine import FakeEngine
from screen_text import text_of, until
from textual.pilot import Pilot

from tui_agent.boundary import Engine
from tui_agent.ui.app import TuiAgentApp
from tui_agent.ui.engine import StartupPrompter
from tui_agent.ui.widgets.transcript import Transcript

__all__ = ["PARAGRAPHS", "Stage", "stage"]

PARAGRAPHS = "\n\n".join(f"paragraph {number} of the reply" for number in range(60))


class Stage:
    """A running app, its engine and its transcript."""

    def __init__(self, pilot: Pilot[object], engine: FakeEngine) -> None:
        self.pilot = pilot
        self.engine = engine
        self.transcript = pilot.app.screen.query_one(Transcript)

    @property
    def text(self) -> str:
        return text_of(self.transcript)

    @property
    def top(self) -> str:
        return self.text.split("\n", 1)[0].strip()

    async def shows(self, *parts: str) -> None:
        await until(self.pilot, lambda: all(part in self.text for part in parts))


@asynccontextmanager
async def stage(size: tuple[int, int] = (80, 24)) -> AsyncIterator[Stage]:
    engine = FakeEngine()

    async def connect(prompter: StartupPrompter) -> Engine:
        return engine

    app = TuiAgentApp(connect)
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: ("start",) in engine.asked)
        engine.begin()
        await until(pilot, lambda: pilot.app.screen.query_one(Transcript).display)
        yield Stage(pilot, engine)
