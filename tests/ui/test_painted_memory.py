"""What is kept of painted lines does not grow with the conversation, and what the window shows is kept."""

from __future__ import annotations

from textual.strip import Strip

from tui_agent.ui.projection.blocks import Block
from tui_agent.ui.transcript.layout import NEAR, TranscriptLayout
from tui_agent.viewkit.palette import DARK
from tui_agent.viewkit.plain import TextView


def painted(layout: TranscriptLayout, position: int) -> None:
    """Paint the first line of a block, as a window does."""
    drawn = layout.draw(position)
    if (0, False, ()) not in drawn.painted:
        drawn.keep((0, False, ()), drawn.rendered.lines[0], Strip([]))


def test_painted_lines_of_blocks_far_away_are_forgotten() -> None:
    layout = TranscriptLayout(DARK)
    count = 3 * NEAR
    layout.reset([Block(id=f"b{number}", kind="text", view=TextView("words")) for number in range(count)])
    kept = []
    for position in range(count):
        painted(layout, position)
        painted(layout, 0)  # in the window all the time
        kept.append(layout.draw(position))
    assert sum(bool(drawn.painted) for drawn in kept) == NEAR
    assert layout.draw(0).painted, "what is needed now stays painted"
    assert all(drawn.rendered.lines for drawn in kept)
    layout.recolour(DARK)
    assert not layout.draw(0).painted
