"""What a call or a background job that still runs has to show."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Progress"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """What a running call has to show so far. Everything is bounded; only the newest matters."""

    message: str = ""
    tail: tuple[str, ...] = ()
    total_lines: int = 0
    total_bytes: int = 0
    is_incomplete: bool = False  # the last line of `tail` has no end yet
