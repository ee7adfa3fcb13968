"""Agents: conversations with the model besides the main one, each started by a tool use of another.

Every event of an agent names it by `agent_id` in the header. `AgentStarted` is its first and `AgentEnded` its last; what the
agent says, uses and asks stands between them in the order that the other families keep. The ids in events (of blocks,
messages, turns and tool uses) are unique within one agent only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tui_agent.events.event import Event

__all__ = ["AgentEnded", "AgentOutcome", "AgentStarted"]

AgentOutcome = Literal["done", "failed", "interrupted"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class AgentStarted(Event):
    """The agent of the header began: it works for the tool use `tool_use_id` of the agent `parent_agent_id`.

    That is the main conversation where it is empty. `name` is the type of agent; `description` says in a few words what it is
    to do. `label` is what the model calls this one, or empty. `model` is the one that its requests go to, and `worktree` the
    folder of its own copy of the project (empty: it works where the session does).

    It comes again, after `AgentEnded`, when a message continues an agent that had ended: `tool_use_id` is that message's then.
    """

    parent_agent_id: str
    tool_use_id: str
    name: str
    description: str = ""
    label: str = ""
    model: str = ""
    is_background: bool = False
    worktree: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class AgentEnded(Event):
    """The agent of the header is over. `detail` is a sentence for the user, or empty."""

    outcome: AgentOutcome
    detail: str = ""
    duration_ms: float = 0.0
