"""The conversation as the model gets it, besides its replies: what goes in, what is shortened, where it starts afresh."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from tui_agent.events.event import Event

__all__ = [
    "HistoryCleared",
    "MessageQueued",
    "MessageUnqueued",
    "MessageWithdrawn",
    "ReminderSent",
    "ToolPoolChanged",
    "ToolResultShrunk",
    "ToolsActivated",
    "UserMessageSent",
]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class MessageQueued(Event):
    """The user sent `text` while a turn ran; a `UserMessageSent` or `MessageUnqueued` with this id follows.

    `shown` is as in `UserMessageSent`.
    """

    message_id: str
    text: str
    shown: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class MessageUnqueued(Event):
    """A queued message was taken back."""

    message_id: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class UserMessageSent(Event):
    """The user's message entered the conversation. `context` is what the program added for the model's eyes only.

    `shown` is the text as it stood in the prompt, where what was pasted is folded to a label; empty where that is `text`.
    `blocks` are content blocks that stand before the text: files it mentions, pictures. `attached` tells people what they are,
    and what was not attached and why; keys are those of `agent.attaching.Attached`.
    """

    message_id: str
    text: str
    context: str = ""
    shown: str = ""
    blocks: tuple[dict[str, Any], ...] = ()
    attached: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class MessageWithdrawn(Event):
    """The user took back the message that was sent last, before the model had answered: its words are not part of the
    conversation. What the program had added to it is.
    """

    message_id: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ReminderSent(Event):
    """The program told the model something between two steps of a turn, where no message of the user's carried it."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ToolsActivated(Event):
    """Requests from now on carry the schemas of these tools too, which the model had known by name only."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ToolPoolChanged(Event):
    """A server's tools came or went: what can be called from now on besides, and what cannot any more. Uses under way go on."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ToolResultShrunk(Event):
    """From here on the model gets `content` in the place of a tool use's result, which stays in the record as it was."""

    tool_use_id: str
    content: list[dict[str, Any]] | str
    reason: Literal["reply_limit", "context"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class HistoryCleared(Event):
    """The conversation starts afresh: nothing before this is sent to the model again."""
