"""What the tests of views share: rendering in a plain state, and checks that hold for every view."""

from __future__ import annotations

from rich.cells import cell_len

from tui_agent.emoji_sequences import EMOJI_SEQUENCE
from tui_agent.viewkit.palette import DARK
from tui_agent.viewkit.view import Rendered, RenderState, View

STATE = RenderState(DARK)
# Signs that are painted in place of those that plain Markdown has, and of blanks that have to be seen.
SIGNS = str.maketrans("•◦▪─│┼·⇥", "---" + "-||" + "  ")


def lines_of(view: View, width: int = 60, state: RenderState = STATE) -> list[str]:
    """Return the view's lines as text, without the blanks at their ends."""
    return [line.text.rstrip() for line in view.render(width, state).lines]


def after(text: str, cells: int) -> str:
    """Return what stands behind so many cells of a line."""
    return next((text[at:] for at in range(len(text)) if cell_len(text[:at]) >= cells), "")


def check(rendered: Rendered, width: int) -> None:
    """Assert what hosts rely on: no line is too wide, nothing drives a terminal, lines and logical text agree."""
    for line in rendered.lines:
        assert line.width <= width, line.text
        assert not [c for c in line.text if ord(c) < 32 or 127 <= ord(c) < 160 or c in "\u202e\u2066"], line.text
        assert "\u200d" not in EMOJI_SEQUENCE.sub("", line.text), line.text
        body = after(line.text, line.gutter).rstrip()
        assert rendered.text[line.start : line.start + len(body)].translate(SIGNS) == body.translate(SIGNS)
    starts = [line.start for line in rendered.lines]
    assert starts == sorted(starts)
    for hit in rendered.hits:
        assert 0 <= hit.line < len(rendered.lines)
        assert 0 <= hit.start < hit.stop <= rendered.lines[hit.line].width
