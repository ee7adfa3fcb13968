"""What one tool shows in each of its states, for the pictures of all tools; the cases stand in `tests/snapshots/cases_*.py`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tui_agent.changes import FileChange

__all__ = ["Case"]


@dataclass(frozen=True)
class Case:
    """What one tool shows: its input, and what becomes of it."""

    input: dict[str, Any]
    content: str | list[dict[str, Any]]
    data: dict[str, Any]
    error: str
    error_kind: str = "execution"
    error_data: dict[str, Any] | None = None
    progress: dict[str, Any] = field(default_factory=dict)
    changes: tuple[FileChange, ...] = ()
    suggestions: tuple[str, ...] = ()
