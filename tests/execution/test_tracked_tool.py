"""The state machine of one tool use, driven in every order."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tui_agent.events import Event, ToolResultReady, ToolStateChanged
from tui_agent.execution.execution_context import ToolOutcome
from tui_agent.execution.tracked_tool import IllegalMove, TrackedTool

LEGAL = {
    ("new", "queue"): "queued",
    ("queued", "start"): "executing",
    ("queued", "cancel"): "completed",
    ("executing", "complete"): "completed",
    ("completed", "hand_over"): "yielded",
}
MOVES = ("queue", "start", "cancel", "complete", "hand_over")


def outcome(tool_use_id: str = "t1", **more: Any) -> ToolOutcome:
    return ToolOutcome(tool_use_id=tool_use_id, name="Fake", content="x", **more)


def aborted(tool_use_id: str = "t1") -> ToolOutcome:
    return outcome(tool_use_id, is_error=True, error_kind="aborted")


def make(move: str, tool: TrackedTool) -> None:
    arguments = {"cancel": (aborted(),), "complete": (outcome(),)}.get(move, ())
    getattr(tool, move)(*arguments)


class AnyOrder(RuleBasedStateMachine):
    """Moves in any order: the legal ones succeed, all others raise and change nothing."""

    @initialize()
    def begin(self) -> None:
        self.events: list[Event] = []
        self.tool = TrackedTool("t1", publish=self.events.append)
        self.expected = "new"

    @rule(move=st.sampled_from(MOVES))
    def try_to(self, move: str) -> None:
        to = LEGAL.get((self.expected, move))
        before = list(self.events)
        if to is None:
            with pytest.raises(IllegalMove):
                make(move, self.tool)
            assert self.events == before
        else:
            make(move, self.tool)
            self.expected = to

    @invariant()
    def each_move_is_one_event_and_the_chain_has_no_gap(self) -> None:
        moves = [(e.from_state, e.to_state) for e in self.events if isinstance(e, ToolStateChanged)]
        assert all(left[1] == right[0] for left, right in pairwise(moves))
        assert self.tool.state == self.expected == (moves[-1][1] if moves else "new")

    @invariant()
    def there_is_one_result_exactly_from_completed_on(self) -> None:
        count = sum(isinstance(event, ToolResultReady) for event in self.events)
        is_over = self.expected in ("completed", "yielded")
        assert count == is_over == (self.tool.outcome is not None)


AnyOrder.TestCase.settings = settings(max_examples=60, stateful_step_count=12, deadline=None)
TestAnyOrder = AnyOrder.TestCase


def test_the_result_is_published_before_the_move_to_completed() -> None:
    events: list[Event] = []
    tool = TrackedTool("t1", publish=events.append)
    tool.queue()
    tool.start()
    tool.complete(outcome())
    assert [type(event) for event in events[-2:]] == [ToolResultReady, ToolStateChanged]


def test_the_result_of_another_use_is_not_taken() -> None:
    tool = TrackedTool("t1", publish=lambda event: event)
    tool.queue()
    with pytest.raises(IllegalMove):
        tool.cancel(aborted("t2"))
    assert tool.state == "queued"


def test_what_has_not_run_has_no_result_but_that_it_was_cancelled() -> None:
    tool = TrackedTool("t1", publish=lambda event: event)
    tool.queue()
    with pytest.raises(IllegalMove):
        tool.cancel(outcome())
    assert (tool.state, tool.outcome) == ("queued", None)


def test_the_state_cannot_be_set_from_outside() -> None:
    tool = TrackedTool("t1", publish=lambda event: event)
    with pytest.raises(AttributeError):
        tool.state = "yielded"  # type: ignore[misc]


def test_waiting_for_a_person_is_no_run_time() -> None:
    events: list[Event] = []
    now = [10.0]
    tool = TrackedTool("t1", publish=events.append, clock=lambda: now[0])
    tool.queue()
    now[0] = 20.0
    tool.start()
    now[0] = 21.0
    with tool.waiting():
        now[0] = 81.0
    now[0] = 81.5
    tool.complete(outcome())
    (result,) = [event for event in events if isinstance(event, ToolResultReady)]
    assert result.duration_ms == pytest.approx(1500)


def test_a_person_who_is_waited_for_twice_at_once_is_waited_for_once() -> None:
    events: list[Event] = []
    now = [0.0]
    tool = TrackedTool("t1", publish=events.append, clock=lambda: now[0])
    tool.queue()
    tool.start()
    with tool.waiting():
        now[0] = 10.0
        with tool.waiting():
            now[0] = 20.0
        now[0] = 30.0
    now[0] = 31.0
    tool.complete(outcome())
    (result,) = [event for event in events if isinstance(event, ToolResultReady)]
    assert result.duration_ms == pytest.approx(1000)


def test_only_an_executing_use_waits_for_a_person() -> None:
    tool = TrackedTool("t1", publish=lambda event: event)
    with pytest.raises(IllegalMove), tool.waiting():
        pass
