"""How the room on the screen is spent: which panes stand where, and how many rows and columns the conversation has."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from fake_engine import FakeEngine
from pictures import Stage, settle, staged
from recording import Recording, fix_a_bug
from screen_text import screen_text, until

from tui_agent import events as ev
from tui_agent.queries import Preferences
from tui_agent.ui import layout_choice
from tui_agent.ui.app import TuiAgentApp
from tui_agent.ui.arrangement import arrangement, next_layout, work_columns
from tui_agent.ui.panes.tools import ToolPane
from tui_agent.ui.projection.blocks import Block
from tui_agent.viewkit.markdown import MarkdownView
from tui_agent.viewkit.palette import DARK
from tui_agent.viewkit.view import RenderState

REPLY = """\
Money is rounded in **three** places on its way, and each of them loses up to half a cent. That is why only some refunds
are wrong: those whose lines have an odd number of pieces, or whose discount does not divide the price.

| function | file | what it does today | what it should do | risk |
|---|---|---|---|---|
| `line_refund` | `shop/refund.py` | rounds each line to cents before the lines are added up | keep the exact amount | low |
| `restocking_fee` | `shop/refund.py` | cuts the fee down to whole cents, in the shop's favour | keep the exact amount | low |
| `refund_total` | `shop/refund.py` | rounds net and tax apart, so that the sum is off | round once, when it is paid | high |

It should stay exact until it is paid:

```python
def refund_total(order: Order, items: Iterable[Return]) -> Decimal:
    net = sum((line_refund(order, item) - restocking_fee(line_refund(order, item), item) for item in items), Decimal(0))
    return to_cents(net * (1 + TAX_RATE))
```

I would change the three functions together, since the tests of each expect the rounding of the others. Shall I?
"""


def app_on(engine: FakeEngine) -> TuiAgentApp:
    async def connect(_app: object) -> Any:
        return engine

    return TuiAgentApp(connect)


def five_tools() -> Recording:
    """Five commands that run at once."""
    log = Recording()
    log.begin("Look at everything.")
    log.reply("a1")
    for number in range(5):
        log.use(f"u{number}", "Grep", {"pattern": f"word{number}"})
        log.execute(f"u{number}")
    return log


def useful(app: TuiAgentApp) -> tuple[int, int]:
    """Return the rows and columns of conversation that can be seen."""
    size = app._main.conversation.transcript.scrollable_content_region.size
    return size.height, app._main.conversation.transcript._layout.width


@pytest.mark.parametrize(
    ("size", "at_rest", "with_five_tools", "with_diff"),
    [
        ((120, 40), (36, 110), (28, 110), (36, 60)),
        ((80, 24), (21, 76), (21, 76), (0, 0)),
        ((200, 60), (55, 100), (55, 100), (55, 100)),
        ((60, 20), (17, 56), (17, 56), (0, 0)),
    ],
)
async def test_rows_and_columns_of_the_conversation(
    size: tuple[int, int], at_rest: tuple[int, int], with_five_tools: tuple[int, int], with_diff: tuple[int, int]
) -> None:
    async with staged(Stage(fix_a_bug().events), size) as (app, pilot):
        found = useful(app)
        assert found >= at_rest
        assert found[1] >= at_rest[1]
        if with_diff[0]:
            if not app._main.diff.is_on_screen:
                await pilot.press("f3")
                await settle(app, pilot)
            assert app._main.diff.is_on_screen
            found = useful(app)
            assert (found[0] >= with_diff[0], found[1] >= with_diff[1]) == (True, True), found
    async with staged(Stage(five_tools().events), size) as (app, _):
        found = useful(app)
        assert (found[0] >= with_five_tools[0], found[1] >= with_five_tools[1]) == (True, True), found


@pytest.mark.parametrize("width", range(100, 201, 5))
def test_a_reply_with_a_wide_table_and_code_takes_thirty_lines_at_most(width: int) -> None:
    beside = work_columns(width) if arrangement(width, "auto") == "side" else 0
    text = width - beside - 4  # margins and scroll bar
    assert len(MarkdownView(REPLY).render(text, RenderState(DARK)).lines) <= 30


@pytest.mark.parametrize("size", [(120, 40), (160, 50), (200, 60), (80, 24)])
async def test_nothing_in_a_turn_wraps_the_text_anew(size: tuple[int, int]) -> None:
    stage = Stage([])
    widths = set()
    async with staged(stage, size) as (app, pilot):
        for event in fix_a_bug().events:
            stage.play([event])
            await settle(app, pilot)
            if app._main.conversation.transcript.display:
                widths.add(useful(app)[1])
    assert len(widths) == 1, widths


async def test_the_strip_grows_while_the_turn_runs_and_folds_to_a_line() -> None:
    stage = Stage([])
    heights = []
    async with staged(stage, (120, 40)) as (app, pilot):
        for event in fix_a_bug().events:
            stage.play([event])
            await settle(app, pilot)
            strip = app._main.conversation.strip
            heights.append(strip.size.height if strip.display else 0)
        assert heights[-1] == 0
        running = [height for height in heights if height]
        assert running == sorted(running)
        assert 2 <= max(running) <= 8
        assert strip.styles.border_top[0] == "solid"
        assert "5 tools · 1 failed · 5.4s · saved 0.5s" in screen_text(app)


async def test_output_of_a_tool_that_runs_shows_with_the_clock_and_its_end_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Many tools at work print more often than anybody can see."""
    steps = ("new", "queued", "executing")
    begun = [
        ev.UserMessageSent(message_id="m1", text="go"), ev.TurnStarted(turn_id="t1"),
        ev.ToolUseStarted(tool_use_id="u1", name="Bash", turn_id="t1"),
        ev.ToolUseCompleted(tool_use_id="u1", name="Bash", input={"command": "make"}),
        *(ev.ToolStateChanged(tool_use_id="u1", from_state=a, to_state=b) for a, b in pairwise(steps)),  # type: ignore[arg-type]
    ]  # fmt: skip
    stage = Stage([])
    async with staged(stage, (120, 40)) as (app, pilot):
        stage.play(begun)
        await settle(app, pilot)
        strip, refreshed = app._main.conversation.strip, []
        assert strip.display
        monkeypatch.setattr(strip, "refresh", lambda *_args, **_more: refreshed.append(1))
        monkeypatch.setattr(app, "animation_level", "full")
        strip._set_ticking()
        for number in range(20):
            stage.play([ev.ToolProgressed(tool_use_id="u1", data={"message": f"step {number}"})])
            await settle(app, pilot)
        assert refreshed == []
        stage.play([ev.ToolStateChanged(tool_use_id="u1", from_state="executing", to_state="completed")])
        await settle(app, pilot)
        assert refreshed


