"""The screen of hooks under keys and mouse, and what the projection makes of hooks that run."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from dialog_app import DialogApp, screen_text
from fake_engine import FakeEngine
from textual.widgets import OptionList

from tui_agent import events as ev
from tui_agent.engine.session.settings_answers import hooks_report
from tui_agent.hooks.registry import HookRegistry
from tui_agent.settings.load import HookEntry
from tui_agent.ui.app import TuiAgentApp
from tui_agent.ui.projection.hook_reducer import HookRuns
from tui_agent.ui.projection.projection import Projection
from tui_agent.ui.screens.hooks import HooksScreen


def entry(event: str, matcher: str = "", **handler: Any) -> HookEntry:
    return HookEntry(event, matcher, {"type": "command", **handler}, "project", "/w/.claude/settings.json", 7)


BOOK = HookRegistry.read(
    [
        entry("PreToolUse", "Bash", command="./check.sh [@click=app.quit]x[/] \x1b[31m"),
        entry("Stop", command="line one; " * 60),
        entry("Nothing", command="x"),
    ]
)


def started(event: str = "Stop", run_id: str = "h1", **more: Any) -> ev.HookStarted:
    return ev.HookStarted(run_id=run_id, event=event, hook=f"{event}:x", name="check.sh", **more)


def ended(event: str = "Stop", run_id: str = "h1", **more: Any) -> ev.HookEnded:
    return ev.HookEnded(run_id=run_id, event=event, hook=f"{event}:x", **{"outcome": "ok", **more})


def shown(*events: ev.Event) -> Projection:
    projection = Projection()
    projection.apply(replace(event, seq=number, monotonic_ms=number * 10.0) for number, event in enumerate(events, 1))
    return projection


async def test_keys_choose_a_hook_and_read_it_to_its_end() -> None:
    app = DialogApp(HooksScreen(hooks_report(BOOK), {BOOK.handlers[0].id: HookRuns(2, "blocked", 5.0, "not that")}))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "there is no event of this name" in screen_text(pilot)
        await pilot.press("down")
        text = screen_text(pilot)
        assert "./check.sh [@click=app.quit]x[/] ⟨ESC⟩[31m" in text
        assert "Ran 2 times; last: blocked" in text
        assert "not that" in text
        await pilot.press("down", "tab", "end")
        await pilot.pause()
        assert "at most 600 s" in screen_text(pilot)
        await pilot.press("tab", "up")
        await pilot.pause()
        assert "check.sh" in screen_text(pilot)
        await pilot.press("escape")
        await pilot.pause()
        assert not isinstance(app.screen, HooksScreen)


async def test_a_click_chooses_a_hook() -> None:
    app = DialogApp(HooksScreen(hooks_report(BOOK), {}))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await pilot.click(OptionList, offset=(5, 4))
        await pilot.pause()
        assert app.screen.query_one(OptionList).highlighted == 4
        assert "line one;" in screen_text(pilot)


@pytest.mark.parametrize("book", [BOOK, None])
async def test_the_command_opens_the_screen_where_there_are_hooks(book: HookRegistry | None) -> None:
    engine = FakeEngine()
    engine.hooks = book

    async def connect(_prompter: object) -> FakeEngine:
        return engine

    app = TuiAgentApp(connect)
    async with app.run_test(size=(100, 30)) as pilot:
        while app.engine is None:
            await pilot.pause(0.01)
        await pilot.press(*"/hooks", "enter")
        await pilot.pause()
        assert isinstance(app.screen, HooksScreen) is (book is not None)


def test_a_hook_that_a_message_waits_for_makes_it_busy() -> None:
    assert not shown(started("Notification")).status.is_busy
    waiting = shown(started("UserPromptSubmit", message="looking for secrets"))
    assert (waiting.status.is_busy, waiting.status.activity) == (True, "looking for secrets")
    assert not shown(started("UserPromptSubmit"), ended("UserPromptSubmit")).status.is_busy
    assert not shown(started("UserPromptSubmit", is_background=True)).status.is_busy


def test_in_a_turn_the_hook_is_named_when_nothing_else_goes_on() -> None:
    turn = ev.TurnStarted(turn_id="t")
    reply = ev.AssistantMessageCompleted(message_id="m", content=[], stop_reason="end_turn")
    assert shown(turn, reply, started()).status.activity == "hook check.sh"
    assert shown(turn, reply, started(), ended()).status.activity == "working"
    over = shown(turn, started(), ev.TurnFinished(turn_id="t", outcome="done"))
    assert not over.status.is_busy


def test_runs_are_counted_by_hook() -> None:
    projection = shown(
        started(), ended(), started(run_id="h2"), ended(run_id="h2", outcome="failed", duration_ms=7.0, message="no")
    )
    assert projection.hooks.runs == {"Stop:x": HookRuns(2, "failed", 7.0, "no")}


def test_what_a_killed_program_left_running_runs_no_more() -> None:
    again = ev.SessionStarted(cwd="/w", model="m", mode="default", version="0")
    assert not shown(started("UserPromptSubmit"), again).status.is_busy
