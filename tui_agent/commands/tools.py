"""Commands about what runs: single tool uses and jobs in the background."""

from __future__ import annotations

from dataclasses import dataclass

from tui_agent.commands.command import Command, Done

__all__ = ["MoveToBackground", "StopJob", "StopTool"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class StopTool(Command[Done]):
    """Stop one running tool use; the turn goes on."""

    tool_use_id: str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class StopJob(Command[Done]):
    """Stop a background job; nothing happens when it is over."""

    job_id: str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MoveToBackground(Command[Done]):
    """Let a running command go on in the background, so that the turn goes on without it."""

    tool_use_id: str
