"""Background jobs on the screen: their rows, their end, and what keys do about them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from dialog_app import STYLES
from fake_engine import FakeEngine
from recording import TESTS, Recording
from screen_text import until
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from tui_agent import events as ev
from tui_agent.ui.app import TuiAgentApp
from tui_agent.ui.dialogs.confirm import Confirm
from tui_agent.ui.panes.tools import ToolPane
from tui_agent.ui.projection.projection import Projection
from tui_agent.ui.projection.state import Status
from tui_agent.ui.widgets.status_line import StatusLine

SERVE = "npm run dev -- --port 5173"


def started(log: Recording, *, job: str = "j1", command: str = SERVE) -> None:
    log.say(ev.JobStarted(job_id=job, tool_use_id="u1", command=command, output_path="/state/j1.txt"))


def turn_with_job() -> Recording:
    log = Recording()
    log.begin("start the server, then test")
    log.reply()
    log.use("u1", "Bash", {"command": SERVE, "run_in_background": True})
    log.execute("u1")
    started(log)
    log.result("u1", "Bash", "Started in the background as job j1.", {"backgroundTaskId": "j1"})
    log.use("u2", "Bash", TESTS)
    log.execute("u2")
    log.wait(2000)
    log.say(ev.JobProgressed(job_id="j1", data={"tail": ["ready", "GET / 200"], "total_lines": 2, "total_bytes": 16}))
    return log


def projected(log: Recording) -> Projection:
    projection = Projection()
    projection.apply(log.events)
    return projection


class Harness(App[None]):
    """An app with the pane and the status line."""

    CSS_PATH = [STYLES / "panes.tcss"]  # noqa: RUF012
    CSS = "StatusLine { height: 1; } ToolPane { height: 1fr; }"

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.projection = Projection()
        self.messages: list[tuple[str, str]] = []

    def compose(self) -> ComposeResult:
        yield ToolPane(clock=lambda: self.now)
        yield StatusLine()

    @property
    def pane(self) -> ToolPane:
        return self.query_one(ToolPane)

    def feed(self, log: Recording, taken: int = 0) -> None:
        self.now = log.now
        dirty = self.projection.apply(log.events[taken:])
        self.pane.refresh_from(self.projection, dirty)
        self.query_one(StatusLine).show(self.projection.status)

    def lines(self) -> list[str]:
        return [self.pane.render_line(y).text.rstrip() for y in range(self.pane.size.height)]

    def on_tool_pane_jumped(self, message: ToolPane.Jumped) -> None:
        self.messages.append(("jump", message.tool_use_id))

    def on_tool_pane_stop_requested(self, message: ToolPane.StopRequested) -> None:
        self.messages.append(("stop", message.tool_use_id))

    def on_tool_pane_background_requested(self, message: ToolPane.BackgroundRequested) -> None:
        self.messages.append(("background", message.tool_use_id))


async def test_a_running_job_has_a_row_with_its_time_and_what_it_printed_last() -> None:
    app = Harness()
    async with app.run_test(size=(80, 20)) as pilot:
        app.feed(turn_with_job())
        await pilot.pause()
        lines = app.lines()
        (row,) = [number for number, line in enumerate(lines) if "background" in line and "2.2s" in line]
        assert SERVE in lines[row]
        assert lines[row].startswith("◍")
        assert "└ GET / 200" in lines[row + 1]
        assert "1 run · 1 job" in str(app.pane.border_title)
        assert "1 job" in str(app.query_one(StatusLine).render())


async def test_the_job_ages_when_nothing_else_runs_and_goes_when_it_ends() -> None:
    app = Harness()
    async with app.run_test(size=(80, 20)) as pilot:
        log = turn_with_job()
        log.result("u2", "Bash", "ok")
        log.finish()
        app.feed(log)
        app.now += 60_000
        await pilot.pause()
        assert any("background 1m 02s" in line for line in app.lines())
        taken = len(log.events)
        log.say(ev.JobEnded(job_id="j1", outcome="failed", exit_code=1))
        app.feed(log, taken)
        assert not any("background 1m" in line for line in app.lines())
        assert "job" not in str(app.pane.border_title)


async def test_keys_are_about_the_newest_tool_first_and_about_a_job_when_it_is_chosen() -> None:
    app = Harness()
    async with app.run_test(size=(80, 20)) as pilot:
        app.feed(turn_with_job())
        app.pane.focus()
        await pilot.press("k", "b")
        assert app.messages == [("stop", "u2"), ("background", "u2")]
        app.messages.clear()
        await pilot.press("end", "enter", "k", "b")
        assert app.messages == [("jump", "u1"), ("stop", "j1")]  # it is in the background already


@pytest.mark.parametrize(
    ("outcome", "code", "words", "level"),
    [
        ("done", 0, "ended, exit 0 · 2.2s", "info"),
        ("failed", 3, "failed, exit 3", "warning"),
        ("stopped", None, "was stopped", "info"),
        ("timeout", None, "timed out", "warning"),
        ("too_much_output", None, "printed too much", "warning"),
    ],
)
def test_the_end_of_a_job_is_told_in_the_conversation(outcome: Any, code: int | None, words: str, level: str) -> None:
    log = turn_with_job()
    log.say(ev.JobEnded(job_id="j1", outcome=outcome, exit_code=code))
    projection = projected(log)
    block = projection.blocks[-1]
    assert SERVE in block.text
    assert words in block.text
    assert block.level == level
    assert (projection.jobs, projection.status.jobs) == ({}, 0)


def test_jobs_outlive_a_cleared_conversation_but_not_the_process() -> None:
    log = turn_with_job()
    log.say(ev.HistoryCleared())
    assert list(projected(log).jobs) == ["j1"]
    log.say(ev.SessionStarted(cwd="/", model="m", mode="default", version="0"))
    assert projected(log).jobs == {}


def test_an_end_without_a_beginning_changes_nothing() -> None:
    log = Recording()
    log.say(ev.JobEnded(job_id="j9", outcome="done"), ev.JobProgressed(job_id="j9", data={}))
    assert projected(log).status == Status(**{f: getattr(projected(Recording()).status, f) for f in Status.__slots__})


@asynccontextmanager
async def running() -> AsyncIterator[tuple[TuiAgentApp, FakeEngine, Pilot[object]]]:
    """Run an app in whose session a turn has begun."""
    engine = FakeEngine()

    async def connect(_prompter: object) -> FakeEngine:
        return engine

    app = TuiAgentApp(connect)  # type: ignore[arg-type]
    async with app.run_test(size=(120, 30)) as pilot:
        while app.engine is None:
            await pilot.pause(0.01)
        engine.begin()
        yield app, engine, pilot


async def test_the_app_passes_on_what_the_pane_asks_for() -> None:
    async with running() as (app, engine, pilot):
        engine.say(ev.JobStarted(job_id="j1", tool_use_id="u0", command=SERVE, output_path="/o"))
        while "j1" not in app.projection.jobs:
            await pilot.pause(0.01)
        await pilot.press(*"/tasks", "enter")
        await pilot.pause()
        assert (app.query_one(ToolPane).selected, app.query_one(ToolPane).has_focus) == ("j1", True)
        engine.say(
            ev.ToolUseStarted(tool_use_id="u7", name="Bash"),
            ev.ToolUseCompleted(tool_use_id="u7", name="Bash", input=TESTS),
            ev.ToolStateChanged(tool_use_id="u7", from_state="queued", to_state="executing"),
        )
        while "u7" not in app.projection.tools:
            await pilot.pause(0.01)
        await pilot.press("ctrl+b")
        for name in ("j1", "u1"):
            app.screen.query_one(ToolPane).post_message(ToolPane.StopRequested(name))
            await until(pilot, lambda: isinstance(app.screen, Confirm))
            assert name not in [asked[-1] for asked in engine.asked]
            await pilot.press("y")
            await until(pilot, lambda: not isinstance(app.screen, Confirm))
        app.query_one(ToolPane).post_message(ToolPane.BackgroundRequested("u1"))
        await pilot.pause()
        assert [asked for asked in engine.asked if asked[0] in ("stop_job", "stop_tool", "move_to_background")] == [
            ("move_to_background", "u7"), ("stop_job", "j1"), ("stop_tool", "u1"), ("move_to_background", "u1"),
        ]  # fmt: skip


async def test_what_is_sent_now_waits_for_no_command_that_runs() -> None:
    async with running() as (app, engine, pilot):
        for use_id in ("u7", "u8"):
            engine.say(
                ev.ToolUseStarted(tool_use_id=use_id, name="Bash"),
                ev.ToolUseCompleted(tool_use_id=use_id, name="Bash", input=TESTS),
                ev.ToolStateChanged(tool_use_id=use_id, from_state="queued", to_state="executing"),
            )
        while "u8" not in app.projection.tools:
            await pilot.pause(0.01)
        await pilot.press("a", "enter", "b", "ctrl+enter")
        await pilot.pause()
        wanted = [asked for asked in engine.asked if asked[0] in ("submit", "move_to_background")]
        assert wanted == [
            ("submit", "a"), ("submit", "b"), ("move_to_background", "u7"), ("move_to_background", "u8"),
        ]  # fmt: skip
