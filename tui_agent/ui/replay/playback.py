"""Plays a timeline: gives its events at their times, stops, goes faster, and goes to any place of it.

It has a timer only while it plays. What it gives goes to `give`; a leap goes to `leap` in one piece, with whether it starts
from nothing: going back is playing the timeline from its beginning to that place, all at once.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Final, Literal, Protocol

from tui_agent.events import Event
from tui_agent.ui.replay.timeline import Timeline

__all__ = ["SPEEDS", "DeckState", "Playback", "SeekHandler"]

SPEEDS: Final = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
_AT_ONCE: Final = 200  # events given before others get their turn
_LATE_S: Final = 0.25
_NEAR: Final = 1e-6

DeckState = Literal["playing", "paused", "end"]


class SeekHandler(Protocol):
    """Takes in the events between two places of the timeline; `is_anew` forgets what was shown first."""

    def __call__(self, new: Sequence[Event], *, is_anew: bool) -> None:
        """Show them, in one go."""
        ...


class Playback:
    """One timeline and where it stands: `count` events were given. `clock` gives seconds on a clock that never goes back."""

    def __init__(
        self,
        timeline: Timeline,
        give: Callable[[Event], None],
        *,
        speed: float = 1.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.timeline = timeline
        self.count = 0
        self.speed = speed
        self.leap: SeekHandler | None = None
        self.on_change: Callable[[], None] = lambda: None  # it started, stopped, changed its speed or leapt
        self._give = give
        self._clock = clock
        self._place = 0.0  # seconds of the timeline, at the moment `_since`
        self._since = 0.0
        self._playing: asyncio.Task[None] | None = None

    @property
    def position(self) -> float:
        """Seconds from the timeline's beginning. It never overtakes an event that is still to be given."""
        if not self.is_playing:
            return self._place
        due = self.timeline.times[self.count] if self.count < len(self.timeline) else self.timeline.total
        return min(self._now, due)

    @property
    def _now(self) -> float:
        """The same, were every event given the moment it is due."""
        return self._place + (self._clock() - self._since) * self.speed

    @property
    def recorded_ms(self) -> float:
        """Milliseconds on the recorded clock."""
        return self.timeline.recorded_ms(self.position, self.count)

    @property
    def is_playing(self) -> bool:
        """Whether time goes by."""
        return self._playing is not None and not self._playing.done()

    @property
    def state(self) -> DeckState:
        """What it does."""
        if self.is_playing:
            return "playing"
        return "end" if self.count >= len(self.timeline) else "paused"

    # --- playing -----------------------------------------------------------------------------------------------------

    def play(self) -> None:
        """Go on from here; at the end do nothing."""
        if not self.is_playing and self.count < len(self.timeline):
            self._since = self._clock()
            self._playing = asyncio.create_task(self._run())
            self.on_change()

    def pause(self) -> None:
        """Stand still."""
        if self._halt():
            self.on_change()

    def toggle(self) -> None:
        """Pause or go on; at the end begin again."""
        if self.is_playing:
            self.pause()
            return
        if self.count >= len(self.timeline):
            self.go(0.0, 0)
        self.play()

    def set_speed(self, speed: float) -> None:
        """Go on at another speed, in times of the recorded one."""
        was_playing = self._halt()
        self.speed = speed
        if was_playing:
            self.play()
        else:
            self.on_change()

    def change_speed(self, step: int) -> None:
        """Take the next speed of `SPEEDS`, up (1) or down (-1)."""
        if step > 0:
            wanted = next((speed for speed in SPEEDS if speed > self.speed + _NEAR), self.speed)
        else:
            wanted = next((speed for speed in reversed(SPEEDS) if speed < self.speed - _NEAR), self.speed)
        self.set_speed(wanted)

    async def wait(self) -> None:
        """Return when it stands still."""
        while self.is_playing and self._playing is not None:
            await asyncio.wait({self._playing})

    def _halt(self) -> bool:
        """Stop the timer where it stands; True when it ran."""
        if self._playing is None or self._playing.done():
            return False
        self._place = self.position
        self._playing.cancel()
        self._playing = None
        return True

    async def _run(self) -> None:
        given = 0
        while self.count < len(self.timeline):
            wait = (self.timeline.times[self.count] - self._now) / self.speed
            if wait > _NEAR:
                await asyncio.sleep(wait)
            elif given >= _AT_ONCE:
                given = 0
                await asyncio.sleep(0)
            event = self.timeline.events[self.count]
            due = self.timeline.times[self.count]
            # What was late is made up for, but not the night that the machine slept.
            self._place, self._since = min(max(self._now, due), due + _LATE_S * self.speed), self._clock()
            self.count += 1
            given += 1
            self._give(event)
        self._playing, self._place = None, self.timeline.total
        self.on_change()

    # --- going to places ---------------------------------------------------------------------------------------------

    def go(self, seconds: float, count: int) -> None:
        """Go to a place as `Timeline.parse` gives it; what plays goes on playing from there."""
        was_playing = self._halt()
        count = min(max(count, 0), len(self.timeline))
        is_back = count < self.count
        new = self.timeline.events[:count] if is_back else self.timeline.events[self.count : count]
        self.count, self._place = count, min(max(seconds, self.timeline.time_of(count)), self.timeline.total)
        if self.leap is not None:
            self.leap(new, is_anew=is_back)
        else:
            for event in new:
                self._give(event)
        if was_playing and self.count < len(self.timeline):
            self._since = self._clock()
            self._playing = asyncio.create_task(self._run())
        self.on_change()

    def go_to_count(self, count: int) -> None:
        """Go to where `count` events have come."""
        self.go(self.timeline.time_of(count), count)

    def step(self, direction: int) -> None:
        """Stand still at the next step (1), or at the one before (-1)."""
        self._halt()
        to = self.timeline.step_after(self.count) if direction > 0 else self.timeline.step_before(self.count)
        self.go_to_count(to)

    def nudge(self, direction: int) -> None:
        """Stand still one recorded event on (1), or back (-1)."""
        self._halt()
        self.go_to_count(self.count + direction)

    def turn(self, direction: int) -> None:
        """Go to where the next turn begins (1); or this one, or the one before where this has just begun (-1)."""
        if direction > 0:
            to = next((count for count in self.timeline.turns if count > self.count), len(self.timeline))
        else:
            near = self.count - 1 if not self.is_playing else self.timeline.count_at(self.position - 1.0)
            to = next((count for count in reversed(self.timeline.turns) if count <= near), 0)
        self.go_to_count(to)
