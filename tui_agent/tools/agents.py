"""Agents as tools see them: what one is started with, how it ended, and the service that starts them.

The engine runs agents; a tool knows this service alone. Each conversation has its own: it knows who asks, so that an agent
never gets more than the one that started it has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from tui_agent.events import AgentOutcome
from tui_agent.tools.progress import Progress

__all__ = ["AgentError", "AgentReport", "AgentService", "AgentTask", "AgentType", "RunningAgent", "StepOutcome"]


class AgentError(Exception):
    """An agent cannot be started, or reached; the text says why and is for the model."""


@dataclass(frozen=True, slots=True)
class AgentType:
    """An agent type as the model sees it; `tools` describes in words which tools it has."""

    name: str
    description: str
    tools: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentTask:
    """What an agent is started with.

    `type` is empty for the general one, and does not count with `is_architect`. `model` is a model or a short name, empty for
    that of the type. `label` is what the model wants to call this agent. `folder` is where it works, empty for where its parent
    does; with `is_isolated` it works in a copy of the project.
    """

    prompt: str
    description: str
    tool_use_id: str
    type: str = ""
    model: str = ""
    label: str = ""
    is_background: bool = False
    is_isolated: bool = False
    folder: str = ""
    is_architect: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentReport:
    """How an agent's work on one message ended. `text` is its last answer; `detail` says why it is not done.

    `notes` are for its parent: what is to be known of the work besides the answer.
    """

    agent_id: str
    type: str
    outcome: AgentOutcome
    text: str
    detail: str = ""
    tool_uses: int = 0
    tokens: int = 0
    duration_ms: float = 0.0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StepOutcome:
    """What came of one step. `ends_turn` is that the user refused it and said no more."""

    tool: str
    input: dict[str, Any]
    text: str
    is_error: bool = False
    ends_turn: bool = False
    data: dict[str, Any] = field(default_factory=dict)


class RunningAgent(Protocol):
    """An agent at work."""

    @property
    def id(self) -> str:
        """Its id."""
        ...

    @property
    def type(self) -> str:
        """Its type's name."""
        ...

    def stand(self) -> Progress:
        """Return what there is to show of it now."""
        ...

    def report(self) -> AgentReport:
        """Return how it ended, or, while it works, how far it is."""
        ...

    async def wait(self) -> AgentReport:
        """Wait for its end. A cancelled wait does not stop it."""
        ...

    async def stop(self) -> AgentReport:
        """Stop it, as an interrupt would, and wait until it has ended. A cancelled stop still waits."""
        ...

    def move_to_background(self) -> str:
        """Let it go on without the tool use that started it; return the file that its answer goes to.

        Whoever started it is told of its end.
        """
        ...


class AgentService(Protocol):
    """Starts agents for one conversation."""

    @property
    def types(self) -> Sequence[AgentType]:
        """The types that it may start."""
        ...

    def runs_in_background(self, type: str = "") -> bool:
        """Whether agents of a type run in the background where the call says nothing about it."""
        ...

    def problem(self, task: AgentTask) -> str:
        """Return why an agent cannot be started with this task, for the model; empty where it can."""
        ...

    async def start(self, task: AgentTask) -> RunningAgent:
        """Start an agent.

        Raises:
            AgentError: it cannot be started.
        """
        ...

    def reach(self, to: str) -> str:
        """Return why no message can go to the agent of this id or label; empty where one can."""
        ...

    async def send(self, to: str, message: str, tool_use_id: str) -> RunningAgent | None:
        """Give an agent a message: None where it works and gets it with its next step, else it works on it from now on.

        Raises:
            AgentError: there is no such agent, or it cannot go on.
        """
        ...

    async def step(self, tool_use_id: str, tool: str, input: dict[str, Any]) -> StepOutcome:
        """Run a tool as part of the tool use `tool_use_id`, through all stages of one of its own, and return its result."""
        ...
