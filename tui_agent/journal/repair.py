"""Bring a recording that stops in the middle to an orderly end.

A killed program leaves open tool uses, questions and a half reply. `closing_events` says what would have been published had it
been interrupted at that moment; with them appended, screen and conversation follow from the events as always. Each agent is
closed by itself, those that were started last first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tui_agent.conversation_fold import Agents, by_agent
from tui_agent.events import (
    AgentEnded,
    AssistantMessageCompleted,
    Event,
    FormAnswered,
    FormRequested,
    JobEnded,
    JobStarted,
    PermissionRequested,
    PermissionResolved,
    RequestSent,
    ResponseStarted,
    TextDelta,
    TextFinished,
    ThinkingDelta,
    ThinkingFinished,
    ToolResultReady,
    ToolState,
    ToolStateChanged,
    ToolUseCompleted,
    ToolUseDropped,
    ToolUseStarted,
    TurnFinished,
    TurnStarted,
)

__all__ = ["KILLED_TEXT", "closing_events"]

KILLED_TEXT = (
    "<tool_use_error>The program was stopped while this ran. Whether it took effect is unknown; check before repeating it."
    "</tool_use_error>"
)


@dataclass(slots=True)
class _Open:
    """What is not finished yet, while reading on."""

    turn: TurnStarted | None = None
    message_id: str = ""
    text: dict[str, list[str]] = field(default_factory=dict)  # block id → parts, in order of the blocks
    finished_text: set[str] = field(default_factory=set)
    thinking: dict[str, list[str]] = field(default_factory=dict)  # as text
    finished_thinking: dict[str, str] = field(default_factory=dict)  # block id → signature
    order: list[tuple[str, str]] = field(default_factory=list)  # (kind, id) of the blocks of the reply being received
    streaming: dict[str, ToolUseStarted] = field(default_factory=dict)
    uses: dict[str, ToolUseCompleted] = field(default_factory=dict)
    apart: set[str] = field(default_factory=set)  # uses that stand in no reply
    results: set[str] = field(default_factory=set)
    states: dict[str, ToolState] = field(default_factory=dict)
    questions: dict[str, PermissionRequested] = field(default_factory=dict)
    forms: dict[str, FormRequested] = field(default_factory=dict)
    jobs: dict[str, JobStarted] = field(default_factory=dict)

    def think(self, block: str, text: str) -> None:
        if block not in self.thinking:
            self.order.append(("thinking", block))
        self.thinking.setdefault(block, []).append(text)

    def begin_reply(self) -> None:
        self.message_id = ""
        self.text.clear()
        self.finished_text.clear()
        self.thinking.clear()
        self.finished_thinking.clear()
        self.order.clear()


def closing_events(events: Sequence[Event]) -> list[Event]:
    """Return the events that end what the recording left open, in the order a live session keeps; often none."""
    agents = Agents.from_events(events)
    out: list[Event] = []
    for agent_id, own in reversed(by_agent(events).items()):
        closing = _closing(own)
        if agent_id in agents.started and agent_id not in agents.ended:
            closing.append(AgentEnded(outcome="interrupted", detail="The program was stopped while it worked."))
        out += [replace(event, agent_id=agent_id) for event in closing] if agent_id else closing
    return out


def _closing(events: Sequence[Event]) -> list[Event]:
    """Return what ends one agent's events."""
    state = _Open()
    for event in events:
        _follow(state, event)
    out: list[Event] = [
        ThinkingFinished(block_id=block) for block in state.thinking if block not in state.finished_thinking
    ]
    out += [TextFinished(block_id=block) for block in state.text if block not in state.finished_text]
    out += [ToolUseDropped(tool_use_id=use, reason="the program was stopped") for use in state.streaming]
    out += [
        PermissionResolved(request_id=request, tool_use_id=asked.tool_use_id, behavior="cancelled", by="interrupt")
        for request, asked in state.questions.items()
    ]
    out += [
        FormAnswered(request_id=request, tool_use_id=form.tool_use_id, answers=None, by="nobody")
        for request, form in state.forms.items()
    ]
    out += _close_tools(state)
    content = _partial_reply(state)
    if content:
        out.append(
            AssistantMessageCompleted(
                message_id=state.message_id or "recovered", content=content, stop_reason="interrupted"
            )
        )
    if state.turn is not None:
        out.append(
            TurnFinished(
                turn_id=state.turn.turn_id, outcome="interrupted", detail="The program was stopped in this turn."
            )
        )
    out += [JobEnded(job_id=job, outcome="stopped") for job in state.jobs]
    return out


