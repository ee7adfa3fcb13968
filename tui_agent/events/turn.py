"""A turn and its requests to the model: how each went out, was tried again, was counted, and how all ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tui_agent.events.event import Event

__all__ = ["RequestSent", "RetryScheduled", "TurnFailed", "TurnFinished", "TurnOutcome", "TurnStarted", "UsageReported"]

TurnOutcome = Literal[
    "done",
    "interrupted",
    "refused",
    "failed",
    "max_turns",
    "repeated_failure",
    "max_tokens",
    "declined",
    "stopped_by_hook",
    "spending_limit",
]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class TurnStarted(Event):
    """The model is asked until it stops asking for tools; `TurnFinished` with this id ends it."""

    turn_id: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class RequestSent(Event):
    """A request left for the model; `ResponseStarted`, `RetryScheduled` or `TurnFailed` follows.

    One that was too much for the model is followed by `ToolResultShrunk` for what was shortened, and the next request.
    """

    turn_id: str
    request_id: str
    model: str
    attempt: int = 1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class RetryScheduled(Event):
    """A request failed in a way that may pass; the next attempt starts in `delay_s` seconds."""

    request_id: str
    attempt: int
    max_attempts: int
    delay_s: float
    reason: str
    status: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class UsageReported(Event):
    """Token counts of one request; `cost_usd` is this request's, None where the model's price is unknown.

    `context_tokens` is what the conversation now fills of `context_size` (None: unknown model); 0 for a request aside from
    the conversation, which changes nothing about it.
    """

    request_id: str
    model: str
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cost_usd: float | None = None
    context_tokens: int = 0
    context_size: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class TurnFailed(Event):
    """The request failed for good. `message` says what was wrong and `hint` what to do about it."""

    turn_id: str
    kind: str
    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class TurnFinished(Event):
    """The turn is over and the program waits for the user. `detail` is a sentence for the user, or empty."""

    turn_id: str
    outcome: TurnOutcome
    detail: str = ""
    duration_ms: float = 0.0
