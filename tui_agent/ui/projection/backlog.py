"""Events that wait for the screen. Much at once is taken in slices, so that no key waits for all of it.

Much is a recording of thousands of events, or a single text: what a fast model wrote since the last frame comes as one piece.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tui_agent.events import Event

__all__ = ["Backlog"]

LONG: Final = 1000  # events at once that are a recording, not something that just happened
PIECE: Final = 4096  # characters of a text taken in at a time: a few milliseconds
_SLICE_S: Final = 0.006
_LOOK_EVERY: Final = 16  # events between two looks at the clock, but for pieces of a text


class Backlog:
    """Takes events as they come and gives them back in slices of a few milliseconds."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._waiting: deque[Event] = deque()
        self.is_long = False  # a recording is being taken in: what it comes to is shown when it is all there

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def add(self, new: Collection[Event]) -> None:
        """Queue events."""
        # Not before the first frame, which does without. Who sends events has imported it.
        from tui_agent.events import TextDelta

        self.is_long = self.is_long or len(self._waiting) + len(new) >= LONG
        for event in new:
            if isinstance(event, TextDelta) and len(event.text) > PIECE:
                starts = range(0, len(event.text), PIECE)
                self._waiting.extend(replace(event, text=event.text[start : start + PIECE]) for start in starts)
            else:
                self._waiting.append(event)

    def expect_recording(self) -> None:
        """Take what comes next for a recording, however short it is."""
        self.is_long = True

    def slice(self) -> Iterator[Event]:
        """Yield what can be taken in now, at least one event. The end of a long backlog ends with what follows it."""
        end = self._clock() + _SLICE_S
        given = 0
        while self._waiting:
            event = self._waiting.popleft()
            yield event
            given += 1
            is_dear = len(getattr(event, "text", "")) >= PIECE
            if (is_dear or given % _LOOK_EVERY == 0) and self._clock() >= end:
                return

    def rest(self) -> Iterator[Event]:
        """Yield all there is; nothing waits any more."""
        while self._waiting:
            yield self._waiting.popleft()
        self.is_long = False

    def caught_up(self) -> bool:
        """Whether a long backlog has just come to its end; says so once."""
        if self.is_long and not self._waiting:
            self.is_long = False
            return True
        return False
