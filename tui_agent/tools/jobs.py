"""Background jobs: commands that go on after the tool use that started them has ended."""

from __future__ import annotations

from typing import Protocol

__all__ = ["Jobs"]


class Jobs(Protocol):
    """The background jobs of one session."""