async def test_the_time_of_a_turn_stands_at_the_end_of_its_last_line() -> None:
    async with staged(Stage(fix_a_bug().events), (120, 40)) as (app, _):
        (line,) = [line for line in screen_text(app).split("\n") if "All 7 tests pass." in line]
        assert line.endswith("took 12.3s, you 4.5s")
        assert len(line) == 118
        text = app._main.conversation.transcript._layout.draw(len(app.projection.blocks) - 2).rendered.text
        assert text.strip() == "Fixed: a refund is now rounded once, when it is paid. All 7 tests pass."


async def test_panes_open_and_close_by_key_in_every_layout() -> None:
    for size in ((60, 20), (120, 40), (160, 50)):
        async with staged(Stage(fix_a_bug().events), size) as (app, pilot):
            main = app._main
            for key, pane in (("f2", main.tools), ("f3", main.diff)):
                await pilot.press(key)
                await settle(app, pilot)
                assert pane.has_focus_within, (size, key)
                await pilot.press(key)
                await settle(app, pilot)
                assert not pane.has_focus_within
                assert not pane.is_on_screen, (size, key)


async def test_the_layout_key_goes_round_and_the_choice_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[str] = []
    monkeypatch.setattr(layout_choice, "keep_layout", kept.append)
    async with staged(Stage(fix_a_bug().events), (120, 40)) as (app, pilot):
        shown = []
        for _ in range(4):
            await pilot.press("f4")
            await settle(app, pilot)
            shown.append(app._main.diff.is_on_screen)
    assert kept == ["side", "strip", "alone", "auto"]
    assert shown == [True, False, False, False]
    assert next_layout("alone") == "auto"


async def test_the_layout_of_the_settings_is_taken() -> None:
    engine = FakeEngine()
    app = app_on(engine)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: ("start",) in engine.asked)
        app._main.prefer_layout("side")
        await until(pilot, lambda: "No tool has run yet" in screen_text(app))
        assert Preferences(layout="strip").layout == "strip"


async def test_what_the_settings_say_does_not_undo_a_choice_by_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout_choice, "keep_layout", lambda _: None)
    async with staged(Stage(fix_a_bug().events), (120, 40)) as (app, pilot):
        await pilot.press("f4")
        await settle(app, pilot)
        app._main.prefer_layout("auto")  # read before the choice was kept
        await settle(app, pilot)
        assert app._main.diff.is_on_screen


def test_an_edit_of_the_setting_counts_after_a_choice_by_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout_choice, "keep_layout", lambda _: None)
    choice = layout_choice.LayoutChoice()
    assert choice.read("alone")
    choice.go_on()
    choice.go_on()
    assert choice.current == "side"
    assert not choice.read("auto")  # what the first of the two keys wrote
    assert not choice.read("side")
    assert choice.current == "side"
    assert choice.read("strip")
    assert choice.current == "strip"
    assert choice.read("side")
    for _ in range(4):
        choice.go_on()
    assert not choice.read("side")  # read once for all four
    assert choice.read("strip")


def test_a_layout_that_cannot_be_kept_counts_for_this_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: object) -> None:
        raise ValueError("settings.json is damaged")

    monkeypatch.setattr(layout_choice, "keep_layout", fail)
    choice = layout_choice.LayoutChoice()
    assert choice.go_on() == "settings.json is damaged"
    assert not choice.read("auto")
    assert choice.current == "side"


async def test_the_timeline_is_drawn_in_the_narrowest_right_column() -> None:
    async with staged(Stage(fix_a_bug().events), (150, 40)) as (app, _):
        assert app._main.tools.is_on_screen
        rows = [line[104:] for line in screen_text(app).split("\n") if "▕" in line]
        assert len(rows) == 5
        assert "▓ 0.5s saved" in screen_text(app)
        assert "Edit …/refund.py" in rows[3]
        assert all(row.rstrip().endswith("▏") and row.index("▏") - row.index("▕") == 13 for row in rows)


async def test_the_layout_may_change_before_the_conversation_knows_its_newest_blocks() -> None:
    async with staged(Stage(fix_a_bug().events), (120, 40)) as (app, pilot):
        app.projection.blocks.append(Block(id="new", kind="notice"))
        app._main.prefer_layout("side")
        await pilot.pause()
        assert app._main.diff.is_on_screen


async def test_letters_that_mean_nothing_in_a_pane_are_typed() -> None:
    engine = FakeEngine()
    app = app_on(engine)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: ("start",) in engine.asked)
        await pilot.press("f2")
        await until(pilot, lambda: app.query_one(ToolPane).has_focus)
        await pilot.press("h", "i")
        await until(pilot, lambda: "❯ hi" in screen_text(app))
