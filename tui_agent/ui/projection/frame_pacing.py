"""When the next frame is due: thirty a second where drawing is cheap, fewer where they would take too much of the processor.

A frame that cost much is followed by a longer rest, so that a slow machine or a large window draws less often instead of
falling behind. Text that streams can wait for that; facts (a question, an end, what a user did) cannot.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import Final

__all__ = ["FRAME_S", "LONGEST_S", "SHARE", "FramePacer"]

FRAME_S: Final = 1 / 30  # from the beginning of one frame to that of the next, at least
LONGEST_S: Final = 0.2  # the same at most, for text that streams
SHARE: Final = 0.025  # of one core, what drawing may take while text streams


class FramePacer:
    """Times frames. `clock` gives seconds that pass, `work` seconds of this thread's processor time."""

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, work: Callable[[], float] = time.thread_time
    ) -> None:
        self._clock = clock
        self._work = work
        self._began = -LONGEST_S
        self._cost = 0.0  # of the frame that was begun last; its lines are painted a little later
        self._cost_before = 0.0

    def begin(self) -> None:
        """A frame begins."""
        self._began = self._clock()
        self._cost_before, self._cost = self._cost, 0.0

    @contextlib.contextmanager
    def drawing(self) -> Iterator[None]:
        """Count the processor time of what is done inside as the frame's."""
        before = self._work()
        try:
            yield
        finally:
            self._cost += self._work() - before

    def wait(self, *, is_pressing: bool) -> float:
        """Return in how many seconds the next frame is due; zero when it is already."""
        rest = FRAME_S
        if not is_pressing:
            rest = min(LONGEST_S, max(rest, max(self._cost, self._cost_before) / SHARE))
        return max(0.0, self._began + rest - self._clock())
