"""When a failed request is sent again, and when it is not. Pure: the turn waits, announces and counts."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from tui_agent.model.protocol import ModelError

__all__ = ["RetryPolicy"]


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Exponential waits with jitter: `first_s`, twice that, and so on, never more than `cap_s` apart.

    A server that says how long to wait is believed, up to `cap_s`. One that cannot be reached is tried as often as one that is
    busy: networks come back, and each wait is announced with its reason, so that nobody need sit it out. `jitter` returns a
    number in [0, 1) and is random only so that many clients do not come back in step; tests give a constant.
    """

    max_retries: int = 10
    first_s: float = 0.5
    cap_s: float = 60.0
    jitter: Callable[[], float] = random.random

    @property
    def max_attempts(self) -> int:
        """How many attempts there are in all, the first included."""
        return self.max_retries + 1

    def delay(self, attempt: int, retry_after_s: float | None = None) -> float | None:
        """Return the seconds to wait after failed attempt number `attempt` (from 1), or None to give up."""
        if attempt < 1:
            raise ValueError(f"attempts count from 1, not {attempt}")
        if attempt > self.max_retries:
            return None
        if retry_after_s is not None and retry_after_s > 0:
            return min(retry_after_s, self.cap_s)
        # 2**attempt would overflow a float long before anybody waited that often.
        full = min(self.first_s * 2.0 ** min(attempt - 1, 60), self.cap_s)
        return full * (1.0 - 0.25 * self.jitter())

    def after(self, error: ModelError, attempt: int) -> float | None:
        """Return the wait after `error` ended attempt `attempt`, or None where trying again cannot help."""
        return self.delay(attempt, error.retry_after_s) if error.is_retryable else None
