"""The screens about agents: the tree, the conversation of one while it works, stopping one or all."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest
from agent_streams import session_events, stamped
from pictures import Stage, settle
from textual.pilot import Pilot

from tui_agent.commands import Command, StopAgent, StopAgents
from tui_agent.events import AgentEnded, AgentStarted, Event, HistoryCleared, TextDelta, UserMessageSent
from tui_agent.queries import AgentsReport, AgentTypeRow
from tui_agent.ui.app import TuiAgentApp
from tui_agent.ui.replay import replay_app
from tui_agent.ui.screens.agent import AgentScreen
from tui_agent.ui.screens.agents import AgentsScreen
from tui_agent.ui.widgets.transcript import Transcript

REPORT = AgentsReport(
    types=(
        AgentTypeRow(name="Explore", description="Finds things", place="built-in", is_read_only=True, tools="Read"),
        AgentTypeRow(name="poet", description="Writes", place="project", file="/w/poet.md", notes=("no `effort`",)),
    ),
    left_out=("/w/bad.md: left out: it has no name",),
)


class Engine(Stage):
    """A stage that writes down what it is asked to do."""

    def __init__(self, events: Sequence[Event]) -> None:
        super().__init__(events)
        self.sent: list[Command[Any]] = []

    def send(self, command: Command[Any]) -> Any:
        self.sent.append(command)
        return super().send(command)


@asynccontextmanager
async def running(
    events: list[Event], size: tuple[int, int] = (100, 30)
) -> AsyncIterator[tuple[TuiAgentApp, Pilot[Any], Engine]]:
    engine = Engine(stamped(events))
    app = replay_app(engine, has_reduced_motion=True)
    async with app.run_test(size=size) as pilot:
        await settle(app, pilot)
        yield app, pilot, engine


def lines(app: TuiAgentApp) -> str:
    return "\n".join(strip.text for strip in app.screen._compositor.render_strips())


async def test_the_tree_leads_to_the_conversation_of_an_agent_and_back() -> None:
    async with running(session_events()) as (app, pilot, _):
        app.agent_views.show_all(REPORT)
        await pilot.pause()
        shown = lines(app)
        assert "Explore: find apples" in shown
        assert "2 tool uses" not in shown
        assert "/w/bad.md: left out" in shown
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(app.screen, AgentScreen)
        assert "look for apples" in lines(app)
        assert "apples are here" in lines(app)
        await pilot.press("n")
        await pilot.pause()
        assert "pears are here" in lines(app)
        await pilot.press("escape")
        await pilot.pause()
        assert isinstance(app.screen, AgentsScreen)


@pytest.mark.parametrize(
    ("width", "facts"),
    [
        (100, "1 tool use · 7 tokens · $0.50 · "),
        (72, "1 tool use · $0.50 · "),
        (60, "1 tool use · "),
        (50, ""),
    ],
)
async def test_in_a_narrow_tree_the_task_stays_and_facts_go(width: int, facts: str) -> None:
    async with running(session_events(is_cut=True), (width, 24)) as (app, pilot, _):
        app.agent_views.show_all(REPORT)
        await pilot.pause()
        rows = [line for line in lines(app).split("\n") if "find apples" in line and "working" in line]
        assert len(rows) == 1, lines(app)
        said = rows[0].partition("Explore: find apples")[2].strip()
        assert re.match(rf"{re.escape(facts)}\d+\.\ds · working", said), said


async def test_no_row_of_the_tree_wraps_however_deep_and_long() -> None:
    parents = ["", *(f"d{number}" for number in range(7))]
    deep: list[Event] = [
        AgentStarted(
            agent_id=f"d{number}",
            parent_agent_id=parent,
            tool_use_id=f"x{number}",
            name="Explore",
            description="find a very long road to the apples and pears",
        )
        for number, parent in enumerate(parents)
    ]
    async with running([*session_events(is_cut=True), *deep], (60, 30)) as (app, pilot, _):
        app.agent_views.show_all(REPORT)
        await pilot.pause()
        rows = [line for line in lines(app).split("\n") if "Explore: find a v" in line]
        assert len(rows) == len(deep)
        for row in rows:
            assert row.partition("working")[1], lines(app)
            assert "Explore: find a ver" in row, lines(app)


async def test_what_an_agent_says_is_shown_as_it_says_it() -> None:
    async with running(session_events(is_cut=True)) as (app, pilot, engine):
        app.agent_views.show("a1")
        await pilot.pause()
        engine.play([TextDelta(agent_id="a1", block_id="b9", text="and one more"), TextDelta(block_id="m", text="no")])
        await settle(app, pilot)
        assert "and one more" in lines(app)
        assert "Explore: find apples · working" in lines(app)
        engine.play([AgentEnded(agent_id="a1", outcome="done")])
        await settle(app, pilot)
        assert "Explore: find apples · done" in lines(app)


async def test_escape_stops_an_agent_at_work_if_the_user_means_it() -> None:
    async with running(session_events(is_cut=True)) as (app, pilot, engine):
        app.agent_views.show("a1")
        await pilot.pause()
        await pilot.press("escape")
        await pilot.pause()
        assert "Stop this agent?" in lines(app)
        await pilot.press("y")
        await pilot.pause()
        assert [command.agent_id for command in engine.sent if isinstance(command, StopAgent)] == ["a1"]
        assert isinstance(app.screen, AgentScreen)
        await pilot.press("q")
        await pilot.pause()
        assert not isinstance(app.screen, AgentScreen)


async def test_one_or_all_can_be_stopped_from_the_tree() -> None:
    async with running(session_events(is_cut=True)) as (app, pilot, engine):
        app.agent_views.show_all(REPORT)
        await pilot.pause()
        await pilot.press("down", "k", "K")
        await pilot.pause()
        stopped = [command for command in engine.sent if isinstance(command, StopAgent | StopAgents)]
        assert [getattr(command, "agent_id", "all") for command in stopped] == ["a2", "all"]


async def test_a_conversation_that_is_cleared_takes_its_agents_screens_along() -> None:
    async with running(session_events(is_cut=True)) as (app, pilot, engine):
        app.agent_views.show("a1")
        await pilot.pause()
        engine.play([HistoryCleared(), UserMessageSent(message_id="m9", text="anew")])
        await settle(app, pilot)
        assert not isinstance(app.screen, AgentScreen)


async def test_an_agent_that_is_continued_works_again() -> None:
    async with running(session_events()) as (app, pilot, engine):
        engine.play([AgentStarted(agent_id="a1", parent_agent_id="", tool_use_id="u9", name="Explore")])
        await settle(app, pilot)
        agent = app.projection.agents["a1"]
        assert (agent.outcome, agent.ended_ms) == ("", None)
        assert agent.description == "find apples"


async def test_work_for_an_open_agent_does_not_grow_with_its_conversation() -> None:
    """A delta changes the blocks that it is about, not all of them."""
    async with running(session_events(is_cut=True)) as (app, pilot, engine):
        app.agent_views.show("a1")
        await pilot.pause()
        many = [
            event
            for number in range(300)
            for event in (UserMessageSent(agent_id="a1", message_id=f"x{number}", text=f"line {number}"),)
        ]
        engine.play(many)
        await settle(app, pilot)
        changed: list[int] = []
        screen = app.screen
        assert isinstance(screen, AgentScreen)
        layout = screen.query_one(Transcript)._layout
        own = layout.change
        layout.change = lambda position: changed.append(position) or own(position)  # type: ignore[method-assign]
        for _ in range(3):
            engine.play([TextDelta(agent_id="a1", block_id="b9", text="more ")])
            await settle(app, pilot)
        assert len(changed) <= 3


def test_a_row_of_the_tool_pane_costs_the_same_however_much_an_agent_has_used(monkeypatch: Any) -> None:
    from tui_agent.events import ToolResultReady, ToolStateChanged, ToolUseStarted
    from tui_agent.ui.panes.tool_list import ToolList
    from tui_agent.ui.panes.tool_turn import TurnRows
    from tui_agent.ui.projection.projection import Projection

    projection, rows = Projection(), ToolList()
    rows.refresh(projection, projection.apply(stamped(session_events(is_cut=True))).tool_ids)
    made: list[str] = []
    own = TurnRows._below
    monkeypatch.setattr(TurnRows, "_below", lambda self, name, depth: made.append(name) or own(self, name, depth))
    costs = []
    for number in range(200):
        made.clear()
        use = f"more{number}"
        for event in (
            ToolUseStarted(agent_id="a1", tool_use_id=use, name="Read", turn_id="t1"),
            ToolStateChanged(agent_id="a1", tool_use_id=use, from_state="new", to_state="queued"),
            ToolStateChanged(agent_id="a1", tool_use_id=use, from_state="queued", to_state="executing"),
            ToolResultReady(agent_id="a1", tool_use_id=use, name="Read", is_error=False, content="x"),
        ):
            rows.refresh(projection, projection.apply([event]).tool_ids)
        costs.append(len(made))
    assert max(costs) == 0, "nothing is gone through to count the lines"
    assert rows.live is not None
    shown = [rows.live.row(line) for line in range(rows.live.height)]
    assert None not in shown
    assert len({(row.kind, row.key) for row in shown if row is not None}) == rows.live.height
