"""Runs of the user's hooks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tui_agent.events.event import Event

__all__ = ["HookEnded", "HookStarted"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class HookStarted(Event):
    """One of the user's hooks runs now; `HookEnded` with this id always follows, also when it was cancelled.

    `event` is what it is heard at, `hook` names it from run to run, `name` for people. `message` is what it wants shown while
    it runs. One in the background holds nothing up.
    """

    run_id: str
    event: str
    hook: str
    name: str
    tool_use_id: str = ""
    message: str = ""
    is_background: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class HookEnded(Event):
    """The hook is over. `message` is the reason of its no, or what went wrong with it; `exit_code` is a command's."""

    run_id: str
    event: str
    hook: str
    outcome: Literal["ok", "blocked", "failed", "timeout", "cancelled"]
    tool_use_id: str = ""
    exit_code: int | None = None
    duration_ms: float = 0.0
    message: str = ""
