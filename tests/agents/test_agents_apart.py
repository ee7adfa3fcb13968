"""Two agents that work at once, with the same ids for everything, through all that follows events: nothing of them merges."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from agent_streams import AGENTS, session_events, shown_of, stamped
from scripted_model import ScriptedModel, reply, says
from session_driver import open_session
from session_front import place_apart

from tui_agent.bus import Bus
from tui_agent.conversation_fold import Conversation, by_agent
from tui_agent.engine.conversation.history import History
from tui_agent.engine.session.config import SessionOptions
from tui_agent.engine.session.event_redaction import EventRedactor
from tui_agent.event_json import to_json, to_text
from tui_agent.events import (
    AgentEnded,
    Event,
    SessionStarted,
    TextDelta,
    TextFinished,
    ToolProgressed,
    ToolResultReady,
    TurnFinished,
    UserMessageSent,
)
from tui_agent.headless.prompt import TextWriter
from tui_agent.journal.export import as_markdown
from tui_agent.journal.load import PASSED_STAGES, read_ending, read_events
from tui_agent.journal.repair import closing_events
from tui_agent.journal.store import SessionFolder, session_info
from tui_agent.journal.summary import summarize
from tui_agent.journal.writer import JournalWriter
from tui_agent.secrets.masker import Masker
from tui_agent.ui.projection.agents import use_key
from tui_agent.ui.projection.blocks import Block
from tui_agent.ui.projection.projection import Projection
from tui_agent.ui.replay import Player, replay_app
from tui_agent.ui.replay.timeline import joined


def publish(bus: Bus, events: list[Event]) -> None:
    """Publish as the engine does: who works for an agent has the agent's `publish` and passes no id."""
    for event in events:
        bus.for_agent(event.agent_id).publish(event)


def texts(events: list[Event]) -> dict[tuple[str, str], str]:
    found: dict[tuple[str, str], str] = defaultdict(str)
    for event in events:
        if isinstance(event, TextDelta):
            found[event.agent_id, event.block_id] += event.text
    return found


def conversations(events: list[Event]) -> dict[str, list[Any]]:
    return {agent: History.from_events(events, agent).messages() for agent in by_agent(events)}


def source(block: Block) -> str:
    return str(getattr(block.view, "source", block.text))


# --- bus and journal -----------------------------------------------------------------------------------------------------


async def test_a_slow_subscriber_gets_the_texts_and_progress_of_each_agent_by_itself() -> None:
    bus, events = Bus("s"), session_events()
    slow = bus.subscribe("slow")
    deltas = [event for event in events if isinstance(event, TextDelta | ToolProgressed)]
    publish(bus, deltas)
    taken = slow.take()
    assert texts(taken) == texts(events)
    assert len([event for event in taken if isinstance(event, TextDelta)]) == len(texts(events))
    progress = {event.agent_id: event.data["message"] for event in taken if isinstance(event, ToolProgressed)}
    assert progress == {agent: f"all of {words}" for agent, words in AGENTS.items()}


async def test_the_journal_keeps_each_agents_events_and_its_texts_whole(tmp_path: Path) -> None:
    bus, events = Bus("s"), session_events()
    writer = JournalWriter(tmp_path / "j.jsonl", bus)
    publish(bus, events)
    await writer.close()
    recording = read_events(tmp_path / "j.jsonl")
    assert recording.problems == ()
    assert texts(recording.events) == texts(events)
    assert conversations(recording.events) == conversations(events)
    progress = {
        event.agent_id: event.data["message"] for event in recording.events if isinstance(event, ToolProgressed)
    }
    assert progress == {agent: f"all of {words}" for agent, words in AGENTS.items()}
    kept = by_agent(event for event in recording.events if not isinstance(event, TextDelta | ToolProgressed))
    for agent, own in by_agent(events).items():
        facts = [to_json(event) for event in own if "delta" not in to_json(event)["type"]]
        said = [to_json(event) for event in kept[agent] if "delta" not in to_json(event)["type"]]
        wanted = [(fact["type"], fact.get("tool_use_id")) for fact in facts if fact["type"] != "tool_progressed"]
        assert [(fact["type"], fact.get("tool_use_id")) for fact in said] == wanted


