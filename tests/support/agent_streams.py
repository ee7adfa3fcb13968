"""A session in which two agents work at once. All of them use the same ids for blocks, messages, turns and tool uses."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any

from tui_agent import events as ev
from tui_agent.changes import FileChange
from tui_agent.event_json import from_json, to_text
from tui_agent.events import Event
from tui_agent.ui.projection.agents import AgentThread, use_key
from tui_agent.ui.projection.projection import Projection
from tui_agent.ui.projection.thread import Thread

__all__ = ["AGENTS", "agent_stream", "alternating", "session_events", "shown_of", "stamped"]

AGENTS = {"a1": "apples", "a2": "pears"}  # what each looks for
_MODEL = "claude-sonnet-5-5"


def agent_stream(words: str) -> list[Event]:
    """What an agent says and does that looks for `words`, without its id: one tool use, one edit, one answer."""
    change = FileChange.between(f"/w/{words}.txt", "old\n", f"{words}\n")
    command = {"command": f"grep {words}"}
    use: dict[str, Any] = {"type": "tool_use", "id": "u1", "name": "Bash", "input": command}
    thought = {"type": "thinking", "thinking": f"about {words}", "signature": "signed"}
    half = len(words) // 2
    return [
        ev.UserMessageSent(message_id="m1", text=f"look for {words}"),
        ev.TurnStarted(turn_id="t1"),
        ev.RequestSent(turn_id="t1", request_id="r1", model=_MODEL),
        ev.ResponseStarted(request_id="r1", message_id="msg1"),
        ev.ThinkingDelta(block_id="b0", text="about "),
        ev.ThinkingDelta(block_id="b0", text=words),
        ev.ThinkingFinished(block_id="b0", duration_ms=5.0, signature="signed"),
        ev.TextDelta(block_id="b1", text="I look for "),
        ev.TextDelta(block_id="b1", text=words[:half]),
        ev.TextDelta(block_id="b1", text=words[half:]),
        ev.TextFinished(block_id="b1"),
        ev.ToolUseStarted(tool_use_id="u1", name="Bash", turn_id="t1"),
        ev.ToolInputDelta(tool_use_id="u1", partial_json='{"command": "grep '),
        ev.ToolInputDelta(tool_use_id="u1", partial_json=f'{words}"}}'),
        ev.ToolUseCompleted(tool_use_id="u1", name="Bash", input=command),
        ev.AssistantMessageCompleted(
            message_id="msg1",
            content=[thought, {"type": "text", "text": f"I look for {words}"}, use],
            stop_reason="tool_use",
        ),
        ev.UsageReported(
            request_id="r1", model=_MODEL, input_tokens=len(words), output_tokens=1, cost_usd=0.5, context_tokens=7
        ),
        ev.ToolStateChanged(tool_use_id="u1", from_state="new", to_state="queued"),
        ev.ToolStateChanged(tool_use_id="u1", from_state="queued", to_state="executing"),
        ev.PermissionRequested(
            request_id=f"q-{words}", tool_use_id="u1", name="Bash", input=command, by="default", reason=f"for {words}"
        ),
        ev.PermissionResolved(request_id=f"q-{words}", tool_use_id="u1", behavior="allow", by="person"),
        ev.EditProposed(tool_use_id="u1", change=change),
        ev.EditApplied(tool_use_id="u1", change=change, after_hash="hash"),
        ev.ToolProgressed(tool_use_id="u1", data={"message": f"half of {words}"}),
        ev.ToolProgressed(tool_use_id="u1", data={"message": f"all of {words}"}),
        ev.ToolResultReady(tool_use_id="u1", name="Bash", is_error=False, content=f"found {words}"),
        ev.ToolStateChanged(tool_use_id="u1", from_state="executing", to_state="completed"),
        ev.ToolStateChanged(tool_use_id="u1", from_state="completed", to_state="yielded"),
        ev.ToolResultShrunk(tool_use_id="u1", content=f"less of {words}", reason="context"),
        ev.RequestSent(turn_id="t1", request_id="r2", model=_MODEL),
        ev.ResponseStarted(request_id="r2", message_id="msg2"),
        ev.TextDelta(block_id="b2", text=f"{words} "),
        ev.TextDelta(block_id="b2", text="are here"),
        ev.TextFinished(block_id="b2"),
        ev.AssistantMessageCompleted(
            message_id="msg2", content=[{"type": "text", "text": f"{words} are here"}], stop_reason="end_turn"
        ),
        ev.TurnFinished(turn_id="t1", outcome="done", duration_ms=9.0),
    ]


def owned(events: Iterable[Event], agent_id: str) -> list[Event]:
    """The same events, of an agent."""
    return [replace(event, agent_id=agent_id) for event in events]


def alternating(*streams: Sequence[Event]) -> Iterator[Event]:
    """One event of each stream in turn."""
    for row in zip_longest(*streams):
        yield from (event for event in row if event is not None)


def session_events(*, is_cut: bool = False) -> list[Event]:
    """A whole session: the main conversation starts two agents by tool uses of its own; cut, none of them has ended."""
    uses = [
        {"type": "tool_use", "id": f"u{number}", "name": "Agent", "input": {"prompt": f"look for {words}"}}
        for number, words in enumerate(AGENTS.values(), 1)
    ]
    main: list[Event] = [
        ev.SessionStarted(cwd="/w", model=_MODEL, mode="default", version="0"),
        ev.UserMessageSent(message_id="m1", text="find the fruit"),
        ev.TurnStarted(turn_id="t1"),
        ev.RequestSent(turn_id="t1", request_id="r0", model=_MODEL),
        ev.ResponseStarted(request_id="r0", message_id="msg1"),
        ev.TextDelta(block_id="b1", text="I send "),
        ev.TextDelta(block_id="b1", text="two."),
        ev.TextFinished(block_id="b1"),
    ]
    for use in uses:
        main += [
            ev.ToolUseStarted(tool_use_id=use["id"], name="Agent", turn_id="t1"),
            ev.ToolUseCompleted(tool_use_id=use["id"], name="Agent", input=use["input"]),
            ev.ToolStateChanged(tool_use_id=use["id"], from_state="new", to_state="queued"),
            ev.ToolStateChanged(tool_use_id=use["id"], from_state="queued", to_state="executing"),
        ]
    main += [
        ev.AssistantMessageCompleted(
            message_id="msg1", content=[{"type": "text", "text": "I send two."}, *uses], stop_reason="tool_use"
        ),
        ev.UsageReported(
            request_id="r0", model=_MODEL, input_tokens=100, output_tokens=1, cost_usd=1.0, context_tokens=1000
        ),
    ]
    streams = []
    for number, (agent_id, words) in enumerate(AGENTS.items(), 1):
        begun = ev.AgentStarted(
            parent_agent_id="", tool_use_id=f"u{number}", name="Explore", description=f"find {words}"
        )
        ended = [] if is_cut else [ev.AgentEnded(outcome="done", duration_ms=9.0)]
        stream = agent_stream(words)
        streams.append(owned([begun, *(stream[:-8] if is_cut else stream), *ended], agent_id))
    out = [*main, *alternating(*streams)]
    if not is_cut:
        for use, words in zip(uses, AGENTS.values(), strict=True):
            out += [
                ev.ToolResultReady(
                    tool_use_id=use["id"], name="Agent", is_error=False, content=f"the {words} are found"
                ),
                ev.ToolStateChanged(tool_use_id=use["id"], from_state="executing", to_state="completed"),
                ev.ToolStateChanged(tool_use_id=use["id"], from_state="completed", to_state="yielded"),
            ]
        out += [
            ev.RequestSent(turn_id="t1", request_id="r9", model=_MODEL),
            ev.ResponseStarted(request_id="r9", message_id="msg2"),
            ev.TextDelta(block_id="b2", text="All "),
            ev.TextDelta(block_id="b2", text="found."),
            ev.TextFinished(block_id="b2"),
            ev.AssistantMessageCompleted(
                message_id="msg2", content=[{"type": "text", "text": "All found."}], stop_reason="end_turn"
            ),
            ev.TurnFinished(turn_id="t1", outcome="done", duration_ms=30.0),
        ]
    return out


def stamped(events: Iterable[Event]) -> list[Event]:
    """The events as a journal gives them back, ten milliseconds apart."""
    return [
        from_json(
            json.loads(
                to_text(replace(event, session_id="s", seq=number, time=1_780_000_000.0, monotonic_ms=number * 10.0))
            )
        )
        for number, event in enumerate(events, 1)
    ]


def shown_of(projection: Projection, agent_id: str = "") -> list[Any]:
    """What is shown of one agent, as plain data without times: its blocks with their tool uses, and its turns."""
    threads = projection.agents
    thread: Thread = threads[agent_id] if agent_id else projection._main
    blocks: list[Any] = []
    for block in thread.blocks.all:
        said = block.view.source if block.view is not None else block.text  # type: ignore[attr-defined]
        row: list[Any] = [block.kind, block.group, said, block.outcome, block.is_live]
        if (use := block.tool) is not None:
            known = projection.tools[use.id]
            assert known is use
            assert use.id == use_key(agent_id, use.id.rpartition("\x1f")[2])
            row += [use.name, use.input, use.phase, use.text, use.progress, [change.path for change in use.changes]]
            row += [
                use.agent_id,
                use.parent_id,
                use.error_kind,
                use.waiting_since_ms is None,
                [a.id for a in block.agents],
            ]
        blocks.append(row)
    turns = [(turn.id, turn.outcome, len(turn.stream)) for turn in thread.turns]
    own = [thread.talk, thread.has_turn]
    if isinstance(thread, AgentThread):
        own += [thread.name, thread.description, thread.use, thread.outcome, thread.use_count]
    return [blocks, turns, own]
