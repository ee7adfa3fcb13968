"""The tool pane: which rows there are, what they say, and that it moves only while something runs."""

from __future__ import annotations

from typing import Any

import pytest
from dialog_app import STYLES
from hypothesis import given, settings
from hypothesis import strategies as st
from recording import GREP, READ, TESTS, Recording, fix_a_bug
from rich.segment import Segment
from textual.app import App, ComposeResult

from tui_agent import events as ev
from tui_agent.ui.panes.tool_filter import ToolFilter
from tui_agent.ui.panes.tool_list import ToolList
from tui_agent.ui.panes.tool_rows import counts, paint
from tui_agent.ui.panes.tool_turn import ToolRow, TurnRows
from tui_agent.ui.panes.tools import ToolPane
from tui_agent.ui.projection.projection import Projection
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


def listed(log: Recording) -> ToolList:
    rows = ToolList()
    projection = projected(log)
    rows.refresh(projection, projection.tools)
    return rows


def live(log: Recording) -> TurnRows:
    turn = listed(log).live
    assert turn is not None
    return turn


def rows_of(log: Recording) -> list[ToolRow]:
    rows = listed(log)
    found = [rows.row(line) for line in range(rows.height)]
    assert rows.row(rows.height) is None
    return [row for row in found if row is not None]


def lines(log: Recording, width: int = 60) -> list[str]:
    return [text_of(paint(row, width, log.now, RenderState(DARK), is_still=True)) for row in rows_of(log)]


def test_each_row_says_its_state_in_words_and_how_long_it_ran() -> None:
    grep, read, bash, tail, queued = lines(fix_a_bug(until="tests"))
    assert "Grep" in grep
    assert "done       0.4s" in grep
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
    assert counts(*live(log).tally) == "1 run"


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
    for row in rows_of(several_turns()):
        segments = paint(row, width, 9000, RenderState(DARK))
        assert sum(segment.cell_length for segment in segments) == width


def test_the_time_saved_is_what_ran_early_or_side_by_side() -> None:
    # Grep ran 210 ms while the model was talking, and Read ran 90 of them beside it.
    assert live(fix_a_bug()).saved_ms(0) == pytest.approx(410 + 90)


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


async def test_nothing_ticks_while_all_waits_for_the_person() -> None:
    app = Harness()
    async with app.run_test(size=(80, 20)):
        app.feed(fix_a_bug(until="asked"))
        timer = app.pane._ticker
        assert timer is not None
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


def several_turns() -> Recording:
    """Two turns that are over, one that runs, and a job."""
    log = fix_a_bug()
    log.begin("once more", "t2")
    log.reply("a8")
    log.use("v1", "Grep", GREP)
    log.execute("v1")
    log.result("v1", "Grep", "", {}, error="execution")
    log.use("v2", "Grep", GREP)
    log.execute("v2")
    log.result("v2", "Grep", "", {}, error="aborted")
    log.finish(turn="t2")
    log.begin("and again", "t3")
    log.reply("a9")
    log.use("w1", "Read", READ)
    log.execute("w1")
    log.use("w2", "Bash", TESTS)
    log.execute("w2")
    log.progress("w2", tail=["test_one ... ok"])
    log.say(ev.JobStarted(job_id="j1", tool_use_id="w2", command="npm start", output_path="/tmp/o"))
    return log


async def test_earlier_turns_stand_below_a_line_each_and_can_be_opened() -> None:
    app = Harness()
    async with app.run_test(size=(80, 24)) as pilot:
        app.feed(several_turns())
        await pilot.pause()
        texts = [app.pane.render_line(y).text for y in range(16)]
        assert "Read" in texts[0]
        assert "test_one" in texts[2]
        assert "npm start" in texts[4]
        assert set(texts[5].strip()) == {"╌"}
        assert texts[6].startswith("▸ turn 2 · 2 tools · ")
        assert texts[6].rstrip().endswith("1 failed · 1 stopped")
        assert texts[7].startswith("▸ turn 1 · 5 tools · ")
        app.pane.focus()
        await pilot.press("end", "enter")
        texts = [app.pane.render_line(y).text for y in range(16)]
        assert texts[7].startswith("▾ turn 1")
        assert "Grep" in texts[8]
        await pilot.press("down", "enter")
        assert app.messages == [("jump", "u1")]
        await pilot.press("up", "enter")
        assert not app.pane.render_line(8).text.strip()


