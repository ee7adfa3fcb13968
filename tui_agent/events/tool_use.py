"""One tool use, from the first piece of its block in the stream to its one result.

Order that subscribers may rely on: `ToolUseStarted`, any `ToolInputDelta`, `ToolUseCompleted`, `ToolStateChanged` (→ queued),
then stages and further states, `ToolProgressed` while it executes, one `ToolResultReady` before the move to *completed*, and
the move to *yielded* last; a `ToolResultShrunk` may come later. A tool use whose block never became whole ends with
`ToolUseDropped` and has none of the rest.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from tui_agent.events.event import Event

__all__ = [
    "ToolInputChanged",
    "ToolInputDelta",
    "ToolProgressed",
    "ToolResultReady",
    "ToolStageEnded",
    "ToolStageStarted",
    "ToolState",
    "ToolStateChanged",
    "ToolUseCompleted",
    "ToolUseDropped",
    "ToolUseStarted",
]

ToolState = Literal["new", "queued", "executing", "completed", "yielded"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ToolUseStarted(Event):
    """A tool-use block began in the stream; its arguments are still to come. `name` is the tool's own, where there is one.

    One `by` a user, or inside another tool use of the same agent (its parent), stands in no reply of the model's: it is whole
    at once. What an agent uses has no parent; `AgentStarted` says which tool use the agent works for.
    """

    tool_use_id: str
    name: str
    turn_id: str = ""
    parent_tool_use_id: str | None = None
    by: Literal["model", "person"] = "model"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ToolInputDelta(Event):
    """More of the block's argument text (a fragment of JSON); joins as `TextDelta` does."""

    tool_use_id: str
    partial_json: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ToolUseCompleted(Event):
    """The block is whole: its input parsed, and the executor takes it from here.

    Name and input are the tool's own. Where the model wrote another name of it, `written` holds what it wrote, as `name` and
    `input`: that is what stands in the conversation.
    """

    tool_use_id: str
    name: str
    input: dict[str, Any]
    written: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ToolUseDropped(Event):
    """The reply ended before the block was whole; nothing ran, and the block is not part of the conversation."""

    tool_use_id: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ToolStateChanged(Event):
    """A tool use moved through its state machine; time spent on a user is the stage `permission` of *executing*."""

    tool_use_id: str
    from_state: ToolState = field(metadata={"json": "from"})
    to_state: ToolState = field(metadata={"json": "to"})


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ToolStageStarted(Event):
    """One of the eight stages began (`lookup validate pre_hooks permission call store post_hooks result`)."""

    tool_use_id: str
    stage: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ToolStageEnded(Event):
    """The stage ended with `outcome`: `ok`, or a word for why the rest was not reached."""

    tool_use_id: str
    stage: str
    outcome: str
    ms: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ToolInputChanged(Event):
    """A hook, the user or an alias changed the input; from here on this one is judged and run."""

    tool_use_id: str
    name: str
    input: dict[str, Any]
    by: Literal["hook", "person", "alias"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ToolProgressed(Event):
    """What a running tool has to show so far; only the newest matters. Keys are those of `tools.base.Progress`."""

    tool_use_id: str
    data: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ToolResultReady(Event):
    """The one result of a tool use. `content` is what the model gets; `data` is the tool's own structured output.

    `duration_ms` is run time, without what was spent waiting for a user. `kept_in` is the file that holds the whole of a
    result of which `content` is only a part.
    """

    tool_use_id: str
    name: str
    is_error: bool
    content: list[dict[str, Any]] | str
    error_kind: str | None = None
    data: dict[str, Any] | None = None
    duration_ms: float = 0.0
    kept_in: str | None = None
