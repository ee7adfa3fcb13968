"""What an agent has done so far, in numbers and in its own last words: added up from the events that it publishes."""

from __future__ import annotations

import time

from tui_agent.conversation_fold import spoken_text
from tui_agent.events import (
    AssistantMessageCompleted,
    Event,
    ToolUseCompleted,
    ToolUseStarted,
    TurnFailed,
    TurnFinished,
    UsageReported,
)

__all__ = ["AgentLedger"]


class AgentLedger:
    """One agent's work on one message."""

    def __init__(self) -> None:
        self.text = ""
        self.detail = ""
        self.tool_uses = 0
        self.tokens = 0
        self.doing = "starts"
        self._began = time.monotonic()
        self._ended: float | None = None

    @property
    def duration_ms(self) -> float:
        """How long it works, or worked."""
        return ((time.monotonic() if self._ended is None else self._ended) - self._began) * 1000

    def explain(self, detail: str) -> None:
        """Say why it is not done, where nothing says so yet."""
        self.detail = self.detail or detail

    def end(self) -> None:
        """It is over."""
        self._ended = time.monotonic()

    def take(self, event: Event) -> None:
        """Take in what the agent publishes."""
        match event:
            case AssistantMessageCompleted(content=content):
                self.text = spoken_text(content) or self.text
            case ToolUseStarted():
                self.tool_uses += 1
                self.doing = event.name
            case ToolUseCompleted(name=name):
                self.doing = name
            case UsageReported():
                prompt = event.input_tokens + event.cache_read_tokens + event.cache_write_tokens
                self.tokens += prompt + event.output_tokens
            case TurnFailed(message=message):
                self.detail = message
            case TurnFinished(detail=detail):
                self.detail = detail or self.detail
            case _:
                pass
