"""Who starts agents: the main conversation, or an agent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tui_agent.engine.gate.agent_gate import AgentLimits
from tui_agent.engine.gate.refusals import Refusals
from tui_agent.events import Event
from tui_agent.execution.execution_context import ExecutionContext
from tui_agent.tools.jobs import Jobs
from tui_agent.tools.loading import LoadedTools
from tui_agent.tools.workspace import Workspace

__all__ = ["Caller"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """One conversation that may start agents.

    `id` is empty and `depth` 0 for the main one. `types` are those that it may start (None: all). `announce` lets its model
    know of what came of an agent in the background. With `is_waited_for` somebody sees what goes on in the background.
    """

    id: str
    depth: int
    tools: LoadedTools
    limits: AgentLimits
    refusals: Refusals
    jobs: Jobs
    workspace: Workspace
    model: Callable[[], str]
    publish: Callable[[Event], Event]
    context: Callable[[], ExecutionContext]
    announce: Callable[[str], None]
    types: tuple[str, ...] | None = None
    is_waited_for: bool = False