def _follow(state: _Open, event: Event) -> None:  # noqa: C901 - one flat match over the kinds of events
    match event:
        case TurnStarted():
            state.turn = event
        case TurnFinished():
            state.turn = None
        case RequestSent():
            state.begin_reply()  # a retried request repeats its reply from the start
        case ResponseStarted(message_id=message_id):
            state.message_id = message_id
        case TextDelta(block_id=block, text=text):
            if block not in state.text:
                state.order.append(("text", block))
            state.text.setdefault(block, []).append(text)
        case TextFinished(block_id=block):
            state.finished_text.add(block)
        case ThinkingDelta(block_id=block, text=text):
            state.think(block, text)
        case ThinkingFinished(block_id=block, signature=signature):
            state.think(block, "")
            state.finished_thinking[block] = signature
        case ToolUseStarted(tool_use_id=use):
            state.streaming[use] = event
            if event.by == "person" or event.parent_tool_use_id is not None:
                state.apart.add(use)
        case ToolUseCompleted(tool_use_id=use):
            state.streaming.pop(use, None)
            state.uses[use] = event
            if use not in state.apart:
                state.order.append(("tool", use))
        case ToolUseDropped(tool_use_id=use):
            state.streaming.pop(use, None)
        case AssistantMessageCompleted():
            state.begin_reply()
        case ToolStateChanged(tool_use_id=use, to_state=to):
            state.states[use] = to
        case ToolResultReady(tool_use_id=use):
            state.results.add(use)
        case PermissionRequested(request_id=request):
            state.questions[request] = event
        case PermissionResolved(request_id=request):
            state.questions.pop(request, None)
        case FormRequested(request_id=request):
            state.forms[request] = event
        case FormAnswered(request_id=request):
            state.forms.pop(request, None)
        case JobStarted(job_id=job):
            state.jobs[job] = event
        case JobEnded(job_id=job):
            state.jobs.pop(job, None)
        case _:
            pass


def _close_tools(state: _Open) -> list[Event]:
    out: list[Event] = []
    for use, completed in state.uses.items():
        at: ToolState = state.states.get(use, "new")
        if at == "yielded":
            continue
        if at == "new":
            out.append(ToolStateChanged(tool_use_id=use, from_state="new", to_state="queued"))
            at = "queued"
        if use not in state.results:
            out.append(
                ToolResultReady(
                    tool_use_id=use, name=completed.name, is_error=True, content=KILLED_TEXT, error_kind="aborted"
                )
            )
        if at != "completed":
            out.append(ToolStateChanged(tool_use_id=use, from_state=at, to_state="completed"))
        out.append(ToolStateChanged(tool_use_id=use, from_state="completed", to_state="yielded"))
    return out


def _partial_reply(state: _Open) -> list[dict[str, Any]]:
    """Return what of a broken reply can be sent back: signed thinking, text as far as it came, tool uses that were whole."""
    content: list[dict[str, Any]] = []
    for kind, key in state.order:
        if kind == "text":
            text = "".join(state.text[key])
            if text.strip():
                content.append({"type": "text", "text": text})
        elif kind == "thinking":
            signature = state.finished_thinking.get(key)
            if signature:
                thinking = "".join(state.thinking[key])
                content.append({"type": "thinking", "thinking": thinking, "signature": signature})
        else:
            use = state.uses[key]
            said = use.written or {"name": use.name, "input": use.input}
            content.append({"type": "tool_use", "id": key, **said})
    return content
