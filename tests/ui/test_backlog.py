from __future__ import annotations

import itertools

from tui_agent.events import Event, Notice
from tui_agent.ui.projection.backlog import LONG, Backlog


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