def test_each_agents_conversation_is_its_own() -> None:
    found = conversations(session_events())
    assert [len(messages) for messages in found.values()] == [4, 4, 4]
    for agent, words in AGENTS.items():
        other = next(text for name, text in AGENTS.items() if name != agent)
        said = json.dumps(found[agent])
        assert words in said
        assert other not in said
        (answer,) = [block for block in found[agent][2]["content"] if block["type"] == "tool_result"]
        assert answer["content"] == f"less of {words}"
    assert [block["content"] for block in found[""][2]["content"]] == ["the apples are found", "the pears are found"]


async def test_a_secret_in_pieces_is_hidden_though_another_agent_writes_a_block_of_that_name_between_them() -> None:
    bus = Bus("s", redact=EventRedactor(Masker({"SHOP_TOKEN": "correct-horse-battery"})))
    front = bus.subscribe("front")
    for piece in ("correct-horse", "-battery is it"):
        for agent in AGENTS:
            bus.for_agent(agent).publish(TextDelta(block_id="b1", text=piece))
    for agent in AGENTS:
        bus.for_agent(agent).publish(TextFinished(block_id="b1"))
    shown = texts(front.take())
    assert set(shown) == {(agent, "b1") for agent in AGENTS}
    assert len(set(shown.values())) == 1
    assert "horse" not in "".join(shown.values())


# --- killed, and taken up again --------------------------------------------------------------------------------------------


def test_a_recording_that_stops_in_the_middle_is_closed_agent_by_agent() -> None:
    events = session_events(is_cut=True)
    closing = closing_events(events)
    assert [event.agent_id for event in closing if isinstance(event, AgentEnded)] == ["a2", "a1"]
    assert {event.agent_id for event in closing if isinstance(event, TurnFinished)} == {"a1", "a2", ""}
    killed = [(event.agent_id, event.tool_use_id) for event in closing if isinstance(event, ToolResultReady)]
    assert killed == [("", "u1"), ("", "u2")], "the agents' own uses of the same ids have their results"
    ended = [*events, *closing]
    assert closing_events(ended) == []
    for messages in conversations(ended).values():
        assert "never answered" not in json.dumps(messages)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return place_apart(tmp_path, monkeypatch)


def recorded(place: Path, tmp_path: Path, events: list[Event]) -> SessionFolder:
    folder = SessionFolder.new(tmp_path / "tui_agent_home", place)
    folder.create()
    folder.journal.write_text("".join(f"{to_text(event)}\n" for event in stamped(events)))
    return folder


@pytest.mark.parametrize("is_cut", [False, True])
async def test_a_session_that_is_taken_up_again_sends_the_main_conversation_alone(
    place: Path, tmp_path: Path, is_cut: bool
) -> None:
    folder = recorded(place, tmp_path, session_events(is_cut=is_cut))
    model = ScriptedModel(reply(says(0, "And now?")))
    options = SessionOptions(cwd=place, is_trusted=True, resume=folder.id)
    session = await open_session(options, model)
    front = session.subscribe("front")
    projection = Projection()
    try:
        session.start()
        session.submit("go on")
        await session.wait_idle()
        sent = json.dumps(model.requests[0].messages)
        assert "find the fruit" in sent
        assert "go on" in sent
        for words in AGENTS.values():
            assert f"found {words}" not in sent
            assert f"less of {words}" not in sent
        projection.apply(front.take())
    finally:
        await session.close()
    assert {agent.outcome for agent in projection.agents.values()} == {"interrupted" if is_cut else "done"}
    assert projection.status.context_tokens != 7
    recording = read_events(folder.journal)
    assert recording.problems == ()
    assert closing_events(recording.events) == []
    begins = [place for place, event in enumerate(recording.events) if isinstance(event, SessionStarted)]
    assert {event.agent_id for event in recording.events[begins[-1] :]} == {""}


