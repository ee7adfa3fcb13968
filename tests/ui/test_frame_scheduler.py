"""Frames: which events are drawn, of which session, and what becomes of those that wait."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Any, cast

from tui_agent.bus import Bus
from tui_agent.events import Event, Notice, TextDelta
from tui_agent.ui.frame_scheduler import FrameScheduler
from tui_agent.ui.projection.backlog import PIECE


class Drawn:
    """Frames in an app that runs each at once, and what they gave to be drawn: a list of texts a frame."""

    def __init__(self) -> None:
        self.frames: list[list[str]] = []
        self.faults: list[Exception] = []
        self.fault: Exception | None = None
        self.of = FrameScheduler(cast("Any", self), self._draw, self.faults.append)

    def call_next(self, callback: Callable[[], None]) -> None:
        callback()

    def _draw(self, new: Iterable[Event]) -> None:
        self.frames.append([cast("Any", event).text for event in new])
        if self.fault is not None:
            raise self.fault

    @property
    def texts(self) -> list[str]:
        return [text for frame in self.frames for text in frame]

    async def shows(self, *texts: str) -> None:
        async with asyncio.timeout(20):
            while self.texts != list(texts):
                await asyncio.sleep(0.001)


def tell(bus: Bus, text: str) -> None:
    bus.publish(Notice(level="info", text=text))


async def test_what_a_session_tells_is_drawn_and_what_the_one_before_tells_is_not() -> None:
    drawn, first, second = Drawn(), Bus("first"), Bus("second")
    drawn.of.listen(first)
    tell(first, "a")
    await drawn.shows("a")
    tell(first, "too late to be seen")
    drawn.of.listen(second)
    tell(first, "of another session")
    tell(second, "b")
    await drawn.shows("a", "b")
    assert first.waiting == 0


async def test_what_waited_in_slices_goes_with_its_session() -> None:
    drawn, first, second = Drawn(), Bus("first"), Bus("second")
    drawn.of.listen(first)
    drawn.of.backlog.add([Notice(level="info", text="of the first")])
    assert drawn.of.is_behind
    drawn.of.listen(second)
    assert not drawn.of.is_behind
    tell(second, "b")
    await drawn.shows("b")


async def test_a_recording_that_is_expected_before_the_session_is_there_is_still_expected_then() -> None:
    drawn = Drawn()
    drawn.of.backlog.expect_recording()
    drawn.of.listen(Bus("one"))
    assert drawn.of.backlog.is_long


async def test_a_long_text_takes_several_frames_that_follow_each_other_by_themselves() -> None:
    drawn, bus = Drawn(), Bus("one")
    ticks = iter(range(10**6))
    drawn.of.backlog._clock = lambda: float(next(ticks))  # a slice is over at once
    drawn.of.listen(bus)
    text = "x" * (3 * PIECE)
    bus.publish(TextDelta(block_id="b", text=text))
    await drawn.shows(*[text[:PIECE]] * 3)
    assert len(drawn.frames) == 3
    assert not drawn.of.is_behind


async def test_a_fault_in_drawing_is_reported_and_what_follows_is_drawn() -> None:
    drawn, bus = Drawn(), Bus("one")
    drawn.of.listen(bus)
    drawn.fault = ValueError("broken")
    tell(bus, "a")
    await drawn.shows("a")
    drawn.fault = None
    tell(bus, "b")
    await drawn.shows("a", "b")
    assert [str(fault) for fault in drawn.faults] == ["broken"]


async def test_nothing_is_drawn_after_the_end() -> None:
    drawn, bus = Drawn(), Bus("one")
    drawn.of.listen(bus)
    tell(bus, "a")
    drawn.of.close()
    await asyncio.sleep(0.1)
    assert drawn.texts == []
    assert [cast("Any", event).text for event in drawn.of.take_rest()] == ["a"]
