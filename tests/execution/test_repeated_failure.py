"""The detector of a model that repeats itself."""

from __future__ import annotations

from tui_agent.execution.repeated_failure import RepeatedFailure


def test_the_same_failing_call_is_noticed_at_the_fifth_time() -> None:
    detector = RepeatedFailure()
    seen = [detector.observe("Grep", {"pattern": "x", "path": "a"}, is_error=True) for _ in range(4)]
    assert seen == [False] * 4
    assert detector.observe("Grep", {"path": "a", "pattern": "x"}, is_error=True)


def test_a_success_or_another_call_starts_the_count_afresh() -> None:
    for between in (
        ("Grep", {"pattern": "x"}, False),
        ("Grep", {"pattern": "y"}, True),
        ("Read", {"pattern": "x"}, True),
    ):
        detector = RepeatedFailure(limit=2)
        assert not detector.observe("Grep", {"pattern": "x"}, is_error=True)
        assert not detector.observe(between[0], between[1], is_error=between[2])
        assert not detector.observe("Grep", {"pattern": "x"}, is_error=True)
        assert detector.observe("Grep", {"pattern": "x"}, is_error=True)
