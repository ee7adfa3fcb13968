"""What all events share: the header, what makes two of them equal, and how one is written in a log."""

from __future__ import annotations

from dataclasses import dataclass, fields

__all__ = ["Event"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Event:
    """What all events share; the bus fills the header when the event is published.

    `agent_id` names the agent whose event it is; empty for the main conversation, and for what concerns the session as a
    whole. `time` is wall time in seconds since the epoch; `monotonic_ms` counts milliseconds on a clock that never goes back,
    comparable within one process only. `seq` counts from 1 in the order of publication.

    Events are equal if they are of one kind and all their fields are. That is said here once, as is how they are written:
    made for each kind, as dataclasses do by themselves, it takes half the time of importing them all, and the first answer
    waits for that.
    """

    session_id: str = ""
    agent_id: str = ""
    seq: int = 0
    time: float = 0.0
    monotonic_ms: float = 0.0

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(getattr(self, part.name) == getattr(other, part.name) for part in fields(self))

    def __hash__(self) -> int:
        return hash(tuple(getattr(self, part.name) for part in fields(self)))

    def __repr__(self) -> str:
        parts = (f"{part.name}={getattr(self, part.name)!r}" for part in fields(self))
        return f"{type(self).__qualname__}({', '.join(parts)})"
