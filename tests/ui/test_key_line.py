"""The keys at the foot of a screen: a key and its word are never parted by the end of a line."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.app import App, ComposeResult
from textual.content import Content

from tui_agent.ui.widgets.key_line import KeyLine, marked, packed

KEY = st.text("abcé⏎↑日 ", min_size=1, max_size=12).map(lambda text: " ".join(text.split())).filter(bool)


@given(st.lists(KEY, min_size=1, max_size=12), st.integers(12, 60), st.sampled_from(["  ", " · "]))
def test_every_key_stands_whole_in_one_line_that_fits(keys: list[str], width: int, between: str) -> None:
    lines = packed(Content(between).join(map(Content, keys)), width).plain.split("\n")
    assert [key for line in lines for key in line.split(between)] == keys
    assert all(Content(line).cell_length <= width or between not in line for line in lines)
    for line, following in pairwise(lines):  # none is broken before it is full
        first = following.split(between)[0]
        assert Content(line + between + first).cell_length > width


def test_a_key_keeps_its_style_and_what_a_click_on_it_does() -> None:
    link = Content("⏎ apply").stylize("bold")
    lines = packed(Content("  ").join([Content("x refuse"), link]), 10)
    assert lines.plain == "x refuse\n⏎ apply"
    assert [(lines.plain[span.start : span.end], span.style) for span in lines.spans] == [("⏎ apply", "bold")]


@pytest.mark.parametrize(
    ("plain", "shown", "bold"),
    [
        ("↑↓ choose · enter select · esc no", "↑↓ choose  enter select  esc no", ["↑↓", "enter", "esc"]),
        (
            "type to search · ↑↓ pgup/dn scroll · F1 help",
            "type to search  ↑↓ pgup/dn scroll  F1 help",
            ["↑↓ pgup/dn", "F1"],
        ),
        (
            "↑↓ or digits choose · enter · a all · ^r rename",
            "↑↓ or digits choose  enter  a all  ^r rename",
            ["↑↓", "enter", "a", "^r"],
        ),
        ("esc close", "esc close", ["esc"]),
    ],
)
def test_keys_written_plainly_are_set_apart_from_what_they_do(plain: str, shown: str, bold: list[str]) -> None:
    keys = marked(Content(plain))
    assert keys.plain == shown
    assert [keys.plain[span.start : span.end] for span in keys.spans if span.end > span.start] == bold
    styled = Content.assemble(("a", "bold"), " accept")
    assert marked(styled) is styled


class Foot(App[None]):
    def compose(self) -> ComposeResult:
        yield KeyLine("a accept · ⏎ apply · esc no")


@pytest.mark.parametrize(
    ("width", "shown"), [(26, ["a accept  ⏎ apply  esc no"]), (20, ["a accept  ⏎ apply", "esc no"])]
)
async def test_the_foot_is_as_high_as_its_lines(width: int, shown: list[str]) -> None:
    app = Foot()
    async with app.run_test(size=(width, 6)):
        foot = app.query_one(KeyLine)
        assert [foot.render_line(y).text.rstrip() for y in range(foot.size.height)] == shown


async def test_where_there_is_one_line_only_it_is_cut_at_its_end() -> None:
    app = Foot()
    async with app.run_test(size=(20, 6)) as pilot:
        foot = app.query_one(KeyLine)
        foot.styles.text_wrap, foot.styles.text_overflow, foot.styles.height = "nowrap", "ellipsis", 1
        await pilot.pause()
        assert foot.render_line(0).text == "a accept  ⏎ apply  …"
