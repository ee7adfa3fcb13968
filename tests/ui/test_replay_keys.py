"""The keys of a replay: the timeline obeys them everywhere, the screen follows, and nothing that was asked can be answered."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from idle import thread_held
from recording import fix_a_bug
from screen_text import until
from textual.pilot import Pilot
from textual.widgets import Input

from tui_agent import events as ev
from tui_agent.ui.dialogs.question import WaitingScreen
from tui_agent.ui.replay.app import ReplayApp
from tui_agent.ui.replay.bar import ReplayBar, clock_text
from tui_agent.ui.replay.player import Player
from tui_agent.ui.replay.screens import ReplayScreen
from tui_agent.ui.screens.help import HelpScreen
from tui_agent.ui.widgets.transcript import Transcript

EVENTS = tuple(fix_a_bug().events)
SETTLED = next(place for place, event in enumerate(EVENTS, 1) if isinstance(event, ev.PermissionResolved))
ASKED = next(place for place, event in enumerate(EVENTS, 1) if isinstance(event, ev.PermissionRequested))


@asynccontextmanager
async def playing(
    at: str | None = "#0", *, size: tuple[int, int] = (120, 40), **how: Any
) -> AsyncIterator[tuple[ReplayApp, Pilot[object]]]:
    """A replay that stands still at a place."""
    app = ReplayApp(lambda: Player(EVENTS, at=at, **how), has_reduced_motion=True)
    async with app.run_test(size=size) as pilot:
        while app.engine is None or app.is_behind:
            await pilot.pause()
        await pilot.pause()
        yield app, pilot


def bar_text(app: ReplayApp) -> str:
    return app.screen.query_one(ReplayBar).render().plain


async def test_it_begins_where_it_is_told_to_and_says_so() -> None:
    async with playing("50%") as (app, _):
        playback = app._playback
        assert playback.count == playback.timeline.parse("50%")[1] > 0
        assert "paused" in bar_text(app)
        assert f" {clock_text(playback.position)} ╋━" in bar_text(app)
        assert clock_text(playback.timeline.total) in bar_text(app)
        assert "turn 1 of 1" in bar_text(app)


async def test_steps_go_to_the_end_and_back_and_the_screen_follows() -> None:
    async with playing(f"#{len(EVENTS) - 6}") as (app, pilot):
        counts = [app._playback.count]
        while app._playback.state != "end":
            await pilot.press("right")
            counts.append(app._playback.count)
        assert counts[-1] == len(EVENTS)
        assert app.projection.turn is not None
        assert app.projection.turn.outcome == "done"
        await pilot.press("left")
        assert app._playback.count == app._playback.timeline.steps[-2]
        assert app.projection.turn.outcome == ""
        await pilot.press("home")
        assert not app.projection.blocks


async def test_a_leap_takes_all_in_at_once_and_paints_once(monkeypatch: pytest.MonkeyPatch) -> None:
    async with playing() as (app, pilot):
        painted: list[int] = []
        real = ReplayScreen.refresh_from
        monkeypatch.setattr(
            ReplayScreen, "refresh_from", lambda self, *news: painted.append(app._playback.count) or real(self, *news)
        )
        for key in ("end", "left", "home"):
            await pilot.press(key)
        assert len(painted) == 3


async def test_single_events_the_ends_and_turns_have_keys() -> None:
    async with playing() as (app, pilot):
        playback = app._playback
        first = playback.timeline.turns[0]
        for key, expected in (
            ("full_stop", 1), ("full_stop", 2), ("comma", 1), ("end", len(EVENTS)),
            ("left_square_bracket", first), ("left_square_bracket", 0),
            ("right_square_bracket", first), ("right_square_bracket", len(EVENTS)), ("home", 0),
        ):  # fmt: skip
            await pilot.press(key)
            assert playback.count == expected, key


async def test_space_plays_and_pauses_and_speed_changes_are_told() -> None:
    async with playing() as (app, pilot):
        await pilot.press("minus", "minus", "minus")
        assert "0.25×" in bar_text(app)
        await pilot.press("space")
        assert app._playback.is_playing
        assert "playing" in bar_text(app)
        await pilot.press("plus", "equals_sign", "space")
        assert not app._playback.is_playing
        assert "paused" in bar_text(app)
        assert "1×" in bar_text(app)


async def test_a_question_shows_as_it_was_and_no_key_or_click_answers_it() -> None:
    async with playing(f"#{ASKED}") as (app, pilot):
        screen = app.screen
        assert isinstance(screen, WaitingScreen)
        screen.grace.restart()
        await pilot.press("enter", "1", "3", "4", "escape", "tab")
        await pilot.click(".choice")
        assert app.screen is screen
        assert len(app.projection.requests) == 1
        while app._playback.count < SETTLED:
            await pilot.press("right")
        await pilot.pause()
        assert not app.projection.requests
        assert app.screen is app._main
        app._playback.go_to_count(ASKED)
        await pilot.pause()
        assert isinstance(app.screen, WaitingScreen)
        assert "paused" in bar_text(app)


async def test_what_is_typed_goes_nowhere() -> None:
    async with playing("100%") as (app, pilot):
        before = [block.id for block in app.projection.blocks]
        await pilot.press(*"hello", "enter")
        await pilot.pause()
        assert [block.id for block in app.projection.blocks] == before
        assert not app._main.conversation.prompt.is_on_screen


async def test_a_place_can_be_written_and_what_is_none_is_told() -> None:
    async with playing() as (app, pilot):
        await pilot.press("g", *"soon", "enter")
        problem = app.screen.query_one("#problem")
        assert problem.display
        app.screen.query_one(Input).value = ""
        await pilot.press(*"turn", "space", "1", "enter")
        await pilot.pause()
        assert app._playback.count == app._playback.timeline.turns[0]
        await pilot.press("g", "escape")
        assert app.screen is app._main


@pytest.mark.usefixtures("painted")
async def test_a_click_on_the_tape_goes_there() -> None:
    async with playing() as (app, pilot):
        bar = app.screen.query_one(ReplayBar)
        first, cells = bar._bar
        await pilot.click(bar, offset=(first + cells - 1, 0))
        assert app._playback.state == "end"
        await pilot.click(bar, offset=(first, 0))
        assert app._playback.position == pytest.approx(0)


async def test_help_names_the_keys_and_takes_them_for_itself() -> None:
    async with playing() as (app, pilot):
        await pilot.press("f1")
        assert isinstance(app.screen, HelpScreen)
        await pilot.press("end", "right")
        assert app._playback.count == 0


async def test_ctrl_c_leaves_though_a_turn_was_running() -> None:
    async with playing(f"#{ASKED}") as (app, pilot):
        await pilot.press("ctrl+c")
        assert app._exit


async def test_the_line_fits_and_nothing_in_it_moves() -> None:
    async with playing("100%", size=(200, 20)) as (app, pilot):
        app._playback.leap = None  # the line alone is looked at
        bar = app._main.query_one(ReplayBar)
        for width in (200, 80, 40, 20):
            await pilot.resize_terminal(width, 20)
            await pilot.pause()
            lines = []
            for part in range(10):
                app._playback.go(*app._playback.timeline.parse(f"{part * 10}%"))
                lines.append(bar.render().plain)
            assert all(len(line) <= width for line in lines)
            assert len({line.find(clock_text(app._playback.timeline.total)) for line in lines}) == 1


async def test_nothing_ticks_while_it_stands_still_though_a_turn_runs_there() -> None:
    async with playing(f"#{SETTLED + 1}") as (app, pilot):
        main = app._main
        assert app.is_busy
        timers = [main.query_one(ReplayBar)._timer, main.tools._ticker, main.conversation.activity._timer]
        assert not any(timer is None or timer._active.is_set() for timer in timers)
        await pilot.press("minus", "space")
        assert all(timer is not None and timer._active.is_set() for timer in timers)
        await pilot.press("space")
        assert not any(timer is None or timer._active.is_set() for timer in timers)


async def test_what_a_damaged_recording_lacks_is_told_wherever_one_goes() -> None:
    async with playing("100%", problems=("a.jsonl:4: not JSON",)) as (app, pilot):
        for key in ("home", "end", "left"):
            await pilot.press(key)
            if app._playback.count:
                assert "a.jsonl:4" in app.projection.blocks[0].text


async def test_a_recording_is_read_while_the_screen_stands_and_its_end_is_shown_at_once() -> None:
    is_read = threading.Event()

    def read() -> Player:
        is_read.wait(10)
        return Player(EVENTS)

    app = ReplayApp(read, ending=EVENTS[-12:], has_reduced_motion=True)
    async with app.run_test(size=(120, 40)) as pilot:
        try:
            with thread_held():
                await until(pilot, lambda: app.query_one(Transcript).display)
                assert "reading the recording" in bar_text(app)
                await pilot.press("space", "left", "g", "home")
                assert app.engine is None
                assert isinstance(app.screen, ReplayScreen)
        finally:
            is_read.set()
        await until(pilot, lambda: app.engine is not None and not app.is_behind)
        await until(pilot, lambda: "■ end" in bar_text(app))
        assert len(app.projection.blocks) > 3
        await pilot.press("left")
        await until(pilot, lambda: "paused" in bar_text(app))


async def test_what_cannot_be_played_ends_the_app_with_the_reason() -> None:
    app = ReplayApp(lambda: Player(EVENTS, at="turn 7"), has_reduced_motion=True)
    async with app.run_test() as pilot:
        await until(pilot, lambda: app.fault is not None)
    assert "there is no turn 7" in str(app.fault)


async def test_very_many_turns_are_not_marked_on_the_tape() -> None:
    turns = [event for number in range(200) for event in (
        ev.UserMessageSent(message_id=f"m{number}", text="on", monotonic_ms=number * 900.0),
        ev.TurnStarted(turn_id=f"t{number}", monotonic_ms=number * 900.0),
        ev.TurnFinished(turn_id=f"t{number}", outcome="done", monotonic_ms=number * 900.0 + 500),
    )]  # fmt: skip
    app = ReplayApp(lambda: Player(turns, at="50%"), has_reduced_motion=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.engine is not None and not app.is_behind)
        await until(pilot, lambda: "paused" in bar_text(app))
        assert "━" in bar_text(app)
        assert "─" in bar_text(app)
        assert "╋" not in bar_text(app)
