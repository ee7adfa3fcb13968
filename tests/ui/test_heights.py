from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tui_agent.ui.transcript.heights import Heights

STEPS = st.lists(st.tuples(st.sampled_from(["append", "set"]), st.integers(0, 200), st.integers(0, 9)), max_size=60)


def after(steps: list[tuple[str, int, int]]) -> tuple[Heights, list[int]]:
    heights, plain = Heights(), []
    for step, position, height in steps:
        if step == "append" or not plain:
            heights.append(height)
            plain.append(height)
        else:
            position %= len(plain)
            assert heights.set(position, height) == height - plain[position]
            plain[position] = height
    return heights, plain


@given(STEPS)
@settings(max_examples=120, deadline=None)
def test_sums_are_those_of_a_plain_list(steps: list[tuple[str, int, int]]) -> None:
    heights, plain = after(steps)
    assert len(heights) == len(plain)
    assert heights.total == sum(plain)
    assert [heights.before(position) for position in range(len(plain) + 1)] == [
        sum(plain[:position]) for position in range(len(plain) + 1)
    ]


@given(STEPS)
@settings(max_examples=120, deadline=None)
def test_every_line_is_found_where_it_is(steps: list[tuple[str, int, int]]) -> None:
    heights, plain = after(steps)
    lines = [(position, line) for position, height in enumerate(plain) for line in range(height)]
    assert [heights.find(line) for line in range(len(lines))] == lines
    assert heights.find(len(lines) + 3) == (len(plain), 3)


def test_what_has_no_height_is_never_found() -> None:
    heights = Heights()
    for height in (0, 0, 2, 0, 1):
        heights.append(height)
    assert [heights.find(line)[0] for line in range(3)] == [2, 2, 4]


def test_clearing_starts_anew() -> None:
    heights, _ = after([("append", 0, 3), ("append", 0, 4)])
    heights.clear()
    heights.append(2)
    assert (len(heights), heights.total, heights.find(1)) == (1, 2, (0, 1))
