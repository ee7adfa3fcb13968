"""The plan on the screen: which steps are seen, where, and when."""

from __future__ import annotations

from typing import Any

import pytest
from fake_engine import FakeEngine
from screen_text import screen_text, until

from tui_agent.boundary import Engine
from tui_agent.events import TasksChanged
from tui_agent.ui.app import TuiAgentApp
from tui_agent.ui.engine import StartupPrompter
from tui_agent.ui.panes.tasks import next_extent


def app_on(engine: FakeEngine) -> TuiAgentApp:
    async def connect(prompter: StartupPrompter) -> Engine:
        return engine

    return TuiAgentApp(connect)


def tasks(*statuses: str) -> TasksChanged:
    made: list[dict[str, Any]] = [
        {"id": str(number), "subject": f"Step {number}", "status": status, "active_form": f"Doing {number}"}
        for number, status in enumerate(statuses, 1)
    ]
    return TasksChanged(tasks=tuple(made))


LONG = ["completed"] * 3 + ["in_progress"] + ["pending"] * 4


async def test_a_wide_screen_shows_five_steps_round_the_one_that_is_done_now() -> None:
    engine = FakeEngine()
    app = app_on(engine)
    async with app.run_test(size=(160, 36)) as pilot:
        await until(pilot, lambda: ("start",) in engine.asked)
        assert "Tasks" not in screen_text(app)
        engine.begin()
        engine.say(tasks(*LONG))
        await until(pilot, lambda: "Tasks · 3 of 8 done" in screen_text(app))
        shown = screen_text(app)
        assert "☑ Step 3" in shown
        assert "▣ Doing 4" in shown
        assert "☐ Step 7" in shown
        assert "Step 2" not in shown
        assert "Step 8" not in shown
        assert "3 more" in shown
        await pilot.press("ctrl+t")
        await until(pilot, lambda: "Step 8" in screen_text(app) and "Step 1" in screen_text(app))
        await pilot.press("ctrl+t")
        await until(pilot, lambda: "Step 3" not in screen_text(app))
        engine.say(tasks("in_progress"))
        await pilot.pause()
        assert "Doing 1" not in screen_text(app)
        await pilot.press("ctrl+t")
        await until(pilot, lambda: "▣ Doing 1" in screen_text(app))


async def test_a_narrow_screen_shows_a_line_above_the_prompt() -> None:
    engine = FakeEngine()
    app = app_on(engine)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: ("start",) in engine.asked)
        engine.begin()
        engine.say(tasks(*LONG))
        await until(pilot, lambda: "▣ 3/8 Doing 4" in screen_text(app))
        assert "Step 3" not in screen_text(app)
        await pilot.press("ctrl+t")
        await until(pilot, lambda: "☑ Step 3" in screen_text(app))
        await pilot.resize_terminal(160, 36)
        await until(pilot, lambda: "Tasks · 3 of 8 done" in screen_text(app))
        assert screen_text(app).count("Doing 4") == 1


async def test_a_plan_that_is_done_leaves_with_the_turn_and_comes_back_when_asked_for() -> None:
    engine = FakeEngine()
    app = app_on(engine)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: ("start",) in engine.asked)
        engine.begin()
        engine.say(tasks("completed", "completed"))
        await until(pilot, lambda: "☑ 2/2 all done" in screen_text(app))
        engine.end()
        await until(pilot, lambda: "all done" not in screen_text(app))
        await pilot.press("ctrl+t")
        await until(pilot, lambda: "☑ Step 2" in screen_text(app))


async def test_clearing_the_conversation_clears_the_plan() -> None:
    engine = FakeEngine()
    app = app_on(engine)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: ("start",) in engine.asked)
        engine.begin()
        engine.say(tasks("in_progress"))
        await until(pilot, lambda: "0/1 Doing 1" in screen_text(app))
        engine.clear()
        await until(pilot, lambda: "Doing 1" not in screen_text(app))
        await pilot.press("ctrl+t")
        await until(pilot, lambda: "no tasks" in screen_text(app))


@pytest.mark.parametrize(
    ("count", "is_line", "path"),
    [(8, False, ["all", "none", "some"]), (5, False, ["none", "some"]), (1, True, ["all", "none"])],
)
def test_the_key_goes_round(count: int, is_line: bool, path: list[str]) -> None:
    extent: Any = "some"
    for expected in path:
        extent = next_extent(extent, count, is_line=is_line)
        assert extent == expected
