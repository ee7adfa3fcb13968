from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textual.strip import Strip

from tui_agent.changes import FileChange
from tui_agent.ui.projection.blocks import Block
from tui_agent.ui.transcript import layout as layout_module
from tui_agent.ui.transcript.layout import TranscriptLayout
from tui_agent.viewkit.diff_paint import DiffLines
from tui_agent.viewkit.diff_plan import SectionLayout
from tui_agent.viewkit.palette import DARK
from tui_agent.viewkit.plain import TextView
from tui_agent.viewkit.tool_use import ToolUse
from tui_agent.viewkit.view import Line, Rendered, RenderState


@dataclass
class Words:
    """A part of a reply: wraps, so that its height depends on the width."""

    source: str

    def render(self, width: int, state: RenderState) -> Rendered:
        return TextView(self.source).render(width, state)


def reply(number: int, words: int) -> Block:
    text = " ".join(f"b{number}w{word}" for word in range(words))
    return Block(id=f"b{number}", kind="text", group=str(number), view=Words(text))


def layout_of(*sizes: int, width: int = 30) -> TranscriptLayout:
    layout = TranscriptLayout(DARK)
    layout.width = width
    layout.reset([reply(number, size) for number, size in enumerate(sizes)])
    return layout


def line_text(layout: TranscriptLayout, line: int) -> str:
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
    wanted = layout.draw(place[0]).rendered.text[max(0, place[1]) :].split(" ")[0]
    if place[1] >= 0:
        assert wanted in line_text(layout, layout.line_of(place))


@given(
    st.lists(st.sampled_from(["\n\nx", "a b c d e f g", "a\n\n\nb", "", "日本語 日本語 日本語"]), max_size=12),
    st.integers(6, 20),
)
@settings(max_examples=60, deadline=None)
def test_the_place_of_a_line_leads_back_to_it(texts: list[str], width: int) -> None:
    layout = TranscriptLayout(DARK)
    layout.width = width
    layout.reset([Block(id=f"b{n}", kind="text", group=str(n), view=Words(text)) for n, text in enumerate(texts)])
    layout.settle(0, 1000, at_end=False)
    for line in range(layout.heights.total):
        assert layout.line_of(layout.place_of(line)) == line


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
        drawn.painted[number, False, ()] = (line, Strip(line.segments))
    block.view = Words("same\nnew")
    block.version += 1
    again = layout.draw(0)
    assert list(again.painted) == [(0, False, ())]
    assert again.painted[0, False, ()] is drawn.painted[0, False, ()]


def test_a_block_without_anything_to_see_takes_no_room() -> None:
    layout = TranscriptLayout(DARK)
    layout.reset([reply(0, 1), Block(id="x", kind="text", group="x"), reply(1, 1)])
    layout.settle(0, 10, at_end=False)
    assert [layout.heights[position] for position in range(3)] == [1, 0, 2]


def test_a_view_that_fails_is_shown_as_failed_where_it_stands() -> None:
    class Broken:
        def render(self, width: int, state: RenderState) -> Rendered:
            raise KeyError("gone")

    layout = TranscriptLayout(DARK)
    layout.reset([Block(id="x", kind="text", view=Broken()), reply(1, 1)])
    assert "cannot be shown (KeyError" in layout.draw(0).rendered.text


def test_a_change_is_open_by_itself_only_where_no_diff_stands_beside_it() -> None:
    change = FileChange.between("/w/a.py", "1\n", "2\n")
    tool = ToolUse(id="t", name="Edit", is_input_whole=True, phase="yielded", changes=(change,), is_applied=True)
    layout = TranscriptLayout(DARK)
    layout.reset([Block(id="t", kind="tool", group="t", tool=tool)])
    assert layout.is_open(0)
    layout.open_changes(False)
    assert not layout.is_open(0)
    layout.toggle(0)
    assert layout.is_open(0)


@pytest.mark.parametrize("name", ["Write", "MultiEdit"])
def test_of_a_large_change_only_what_is_looked_at_is_drawn(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[int] = []

    def draw(lines: DiffLines, laid: SectionLayout, place: int, start: int) -> Iterator[Line]:
        drawn.append(place)
        return plain(lines, laid, place, start)

    plain = DiffLines._draw
    monkeypatch.setattr(DiffLines, "_draw", draw)
    before = "".join(f"value_{number} = {number}\n" for number in range(2000))
    change = FileChange.between("/w/a.py", before, before.replace("1\n", "one\n"))
    for is_rejected in (False, True):
        tool = ToolUse(
            id="t", name=name, is_input_whole=True, phase="yielded", changes=(change, change), is_applied=True,
            is_error=is_rejected, is_rejected=is_rejected,
        )  # fmt: skip
        layout = TranscriptLayout(DARK)
        layout.reset([Block(id="t", kind="tool", group="t", tool=tool)])
        layout.open(0, True)
        rendered = layout.draw(0).rendered
        assert len(rendered.lines) > 1400
        assert not drawn
        page = [line.text for line in rendered.lines[800:840]]
        assert any("value_" in line for line in page)
        assert all(line.startswith("    ") for line in page)
        assert len(drawn) == 40
        drawn.clear()
        assert rendered.length == len(rendered.text)


def test_what_is_kept_of_drawn_blocks_is_bounded_by_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, limit in {"KEPT_LINES": 500, "NEAR": 20, "KEPT": 100}.items():
        monkeypatch.setattr(layout_module, name, limit)
    layout = layout_of(*[15] * 100, *[1] * 200, width=10)
    for position in range(300):
        layout.draw(position)
        assert layout.kept_lines <= 500 or len(layout._drawn) <= 20
        assert len(layout._drawn) <= 100
    assert layout.kept_lines == sum(len(drawn.rendered.lines) for drawn in layout._drawn.values())


def test_a_block_of_very_many_lines_is_let_go_when_others_have_been_looked_at() -> None:
    layout = layout_of(15_000, *[1] * 400, width=10)
    layout.draw(0)
    assert layout.kept_lines >= 14_000
    for position in range(1, 400):
        layout.draw(position)
    assert 0 not in layout._drawn
    assert layout.kept_lines < 1000


def test_painted_lines_of_a_block_are_bounded_however_they_are_marked() -> None:
    layout = layout_of(3)
    drawn = layout.draw(0)
    line = drawn.rendered.lines[0]
    for cells in range(5000):
        drawn.keep((0, False, ((0, cells, "selection"),)), line, Strip(line.segments))
    assert len(drawn.painted) <= layout_module.MOST_PAINTED
    assert (0, False, ((0, 4999, "selection"),)) in drawn.painted


def test_a_message_too_long_to_be_seen_at_once_is_folded_and_even_open_not_drawn_whole() -> None:
    message = Block(id="u", kind="user")
    message.append("\n".join(f"line {number}" for number in range(50_000)))
    layout = TranscriptLayout(DARK)
    layout.reset([message])
    assert len(layout.draw(0).rendered.lines) < 20
    assert "more characters" in layout.draw(0).rendered.lines[-1].text
    layout.toggle(0)
    assert 1000 < len(layout.draw(0).rendered.lines) < 20_000
    assert layout.draw(0).rendered.text.startswith("line 0\nline 1\n")
