"""The part of the projection that is about hooks: which run now, and how those that ran have ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tui_agent import events

__all__ = ["HookReducer", "HookRuns"]

# What the session waits for while no turn runs.
_BEFORE_TURNS: Final = frozenset({"UserPromptSubmit", "SessionStart"})


@dataclass(slots=True)
class HookRuns:
    """The runs of one hook in this session: how many, and how the last one ended, after how long."""

    count: int = 0
    outcome: str = ""
    ms: float = 0.0
    message: str = ""


class HookReducer:
    """All hooks of a session, by the id that events call them."""

    def __init__(self) -> None:
        self.runs: dict[str, HookRuns] = {}
        self._running: dict[str, events.HookStarted] = {}

    def apply(self, event: events.HookStarted | events.HookEnded) -> None:
        """Take in one event."""
        if isinstance(event, events.HookStarted):
            if not event.is_background:
                self._running[event.run_id] = event
            return
        self._running.pop(event.run_id, None)
        runs = self.runs.setdefault(event.hook, HookRuns())
        runs.count += 1
        runs.outcome, runs.ms, runs.message = event.outcome, event.duration_ms, event.message

    def abandon(self) -> None:
        """Nobody is going to tell the end of those that ran."""
        self._running.clear()

    @property
    def holds_up(self) -> bool:
        """Whether a message waits for a hook, though no turn runs."""
        return bool(self._running) and any(event.event in _BEFORE_TURNS for event in self._running.values())

    @property
    def message(self) -> str:
        """What the newest that runs wants shown; empty where none wants anything."""
        if not self._running:
            return ""  # the usual case, asked for with each event
        return next((event.message for event in reversed(self._running.values()) if event.message), "")

    @property
    def name(self) -> str:
        """What the newest that runs is called; empty where none runs."""
        newest = next(reversed(self._running.values()), None)
        return f"hook {newest.name}" if newest else ""
