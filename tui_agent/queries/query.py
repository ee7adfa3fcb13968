"""What all queries share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from tui_agent.plain import Plain

__all__ = ["Query"]

A = TypeVar("A")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Query(Plain, Generic[A]):
    """Something that a front end asks the engine. `A` is the answer; nothing is changed by asking."""