async def test_the_newest_row_is_followed_until_the_person_scrolls() -> None:
    app = Harness()
    async with app.run_test(size=(80, 12)) as pilot:
        log = fix_a_bug(until="asked")
        log.settle("u3")
        app.feed(log)
        for number in range(30):
            taken = len(log.events)
            log.use(f"n{number}", "Read", READ)
            app.feed(log, taken)
        await pilot.pause()
        assert "Read" in app.pane.render_line(app.pane.size.height - 1).text
        assert app.pane._current == "n29"
        app.pane.focus()
        app.pane.scroll_to(y=3, animate=False)
        taken = len(log.events)
        log.use("later", "Read", READ)
        app.feed(log, taken)
        await pilot.pause()
        assert app.pane.scroll_offset.y == 3


async def test_details_tell_the_stages_and_why_something_is_held() -> None:
    app = Harness()
    log = Recording()
    log.begin("go")
    log.reply()
    for name in ("u1", "u2"):
        log.use(name, "Read", READ)
        log.execute(name)
    log.say(ev.ToolStageEnded(tool_use_id="u2", stage="validate", outcome="ok", ms=0.6))
    log.say(ev.ToolStageEnded(tool_use_id="u2", stage="pre_hooks", outcome="ok", ms=312))
    log.wait(1500)
    log.result("u2", "Read", "", {}, is_held=True, ms=1500)
    async with app.run_test(size=(90, 20)) as pilot:
        app.feed(log)
        app.pane.focus()
        await pilot.press("space")
        shown = [app.pane.render_line(y).text.rstrip() for y in range(6)]
        assert "ran 1.5s" in shown[2]
        assert "check 1 ms · hooks before 312 ms" in shown[3]
        assert "held" in shown[4]
        assert "Read is not done yet" in shown[4]
        await pilot.press("d")
        assert not app.pane.render_line(2).text.strip()


async def test_a_filter_by_state_goes_round_and_is_told_in_the_title() -> None:
    app = Harness()
    async with app.run_test(size=(90, 24)) as pilot:
        app.feed(several_turns())
        app.pane.focus()
        seen = []
        for _ in range(5):
            await pilot.press("f")
            shown = "\n".join(app.pane.render_line(y).text for y in range(12))
            seen.append((str(app.pane.border_title), "w1" in app.pane._list._turn_of, shown))  # type: ignore[union-attr]
        titles = [title for title, _, _ in seen]
        for word, title in zip(("running", "waiting", "failed", "done"), titles, strict=False):
            assert f"only {word}" in title
        assert "only" not in titles[4]
        assert "Grep" in seen[2][2]
        assert "▾ turn 2" in seen[2][2]
        assert "No matches" in seen[1][2]
        await pilot.press("f", "escape")
        assert "only" not in str(app.pane.border_title)


async def test_a_filter_by_words_takes_what_is_typed_and_finds_earlier_turns() -> None:
    app = Harness()
    async with app.run_test(size=(90, 24)) as pilot:
        app.feed(several_turns())
        app.pane.focus()
        await pilot.press("slash", *"unittest", "k")
        assert "/unittestk" in str(app.pane.border_title)
        await pilot.press("backspace", "enter")
        assert app.messages == []
        assert '"unittest"' in str(app.pane.border_title)
        shown = [app.pane.render_line(y).text for y in range(9)]
        assert "python3 -m unittest" in shown[0]
        assert [line for line in shown if "Grep" in line] == []
        assert "turn 1" in shown[3]
        assert "python3 -m unittest" in shown[4]
        await pilot.press("escape")
        assert "Grep" not in app.pane.render_line(0).text
        assert "Read" in app.pane.render_line(0).text


async def test_escape_is_the_screens_while_there_is_no_filter() -> None:
    app = Harness()
    async with app.run_test(size=(90, 24)):
        app.feed(several_turns())
        assert app.pane.check_action("filter_clear", ()) is False


def test_times_and_states_stand_in_the_same_columns_whatever_they_are() -> None:
    log = several_turns()
    turn = live(log)
    row = turn.row(1)
    assert row is not None
    assert row.use is not None
    ends = set()
    for now in (log.now, log.now + 9_000, log.now + 65_000, log.now + 7_300_000):
        text = text_of(paint(row, 80, now, RenderState(DARK), is_still=True))
        ends.add((text.index("▕"), text.index("running")))
    assert len(ends) == 1


