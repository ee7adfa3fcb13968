"""The strip of tools above the prompt: its rows stand as a tree."""

from __future__ import annotations

from agent_streams import session_events, stamped
from pictures import Stage, settle

from tui_agent.events import Event
from tui_agent.ui.panes.tool_strip import ToolStrip
from tui_agent.ui.replay import replay_app


async def rows_of(events: list[Event]) -> list[tuple[int, str]]:
    """Return how far each row of the strip is indented, and the tool use in it."""
    app = replay_app(Stage(stamped(events)), has_reduced_motion=True)
    async with app.run_test(size=(100, 40)) as pilot:
        await settle(app, pilot)
        strip = app.screen.query_one(ToolStrip)
        texts = [strip.render_line(y).text for y in range(len(strip._rows))]
        return [
            (len(text) - len(text.lstrip()), use.id.replace("\x1f", "/"))
            for text, (use, _) in zip(texts, strip._rows, strict=True)
        ]


async def test_what_an_agent_started_stands_below_that_agent() -> None:
    rows = await rows_of(session_events(is_cut=True))
    assert [use for _, use in rows] == ["u1", "a1/u1", "u2", "a2/u1"]
    own, below = rows[0][0], rows[1][0]
    assert own < below
    assert [indent for indent, _ in rows] == [own, below, own, below]


async def test_a_row_whose_parent_is_not_shown_is_not_indented() -> None:
    events = session_events()
    rows = await rows_of(events[:-7])  # both agents are done, the turn goes on
    assert [use for _, use in rows] == ["a1/u1", "a2/u1"]
    assert {indent for indent, _ in rows} == {1}
