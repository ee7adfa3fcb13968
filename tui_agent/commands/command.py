"""What all commands share, and how one is answered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from tui_agent.plain import Plain

__all__ = ["Command", "Done", "Reply"]

R = TypeVar("R")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Command(Plain, Generic[R]):
    """Something that a front end wants the engine to do. `R` is what it is told when that is done."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Done(Plain):
    """It is done, and there is no more to say of it."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Reply(Plain, Generic[R]):
    """What came of a command: `ok`, or why nothing was done, in words for the user. One of the two is set."""

    ok: R | None = None
    error: str = ""
