"""What waits for the screen: in slices where it is much, all of it, and in order."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from tui_agent.events import Event, Notice, TextDelta
from tui_agent.ui.projection.backlog import LONG, PIECE, Backlog


def notices(count: int) -> list[Event]:
    return [Notice(level="info", text=str(number)) for number in range(count)]


def test_what_happens_now_is_not_long_and_all_of_it_comes() -> None:
    backlog = Backlog()
    new = notices(5)
    backlog.add(new)
    assert list(backlog.slice()) == new
    assert not backlog.is_long
    assert not backlog.caught_up()


def test_a_recording_comes_in_slices_and_its_end_is_told_once() -> None:
    ticks = itertools.count()
    backlog = Backlog(clock=lambda: next(ticks) / 1000)
    new = notices(LONG * 3)
    backlog.add(new)
    got: list[Event] = []
    slices = 0
    while backlog:
        assert backlog.is_long
        assert not backlog.caught_up()
        part = list(backlog.slice())
        assert 0 < len(part) < LONG
        got += part
        slices += 1
    assert got == new
    assert slices > 5
    assert backlog.caught_up()
    assert not backlog.caught_up()


def test_what_comes_while_a_recording_is_taken_in_comes_after_it() -> None:
    backlog = Backlog(clock=lambda: 0.0)
    backlog.add(notices(LONG))
    late = Notice(level="info", text="late")
    backlog.add([late])
    assert list(backlog.slice())[-1] is late


def test_what_is_taken_all_at_once_is_no_recording_any_more() -> None:
    backlog = Backlog()
    new = notices(LONG)
    backlog.add(new)
    assert list(backlog.rest()) == new
    assert not backlog.is_long
    assert not backlog


def test_a_long_text_comes_in_pieces_and_other_things_come_between_slices() -> None:
    ticks = itertools.count()
    backlog = Backlog(clock=lambda: next(ticks) / 1000)
    text = "".join(map(str, range(PIECE * 10)))
    backlog.add([TextDelta(block_id="b", text=text, seq=7), Notice(level="info", text="after")])
    assert not backlog.is_long
    slices = []
    while backlog:
        slices.append(list(backlog.slice()))
    events = [event for part in slices for event in part]
    assert len(slices) > 5
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == text
    assert {(event.block_id, event.seq) for event in events if isinstance(event, TextDelta)} == {("b", 7)}
    assert isinstance(events[-1], Notice)


@given(st.lists(st.one_of(st.just("n"), st.integers(0, 3 * PIECE)), max_size=20))
def test_nothing_is_lost_whatever_waits(lengths: list[str | int]) -> None:
    backlog = Backlog(clock=lambda: 0.0)
    new: list[Event] = [
        Notice(level="info", text="n") if isinstance(length, str) else TextDelta(block_id="b", text="x" * length)
        for length in lengths
    ]
    backlog.add(new)
    got = list(backlog.slice())
    assert "".join(getattr(event, "text", "") for event in got) == "".join(getattr(event, "text", "") for event in new)
    assert all(len(event.text) <= PIECE for event in got if isinstance(event, TextDelta))
