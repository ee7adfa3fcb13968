"""However the events of two agents are mixed, each agent's conversation and screen are those of its events alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agent_streams import owned, shown_of, stamped
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tui_agent import events as ev
from tui_agent.bus import Bus
from tui_agent.conversation_fold import Conversation
from tui_agent.events import Event
from tui_agent.journal.repair import closing_events
from tui_agent.ui.projection.projection import Projection

# Few names, so that agents often use the same ones.
IDS = st.sampled_from(["x", "y"])
WORDS = st.sampled_from(["one ", "two\n\n", "# three\n", "four"])
BLOCK = st.builds(lambda text: {"type": "text", "text": text}, WORDS)
USE = st.builds(lambda name: {"type": "tool_use", "id": name, "name": "Bash", "input": {}}, IDS)
EVENT = st.one_of(
    st.builds(ev.UserMessageSent, message_id=IDS, text=WORDS),
    st.builds(ev.ReminderSent, text=WORDS),
    st.builds(ev.TurnStarted, turn_id=IDS),
    st.builds(ev.RequestSent, turn_id=IDS, request_id=IDS, model=st.just("m")),
    st.builds(ev.ResponseStarted, request_id=IDS, message_id=IDS),
    st.builds(ev.TextDelta, block_id=IDS, text=WORDS),
    st.builds(ev.TextFinished, block_id=IDS),
    st.builds(ev.ThinkingDelta, block_id=st.sampled_from(["p", "q"]), text=WORDS),
    st.builds(ev.ThinkingFinished, block_id=st.sampled_from(["p", "q"]), signature=st.just("s")),
    st.builds(ev.ToolUseStarted, tool_use_id=IDS, name=st.just("Bash")),
    st.builds(ev.ToolInputDelta, tool_use_id=IDS, partial_json=st.just('{"command": "l')),
    st.builds(ev.ToolUseCompleted, tool_use_id=IDS, name=st.just("Bash"), input=st.just({"command": "ls"})),
    st.builds(
        ev.ToolStateChanged,
        tool_use_id=IDS,
        from_state=st.just("new"),
        to_state=st.sampled_from(["queued", "executing", "completed", "yielded"]),
    ),
    st.builds(ev.ToolProgressed, tool_use_id=IDS, data=st.builds(lambda text: {"message": text}, WORDS)),
    st.builds(ev.ToolResultReady, tool_use_id=IDS, name=st.just("Bash"), is_error=st.booleans(), content=WORDS),
    st.builds(ev.ToolResultShrunk, tool_use_id=IDS, content=WORDS, reason=st.just("context")),
    st.builds(ev.ToolUseDropped, tool_use_id=IDS, reason=WORDS),
    st.builds(
        ev.AssistantMessageCompleted,
        message_id=IDS,
        content=st.lists(BLOCK | USE, max_size=3),
        stop_reason=st.just("x"),
    ),
    st.builds(ev.TurnFinished, turn_id=IDS, outcome=st.sampled_from(["done", "interrupted"])),
    st.builds(ev.Notice, level=st.just("info"), text=WORDS),
    st.builds(ev.ToolsActivated, names=st.tuples(WORDS)),
    st.builds(ev.HistoryCleared),
)
STREAM = st.lists(EVENT, max_size=25)


@st.composite
def mixed(draw: st.DrawFn) -> tuple[list[Event], list[Event], list[Event]]:
    """Two agents' events, and both in one order that keeps each agent's own."""
    first, second = owned(draw(STREAM), "a1"), owned(draw(STREAM), draw(st.sampled_from(["", "a2"])))
    order = draw(st.permutations([0] * len(first) + [1] * len(second)))
    sources: list[Iterator[Event]] = [iter(first), iter(second)]
    return first, second, [next(sources[number]) for number in order]


def folded(events: list[Event], agent_id: str) -> Any:
    found = Conversation.from_events(events, agent_id)
    return found.said, found.results, found.shortened, found.activated_tools


def shown(events: list[Event], agent_id: str) -> Any:
    """What is shown of an agent, event numbers left out: they differ as others have numbers between them."""
    projection = Projection()
    projection.apply(stamped(events))
    return shown_of(projection, agent_id) if not agent_id or agent_id in projection.agents else None


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(mixed())
def test_what_one_agent_says_is_folded_and_shown_as_if_it_were_alone(
    case: tuple[list[Event], list[Event], list[Event]],
) -> None:
    first, second, both = case
    cleared = any(isinstance(event, ev.HistoryCleared) and not event.agent_id for event in both)
    for own in filter(None, (first, second)):
        agent_id = own[0].agent_id
        assert folded(both, agent_id) == folded(own, agent_id)
        if agent_id == "" or not cleared:  # a conversation that starts afresh takes its agents along
            assert shown(both, agent_id) == shown(own, agent_id)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(mixed())
def test_what_a_bus_joins_and_a_repair_adds_is_the_same_for_each_agent_as_if_it_were_alone(
    case: tuple[list[Event], list[Event], list[Event]],
) -> None:
    first, second, both = case
    for own in filter(None, (first, second)):
        agent_id = own[0].agent_id
        assert merged(both, agent_id) == merged(own, agent_id)
        closing = [event for event in closing_events(both) if event.agent_id == agent_id]
        assert closing == closing_events(own)


def merged(events: list[Event], agent_id: str) -> list[str]:
    bus = Bus("s", wall=lambda: 0.0, monotonic=lambda: 0.0)
    subscription = bus.subscribe("slow")
    for event in events:
        bus.for_agent(event.agent_id).publish(event)
    return [repr(event).partition("monotonic_ms")[2] for event in subscription.take() if event.agent_id == agent_id]
