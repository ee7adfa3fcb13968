"""What was spent: counted by model and by turn, told in tables, with a limit that can be set there."""

from __future__ import annotations

import pytest
from dialog_app import DialogApp, screen_text

from tui_agent import events as ev
from tui_agent.ui.projection.cost_reducer import CostReducer
from tui_agent.ui.screen_text.cost_text import cost_text, parse_limit
from tui_agent.ui.screens.cost import CostScreen


def usage(model: str = "sonnet", cost: float | None = 0.2, **tokens: int) -> ev.UsageReported:
    values = {"input_tokens": 1_000, "output_tokens": 50, "cache_read_tokens": 9_000, "cache_write_tokens": 0} | tokens
    return ev.UsageReported(request_id="r", model=model, cost_usd=cost, **values)


def tracked(*events: ev.Event) -> CostReducer:
    track = CostReducer()
    for event in events:
        track.apply(event)
    return track


def turn(text: str, *reports: ev.UsageReported) -> tuple[ev.Event, ...]:
    begun = ev.UserMessageSent(message_id="m", text=text), ev.TurnStarted(turn_id="t")
    return (*begun, *reports, ev.TurnFinished(turn_id="t", outcome="done", duration_ms=3200.0))


def test_requests_are_counted_by_model_and_by_turn() -> None:
    track = tracked(
        *turn("one", usage(), usage("haiku", 0.01)), *turn("two", usage()), ev.HistoryCleared(), usage("haiku", 0.03)
    )
    assert {name: (spent.requests, round(spent.cost_usd, 4)) for name, spent in track.models.items()} == {
        "sonnet": (2, 0.4),
        "haiku": (2, 0.04),
    }
    assert [(spent.label, round(spent.cost_usd, 4)) for spent in track.turns] == [("one", 0.21), ("two", 0.23)]
    assert track.total.prompt_tokens == 4 * 10_000


def test_a_turn_that_asked_no_model_is_not_listed() -> None:
    text = cost_text(tracked(ev.TurnStarted(turn_id="own"), *turn("one", usage())), 100).plain
    assert "(no message)" not in text
    assert "one" in text


def test_a_price_that_is_not_known_is_said_and_not_counted_as_nothing() -> None:
    text = cost_text(tracked(*turn("one", usage("local", None), usage())), 100).plain
    assert "unknown" in text
    assert "$0.20+?" in text
    assert "the price of the model is not known" in text


@pytest.mark.parametrize(("width", "head"), [(46, "By turn  "), (100, "By turn, newest first  ")])
def test_a_head_is_whole_words_in_a_narrow_place_too(width: int, head: str) -> None:
    assert head in cost_text(tracked(*turn("one", usage())), width).plain


@pytest.mark.parametrize("width", [30, 60, 100, 200])
def test_tables_fit_and_show_foreign_text_in_one_clean_line(width: int) -> None:
    track = tracked(*turn("fix\n\x1b[31mthe 退款 totals " * 20, usage()))
    lines = cost_text(track, width).plain.split("\n")
    tables = [line for line in lines if "$0.20" in line and "request" not in line]
    assert len(tables) == 2
    assert all("\x1b" not in line for line in lines)
    assert len({len(line) for line in lines if line.startswith("By")}) == 1 or width < 70
    assert ("cached" in "\n".join(lines)) == (width >= 70)


def test_the_limit_is_told_with_its_share() -> None:
    track = tracked(ev.SpendingLimitChanged(limit_usd=0.8), *turn("one", usage()))
    assert "limit $0.80: 25% spent" in cost_text(track, 80).plain
    assert "no spending limit" in cost_text(tracked(*turn("one", usage())), 80).plain


@pytest.mark.parametrize(("text", "limit"), [("5", 5.0), (" $0,50 ", 0.5), ("off", None), ("NONE", None)])
def test_amounts_as_people_write_them(text: str, limit: float | None) -> None:
    assert parse_limit(text) == limit


@pytest.mark.parametrize("text", ["", "0", "-1", "nan", "inf", "much"])
def test_what_is_no_amount_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        parse_limit(text)


async def test_a_limit_is_set_on_the_screen() -> None:
    set_to: list[float | None] = []
    async with DialogApp(CostScreen(tracked(*turn("one", usage())), set_to.append)).run_test(size=(100, 30)) as pilot:
        await pilot.press("l", *"much", "enter")
        await pilot.pause()
        assert "Write an amount above 0" in screen_text(pilot)
        assert set_to == []
        await pilot.press(*["backspace"] * 4, *"2.5", "enter")
        await pilot.pause()
        assert set_to == [2.5]
        assert "set a limit" in screen_text(pilot), "the field has gone, the screen is still there"
