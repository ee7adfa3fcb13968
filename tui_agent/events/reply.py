"""The model's reply as it streams in, block by block; its tool uses have a family of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tui_agent.events.event import Event

__all__ = [
    "AssistantMessageCompleted",
    "ResponseStarted",
    "TextDelta",
    "TextFinished",
    "ThinkingDelta",
    "ThinkingFinished",
]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ResponseStarted(Event):
    """The first event of the model's reply came in."""

    request_id: str
    message_id: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class TextDelta(Event):
    """More text of a block. Deltas of one block may arrive joined: only their concatenation means anything."""

    block_id: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class TextFinished(Event):
    """The text block is whole, or was cut off here."""

    block_id: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ThinkingDelta(Event):
    """More of the model's thinking; joins as `TextDelta` does."""

    block_id: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ThinkingFinished(Event):
    """The thinking block is whole, or was cut off here; `duration_ms` is how long it took.

    `signature` is what the API wants back with the thinking; empty where the block was cut off.
    """

    block_id: str
    duration_ms: float = 0.0
    signature: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class AssistantMessageCompleted(Event):
    """The reply as it enters the conversation: its content blocks in the Messages API's own shape.

    Follows the deltas and `ToolUseCompleted` of its blocks; results of tools that started early may precede it.
    """

    message_id: str
    content: list[dict[str, Any]]
    stop_reason: str
