from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from tui_agent.ui.transcript.selection import (
    Selection,
    body_of,
    cell_range,
    line_at,
    line_of_offset,
    offset_at,
    word_at,
)
from tui_agent.viewkit.palette import DARK
from tui_agent.viewkit.plain import TextView
from tui_agent.viewkit.view import Rendered, RenderState

TEXT = st.text(alphabet="ab 日語é\n", min_size=1, max_size=80)
STATE = RenderState(DARK)


def drawn(text: str, width: int = 12) -> Rendered:
    return TextView(text).render(width, STATE)


@pytest.mark.parametrize(("anchor", "head"), [((1, 2), (3, 4)), ((3, 4), (1, 2))])
def test_a_selection_takes_parts_of_its_ends_and_all_between(anchor: tuple[int, int], head: tuple[int, int]) -> None:
    selection = Selection(anchor, head)
    assert [selection.part(position, 10) for position in range(5)] == [None, (2, 10), (0, 10), (0, 4), None]


def test_a_selection_within_one_block_has_both_ends_there() -> None:
    assert Selection((2, 7), (2, 3)).part(2, 10) == (3, 7)
    assert Selection((2, 3), (2, 3)).is_empty


@given(TEXT, st.integers(4, 20), st.data())
@settings(max_examples=120, deadline=None)
def test_the_cell_of_a_character_leads_back_to_it(text: str, width: int, data: st.DataObject) -> None:
    rendered = drawn(text, width)
    number = data.draw(st.integers(0, len(rendered.lines) - 1))
    line = rendered.lines[number]
    for index in range(len(body_of(line))):
        cells = cell_range(line, line.start + index, line.start + index + 1)
        assert cells is not None
        assert cells[1] - cells[0] == cell_len(body_of(line)[index])
        assert {offset_at(rendered, number, cell) for cell in range(*cells)} == {line.start + index}


@given(TEXT, st.integers(4, 20))
@settings(max_examples=80, deadline=None)
def test_each_offset_is_found_on_the_line_that_paints_it(text: str, width: int) -> None:
    rendered = drawn(text, width)
    for number, line in enumerate(rendered.lines):
        if body_of(line):
            assert line_of_offset(rendered, line.start) == number


def test_beyond_a_block_is_its_beginning_or_end() -> None:
    rendered = drawn("one two")
    assert offset_at(rendered, -1, 5) == 0
    assert offset_at(rendered, 9, 0) == len("one two")
    assert offset_at(rendered, 0, 99) == len("one two")


@pytest.mark.parametrize(
    ("offset", "word"), [(0, "see"), (5, "cart/refund.py"), (17, "cart/refund.py"), (19, "now"), (3, " ")]
)
def test_a_path_is_one_word(offset: int, word: str) -> None:
    text = "see cart/refund.py now"
    start, stop = word_at(text, offset)
    assert text[start:stop] == word


@given(TEXT, st.integers(0, 80))
@settings(max_examples=100, deadline=None)
def test_the_line_around_a_place_is_one_of_the_text(text: str, offset: int) -> None:
    offset = min(offset, len(text))
    start, stop = line_at(text, offset)
    assert start <= offset <= stop
    assert text[start:stop] in text.split("\n")
    assert "\n" not in text[start:stop]


@given(st.lists(TEXT, min_size=1, max_size=6), st.data())
@settings(max_examples=100, deadline=None)
def test_a_selection_across_blocks_is_a_stretch_of_their_texts(texts: list[str], data: st.DataObject) -> None:
    places = [
        data.draw(
            st.integers(0, len(texts) - 1).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, len(texts[n]))))
        )
        for _ in range(2)
    ]
    selection = Selection(places[0], places[1])
    parts = [selection.part(position, len(text)) for position, text in enumerate(texts)]
    chosen = [text[part[0] : part[1]] for text, part in zip(texts, parts, strict=True) if part is not None]
    (first, begin), (last, end) = selection.start, selection.stop
    if first == last:
        assert "".join(chosen) == texts[first][begin:end]
    else:
        assert "\n".join(chosen).strip("\n") == "\n".join(
            [texts[first][begin:], *texts[first + 1 : last], texts[last][:end]]
        ).strip("\n")
