"""A recording laid out on one time line: when each event comes, where turns begin, and what is worth a step. Pure.

Times are seconds from the beginning of the timeline. Where nothing happened for long, it is shorter than the recording; the
processes of a session that was resumed follow each other, though each has a clock of its own.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from tui_agent import events
from tui_agent.events import Event, TextDelta, ThinkingDelta, ToolInputDelta

__all__ = ["LONGEST_PAUSE_S", "PlaceError", "Timeline", "joined"]

LONGEST_PAUSE_S: Final = 2.0  # nobody wants to watch somebody think
_ONE_STEP_S: Final = 0.02  # what comes within this is one step: a result, its hand-over and the next request

_STEPS: Final = (
    events.UserMessageSent, events.TurnStarted, events.TurnFinished, events.TurnFailed, events.RetryScheduled,
    events.TextFinished, events.ThinkingFinished, events.ToolUseCompleted, events.ToolUseDropped, events.ToolStateChanged,
    events.PermissionRequested, events.PermissionResolved, events.FormRequested, events.FormAnswered, events.EditProposed,
    events.EditReviewed, events.EditApplied, events.TasksChanged, events.JobStarted, events.JobEnded, events.Notice,
    events.ModeChanged, events.HistoryCleared, events.AgentStarted, events.AgentEnded, events.SessionEnded,
)  # fmt: skip
_QUESTIONS: Final = (events.PermissionRequested, events.FormRequested)
_PLACE: Final = re.compile(
    r"(?P<minutes>\d+):(?P<seconds>[0-5]?\d(\.\d+)?)|(?P<plain>\d+(\.\d+)?)\s*s?|(?P<percent>\d+(\.\d+)?)\s*%"
    r"|(turn|t)\s*(?P<turn>\d+)|#\s*(?P<count>\d+)",
    re.IGNORECASE,
)


class PlaceError(ValueError):
    """What was written names no place of the timeline; the text says what would."""


class Timeline:
    """All events of a recording, oldest first, with `times` beside them; `counts` below are numbers of events given.

    `turns` holds for each turn after how many events it has begun, `steps` after how many something happened that is worth a
    look; both grow. `total` is the timeline's length in seconds, `left_out` what pauses were shortened by altogether.
    """

    def __init__(self, recorded: Sequence[Event]) -> None:
        self.events = tuple(recorded)
        self.times: list[float] = []
        self._left_out: dict[int, float] = {}  # seconds, by the number of events before the pause
        self._stamps: list[float] = []  # milliseconds on the recorded clock
        now = 0.0
        first = next((event.monotonic_ms for event in self.events if event.monotonic_ms), 0.0)
        for count, event in enumerate(self.events):
            stamp = event.monotonic_ms or (self._stamps[-1] if self._stamps else first)  # what was added has no time
            # The clock of another process, in a resumed session, may lie before this one's.
            gap = max(0.0, stamp - self._stamps[-1]) / 1000 if self._stamps else 0.0
            if gap > LONGEST_PAUSE_S:
                self._left_out[count] = gap - LONGEST_PAUSE_S
                gap = LONGEST_PAUSE_S
            now += gap
            self.times.append(now)
            self._stamps.append(stamp)
        self.total = now
        self.left_out = sum(self._left_out.values())
        self.turns = list(self._find_turns())
        self.steps = list(self._find_steps())

    def __len__(self) -> int:
        return len(self.events)

    def _find_turns(self) -> Iterator[int]:
        for place, event in enumerate(self.events):
            if isinstance(event, events.TurnStarted) and not event.agent_id:
                count = place + 1
                while count < len(self.events) and isinstance(self.events[count], events.UserMessageSent):
                    count += 1
                yield count

    def _find_steps(self) -> Iterator[int]:
        began: float | None = None  # when the step that is being gathered began
        last = 0
        for place, event in enumerate(self.events):
            if not isinstance(event, _STEPS):
                continue
            if began is not None and self.times[place] - began > _ONE_STEP_S:
                yield last
                began = None
            began = self.times[place] if began is None else began
            last = place + 1
            if isinstance(event, _QUESTIONS):  # what was asked is seen, however soon it was answered
                yield last
                began = None
        if began is not None:
            yield last
        if last < len(self.events):
            yield len(self.events)

    # --- places ------------------------------------------------------------------------------------------------------

    def count_at(self, seconds: float) -> int:
        """Return how many events have come by then."""
        return bisect_right(self.times, seconds)

    def time_of(self, count: int) -> float:
        """Return when the last of the first `count` events came."""
        return self.times[min(count, len(self.times)) - 1] if count > 0 and self.times else 0.0

    def turn_at(self, count: int) -> int:
        """Return which turn runs or ran last once `count` events have come, from 1; 0 before the first."""
        return bisect_right(self.turns, count)

    def step_after(self, count: int) -> int:
        """Return the number of events at the next step."""
        place = bisect_right(self.steps, count)
        return self.steps[place] if place < len(self.steps) else len(self.events)

    def step_before(self, count: int) -> int:
        """Return the number of events at the step before; 0 where there is none."""
        place = bisect_left(self.steps, count)
        return self.steps[place - 1] if place else 0

    def left_out_after(self, count: int) -> float:
        """Return how many seconds the pause is shortened by that follows the first `count` events; 0 where there is none."""
        return self._left_out.get(count, 0.0)

    def recorded_ms(self, seconds: float, count: int) -> float:
        """Return the recorded clock's milliseconds at a place of the timeline, `count` events given.

        A shortened pause shows its beginning, then its end: in the middle the recorded clock leaps.
        """
        if not self.events:
            return 0.0
        if count <= 0:
            return self._stamps[0]
        if count >= len(self.events):
            return self._stamps[-1]
        into = max(0.0, seconds - self.times[count - 1]) * 1000
        left = max(0.0, self.times[count] - seconds) * 1000
        before, after = self._stamps[count - 1], self._stamps[count]
        if after < before:
            return before
        return before + into if into < left else max(before, after - left)

    def parse(self, text: str) -> tuple[float, int]:
        """Return the place that is written as `1:23`, `83s`, `40%`, `turn 2` or `#120` (after 120 events): seconds and count.

        Raises:
            PlaceError: it is none of these, or no such turn was recorded.
        """
        found = _PLACE.fullmatch(text.strip())
        if found is None:
            raise PlaceError(f"{text.strip() or 'nothing'} is not a position; use 1:23, 83s, 40%, turn 2 or #120")
        if (turn := found["turn"]) is not None:
            if not 1 <= int(turn) <= len(self.turns):
                raise PlaceError(f"there is no turn {int(turn)}; the last is {len(self.turns)}")
            return self._after(self.turns[int(turn) - 1])
        if (count := found["count"]) is not None:
            return self._after(min(int(count), len(self.events)))
        if found["percent"] is not None:
            seconds = self.total * min(float(found["percent"]), 100.0) / 100
        elif found["plain"] is not None:
            seconds = float(found["plain"])
        else:
            seconds = int(found["minutes"]) * 60 + float(found["seconds"])
        seconds = min(seconds, self.total)
        return seconds, self.count_at(seconds)

    def _after(self, count: int) -> tuple[float, int]:
        return self.time_of(count), count


def joined(recorded: Sequence[Event]) -> Iterator[Event]:
    """Return the same events with neighbouring pieces of one text joined: many are taken in at once for the price of few.

    What is made of them is the same. The very last stays as it is, for its time.
    """
    run: list[TextDelta | ThinkingDelta | ToolInputDelta] = []
    last = len(recorded) - 1
    for place, event in enumerate(recorded):
        if run and (place == last or type(event) is not type(run[0]) or _block(event) != _block(run[0])):
            yield _join(run)
            run = []
        if isinstance(event, TextDelta | ThinkingDelta | ToolInputDelta) and place != last:
            run.append(event)
        else:
            yield event


def _block(event: Event) -> tuple[str, str]:
    if isinstance(event, ToolInputDelta):
        return event.agent_id, event.tool_use_id
    return event.agent_id, event.block_id if isinstance(event, TextDelta | ThinkingDelta) else ""


def _join(run: Sequence[TextDelta | ThinkingDelta | ToolInputDelta]) -> Event:
    first = run[0]
    if len(run) == 1:
        return first
    text = "".join(_texts(run))
    return replace(first, partial_json=text) if isinstance(first, ToolInputDelta) else replace(first, text=text)


def _texts(run: Iterable[TextDelta | ThinkingDelta | ToolInputDelta]) -> Iterator[str]:
    return (event.partial_json if isinstance(event, ToolInputDelta) else event.text for event in run)
