from __future__ import annotations

import pytest

from tui_agent.model.protocol import ModelError
from tui_agent.model.retry import RetryPolicy

STEADY = RetryPolicy(jitter=lambda: 0.0)


def test_waits_double_up_to_a_minute_and_end_after_ten_retries() -> None:
    assert [STEADY.delay(attempt) for attempt in range(1, 12)] == [0.5, 1, 2, 4, 8, 16, 32, 60, 60, 60, None]
    assert STEADY.max_attempts == 11


def test_jitter_shortens_a_wait_by_a_quarter_at_most() -> None:
    assert RetryPolicy(jitter=lambda: 1.0).delay(3) == pytest.approx(1.5)
    waits = {RetryPolicy().delay(5) for _ in range(50)}
    assert len(waits) > 1
    assert all(wait is not None and 6.0 <= wait <= 8.0 for wait in waits)


@pytest.mark.parametrize(("asked", "waited"), [(7.0, 7.0), (3600.0, 60.0), (0.0, 0.5), (None, 0.5)])
def test_the_server_is_believed_up_to_a_minute(asked: float | None, waited: float) -> None:
    assert STEADY.delay(1, asked) == waited


@pytest.mark.parametrize("kind", ["unreachable", "connection", "timeout", "overloaded", "server", "rate_limit"])
def test_whatever_may_pass_is_tried_ten_times_more(kind: str) -> None:
    error = ModelError(kind, "down", is_retryable=True)
    assert STEADY.after(error, 10) == 60.0
    assert STEADY.after(error, 11) is None


def test_what_cannot_pass_is_not_tried_again() -> None:
    assert STEADY.after(ModelError("authentication", "no", retry_after_s=1.0), 1) is None
    assert STEADY.after(ModelError("overloaded", "busy", retry_after_s=3.0, is_retryable=True), 1) == 3.0


def test_a_very_late_attempt_does_not_overflow() -> None:
    assert RetryPolicy(max_retries=10**6, jitter=lambda: 0.0).delay(10**5) == 60.0
