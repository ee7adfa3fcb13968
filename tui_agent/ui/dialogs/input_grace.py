"""A short deafness of dialogs, so that what was typed for the prompt never answers a question that has just appeared."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

__all__ = ["GUARD_SECONDS", "InputGrace"]

GUARD_SECONDS: Final = 0.35


class InputGrace:
    """Closed until `restart` was called and `seconds` have gone by since: before that, nobody can have read the question.

    Who goes on typing has not read it either: `pressed` begins the wait anew, until there is a pause in what comes.

    `clock` gives seconds on a clock that never goes back.
    """

    lets_read = False  # whether what only scrolls works while it is closed

    def __init__(self, clock: Callable[[], float] = time.monotonic, seconds: float = GUARD_SECONDS) -> None:
        self._clock = clock
        self._seconds = seconds
        self._since: float | None = None

    def restart(self) -> None:
        """Start counting: the question is on the screen from now on."""
        self._since = self._clock()

    def pressed(self) -> None:
        """A key came: while the grace period lasts, it is one more of those that were meant for something else."""
        if self._since is not None and not self.is_open:
            self._since = self._clock()

    @property
    def is_counting(self) -> bool:
        """Whether the question is on the screen."""
        return self._since is not None

    @property
    def is_open(self) -> bool:
        """Whether an answer counts by now."""
        return self._since is not None and self._clock() - self._since >= self._seconds
