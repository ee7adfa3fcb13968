"""Agents: below the tool uses that started them, as a tree with their types, and the conversation of one."""

from __future__ import annotations

import pytest
from agent_streams import session_events, stamped
from pictures import Album, Stage, settle, staged

from tui_agent.queries import AgentsReport, AgentTypeRow

SIZES = [(120, 40), (80, 24), (60, 20)]
REPORT = AgentsReport(
    types=(
        AgentTypeRow(
            name="Explore",
            description="Finds things out in a code base, fast, and changes nothing.",
            place="built-in",
            tools="Glob, Grep, Read",
            model="small",
            is_read_only=True,
        ),
        AgentTypeRow(name="poet", description="Writes poems", place="project", file="/w/.claude/agents/poet.md"),
        AgentTypeRow(name="Explore", description="Another one", place="user", file="/u/x.md", is_hidden=True),
    ),
    left_out=("/w/.claude/agents/bad.md: left out: it has no description",),
)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_agents_at_work_in_the_tree_and_one_of_them(size: tuple[int, int], album: Album) -> None:
    words = f"{size[0]}x{size[1]}"
    async with staged(Stage(stamped(session_events(is_cut=True))), size) as (app, pilot):
        album.compare(app, f"at-work-{words}")
        app.agent_views.show_all(REPORT)
        await settle(app, pilot)
        album.compare(app, f"tree-{words}")
        await pilot.press("enter")
        await settle(app, pilot)
        album.compare(app, f"one-{words}")
    album.verify()
