"""While only time passes, words stay where they are: a spinner turns and figures count in places of their own."""

from __future__ import annotations

import re

import pytest
from pictures import Stage, settle, staged
from recording import fix_a_bug
from screen_text import screen_text

from tui_agent.ui.app import TuiAgentApp

LATER_S = (0.3, 1, 8, 20, 61, 300, 590)  # seconds; a time of ten minutes and more may be a digit wider


class LaterStage(Stage):
    """A stage whose clock can be put on."""

    later_ms = 0.0

    def now_ms(self) -> float:
        return super().now_ms() + self.later_ms


def words(app: TuiAgentApp) -> list[tuple[int, int, str]]:
    """Return each word on the screen with its line and column."""
    lines = screen_text(app).split("\n")
    return [(row, it.start(), it[0]) for row, line in enumerate(lines) for it in re.finditer(r"[A-Za-z]{2,}", line)]


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 40), (200, 60)])
@pytest.mark.parametrize(("until", "key"), [("tests", ""), ("tests", "f2"), ("retest", "")])
async def test_words_stay_in_their_places_while_time_passes(size: tuple[int, int], until: str, key: str) -> None:
    stage = LaterStage(fix_a_bug(until=until).events)
    async with staged(stage, size) as (app, pilot):
        if key:
            await pilot.press(key)
            await settle(app, pilot)
        before, first = words(app), screen_text(app)
        changed = False
        for later in LATER_S:
            stage.later_ms = later * 1000
            app._main.conversation.activity._tick()
            app._main.tools._tick()
            await settle(app, pilot)
            assert words(app) == before, later
            changed = changed or screen_text(app) != first
        assert changed, "nothing showed that time passed"
