"""The time line as it is drawn, and the sums over a turn: work keeps its length, long idle stretches are shortened."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from spans import time_saved

from tui_agent.ui.projection.time_axis import SHORTEST_BREAK_MS, TimeAxis
from tui_agent.ui.projection.timeline import Span, length, union
from tui_agent.ui.projection.turn_spans import SpanSet, TurnSpans

session_hooks = st.floats(0, 200_000)
spans = st.tuples(session_hooks, st.one_of(st.floats(0, 500), st.floats(0, 60_000))).map(
    lambda pair: (pair[0], sum(pair))
)
works = st.lists(spans, max_size=8)


@settings(deadline=None)
@given(work=works, asked=st.lists(session_hooks, min_size=2, max_size=10))
def test_later_is_never_drawn_before_earlier_and_all_is_inside(work: list[Span], asked: list[float]) -> None:
    axis = TimeAxis.of((0, 300_000), work)
    drawn = [axis.place(moment) for moment in sorted(asked)]
    assert drawn == sorted(drawn)
    assert all(-1e-6 <= place <= axis.length + 1e-6 for place in [*drawn, *axis.breaks])


@settings(deadline=None)
@given(work=works)
def test_work_is_drawn_as_long_as_it_was_and_idle_time_no_longer_than_an_eighth_of_it(work: list[Span]) -> None:
    whole = (0.0, 300_000.0)
    axis = TimeAxis.of(whole, work)
    together = union(work)
    for span in together:
        start, stop = axis.span(span)
        assert stop - start == pytest.approx(span[1] - span[0], abs=1e-6)
    assert length(axis.span(span) for span in together) == pytest.approx(length(together), abs=1e-5)
    edges = [whole[0], *(edge for span in together for edge in span), whole[1]]
    for start, stop in zip(edges[::2], edges[1::2], strict=True):
        shown = axis.place(stop) - axis.place(start)
        short = sum(b - a for a, b in zip(edges[::2], edges[1::2], strict=True) if b - a <= SHORTEST_BREAK_MS)
        assert shown <= max(SHORTEST_BREAK_MS, (length(together) + short) / 8) + 1e-5
        assert shown <= stop - start + 1e-6
    assert axis.length + axis.left_out == pytest.approx(whole[1] - whole[0])


def test_an_hours_wait_for_the_person_leaves_most_of_the_line_to_the_work() -> None:
    axis = TimeAxis.of((0, 3_610_000), [(0, 5000), (3_605_000, 3_610_000)])
    assert axis.length == pytest.approx(10_000 + 10_000 / 8)
    assert len(axis.breaks) == 1


def test_without_long_pauses_nothing_is_changed() -> None:
    axis = TimeAxis.of((1000, 5000), [(1500, 4500)])
    assert (axis.length, axis.place(2000), list(axis.breaks)) == (4000, 1000, [])


@settings(deadline=None)
@given(runs=works, stream=works)
def test_the_time_saved_is_the_same_however_it_is_counted(runs: list[Span], stream: list[Span]) -> None:
    spans = TurnSpans()
    for number in range(max(len(runs), len(stream))):
        for add, source in ((spans.add_run, runs), (spans.add_stream, stream)):
            if number < len(source):
                add(source[number])
    assert spans.saved([], None, 0) == pytest.approx(time_saved(runs, stream), abs=1e-5)


@settings(deadline=None)
@given(runs=works, stream=works, since=st.lists(session_hooks, max_size=3), talks=st.none() | session_hooks)
def test_what_still_runs_counts_up_to_now(
    runs: list[Span], stream: list[Span], since: list[float], talks: float | None
) -> None:
    now = 300_000.0
    spans = TurnSpans()
    for run in runs:
        spans.add_run(run)
    for span in stream:
        spans.add_stream(span)
    open_runs = [(start, now) for start in since]
    talk = [] if talks is None else [(talks, now)]
    expected = time_saved([*runs, *open_runs], [*stream, *talk])
    assert spans.saved(since, talks, now) == pytest.approx(expected, abs=1e-4)
    axis = spans.time_axis((0, now), since, talks)
    assert axis.length == pytest.approx(TimeAxis.of((0, now), [*runs, *stream, *open_runs, *talk]).length, abs=1e-3)


@settings(deadline=None)
@given(added=works)
def test_a_set_of_spans_is_their_union(added: list[Span]) -> None:
    found = SpanSet()
    fresh = [part for span in added for part in found.add(span)]
    expected = union(added)
    assert list(zip(found.starts, found.stops, strict=True)) == expected
    assert found.total == pytest.approx(length(expected), abs=1e-6)
    assert length(union(fresh)) == pytest.approx(length(expected), abs=1e-6)


def test_nothing_is_saved_by_one_tool_after_another() -> None:
    spans = TurnSpans()
    spans.add_stream((0, 1000))
    spans.add_run((1000, 2000))
    spans.add_run((2000, 2500))
    assert spans.saved([], None, 3000) == 0


def test_side_by_side_and_early_are_both_saved() -> None:
    spans = TurnSpans()
    spans.add_stream((0, 1000))
    spans.add_run((500, 1500))
    spans.add_run((1000, 1500))
    assert spans.saved([], None, 2000) == 500 + 500