def test_lists_of_sessions_speak_of_the_main_conversation_and_count_all_costs(place: Path, tmp_path: Path) -> None:
    folder = recorded(place, tmp_path, session_events())
    found = summarize(folder)
    assert (found.messages, found.turns, found.last_reply) == (["find the fruit"], 1, "All found.")
    assert found.cost_usd == 2.0
    events = session_events()
    early = [event for event in events if isinstance(event, UserMessageSent) and event.agent_id]
    info = session_info(recorded(place, tmp_path, [events[0], *early, *events[1:]]))
    assert info is not None
    assert info.first_message == "find the fruit"


def test_the_end_of_a_journal_begins_with_a_message_of_the_user(place: Path, tmp_path: Path) -> None:
    folder = recorded(place, tmp_path, session_events())
    lines = folder.journal.read_bytes().split(b"\n")
    first = next(number for number, line in enumerate(lines) if b'sent","session_id":"s","agent_id":"a1"' in line)
    ending = read_ending(folder.journal, sum(len(line) + 1 for line in lines[first - 3 :]) - 1)
    begun = next(event.seq for event in ending if not isinstance(event, SessionStarted))
    assert begun <= first, "it does not begin with what an agent was told"
    assert len(read_events(folder.journal, but=PASSED_STAGES).events) == len(session_events())


# --- screen --------------------------------------------------------------------------------------------------------------


def test_each_agent_is_shown_at_the_tool_use_that_started_it_and_nowhere_else() -> None:
    events = stamped(session_events())
    projection = Projection()
    projection.apply(events)
    main = [(block.kind, block.id if block.tool else source(block)) for block in projection.blocks]
    said = [("user", "find the fruit"), ("text", "I send two."), ("tool", "u1"), ("tool", "u2")]
    assert main == [*said, ("text", "All found."), ("turn", "")]
    started = {block.id: [agent.id for agent in block.agents] for block in projection.blocks if block.tool}
    assert started == {"u1": ["a1"], "u2": ["a2"]}
    for number, (agent, words) in enumerate(AGENTS.items(), 1):
        thread = projection.agents[agent]
        assert (thread.name, thread.description, thread.outcome) == ("Explore", f"find {words}", "done")
        use = projection.tools[use_key(agent, "u1")]
        assert (use.agent_id, use.parent_id) == (agent, f"u{number}")
        assert (use.input, use.text) == ({"command": f"grep {words}"}, f"found {words}")
        assert [block.kind for block in thread.blocks.all] == ["user", "thinking", "text", "tool", "text", "turn"]
    assert projection.tools["u1"].text == "the apples are found"
    assert projection.changes == [(use_key(agent, "u1"), f"/w/{words}.txt") for agent, words in AGENTS.items()]
    assert (projection.status.context_tokens, projection.status.cost_usd) == (1000, 2.0)
    assert {name: spent.cost_usd for name, spent in projection.cost.agents.items()} == {"a1": 0.5, "a2": 0.5}
    assert projection.cost.total.cost_usd == 2.0
    assert projection.cost.total.requests == 3
    assert not projection.status.is_busy


def test_a_question_of_an_agents_is_about_the_agents_tool_use() -> None:
    events = stamped(session_events())
    projection = Projection()
    for event in events:
        projection.apply([event])
        for request in projection.requests:
            use = projection.use_of(request)
            assert use is not None
            assert use.agent_id == request.agent_id
            assert use.input == request.input
    assert projection.requests == []


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_what_is_shown_does_not_depend_on_how_many_events_are_taken_in_at_once(size: int) -> None:
    events = stamped(session_events())
    once, pieces = Projection(), Projection()
    once.apply(events)
    for start in range(0, len(events), size):
        pieces.apply(joined(events[start : start + size]))
    for agent in ("", *AGENTS):
        assert shown_of(pieces, agent) == shown_of(once, agent)


def test_joining_pieces_for_a_replay_joins_none_of_two_agents() -> None:
    events = stamped(session_events())
    assert texts(list(joined(events))) == texts(events)


