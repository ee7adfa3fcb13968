"""Commands that go on in the background after their tool use has ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from tui_agent.events.event import Event

__all__ = ["JobEnded", "JobProgressed", "JobStarted"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class JobStarted(Event):
    """A command goes on in the background after its tool use ended; all it prints goes to `output_path`."""

    job_id: str
    tool_use_id: str
    command: str
    output_path: str
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class JobProgressed(Event):
    """What a background job has to show so far; only the newest matters. Keys are those of `tools.base.Progress`."""

    job_id: str
    data: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class JobEnded(Event):
    """A background job is over. `exit_code` is None where it was stopped before it ended by itself."""

    job_id: str
    outcome: Literal["done", "failed", "stopped", "timeout", "too_much_output"]
    exit_code: int | None = None
