"""What makes two values equal, and how one is written in a log, for the many dataclasses of events, commands and answers."""

from __future__ import annotations

from dataclasses import fields

__all__ = ["Plain"]


class Plain:
    """Base of dataclasses that are equal if they are of one kind and all their fields are.

    That is said here once: made for each kind, as dataclasses do by themselves, it takes half the time of importing them all,
    and the first answer waits for that.
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(getattr(self, part.name) == getattr(other, part.name) for part in fields(self))  # type: ignore[arg-type]

    def __hash__(self) -> int:
        return hash(tuple(getattr(self, part.name) for part in fields(self)))  # type: ignore[arg-type]

    def __repr__(self) -> str:
        parts = (f"{part.name}={getattr(self, part.name)!r}" for part in fields(self))  # type: ignore[arg-type]
        return f"{type(self).__qualname__}({', '.join(parts)})"
