"""What all queries share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

__all__ = ["Query"]

A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class Query(Generic[A]):
    """Something that a front end asks the engine. `A` is the answer; nothing is changed by asking."""
