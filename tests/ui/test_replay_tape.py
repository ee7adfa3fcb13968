"""The timeline: recorded events on one time line, and what a playback does with it, on a clock that is moved by hand."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from dialog_app import Clock
from hypothesis import given, settings
from hypothesis import strategies as st
from recording import Recording, fix_a_bug

from tui_agent import events as ev
from tui_agent.events import Event
from tui_agent.ui.projection.projection import Projection
from tui_agent.ui.replay.playback import SPEEDS, Playback
from tui_agent.ui.replay.timeline import LONGEST_PAUSE_S, PlaceError, Timeline, joined
from tui_agent.viewkit.palette import DARK
from tui_agent.viewkit.view import RenderState

EVENTS = tuple(fix_a_bug().events)
LOOK = RenderState(DARK)


def notices(*stamps: float) -> list[Event]:
    """Events at these milliseconds."""
    return [
        replace(ev.Notice(level="info", text=str(number)), monotonic_ms=stamp, seq=number)
        for number, stamp in enumerate(stamps, 1)
    ]


def two_turns() -> list[Event]:
    log = fix_a_bug()
    log.wait(90_000)
    log.begin("and once more", "t2")
    log.reply("a9")
    log.write("b9", "Nothing **left** to do.")
    log.end_reply("a9", stop="end_turn")
    log.finish(turn="t2")
    return log.events


# --- the time line ---------------------------------------------------------------------------------------------------


def test_a_long_pause_is_shortened_and_says_by_how_much() -> None:
    timeline = Timeline(notices(1000, 1500, 61_500, 61_600))
    assert timeline.times == pytest.approx([0, 0.5, 0.5 + LONGEST_PAUSE_S, 0.6 + LONGEST_PAUSE_S])
    assert timeline.left_out_after(2) == pytest.approx(60 - LONGEST_PAUSE_S)
    assert timeline.left_out_after(1) == timeline.left_out_after(3) == 0
    assert timeline.left_out == pytest.approx(60 - LONGEST_PAUSE_S)


def test_the_clock_of_another_process_goes_on_where_the_first_ended() -> None:
    timeline = Timeline(notices(9_000_000, 9_000_500, 100, 600))
    assert timeline.times == pytest.approx([0, 0.5, 0.5, 1.0])


def test_what_has_no_time_of_its_own_comes_with_what_is_beside_it() -> None:
    assert Timeline(notices(0, 0, 5000, 5500)).times == pytest.approx([0, 0, 0, 0.5])


stamps = st.lists(st.floats(1, 200_000), min_size=1, max_size=12)


@settings(deadline=None)
@given(stamps=stamps, parts=st.lists(st.floats(0, 1), min_size=2, max_size=6))
def test_the_recorded_clock_never_goes_back_while_the_tape_goes_on(stamps: list[float], parts: list[float]) -> None:
    timeline = Timeline(notices(*sorted(stamps)))
    places = sorted(part * timeline.total for part in parts)
    shown = [timeline.recorded_ms(place, timeline.count_at(place)) for place in places]
    assert shown == sorted(shown)
    assert min(stamps) - 1e-6 <= shown[0]
    assert shown[-1] <= max(stamps) + 1e-6


@settings(deadline=None)
@given(stamps=stamps)
def test_an_event_is_on_the_tape_at_its_recorded_time(stamps: list[float]) -> None:
    timeline = Timeline(notices(*sorted(stamps)))
    for count in range(1, len(stamps) + 1):
        assert timeline.recorded_ms(timeline.time_of(count), count) == pytest.approx(sorted(stamps)[count - 1])


@settings(deadline=None)
@given(stamps=st.lists(st.floats(0, 90_000), min_size=1, max_size=30))
def test_steps_go_through_the_whole_tape_and_back_the_same_way(stamps: list[float]) -> None:
    timeline = Timeline(notices(*stamps))
    there = [0]
    while there[-1] < len(timeline):
        there.append(timeline.step_after(there[-1]))
    assert there == sorted(set(there))
    back = [len(timeline)]
    while back[-1] > 0:
        back.append(timeline.step_before(back[-1]))
    assert back == there[::-1]


def test_a_step_ends_where_a_question_shows_however_soon_it_was_answered() -> None:
    log = Recording()
    log.begin("go")
    log.use("u1", "Bash", {"command": "ls"})
    log.ask("u1", "Bash", {"command": "ls"})
    asked = len(log.events)
    log.settle("u1")
    assert asked in Timeline(log.events).steps


def test_turns_begin_with_the_words_of_the_person() -> None:
    events = two_turns()
    timeline = Timeline(events)
    assert len(timeline.turns) == 2
    shown = Projection()
    shown.apply(events[: timeline.turns[1]])
    assert shown.blocks[-1].text == "and once more"
    assert [timeline.turn_at(count) for count in (0, timeline.turns[0], timeline.turns[1] - 1, timeline.turns[1])] == [
        0,
        1,
        1,
        2,
    ]


@pytest.mark.parametrize(
    ("written", "seconds"),
    [("0:04", 4), ("4", 4), ("4s", 4), ("4.5 s", 4.5), ("50%", None), ("99:59", None), ("0", 0)],
)
def test_a_place_can_be_written_as_a_time_or_a_part(written: str, seconds: float | None) -> None:
    timeline = Timeline(EVENTS)
    found, count = timeline.parse(written)
    if seconds is None:
        seconds = timeline.total / 2 if written == "50%" else timeline.total
    assert found == pytest.approx(seconds)
    assert count == timeline.count_at(found)


def test_a_place_can_be_written_as_a_turn_or_a_number_of_events() -> None:
    timeline = Timeline(two_turns())
    assert timeline.parse("turn 2")[1] == timeline.parse(" T2 ")[1] == timeline.turns[1]
    assert timeline.parse("#7") == (timeline.times[6], 7)
    assert timeline.parse("#100000")[1] == len(timeline)


@pytest.mark.parametrize("written", ["", "soon", "turn", "turn 0", "turn 3", "1:75", "-4", "#"])
def test_what_is_no_place_is_said(written: str) -> None:
    with pytest.raises(PlaceError, match=r"place|turn"):
        Timeline(two_turns()).parse(written)


def test_an_empty_tape_has_one_place() -> None:
    timeline = Timeline([])
    assert (timeline.total, timeline.count_at(0), timeline.recorded_ms(0, 0), timeline.steps) == (0, 0, 0.0, [])


# --- the same state, whichever way -----------------------------------------------------------------------------------


def state(projection: Projection) -> Any:
    """All that can be seen of a projection. How often something was drawn anew is no part of it."""
    return (
        [
            (
                block.id, block.kind, block.group, block.text, block.hint, block.level, block.outcome, block.duration_ms,
                block.is_live, block.tool.id if block.tool else None, block.view and block.view.render(60, LOOK).text,
            )
            for block in projection.blocks
        ],
        {name: _use(use) for name, use in projection.tools.items()},
        [repr(turn) for turn in projection.turns],
        projection.requests, projection.queue, projection.changes, projection.tasks, list(projection.jobs),
        repr(projection.status), projection.now_ms,
    )  # fmt: skip


def _use(use: Any) -> Any:
    return [(name, getattr(use, name)) for name in use.__slots__ if name != "version"]


class Screen:
    """What the app does with a playback."""

    def __init__(self, events: Sequence[Event]) -> None:
        self.projection = Projection()
        self.playback = Playback(Timeline(events), lambda event: self._apply([event]))
        self.playback.leap = self._leap

    def _apply(self, new: Sequence[Event]) -> None:
        self.projection.apply(new)

    def _leap(self, new: Sequence[Event], *, is_anew: bool) -> None:
        if is_anew:
            self.projection = Projection()
        self.projection.apply(list(joined(new)))


WALK = st.lists(
    st.one_of(
        st.tuples(st.just("step"), st.sampled_from([-1, 1])),
        st.tuples(st.just("nudge"), st.sampled_from([-1, 1])),
        st.tuples(st.just("turn"), st.sampled_from([-1, 1])),
        st.tuples(st.just("part"), st.floats(0, 1)),
    ),
    max_size=12,
)
PLAIN = [event for event in two_turns() if not isinstance(event, ev.ToolProgressed)]


def streamed(events: Sequence[Event], size: int) -> list[Event]:
    """The same recording with texts in pieces of `size` characters."""
    pieces: list[Event] = []
    for event in events:
        if isinstance(event, ev.TextDelta):
            pieces += [replace(event, text=event.text[at : at + size]) for at in range(0, len(event.text), size)]
        else:
            pieces.append(event)
    return pieces


@settings(deadline=None, max_examples=60)
@given(walk=WALK, size=st.integers(1, 60))
def test_the_state_at_a_place_is_what_playing_up_to_it_gives(walk: list[tuple[str, Any]], size: int) -> None:
    events = streamed(PLAIN, size)
    screen = Screen(events)
    for what, argument in walk:
        if what == "part":
            seconds = argument * screen.playback.timeline.total
            screen.playback.go(seconds, screen.playback.timeline.count_at(seconds))
        else:
            getattr(screen.playback, what)(argument)
    played = Projection()
    for event in events[: screen.playback.count]:
        played.apply([event])
    assert state(screen.projection) == state(played)


@settings(deadline=None)
@given(size=st.integers(1, 50), cut=st.integers(0, 200))
def test_joined_pieces_are_the_same_text_in_fewer_events(size: int, cut: int) -> None:
    events = streamed(EVENTS, size)[: cut or None]
    fewer = list(joined(events))
    assert len(fewer) <= len(events)
    for kind in (ev.TextDelta, ev.ThinkingDelta):
        assert "".join(event.text for event in fewer if isinstance(event, kind)) == "".join(
            event.text for event in events if isinstance(event, kind)
        )
    other = [event for event in events if not isinstance(event, ev.TextDelta)]
    assert [event for event in fewer if not isinstance(event, ev.TextDelta)] == other
    assert fewer[-1:] == events[-1:]


# --- the playback --------------------------------------------------------------------------------------------------------


class Given(list[Event]):
    """Collects what a playback gives."""


def deck_of(events: Sequence[Event], clock: Clock, **how: Any) -> tuple[Playback, Given]:
    given = Given()
    return Playback(Timeline(events), given.append, clock=clock, **how), given


async def test_nothing_is_given_before_its_time_and_pausing_stands_still(clock: Clock) -> None:
    playback, given = deck_of(notices(1, 1501, 3001), clock)
    playback.play()
    await asyncio.sleep(0)
    assert [event.seq for event in given] == [1]
    clock.now += 1.0
    assert playback.position == pytest.approx(1.0)
    assert playback.recorded_ms == pytest.approx(1001)
    playback.pause()
    clock.now += 50
    assert (playback.position, playback.state) == (pytest.approx(1.0), "paused")


async def test_the_position_waits_for_an_event_that_is_late(clock: Clock) -> None:
    playback, _ = deck_of(notices(1, 1501, 3001), clock)
    playback.play()
    await asyncio.sleep(0)
    clock.now += 40
    assert playback.position == pytest.approx(1.5)
    playback.pause()


async def test_another_speed_counts_from_where_the_tape_is(clock: Clock) -> None:
    playback, _ = deck_of(notices(1, 2001, 4001), clock)
    playback.play()
    await asyncio.sleep(0)
    clock.now += 0.5
    playback.set_speed(0.5)
    assert playback.position == pytest.approx(0.5)
    clock.now += 1.0
    assert playback.position == pytest.approx(1.0)
    assert playback.is_playing
    playback.pause()


async def test_played_to_its_end_it_says_so_and_begins_again_from_there() -> None:
    given = Given()
    playback = Playback(Timeline(notices(1, 41, 91)), given.append, speed=64)
    seen: list[str] = []
    playback.on_change = lambda: seen.append(playback.state)
    playback.play()
    await asyncio.wait_for(playback.wait(), 10)
    assert [event.seq for event in given] == [1, 2, 3]
    assert (playback.state, playback.position) == ("end", playback.timeline.total)
    assert seen == ["playing", "end"]
    playback.toggle()
    await asyncio.wait_for(playback.wait(), 10)
    assert [event.seq for event in given] == [1, 2, 3, 1, 2, 3]


async def test_it_has_no_timer_while_it_stands_still(clock: Clock) -> None:
    playback, _ = deck_of(EVENTS, clock)
    before = len(asyncio.all_tasks())
    playback.play()
    playback.pause()
    playback.step(1)
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert len(asyncio.all_tasks()) == before


async def test_a_leap_goes_on_playing_and_a_step_stands_still(clock: Clock) -> None:
    playback, _ = deck_of(EVENTS, clock)
    playback.play()
    playback.go(*playback.timeline.parse("50%"))
    assert playback.is_playing
    playback.step(-1)
    assert not playback.is_playing


def test_speeds_go_up_and_down_between_a_quarter_and_sixty_four(clock: Clock) -> None:
    playback, _ = deck_of(EVENTS, clock, speed=3.0)
    up = [playback.speed]
    while len(up) < 10:
        playback.change_speed(1)
        up.append(playback.speed)
    assert up == [3.0, 4.0, 8.0, 16.0, 32.0, 64.0, 64.0, 64.0, 64.0, 64.0]
    for _ in SPEEDS:
        playback.change_speed(-1)
    assert playback.speed == 0.25


def test_back_to_the_turn_before_only_from_where_this_one_begins(clock: Clock) -> None:
    playback, _ = deck_of(two_turns(), clock)
    first, second = playback.timeline.turns
    playback.go_to_count(len(playback.timeline))
    places = []
    for _ in range(3):
        playback.turn(-1)
        places.append(playback.count)
    assert places == [second, first, 0]
    for _ in range(3):
        playback.turn(1)
        places.append(playback.count)
    assert places[3:] == [first, second, len(playback.timeline)]
