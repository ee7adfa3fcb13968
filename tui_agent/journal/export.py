"""A recorded conversation as Markdown: what was said, and what tools were used for, with the beginning of what they gave.

The record is masked already, so an export holds no secret that the record does not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from tui_agent.conversation_fold import MAIN, Agents, by_agent, spoken_text
from tui_agent.events import (
    AssistantMessageCompleted,
    Event,
    HistoryCleared,
    MessageWithdrawn,
    Notice,
    SessionStarted,
    ToolResultReady,
    ToolUseCompleted,
    TurnFinished,
    UserMessageSent,
)
from tui_agent.text import clean

__all__ = ["as_markdown"]

_RESULT_LINES: Final = 40
_LINE_CHARS: Final = 400
_DEEPEST: Final = 6  # of Markdown's headings


class _Headings(NamedTuple):
    """What stands over what is said in a conversation, and at which level."""

    asks: str
    answers: str
    level: int


def as_markdown(events: Iterable[Event]) -> str:
    """Return a recording as Markdown; what an agent did stands at the tool use that started it."""
    return "\n\n".join(_Export(list(events)).parts()).rstrip() + "\n"


class _Export:
    """Writes one recording. Each agent is written once, whatever the recording says of who started whom."""

    def __init__(self, events: Sequence[Event]) -> None:
        self._agents = Agents.from_events(events)
        self._events = by_agent(events)

    def parts(self) -> Iterator[str]:
        """Yield paragraphs; agents whose tool use is not recorded come last."""
        yield from self._parts(MAIN, _Headings("You", "Model", 2))
        while self._events:
            yield from self._agent(next(iter(self._events)), 2)

    def _agent(self, agent_id: str, level: int) -> Iterator[str]:
        begun, ended = self._agents.started.get(agent_id), self._agents.ended.get(agent_id)
        name = _line(self._agents.name_of(agent_id))
        about = f": {_line(begun.description)}" if begun is not None and begun.description else ""
        yield f"{'#' * level} Agent {name}{about}"
        yield from self._parts(agent_id, _Headings("Task", name, min(level + 1, _DEEPEST)))
        if ended is not None and ended.outcome != "done":
            yield f"*The agent ended: {_line(ended.detail or ended.outcome)}*"

    def _parts(self, agent_id: str, headings: _Headings) -> Iterator[str]:
        mark = "#" * headings.level
        is_begun = False
        events = self._events.pop(agent_id, ())
        withdrawn = {event.message_id for event in events if isinstance(event, MessageWithdrawn)}
        for event in events:
            match event:
                case SessionStarted() if not is_begun:
                    is_begun = True
                    began = datetime.fromtimestamp(event.time, UTC).astimezone().strftime("%Y-%m-%d %H:%M")
                    yield f"# Conversation of {began}"
                    yield f"In `{_line(event.cwd)}`, with {_line(event.model)}."
                case UserMessageSent(text=text, message_id=message_id) if message_id not in withdrawn:
                    yield f"{mark} {headings.asks}\n\n{clean(text).strip()}"
                case AssistantMessageCompleted(content=content):
                    if said := clean(spoken_text(content)).strip():
                        yield f"{mark} {headings.answers}\n\n{said}"
                case ToolUseCompleted(name=name, input=input):
                    given = json.dumps(input, ensure_ascii=False)
                    yield f"**{_line(name)}**\n\n{_fenced(given)}"
                case ToolResultReady(tool_use_id=use, name=name, is_error=is_error, content=result):
                    for started in self._agents.started_by(agent_id, use):
                        if started in self._events:
                            yield from self._agent(started, min(headings.level + 1, _DEEPEST))
                    yield f"{_line(name)} {'failed' if is_error else 'gave'}:\n\n{_fenced(_text_of(result))}"
                case TurnFinished(outcome=outcome, detail=detail) if outcome != "done":
                    yield f"*The turn ended: {_line(detail or outcome)}*"
                case Notice(level=level, text=text) if level != "info":
                    yield f"*{_line(text)}*"
                case HistoryCleared():
                    yield "---"
                case _:
                    pass


def _line(text: str) -> str:
    return " ".join(clean(text).split())


def _text_of(content: str | list[dict[str, Any]]) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(str(block.get("text", f"({block.get('type')})")) for block in content)


def _fenced(text: str) -> str:
    """Return the beginning of a text in a fence that nothing in it ends."""
    lines = clean(text).strip("\n").split("\n")
    shown = [line if len(line) <= _LINE_CHARS else f"{line[:_LINE_CHARS]}…" for line in lines[:_RESULT_LINES]]
    if len(lines) > len(shown):
        shown.append(f"… and {len(lines) - len(shown):,} more lines")
    body = "\n".join(shown)
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", body)), default=0))
    return f"{fence}\n{body}\n{fence}"
