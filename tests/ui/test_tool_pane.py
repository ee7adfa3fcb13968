"""The tool pane: which rows there are, what they say, and that it moves only while something runs."""

from __future__ import annotations

from typing import Any

import pytest
from dialog_app import STYLES
from recording import GREP, READ, TESTS, Recording, fix_a_bug
from rich.segment import Segment
from textual.app import App, ComposeResult

from tui_agent import events as ev
from tui_agent.ui.panes.tool_rows import counts, paint, rows_of_turn, saved_ms
from tui_agent.ui.panes.tools import ToolPane
from tui_agent.ui.projection import Projection
from tui_agent.viewkit.palette import DARK
from tui_agent.viewkit.view import RenderState


class Harness(App[None]):
    """An app with nothing but the pane; `clock` is milliseconds on the events' clock."""

    CSS_PATH = [STYLES / "panes.tcss"]  # noqa: RUF012

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.projection = Projection()
        self.messages: list[tuple[str, str]] = []
        self.painted: list[int] = []

    def compose(self) -> ComposeResult:
        yield ToolPane(clock=lambda: self.now)

    @property
    def pane(self) -> ToolPane:
        return self.query_one(ToolPane)

    def feed(self, log: Recording, taken: int = 0) -> None:
        self.now = log.now
        self.pane.refresh_from(self.projection, self.projection.apply(log.events[taken:]))

    def on_tool_pane_jumped(self, message: ToolPane.Jumped) -> None:
        self.messages.append(("jump", message.tool_use_id))

    def on_tool_pane_stop_requested(self, message: ToolPane.StopRequested) -> None:
        self.messages.append(("stop", message.tool_use_id))


def projected(log: Recording) -> Projection:
    projection = Projection()
    projection.apply(log.events)
    return projection


def text_of(segments: list[Segment]) -> str:
    return "".join(segment.text for segment in segments)


def lines(log: Recording, width: int = 60) -> list[str]:
    projection = projected(log)
    assert projection.turn is not None
    rows = rows_of_turn(projection.turn, projection.tools)
    return [text_of(paint(row, width, log.now, RenderState(DARK), is_still=True)) for row in rows]


def test_each_row_says_its_state_in_words_and_how_long_it_ran() -> None:
    grep, read, bash, tail, queued = lines(fix_a_bug(until="tests"))
    assert "Grep" in grep
    assert "done  0.4s" in grep
    assert "shop/refund.py" in read
    assert "running" in bash
    assert "test_two_lines_round_once" in tail
    assert "queued" in queued


def test_a_result_that_waits_for_those_before_it_is_held() -> None:
    log = Recording()
    log.begin("go")
    log.reply()
    for name in ("u1", "u2"):
        log.use(name, "Read", READ)
        log.execute(name)
    log.result("u2", "Read", "", {}, is_held=True)
    log.wait(500)
    assert "held" in lines(log)[1]
    assert counts(projected(log).tools.values()) == "1 run"


def test_children_stand_indented_below_the_tool_that_started_them() -> None:
    log = Recording()
    log.begin("go")
    log.reply()
    log.use("u1", "Agent", {"prompt": "look around"})
    log.execute("u1")
    log.use("u3", "Bash", TESTS)
    log.say(ev.ToolUseStarted(tool_use_id="u2", name="Grep", turn_id="t1", parent_tool_use_id="u1"))
    agent, child, sibling = lines(log)
    assert "Agent" in agent
    assert child.startswith("  ")
    assert "Grep" in child
    assert "Bash" in sibling


@pytest.mark.parametrize("width", [12, 30, 44, 60, 120])
def test_every_line_is_exactly_as_wide_as_the_pane(width: int) -> None:
    projection = projected(fix_a_bug(until="tests"))
    assert projection.turn is not None
    for row in rows_of_turn(projection.turn, projection.tools):
        segments = paint(row, width, 9000, RenderState(DARK))
        assert sum(segment.cell_length for segment in segments) == width


def test_the_time_saved_is_what_ran_early_or_side_by_side() -> None:
    projection = projected(fix_a_bug())
    assert projection.turn is not None
    # Grep ran 410 ms while the model was talking, and Read ran 90 of them beside it.
    assert saved_ms(projection, projection.turn, 0) == pytest.approx(410 + 90)


async def test_enter_jumps_to_the_tool_use_and_k_stops_one_that_runs() -> None:
    app = Harness()
    async with app.run_test(size=(80, 20)) as pilot:
        app.feed(fix_a_bug(until="tests"))
        app.pane.focus()
        await pilot.press("up", "enter", "k")
        assert app.messages == [("jump", "u3"), ("stop", "u3")]
        app.messages.clear()
        await pilot.press("home", "enter", "k")
        assert app.messages == [("jump", "u1")]  # what is over cannot be stopped
        await pilot.press("end", "k")
        assert app.messages[-1] == ("stop", "u4")


async def test_a_click_jumps_to_the_row_that_was_clicked() -> None:
    app = Harness()
    async with app.run_test(size=(80, 20)) as pilot:
        app.feed(fix_a_bug(until="tests"))
        await pilot.pause()
        await pilot.click(ToolPane, offset=(5, 2))
        assert app.messages == [("jump", "u2")]


async def test_it_ticks_while_something_runs_and_only_then() -> None:
    app = Harness()
    log = fix_a_bug(until="retest")
    async with app.run_test(size=(80, 20)):
        timer = app.pane._ticker
        assert timer is not None
        assert not timer._active.is_set()
        app.feed(log)
        assert timer._active.is_set()
        taken = len(log.events)
        log.result("u6", "Bash", "ok", {})
        log.finish()
        app.feed(log, taken)
        assert not timer._active.is_set()


async def test_a_tick_repaints_and_lays_nothing_out(monkeypatch: pytest.MonkeyPatch) -> None:
    app = Harness()
    async with app.run_test(size=(80, 20)) as pilot:
        app.feed(fix_a_bug(until="tests"))
        await pilot.pause()
        calls: list[dict[str, Any]] = []
        monkeypatch.setattr(
            ToolPane, "refresh", lambda self, *regions, **how: calls.append({"regions": regions, **how})
        )
        app.now += 400
        app.pane._tick()
        [call] = calls
        assert call["regions"]
        assert not call.get("layout")


async def test_turns_that_are_over_stay_above_the_one_that_runs() -> None:
    app = Harness()
    log = fix_a_bug()
    async with app.run_test(size=(80, 20)) as pilot:
        app.feed(log)
        taken = len(log.events)
        log.begin("once more", "t2")
        log.say(ev.ToolUseStarted(tool_use_id="v1", name="Grep", turn_id="t2"))
        log.say(ev.ToolUseCompleted(tool_use_id="v1", name="Grep", input=GREP))
        app.feed(log, taken)
        await pilot.pause()
        shown = [app.pane.render_line(y).text for y in range(8)]
        assert "Grep" in shown[0]
        assert set(shown[5].strip()) == {"╌"}
        assert "Grep" in shown[6]
