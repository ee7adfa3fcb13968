"""What may be asked of subagents: which types there are, where each comes from, and which agents work."""

from __future__ import annotations

from dataclasses import dataclass

from tui_agent.plain import Plain
from tui_agent.queries.query import Query

__all__ = ["AgentRow", "AgentTypeRow", "AgentsQuery", "AgentsReport"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class AgentTypeRow(Plain):
    """A type of agent. `place` says where it comes from in a word or two, `tools` and `model` what it works with.

    All texts are foreign. `notes` say what of its file does not count. With `is_hidden` a stronger source has one of this name.
    """

    name: str
    description: str
    place: str
    file: str = ""
    tools: str = ""
    model: str = ""
    is_read_only: bool = False
    is_hidden: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class AgentRow(Plain):
    """An agent at work: its type, what it is to do, and how far it is. Times are milliseconds."""

    id: str
    type: str
    description: str
    label: str = ""
    parent_id: str = ""
    tool_uses: int = 0
    tokens: int = 0
    duration_ms: float = 0.0
    is_background: bool = False


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AgentsReport(Plain):
    """The types, by name, the agents at work, and what does not count. `held_back` are files of an untrusted folder."""

    types: tuple[AgentTypeRow, ...] = ()
    working: tuple[AgentRow, ...] = ()
    left_out: tuple[str, ...] = ()
    held_back: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AgentsQuery(Query[AgentsReport | None]):
    """Which types of agents are there, and which agents work? Null in a recording."""
