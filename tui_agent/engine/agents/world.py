"""What all agents of a session are made with, and how one is named and bounded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

from tui_agent.bus import Bus
from tui_agent.engine.agents.worktree import Worktree
from tui_agent.engine.context.session_memory import SessionMemory
from tui_agent.engine.conversation.history import History
from tui_agent.engine.gate.agent_gate import AgentLimits
from tui_agent.engine.session.git_status import GitStatus
from tui_agent.engine.session.spending import Spending
from tui_agent.engine.session.tool_runtime import ToolRuntime
from tui_agent.model.protocol import Models
from tui_agent.subagents.definition import AgentDefinition
from tui_agent.tools.loading import LoadedTools

__all__ = ["AgentIdentity", "AgentWorld"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentWorld:
    """What they share. `model` gives the session's, `is_thinking` whether it thinks; `first_git` what git said at first."""

    bus: Bus
    runtime: ToolRuntime
    models: Models
    model: Callable[[], str]
    is_thinking: Callable[[], bool]
    spending: Spending
    memory: SessionMemory
    began: date
    first_git: Callable[[], GitStatus | None]
    max_requests: int | None
    small_model: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentIdentity:
    """One agent: who started it, with what, and how far it may go.

    `parent_id` is empty, and `parent_tools` the session's, for one that the main conversation starts. `depth` is 1 for those.
    `worktree` is its own copy of the project, where it has one.
    """

    id: str
    definition: AgentDefinition
    description: str
    label: str
    model: str
    depth: int
    parent_id: str
    parent_tools: LoadedTools
    limits: AgentLimits
    history: History
    folder: str = ""
    worktree: Worktree | None = None
