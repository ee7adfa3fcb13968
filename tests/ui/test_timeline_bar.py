"""The bar says where a tool's time went, slice by slice of its turn."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tui_agent.ui.projection.time_axis import TimeAxis
from tui_agent.ui.timeline_bar import GLYPHS, bar
from tui_agent.viewkit.tool_use import ToolUse


def drawn(
    use: ToolUse, *, axis: tuple[float, float] = (0, 1000), stream: list[tuple[float, float]] | None = None
) -> str:
    return "".join(GLYPHS[piece] for piece in bar(use, TimeAxis(axis, []), stream or [], axis[1], 10))


def use_with(**times: object) -> ToolUse:
    return ToolUse(id="t", name="Bash", **times)  # type: ignore[arg-type]


def test_a_tool_is_drawn_from_its_arguments_to_the_hand_over_of_its_result() -> None:
    use = use_with(
        phase="yielded",
        started_ms=100,
        queued_ms=200,
        executing_ms=300,
        runs=[(300, 500)],
        completed_ms=500,
        yielded_ms=800,
    )
    assert drawn(use) == " ·░██▁▁▁  "


def test_what_ran_while_the_model_was_still_talking_is_marked() -> None:
    use = use_with(phase="executing", started_ms=0, queued_ms=0, executing_ms=0, running_since_ms=0)
    assert drawn(use, stream=[(0, 400)]) == "▓▓▓▓██████"


def test_waiting_for_the_person_is_not_running() -> None:
    use = use_with(
        phase="completed", started_ms=0, queued_ms=0, executing_ms=0, runs=[(0, 100), (600, 1000)], completed_ms=1000
    )
    assert drawn(use) == "█┄┄┄┄┄████"


def test_a_tool_that_took_no_time_at_all_still_has_its_mark() -> None:
    use = use_with(
        phase="yielded",
        started_ms=500,
        queued_ms=500,
        executing_ms=500,
        runs=[(500, 500)],
        completed_ms=500,
        yielded_ms=500,
    )
    assert drawn(use).strip() == "█"


def test_a_queued_tool_that_was_cancelled_never_ran() -> None:
    use = use_with(phase="yielded", started_ms=0, queued_ms=100, completed_ms=500, yielded_ms=500)
    assert drawn(use) == "·░░░░     "


times = st.lists(st.floats(0, 5000), min_size=5, max_size=5).map(sorted)


@settings(max_examples=60, deadline=None)
@given(times=times, axis_end=st.floats(1, 6000), width=st.integers(1, 60))
def test_a_bar_has_exactly_its_width_and_shows_running_whenever_the_tool_ran_within_the_axis(
    times: list[float], axis_end: float, width: int
) -> None:
    started, queued, executing, completed, yielded = times
    use = use_with(
        phase="yielded",
        started_ms=started,
        queued_ms=queued,
        executing_ms=executing,
        runs=[(executing, completed)],
        completed_ms=completed,
        yielded_ms=yielded,
    )
    slices = bar(use, TimeAxis((0, axis_end), []), [], yielded, width)
    assert len(slices) == width
    if executing < axis_end - 1:
        assert "running" in slices
