"""Events without secrets: the one door through which a session's events go to journal, screen, output and scripts.

What tools found was masked where it came in. Here everything else is: what the user wrote, what the model writes, commands
and changes to files, messages of errors. The conversation with the model stays as it was said.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import Any, Final

from tui_agent.changes import FileChange
from tui_agent.event_json import Encoded
from tui_agent.events import (
    AssistantMessageCompleted,
    Event,
    TextDelta,
    TextFinished,
    ThinkingDelta,
    ThinkingFinished,
    ToolInputDelta,
    ToolUseCompleted,
    ToolUseDropped,
)
from tui_agent.execution.redaction import masked_change
from tui_agent.secrets.masker import Masker
from tui_agent.secrets.stream import MaskStream

__all__ = ["EventRedactor"]

_HEADER: Final = frozenset(field.name for field in fields(Event))
_FIELDS: dict[type[Event], tuple[str, ...]] = {}
_StreamKey = tuple[str, str, str]  # what is written, the agent, the block or tool use
_THINKING: Final = frozenset({"thinking", "redacted_thinking"})


class EventRedactor:
    """Masks a session's events. Call it with each, in order; it returns what to publish instead."""

    def __init__(self, masker: Masker) -> None:
        self._masker = masker
        self._streams: dict[_StreamKey, MaskStream] = {}

    def __call__(self, event: Event) -> Sequence[Event]:
        """Return the event without secrets; a text that comes in pieces may come later than it was written."""
        agent = event.agent_id
        match event:
            case TextDelta(block_id=name, text=text):
                return self._more("text", name, event, text, lambda text: replace(event, text=text))
            case ThinkingDelta(block_id=name, text=text):
                return self._more("thinking", name, event, text, lambda text: replace(event, text=text))
            case ToolInputDelta(tool_use_id=name, partial_json=text):
                return self._more("input", name, event, text, lambda text: replace(event, partial_json=text))
            case TextFinished(block_id=name):
                return self._last("text", name, event, lambda text: TextDelta(agent_id=agent, block_id=name, text=text))
            case ThinkingFinished(block_id=name):
                return self._last(
                    "thinking", name, event, lambda text: ThinkingDelta(agent_id=agent, block_id=name, text=text)
                )
            case ToolUseCompleted(tool_use_id=name) | ToolUseDropped(tool_use_id=name):
                return self._last(
                    "input",
                    name,
                    event,
                    lambda text: ToolInputDelta(agent_id=agent, tool_use_id=name, partial_json=text),
                )
            case _:
                return (self._masked(event),)

    def _more(self, kind: str, name: str, event: Event, text: str, delta: Callable[[str], Event]) -> Sequence[Event]:
        key = (kind, event.agent_id, name)
        stream = self._streams.get(key)
        if stream is None:
            stream = self._streams[key] = MaskStream(self._masker)
        shown = stream.feed(text)
        return (delta(shown),) if shown or not text else ()

    def _last(self, kind: str, name: str, event: Event, delta: Callable[[str], Event]) -> Sequence[Event]:
        stream = self._streams.pop((kind, event.agent_id, name), None)
        rest = stream.finish() if stream is not None else ""
        masked = self._masked(event)
        return (delta(rest), masked) if rest else (masked,)

    def _masked(self, event: Event) -> Event:
        if isinstance(event, AssistantMessageCompleted):
            content = [_masked_block(block, self._masker) for block in event.content]
            return replace(event, content=content) if content != event.content else event
        changed: dict[str, Any] = {}
        for name in _text_fields(type(event)):
            value = getattr(event, name)
            if isinstance(value, Encoded):
                continue  # what is in it was masked before it was encoded
            if isinstance(value, FileChange):
                masked: Any = masked_change(value, self._masker)
            else:
                masked = self._masker.mask_data(value)
            if masked is not value:
                changed[name] = masked
        return replace(event, **changed) if changed else event


def _text_fields(cls: type[Event]) -> tuple[str, ...]:
    found = _FIELDS.get(cls)
    if found is None:
        names = (field.name for field in fields(cls))
        found = _FIELDS[cls] = tuple(name for name in names if name not in _HEADER and not name.endswith("_id"))
    return found


def _masked_block(block: dict[str, Any], masker: Masker) -> dict[str, Any]:
    if block.get("type") not in _THINKING:
        masked: dict[str, Any] = masker.mask_data(block)
        return masked
    thought = block.get("thinking")
    shown = masker.mask(thought) if isinstance(thought, str) else thought
    # Signed as it was written: with a mask in it, it must not be sent back.
    return block if shown == thought else {**block, "thinking": shown, "signature": ""}
