"""A part of a text is marked where it is painted, wrapped or not."""

from __future__ import annotations

import pytest
from rich.style import Style

from tui_agent.ui.dialogs.marked_text import with_mark
from tui_agent.viewkit.code import CodeView
from tui_agent.viewkit.palette import DARK
from tui_agent.viewkit.view import RenderState

COMMAND = "curl --retry 3 https://example.com/a/long/address && rm -rf build dist"


@pytest.mark.parametrize("width", [20, 33, 60, 120])
@pytest.mark.parametrize("part", ["rm -rf", "&& rm -rf build", COMMAND])
def test_exactly_the_part_is_marked_at_every_width(part: str, width: int) -> None:
    plain = CodeView(COMMAND, language="bash", has_numbers=False).render(width, RenderState(DARK))
    marked = with_mark(plain, part, Style(underline=True))
    assert [line.text for line in marked.lines] == [line.text for line in plain.lines]
    segments = [one for line in marked.lines for one in line.segments if one.style is not None and one.style.underline]
    assert "".join("".join(one.text for one in segments).split()) == "".join(part.split())


def test_what_is_not_there_marks_nothing() -> None:
    plain = CodeView(COMMAND, language="bash", has_numbers=False).render(60, RenderState(DARK))
    assert with_mark(plain, "sudo", Style(underline=True)) is plain
    assert with_mark(plain, "", Style(underline=True)) is plain