async def test_a_replay_shows_what_the_events_show_wherever_it_goes() -> None:
    events = stamped(session_events())
    projection = Projection()
    projection.apply(events)
    app = replay_app(Player(events))
    async with app.run_test(size=(100, 30)) as pilot:

        async def settled() -> None:
            while app.engine is None or app.is_behind:
                await pilot.pause()

        await settled()
        assert isinstance(app.engine, Player)
        assert len(app.engine.playback.timeline.turns) == 1, "an agent's turns are part of the turn"
        for agent in ("", *AGENTS):
            assert shown_of(app.projection, agent) == shown_of(projection, agent)


# --- files and pipes -----------------------------------------------------------------------------------------------------


def test_an_export_has_each_agent_below_the_tool_use_that_started_it() -> None:
    text = as_markdown(stamped(session_events()))
    parts = [
        "## You\n\nfind the fruit",
        "## Model\n\nI send two.",
        "### Agent Explore: find apples",
        "#### Task\n\nlook for apples",
        '{"command": "grep apples"}',
        "#### Explore\n\nI look for apples",
        "found apples",
        "#### Explore\n\napples are here",
        "the apples are found",
        "### Agent Explore: find pears",
        "pears are here",
        "the pears are found",
        "## Model\n\nAll found.",
    ]
    places = [text.find(part) for part in parts]
    assert -1 not in places, parts[places.index(-1)]
    assert places == sorted(places)
    assert text.count("I look for apples") == 1


def test_an_export_writes_agents_whose_beginning_is_lost_or_circular_once() -> None:
    from dataclasses import replace

    from tui_agent.events import AgentStarted

    lost = [event for event in session_events() if not isinstance(event, AgentStarted)]
    text = as_markdown(stamped(lost))
    assert text.count("I look for apples") == text.count("I look for pears") == 1
    circle = [
        replace(event, parent_agent_id=event.agent_id, tool_use_id="u1") if isinstance(event, AgentStarted) else event
        for event in session_events()
    ]
    text = as_markdown(stamped(circle))
    assert text.count("I look for apples") == text.count("I look for pears") == 1
    projection = Projection()
    projection.apply(stamped(circle))
    assert [block.agents for block in projection.blocks] == [[] for _ in projection.blocks]


def test_headless_output_is_the_main_answer_and_events_name_their_agent() -> None:
    said: list[str] = []
    output = SimpleNamespace(message=lambda text, hint="": said.append(text), text=said.append)
    writer = TextWriter(output)  # type: ignore[arg-type]
    events = session_events()
    failed = [AgentEnded(agent_id="a1", outcome="failed", detail="nothing was found")]
    for event in [*events, *failed]:
        writer.take(event)
    writer.finish()
    assert said == ["Explore: nothing was found", "All found."]
    assert {to_json(event)["agent_id"] for event in events} == {"", "a1", "a2"}


def test_what_a_conversation_is_held_under_is_its_own() -> None:
    from tui_agent.events import HistoryCleared, ModeChanged, ModelChanged, TasksChanged, ToolsActivated

    events: list[Event] = [
        SessionStarted(cwd="/w", model="large", mode="default", version="0", is_thinking=True),
        ToolsActivated(names=("LS",)),
        TasksChanged(tasks=({"id": "1"},)),
        ModeChanged(agent_id="a1", mode="plan", previous="default"),
        ModelChanged(agent_id="a1", model="small", previous="large"),
        ToolsActivated(agent_id="a1", names=("Grep",)),
        HistoryCleared(agent_id="a2"),
    ]
    main, agent = Conversation.from_events(events), Conversation.from_events(events, "a1")
    assert (main.mode, main.model, main.is_thinking) == ("default", "large", True)
    assert (main.activated_tools, main.task_lists) == (("LS",), [({"id": "1"},)])
    assert (agent.mode, agent.model, agent.activated_tools) == ("plan", "small", ("Grep",))
    main.apply(HistoryCleared())
    assert (main.activated_tools, main.task_lists, main.mode) == ((), [], "default")
