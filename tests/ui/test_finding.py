from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tui_agent.ui.projection.blocks import Block
from tui_agent.ui.transcript.finding import Finder, SearchQuery
from tui_agent.ui.transcript.heights import Heights
from tui_agent.viewkit.markdown import MarkdownStream
from tui_agent.viewkit.palette import DARK
from tui_agent.viewkit.tool_use import ToolUse
from tui_agent.viewkit.view import RenderState


def said(number: int, text: str) -> Block:
    block = Block(id=f"b{number}", kind="notice")
    block.append(text)
    return block


TEXTS = st.lists(
    st.sampled_from(["", "x", "needle", "a needle, a NEEDLE", "need le", "needle\nneedle needle"]), max_size=40
)


@given(TEXTS, st.integers(0, 45))
@settings(max_examples=150, deadline=None)
def test_all_matches_are_found_whatever_the_start_and_gone_through_in_order(texts: list[str], start: int) -> None:
    blocks = [said(number, text) for number, text in enumerate(texts)]
    finder = Finder(blocks, SearchQuery("needle"), start)
    while not finder.advance(0.0):
        pass
    expected = [
        (number, index)
        for number, text in enumerate(texts)
        for index in range(len(re.findall("needle", text, re.IGNORECASE)))
    ]
    assert finder.total == len(expected)
    match = None
    seen = []
    for _ in expected:
        match = finder.step(match, 1)
        assert match is not None
        assert expected[finder.number(match) - 1] == match
        seen.append(match)
    assert sorted(seen) == expected
    if expected:
        nearest = min(abs(number - min(start, len(texts))) for number, _ in expected)
        assert abs(seen[0][0] - min(start, len(texts))) <= nearest + 1  # below is looked at before above
        assert match is not None
        back = finder.step(match, -1)
        assert back is not None
        assert finder.step(back, 1) == match


@given(TEXTS, TEXTS)
@settings(max_examples=80, deadline=None)
def test_blocks_that_come_meanwhile_are_found_too(texts: list[str], more: list[str]) -> None:
    blocks = [said(number, text) for number, text in enumerate(texts)]
    finder = Finder(blocks, SearchQuery("needle"), 0)
    finder.advance(10)
    blocks += [said(len(texts) + number, text) for number, text in enumerate(more)]
    assert finder.is_done == (not more)
    finder.advance(10)
    assert finder.total == sum(len(re.findall("needle", text, re.IGNORECASE)) for text in texts + more)


@pytest.mark.parametrize(
    ("query", "text", "matches"),
    [
        ("needle", "NEEDLE Needle", 2),
        ("Needle", "NEEDLE Needle", 1),
        ("two words", "two\n  words, two  words", 2),
        ("a.b", "a.b axb", 1),
        ("", "anything", 0),
        ("   ", "anything", 0),
    ],
)
def test_small_letters_stand_for_capitals_and_blanks_for_any(query: str, text: str, matches: int) -> None:
    assert len(SearchQuery(query).spans(text)) == matches
    assert SearchQuery(query).count(text) == matches


@pytest.mark.parametrize(
    ("query", "markdown"),
    [
        ("bold word", "a **bold** word"),
        ("the code of it", "the `code` of it"),
        ("snake_case", "it is snake_case here"),
        ("half and half", "half *and* _half_"),
    ],
)
def test_what_is_painted_of_markdown_is_found_in_its_source(query: str, markdown: str) -> None:
    stream = MarkdownStream(markdown)
    stream.finish()
    (part,) = stream.parts
    block = Block(id="b", kind="text", view=part)
    finder = Finder([block], SearchQuery(query), 0)
    finder.advance(10)
    assert finder.total == 1
    assert len(SearchQuery(query).spans(part.render(80, RenderState(DARK)).text)) == 1


def test_the_arguments_and_the_result_of_a_tool_use_are_searched() -> None:
    use = ToolUse(
        id="t", name="Bash", input={"command": "grep needle", "more": [{"deep": "needle"}]}, content="a needle"
    )
    finder = Finder([Block(id="t", kind="tool", tool=use)], SearchQuery("needle"), 0)
    finder.advance(10)
    assert finder.total == 3


@dataclass
class Ticks:
    """A clock that goes on by a millisecond whenever it is looked at."""

    looked: count[int] = field(default_factory=count)

    def __call__(self) -> float:
        return next(self.looked) / 1000


def test_a_slice_ends_when_its_time_is_up() -> None:
    blocks = [said(number, "no match in this line, which has some letters") for number in range(10_000)]
    finder = Finder(blocks, SearchQuery("needle"), 5000, clock=Ticks())
    slices = 1
    while not finder.advance(0.004):
        slices += 1
    assert slices > 50


def test_what_a_block_really_has_counts() -> None:
    finder = Finder([said(0, "needle needle"), said(1, "needle")], SearchQuery("needle"), 0)
    finder.advance(10)
    finder.settle(0, 0)
    assert finder.total == 1
    assert finder.step((0, 0), 1) == (1, 0)
    assert finder.step((0, 1), -1) == (1, 0)


@given(st.integers(0, 200), st.lists(st.tuples(st.integers(0, 199), st.integers(0, 9)), max_size=40))
@settings(max_examples=80, deadline=None)
def test_heights_made_at_once_are_as_those_made_one_by_one(number: int, changes: list[tuple[int, int]]) -> None:
    at_once, one_by_one = Heights.zeros(number), Heights()
    for _ in range(number):
        one_by_one.append(0)
    for position, height in changes:
        if position < number:
            at_once.set(position, height)
            one_by_one.set(position, height)
    at_once.append(3)
    one_by_one.append(3)
    assert [at_once.before(position) for position in range(number + 2)] == [
        one_by_one.before(position) for position in range(number + 2)
    ]
    assert all(at_once.find(line) == one_by_one.find(line) for line in range(at_once.total + 2))