def test_arguments_that_stream_in_are_shown_with_their_size() -> None:
    log = Recording()
    log.begin("go")
    log.reply()
    log.say(ev.ToolUseStarted(tool_use_id="u1", name="Write", turn_id="t1"))
    log.say(
        ev.ToolInputDelta(
            tool_use_id="u1", partial_json='{"file_path": "/home/dev/src/shop/a.py", "content": "' + "x" * 3000
        )
    )
    [line] = lines(log, 80)
    assert "a.py" in line
    assert "arriving   3 KB" in line


def test_a_wait_for_the_person_is_broken_out_of_the_line() -> None:
    log = fix_a_bug(until="asked")
    log.end_reply("a1")
    log.wait(3_600_000)
    log.settle("u3")
    log.wait(1500)
    log.result("u3", "Bash", "", {})
    grep, read, bash = lines(log, 100)
    assert all("┊" in line for line in (grep, read, bash))
    assert len({line.index("┊") for line in (grep, read, bash)}) == 1
    assert bash.count("█") > 4
    assert "▓" in grep


def test_the_time_line_is_counted_once_and_a_change_costs_the_same_after_thousands(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    log = Recording()
    log.begin("go")
    log.reply()
    projection = Projection()
    rows = ToolList()
    for number in range(3000):
        log.use(f"n{number}", "Read", READ, arriving_ms=1)
        log.execute(f"n{number}")
        log.result(f"n{number}", "Read", "", {})
    taken = projection.apply(log.events)
    rows.refresh(projection, taken.tool_ids)
    calls: list[str] = []
    real = TurnRows._below
    monkeypatch.setattr(TurnRows, "_below", lambda self, name, depth: calls.append(name) or real(self, name, depth))
    before = len(log.events)
    log.use("last", "Bash", TESTS)
    log.execute("last")
    rows.refresh(projection, projection.apply(log.events[before:]).tool_ids)
    assert rows.height == 3001
    assert rows.line_of("last") == 3000
    assert len(calls) < 10


walk = st.lists(
    st.tuples(st.sampled_from(["new", "child", "run", "tail", "end", "open", "filter", "turn"]), st.integers(0, 30)),
    max_size=40,
)


@settings(deadline=None, max_examples=60)
@given(walk=walk)
def test_lines_and_keys_find_each_other_whatever_happens(walk: list[tuple[str, int]]) -> None:
    log, projection, rows = Recording(), Projection(), ToolList()
    log.begin("go", "t0")
    names: list[str] = []
    taken = 0
    for number, (what, which) in enumerate(walk):
        name = names[which % len(names)] if names else ""
        match what:
            case "new" | "child":
                parent = name if what == "child" and name else None
                names.append(f"u{number}")
                log.say(
                    ev.ToolUseStarted(tool_use_id=f"u{number}", name="Bash", turn_id="t", parent_tool_use_id=parent)
                )
            case "run" if name:
                log.say(ev.ToolStateChanged(tool_use_id=name, from_state="queued", to_state="executing"))
            case "tail" if name:
                log.progress(name, tail=["x"])
            case "end" if name:
                log.say(ev.ToolStateChanged(tool_use_id=name, from_state="executing", to_state="completed"))
            case "open":
                rows.toggle(name if which % 3 else f"turn:{which % 4}")
            case "filter":
                rows.set_filter(ToolFilter((None, "running", "failed", "done")[which % 4]))  # type: ignore[arg-type]
            case "turn":
                log.begin("go on", f"t{number}")
            case _:
                pass
        rows.refresh(projection, projection.apply(log.events[taken:]).tool_ids)
        taken = len(log.events)
    shown = [rows.row(line) for line in range(rows.height)]
    assert None not in shown
    assert rows.row(rows.height) is None
    keys = [(row.key, line) for line, row in enumerate(shown) if row is not None and row.kind in ("use", "turn", "job")]
    assert len({key for key, _ in keys}) == len(keys)
    assert all(rows.line_of(key) == line for key, line in keys)
    anew = ToolList()
    anew.set_filter(rows.filter)
    anew.refresh(projection, projection.tools)
    assert (anew.live.height if anew.live else 0) == sum(
        1 for row in shown[: rows.live_height] if row is not None and row.kind != "detail"
    )
