"""Checklists: whatever data says, in whatever width; how far a step is can be told without colour."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from viewing import STATE, check

from tui_agent.viewkit.checklist import (
    ChecklistLine,
    ChecklistStep,
    ChecklistView,
    current,
    done,
    read_steps,
    step_runs,
    window,
)
from tui_agent.viewkit.view import RenderState

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["id", "subject", "content", "status", "blocked_by", "owner", "activeForm"]), inner
        )
    ),
    max_leaves=8,
)
STEPS = st.lists(
    st.builds(
        ChecklistStep,
        text=st.sampled_from(["a", "long words " * 9, "文字", "x" * 40]),
        status=st.sampled_from(["pending", "in_progress", "completed"]),
        note=st.sampled_from(["", "waits for 2"]),
    ),
    max_size=9,
)


@given(JSON, st.integers(1, 40))
def test_any_data_can_be_drawn(data: Any, width: int) -> None:
    steps = tuple(read_steps(data))
    for view in (ChecklistView(steps), ChecklistView(steps, rows=2), ChecklistLine(steps)):
        check(view.render(width, STATE), width)


@given(STEPS, st.integers(1, 6))
def test_a_window_is_a_run_of_steps_with_the_one_that_counts_in_it(steps: list[ChecklistStep], rows: int) -> None:
    shown = list(window(steps, rows))
    assert len(shown) == min(rows, len(steps))
    assert any(steps[at : at + len(shown)] == shown for at in range(len(steps) + 1))
    step = current(steps)
    assert step is None or step in shown or rows == 1


@pytest.mark.parametrize("is_ascii", [False, True])
def test_each_state_has_a_box_of_its_own(is_ascii: bool) -> None:
    state = RenderState(STATE.palette, is_ascii=is_ascii)
    boxes = {step_runs(ChecklistStep("a", status), state)[0].text for status in ("pending", "in_progress", "completed")}
    assert len(boxes) == 3
    assert step_runs(ChecklistStep("a", "completed"), state)[1].style.strike


def test_a_step_reads_as_it_is_being_done_and_says_whom_it_waits_for() -> None:
    tasks = [
        {"id": "1", "subject": "Build", "status": "completed", "blocked_by": []},
        {"id": "2", "subject": "Test", "status": "in_progress", "active_form": "Testing", "blocked_by": ["1"]},
        {"id": "3", "subject": "Ship", "status": "pending", "blocked_by": ["1", "2"], "owner": "ada"},
    ]
    steps = read_steps(tasks)
    assert [(step.text, step.note) for step in steps] == [
        ("Build", ""),
        ("Testing", ""),
        ("Ship", "@ada · waits for 2"),
    ]
    assert done(steps) == 1
    line = ChecklistLine(tuple(steps)).render(40, STATE)
    assert line.text == "▣ 1/3 Testing"


def test_foreign_text_is_cleaned() -> None:
    (step,) = read_steps([{"content": "a\x1b]0;x\x07b\nc\u202e", "status": "\x1b", "activeForm": ""}])
    assert step.text == "ab c"
