"""Who may run beside whom: pure, and checked against a plain reading of the rule."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from fake_tools import FakeInput, FakeTool
from hypothesis import given, settings
from hypothesis import strategies as st

from tui_agent.execution.scheduling import Footprint, Schedule, Slot, footprint_of
from tui_agent.tools.base import Claims
from tui_agent.tools.workspace import Workspace

PATHS = st.frozensets(st.sampled_from(["/w/a", "/w/b", "/w/d", "/w/d/c"]), max_size=2)
CLAIMS = st.one_of(st.just(Claims.exclusive()), st.builds(Claims, reads=PATHS, writes=PATHS))
FOOTPRINTS = st.builds(Footprint, claims=CLAIMS, is_concurrency_safe=st.booleans())


def touches(left: str, right: str) -> bool:
    return left == right or left in map(str, Path(right).parents) or right in map(str, Path(left).parents)


def may_run_together(a: Footprint, b: Footprint) -> bool:
    if a.is_concurrency_safe and b.is_concurrency_safe:
        return True
    if a.claims.is_exclusive or b.claims.is_exclusive:
        return False
    clashes = [(w, other) for w in a.claims.writes for other in b.claims.writes | b.claims.reads]
    clashes += [(w, other) for w in b.claims.writes for other in a.claims.reads]
    return not any(touches(left, right) for left, right in clashes)


@given(st.lists(FOOTPRINTS, max_size=8), st.integers(1, 4), st.randoms(use_true_random=False))
@settings(max_examples=150, deadline=None)
def test_uses_start_in_order_and_only_beside_what_they_do_not_conflict_with(
    footprints: list[Footprint], limit: int, random: Random
) -> None:
    schedule = Schedule(limit)
    for number, footprint in enumerate(footprints):
        schedule.enqueue(Slot(number, lambda footprint=footprint: footprint))
    started: list[int] = []
    while len(started) < len(footprints):
        while (slot := schedule.start_next()) is not None:
            started.append(slot.number)
            others = [other for other in schedule.running if other is not slot]
            assert all(may_run_together(slot.footprint, other.footprint) for other in others)
            assert len(schedule.running) <= limit
        waiting = footprints[len(started)] if len(started) < len(footprints) else None
        if waiting is not None:  # what holds it back is real
            full = len(schedule.running) == limit
            assert full or not all(may_run_together(waiting, other.footprint) for other in schedule.running)
            schedule.leave(random.choice(schedule.running))
    assert started == list(range(len(footprints)))


@given(st.lists(FOOTPRINTS, min_size=2, max_size=6), st.data())
@settings(max_examples=100, deadline=None)
def test_running_uses_whose_inputs_change_never_block_each_other(
    footprints: list[Footprint], data: st.DataObject
) -> None:
    schedule = Schedule(10)
    slots = [Slot(number, lambda: Footprint(Claims())) for number in range(len(footprints))]
    for slot in slots:
        schedule.enqueue(slot)
        assert schedule.start_next() is slot
    for slot, footprint in zip(slots, footprints, strict=True):
        slot.footprint = footprint
    while schedule.running:
        ready = [slot for slot in schedule.running if not slot.is_in_call and schedule.may_call(slot)]
        calling = [slot for slot in schedule.running if slot.is_in_call]
        assert ready or calling
        slot = data.draw(st.sampled_from(ready + calling))
        if slot.is_in_call:
            schedule.leave(slot)
        else:
            slot.is_in_call = True
            assert all(may_run_together(slot.footprint, other.footprint) for other in calling)


def test_what_a_held_back_use_touches_is_asked_again_only_when_that_may_have_changed() -> None:
    """Each ask reads the whole input, and others may come in by the thousand meanwhile."""
    asked: list[int] = []
    alone, free = Footprint(Claims.exclusive()), Footprint(Claims(), is_concurrency_safe=True)

    def measure() -> Footprint:
        asked.append(len(asked))
        return alone

    schedule = Schedule(10)
    running, held = Slot(0, lambda: free), Slot(1, measure)
    schedule.enqueue(running)
    assert schedule.start_next() is running
    schedule.enqueue(held)
    for number in range(2, 1_000):
        schedule.enqueue(Slot(number, lambda: free))
        assert schedule.start_next() is None
    assert len(asked) == 1
    schedule.settle(running, free)
    assert schedule.start_next() is None
    assert len(asked) == 2
    schedule.leave(running)
    assert schedule.start_next() is held


def test_a_schedule_that_lets_nothing_run_is_a_mistake() -> None:
    with pytest.raises(ValueError):
        Schedule(0)


def test_claims_of_two_names_of_one_file_meet(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("x")
    (tmp_path / "link").symlink_to("real")
    workspace = Workspace(tmp_path)
    writer = footprint_of(FakeTool(), FakeInput(writes=["link"]), workspace)
    reader = footprint_of(FakeTool(), FakeInput(reads=["./d/../real"]), workspace)
    assert not writer.fits_beside(reader)


@pytest.mark.parametrize("predicate", ["claims", "is_concurrency_safe"])
def test_a_predicate_that_raises_counts_as_the_unsafe_answer(tmp_path: Path, predicate: str) -> None:
    tool = FakeTool(**{predicate: RuntimeError("cannot tell")})
    footprint = footprint_of(tool, FakeInput(safe=True), Workspace(tmp_path))
    assert footprint.claims.is_exclusive if predicate == "claims" else not footprint.is_concurrency_safe
