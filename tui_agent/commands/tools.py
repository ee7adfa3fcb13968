"""Commands about what runs: single tool uses, agents, and jobs in the background."""

from __future__ import annotations

from dataclasses import dataclass

from tui_agent.commands.command import Command, Done

__all__ = ["MoveToBackground", "StopAgent", "StopAgents", "StopJob", "StopTool"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class StopTool(Command[Done]):
    """Stop one running tool use of an agent (empty: of the main conversation); its turn goes on."""

    tool_use_id: str
    agent_id: str = ""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class StopAgent(Command[Done]):
    """Have an agent end, as an interrupt would."""

    agent_id: str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class StopAgents(Command[Done]):
    """Have all agents end."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class StopJob(Command[Done]):
    """Stop a background job; nothing happens when it is over."""

    job_id: str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MoveToBackground(Command[Done]):
    """Let a running command, or an agent, go on in the background, so that the turn goes on without it.

    `agent_id` is the agent whose tool use it is, empty for the main conversation.
    """

    tool_use_id: str
    agent_id: str = ""
