"""What hooks in the background have said, kept until the model is told."""

from __future__ import annotations

from typing import Final

from tui_agent.context_marks import framed
from tui_agent.engine.session.wakeups import WakeUps
from tui_agent.hooks.catalog import EVENTS
from tui_agent.hooks.runner import HookInvocation, HookOutcome

__all__ = ["BackgroundOutput"]

_MOST_CHARS: Final = 10_000  # of one hook's news


class BackgroundOutput:
    """Collects news for the next message. What an idle session is to act on goes to `wakeups`."""

    def __init__(self, wakeups: WakeUps) -> None:
        self._wakeups = wakeups
        self._texts: list[str] = []

    def add(self, text: str) -> None:
        """Keep a text for the model."""
        self._texts.append(text)

    def take_outcome(self, outcome: HookOutcome, occasion: HookInvocation) -> None:
        """Take in what came of a hook that ran in the background."""
        said = outcome.said
        if outcome.handler.wakes and outcome.how == "blocked":
            self._wakeups.add(f"A {occasion.event} hook that ran in the background says:\n{said.reason}")
        elif text := said.context or said.reason or (outcome.text if EVENTS[occasion.event].takes_text else ""):
            self.add(text[:_MOST_CHARS])

    def take(self) -> str:
        """Return, once, what has been said since the last time."""
        texts, self._texts = self._texts, []
        return "\n\n".join(map(framed, texts))
