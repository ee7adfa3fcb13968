"""What all events share: the header."""

from __future__ import annotations

from dataclasses import dataclass

from tui_agent.plain import Plain

__all__ = ["Event"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Event(Plain):
    """What all events share; the bus fills the header when the event is published.

    `agent_id` names the agent whose event it is; empty for the main conversation, and for what concerns the session as a
    whole. `time` is wall time in seconds since the epoch; `monotonic_ms` counts milliseconds on a clock that never goes back,
    comparable within one process only. `seq` counts from 1 in the order of publication.
    """

    session_id: str = ""
    agent_id: str = ""
    seq: int = 0
    time: float = 0.0
    monotonic_ms: float = 0.0
