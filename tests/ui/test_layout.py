from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textual.strip import Strip

from tui_agent.changes import FileChange
from tui_agent.ui import layout as layout_module
from tui_agent.ui.blocks import Block
from tui_agent.ui.layout import Layout
from tui_agent.viewkit.palette import DARK
from tui_agent.viewkit.plain import TextView
from tui_agent.viewkit.tool_view import ToolUse
from tui_agent.viewkit.view import Rendered, RenderState


@dataclass
class Words:
    """A part of a reply: wraps, so that its height depends on the width."""

    source: str

    def render(self, width: int, state: RenderState) -> Rendered:
        return TextView(self.source).render(width, state)


def reply(number: int, words: int) -> Block:
    text = " ".join(f"b{number}w{word}" for word in range(words))
    return Block(id=f"b{number}", kind="text", group=str(number), view=Words(text))


def layout_of(*sizes: int, width: int = 30) -> Layout:
    layout = Layout(DARK)
    layout.width = width
    layout.reset([reply(number, size) for number, size in enumerate(sizes)])
    return layout


def line_text(layout: Layout, line: int) -> str:
    position, offset = layout.heights.find(line)
    number = offset - layout.gap(position)
    return layout.draw(position).rendered.lines[number].text.strip() if number >= 0 else ""


SIZES = st.lists(st.integers(1, 60), min_size=1, max_size=30)


@given(SIZES, st.integers(0, 400), st.integers(1, 20))
@settings(max_examples=80, deadline=None)
def test_settling_makes_the_window_exact_and_moves_nothing_when_done_again(
    sizes: list[int], top: int, page: int
) -> None:
    layout = layout_of(*sizes)
    top = layout.settle(top, page, at_end=False)
    for line in range(top, min(top + page, layout.heights.total)):
        position, _ = layout.heights.find(line)
        lines = len(layout.draw(position).rendered.lines)
        assert layout.heights[position] == lines + layout.gap(position)
    seen = line_text(layout, top)
    assert line_text(layout, layout.settle(top, page, at_end=False)) == seen


@given(SIZES, st.integers(0, 400), st.integers(1, 20), st.integers(8, 60))
@settings(max_examples=80, deadline=None)
def test_a_new_width_keeps_the_line_being_read_at_the_top(sizes: list[int], top: int, page: int, width: int) -> None:
    layout = layout_of(*sizes)
    top = layout.settle(top, page, at_end=False)
    place = layout.place_of(top)
    layout.resize(width)
    assert layout.place_of(layout.line_of(place))[0] == place[0]
    wanted = layout.draw(place[0]).rendered.text[place[1] :].split(" ")[0]
    if place[1]:
        assert wanted in line_text(layout, layout.line_of(place))


def test_the_end_is_exact_when_it_is_followed() -> None:
    layout = layout_of(*[50] * 40)
    top = layout.settle(0, 10, at_end=True)
    assert top == layout.heights.total - 10
    assert line_text(layout, layout.heights.total - 1).endswith("b39w49")


def test_only_blocks_near_the_window_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []
    real = layout_module.render_block

    def counting(block: Block, width: int, state: RenderState) -> Rendered:
        drawn.append(block.id)
        return real(block, width, state)

    layout = layout_of(*[20] * 10_000)
    monkeypatch.setattr(layout_module, "render_block", counting)
    layout.settle(0, 40, at_end=True)
    layout.settle(20_000, 40, at_end=False)
    layout.resize(50)
    layout.settle(20_000, 40, at_end=False)
    assert len(drawn) < 300


def test_lines_that_did_not_change_stay_painted() -> None:
    layout = layout_of(3)
    block = layout.blocks[0]
    block.view = Words("same\nold\nlast")
    block.version += 1
    drawn = layout.draw(0)
    for number, line in enumerate(drawn.rendered.lines):
        drawn.painted[number, False, None] = (line, Strip(line.segments))
    block.view = Words("same\nnew")
    block.version += 1
    again = layout.draw(0)
    assert list(again.painted) == [(0, False, None)]
    assert again.painted[0, False, None] is drawn.painted[0, False, None]


def test_a_block_without_anything_to_see_takes_no_room() -> None:
    layout = Layout(DARK)
    layout.reset([reply(0, 1), Block(id="x", kind="text", group="x"), reply(1, 1)])
    layout.settle(0, 10, at_end=False)
    assert [layout.heights[position] for position in range(3)] == [1, 0, 2]


def test_a_view_that_fails_is_shown_as_failed_where_it_stands() -> None:
    class Broken:
        def render(self, width: int, state: RenderState) -> Rendered:
            raise KeyError("gone")

    layout = Layout(DARK)
    layout.reset([Block(id="x", kind="text", view=Broken()), reply(1, 1)])
    assert "cannot be shown (KeyError" in layout.draw(0).rendered.text


def test_a_change_is_open_by_itself_only_where_no_diff_stands_beside_it() -> None:
    change = FileChange.between("/w/a.py", "1\n", "2\n")
    tool = ToolUse(id="t", name="Edit", is_input_whole=True, phase="yielded", changes=(change,), is_applied=True)
    layout = Layout(DARK)
    layout.reset([Block(id="t", kind="tool", group="t", tool=tool)])
    assert layout.is_open(0)
    layout.open_changes(False)
    assert not layout.is_open(0)
    layout.toggle(0)
    assert layout.is_open(0)
