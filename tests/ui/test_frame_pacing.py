"""When frames are due: often where drawing is cheap, seldom where it is dear, and soon for what is no piece of a text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_agent.ui.projection.frame_pacing import FRAME_S, LONGEST_S, SHARE, FramePacer


class Clocks:
    """Time that passes, and how much of it was work."""

    def __init__(self) -> None:
        self.now = 100.0
        self.worked = 0.0
        self.pace = FramePacer(lambda: self.now, lambda: self.worked)

    def draw(self, cost: float) -> None:
        """Draw for so long."""
        with self.pace.drawing():
            self.now += cost
            self.worked += cost

    def other_work(self, cost: float) -> None:
        """Do something else."""
        self.now += cost
        self.worked += cost


def test_the_first_frame_is_due_at_once() -> None:
    assert Clocks().pace.wait(is_pressing=False) == 0


def test_cheap_frames_come_thirty_times_a_second() -> None:
    clocks = Clocks()
    clocks.pace.begin()
    cost = 0.9 * FRAME_S * SHARE
    clocks.draw(cost)
    assert clocks.pace.wait(is_pressing=False) == pytest.approx(FRAME_S - cost)


def test_a_dear_frame_is_followed_by_a_rest_in_proportion() -> None:
    clocks = Clocks()
    clocks.pace.begin()
    clocks.draw(0.0015)  # taken in
    clocks.other_work(0.0100)  # no part of the frame
    clocks.draw(0.0030)  # painted
    assert clocks.pace.wait(is_pressing=False) == pytest.approx(0.0045 / SHARE - 0.0145)


def test_a_frame_that_is_not_painted_yet_is_taken_to_cost_what_the_one_before_did() -> None:
    clocks = Clocks()
    clocks.pace.begin()
    clocks.draw(0.005)
    clocks.pace.begin()
    clocks.draw(0.001)
    assert clocks.pace.wait(is_pressing=False) == pytest.approx(0.005 / SHARE - 0.001)
    clocks.pace.begin()
    clocks.pace.begin()
    assert clocks.pace.wait(is_pressing=False) == pytest.approx(FRAME_S)


def test_what_a_fault_cost_counts_too() -> None:
    clocks = Clocks()
    clocks.pace.begin()

    def fail() -> None:
        with clocks.pace.drawing():
            clocks.worked += 0.005
            raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        fail()
    assert clocks.pace.wait(is_pressing=False) == pytest.approx(0.005 / SHARE)


@given(st.lists(st.floats(0, 2), min_size=1))
def test_no_text_waits_longer_than_a_fifth_of_a_second_and_no_fact_longer_than_a_frame(costs: list[float]) -> None:
    clocks = Clocks()
    for cost in costs:
        clocks.pace.begin()
        began = clocks.now
        clocks.draw(cost)
        for is_pressing, longest in ((False, LONGEST_S), (True, FRAME_S)):
            wait = clocks.pace.wait(is_pressing=is_pressing)
            assert 0 <= wait <= max(0.0, began + longest - clocks.now) + 1e-9
        clocks.now += clocks.pace.wait(is_pressing=False)


@given(st.floats(0.0001, SHARE * LONGEST_S))
def test_drawing_takes_no_more_than_its_share(cost: float) -> None:
    clocks = Clocks()
    began, drawn = clocks.now, 0.0
    for _ in range(20):
        clocks.pace.begin()
        clocks.draw(cost)
        drawn += cost
        clocks.now += clocks.pace.wait(is_pressing=False)
    assert drawn <= (clocks.now - began) * SHARE * 1.001
