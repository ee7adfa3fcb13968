"""What tests of screens share: an app with the real styles, a clock that is moved by hand, a desk that listens."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from textual.app import App
from textual.pilot import Pilot
from textual.screen import Screen

from tui_agent.permissions.verdict import Decision
from tui_agent.tools.forms import Answers
from tui_agent.ui.screens.guard import GUARD_SECONDS
from tui_agent.ui.screens.question import WaitingScreen

__all__ = ["Clock", "DialogApp", "FakeDesk", "readable", "screen_text"]

STYLES = Path(__file__).parents[2] / "styles"


class Clock:
    """Seconds that go by when a test says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def pass_guard(self) -> None:
        self.now += 2 * GUARD_SECONDS


class FakeDesk:
    """Writes down what a question screen says."""

    def __init__(self) -> None:
        self.answers: list[tuple[str, Decision]] = []
        self.steps: list[int] = []
        self.forms: list[tuple[str, Answers | None]] = []

    def answer_form(self, request_id: str, answers: Answers | None) -> None:
        self.forms.append((request_id, answers))

    def answer(self, request_id: str, decision: Decision) -> None:
        self.answers.append((request_id, decision))

    def look(self, step: int) -> None:
        self.steps.append(step)

    def resumed(self) -> None:
        pass

    @property
    def decision(self) -> Decision:
        [(_, decision)] = self.answers
        return decision


class DialogApp(App[None]):
    """An app that shows one screen over an empty one and keeps what it was dismissed with."""

    CSS_PATH: ClassVar = [STYLES / "panes.tcss", STYLES / "dialogs.tcss"]

    def __init__(self, dialog: Screen[Any]) -> None:
        super().__init__()
        self.dialog = dialog
        self.result: object = "not dismissed"

    def on_mount(self) -> None:
        self.push_screen(self.dialog, self.keep)

    def keep(self, result: object) -> None:
        self.result = result


def screen_text(pilot: Pilot[Any]) -> str:
    """Return what is on the screen, as characters."""
    return "\n".join(strip.text for strip in pilot.app.screen._compositor.render_strips())


async def readable(pilot: Pilot[Any], clock: Clock) -> None:
    """Wait until the question on top has been painted, then let its guard's time go by."""
    await pilot.pause()
    while isinstance(pilot.app.screen, WaitingScreen) and not pilot.app.screen.guard.is_counting:
        await pilot.pause()
    clock.pass_guard()
