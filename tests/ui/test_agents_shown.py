"""What a user sees of agents: their tool uses below the one that started them, and what they said in its details."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import pytest
from agent_streams import AGENTS, agent_stream, owned, session_events, stamped

from tui_agent import events as ev
from tui_agent.events import Event
from tui_agent.ui.panes.tool_list import ToolList
from tui_agent.ui.projection.agents import use_key
from tui_agent.ui.projection.cost_reducer import CostReducer
from tui_agent.ui.projection.projection import Dirty, Projection
from tui_agent.ui.screen_text.cost_text import cost_text
from tui_agent.ui.transcript.block_views import render_block
from tui_agent.viewkit.palette import DARK
from tui_agent.viewkit.view import RenderState

OPEN = RenderState(DARK, is_open=True)
USE = ev.ToolUseStarted(tool_use_id="u1", name="Agent")


def projection_of(events: list[Event]) -> Projection:
    projection = Projection()
    projection.apply(stamped(events))
    return projection


def detail(projection: Projection, key: str, state: RenderState = OPEN) -> str:
    position = projection.position(key)
    assert position is not None
    return render_block(projection.blocks[position], 80, state).text


def started(agent: str, parent: str = "", use: str = "u1", name: str = "Explore") -> ev.AgentStarted:
    return ev.AgentStarted(agent_id=agent, parent_agent_id=parent, tool_use_id=use, name=name)


def test_the_tool_pane_has_each_agents_tool_uses_below_the_one_that_started_it() -> None:
    projection = projection_of(session_events())
    rows = ToolList()
    rows.refresh(projection, Dirty.everything().tool_ids)
    found = [(row.key, row.depth) for number in range(rows.height) if (row := rows.row(number)) and row.kind == "use"]
    assert found == [("u1", 0), (use_key("a1", "u1"), 1), ("u2", 0), (use_key("a2", "u1"), 1)]
    assert len(projection.turns) == 1
    places = [projection.shown_at(key) for key, _ in found]
    assert places == [projection.position("u1")] * 2 + [projection.position("u2")] * 2
    assert projection.shown_at("none") is None


def test_what_an_agent_runs_is_no_time_saved() -> None:
    events = [
        ev.TurnStarted(turn_id="t1"), USE, ev.ToolUseCompleted(tool_use_id="u1", name="Agent", input={}),
        ev.ToolStateChanged(tool_use_id="u1", from_state="new", to_state="queued"),
        ev.ToolStateChanged(tool_use_id="u1", from_state="queued", to_state="executing"), started("a1"),
    ]  # fmt: skip
    stream = owned(agent_stream("apples"), "a1")
    ran = next(n for n, event in enumerate(stream, 1) if getattr(event, "to_state", "") == "completed")
    for own in (stream[:19], stream[:ran]):
        projection = projection_of([*events, *own])
        rows = ToolList()
        rows.refresh(projection, projection.tools)
        assert rows.live is not None
        assert rows.live.saved_ms(projection.now_ms + 1000) == 0


def moves(use: str, *states: Any) -> list[Event]:
    steps = itertools.pairwise(("new", *states))
    return [ev.ToolStateChanged(tool_use_id=use, from_state=before, to_state=after) for before, after in steps]


def test_what_an_agent_runs_holds_up_only_the_agents_own() -> None:
    events = [
        ev.TurnStarted(turn_id="t1"), USE, *moves("u1", "queued", "executing", "completed", "yielded"), started("a1"),
        *owned(agent_stream("apples")[:19], "a1"),
        ev.ToolUseStarted(tool_use_id="u3", name="Read"), *moves("u3", "queued", "executing", "completed"),
        replace(USE, tool_use_id="u9", agent_id="a1"), *owned(moves("u9", "queued"), "a1"),
    ]  # fmt: skip
    projection = projection_of(events)
    rows = ToolList()
    rows.refresh(projection, projection.tools)
    assert rows.live is not None
    assert rows.live.before(projection.tools["u3"]) is None
    assert rows.live.before(projection.tools[use_key("a1", "u9")]) is projection.tools[use_key("a1", "u1")]


def test_the_status_line_names_the_tool_that_the_agent_works_for() -> None:
    began = [ev.TurnStarted(turn_id="t1"), USE, ev.ToolUseCompleted(tool_use_id="u1", name="Agent", input={})]
    events = [*began, *moves("u1", "queued", "executing"), started("a1"), *owned(agent_stream("apples")[:19], "a1")]
    status = projection_of(events).status
    assert (status.activity, status.activity_tool) == ("running", "u1")


def test_the_details_of_the_tool_use_say_what_the_agent_did_and_the_folded_line_does_not() -> None:
    projection = projection_of(session_events())
    apples, pears = detail(projection, "u1"), detail(projection, "u2")
    assert "Explore: find apples · done · 1 tool use" in apples
    assert "I look for apples" in apples
    assert "grep apples" in apples
    assert "apples are here" in apples
    assert "pears" not in apples
    assert "apples" not in pears
    assert "Explore" not in detail(projection, "u1", RenderState(DARK))
    rest = [block for block in projection.blocks if block.tool is None]
    assert not any("look for" in render_block(block, 80, OPEN).text for block in rest)


def test_a_long_agent_shows_the_last_of_it_and_how_much_came_before() -> None:
    said = [ev.Notice(level="info", text=f"step {number}") for number in range(50)]
    projection = projection_of([USE, started("a1"), *owned(said, "a1")])
    text = detail(projection, "u1")
    assert "38 earlier parts" in text
    assert "step 49" in text
    assert "step 38" in text
    assert "step 37" not in text


def test_each_step_of_an_agent_redraws_the_tool_use_in_the_conversation() -> None:
    projection = projection_of([USE, started("a1"), *owned(agent_stream("apples")[:9], "a1")])
    event = ev.TextDelta(agent_id="a1", block_id="b1", text="more of it", monotonic_ms=500.0)
    dirty = projection.apply([event])
    assert dirty.block_ids == {"u1"}
    assert dirty.blocks_from is None
    assert "more of it" in detail(projection, "u1")


def test_an_agent_of_an_agent_is_shown_in_it_and_redraws_all_above() -> None:
    inner = replace(USE, agent_id="a1")
    projection = projection_of([USE, started("a1"), inner, started("a2", "a1", name="Plan")])
    dirty = projection.apply([ev.TextDelta(agent_id="a2", block_id="b", text="deep down", monotonic_ms=500.0)])
    assert dirty.tool_ids == {"u1", use_key("a1", "u1")}
    assert dirty.block_ids == {"u1"}
    (thread,) = projection.blocks[0].agents
    assert [agent.name for agent in thread.blocks.all[0].agents] == ["Plan"]
    assert projection.tools[use_key("a1", "u1")].parent_id == "u1"


@pytest.mark.parametrize("is_late", [False, True])
def test_an_agent_that_is_told_of_before_its_tool_use_is_shown_with_it(is_late: bool) -> None:
    events: list[Event] = [USE, started("a1")]
    projection = projection_of(events[::-1] if is_late else events)
    assert [agent.id for agent in projection.blocks[0].agents] == ["a1"]


def test_a_conversation_that_starts_afresh_takes_its_agents_along_and_a_new_process_ends_them() -> None:
    events = session_events(is_cut=True)
    assert {agent.outcome for agent in projection_of(events).agents.values()} == {""}
    ended = projection_of([*events, events[0]])
    assert {agent.outcome for agent in ended.agents.values()} == {"interrupted"}
    assert not ended.status.is_busy
    assert projection_of([*events, ev.HistoryCleared()]).agents == {}


def test_what_an_agent_is_told_and_changes_of_its_own_leave_the_status_line_alone() -> None:
    events = [
        ev.SessionStarted(cwd="/w", model="large", mode="default", version="0"),
        *owned([ev.ModeChanged(mode="plan", previous="default"), ev.ModelChanged(model="small", previous="")], "a1"),
        *owned([ev.TasksChanged(tasks=({"id": "1"},)), ev.TurnStarted(turn_id="t")], "a1"),
    ]
    projection = projection_of(events)
    assert (projection.status.mode, projection.status.model, projection.tasks) == ("default", "large", ())
    assert (projection.turns, projection.status.is_busy) == ([], False)


def test_costs_are_told_by_agent_too() -> None:
    track = CostReducer()
    for event in session_events():
        track.apply(event)
    assert [(spent.label, spent.cost_usd) for spent in track.agents.values()] == [
        (f"Explore: find {words}", 0.5) for words in AGENTS.values()
    ]
    assert [turn.cost_usd for turn in track.turns] == [2.0]
    text = cost_text(track, 100).plain
    assert "By agent" in text
    assert "Explore: find apples" in text
    assert "find the fruit" in text
