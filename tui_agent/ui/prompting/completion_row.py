"""One line of the list of what may be meant."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CompletionRow"]


@dataclass(frozen=True, slots=True)
class CompletionRow:
    """One thing that may be meant: its name, words on it, and which letters of the name were typed."""

    name: str
    words: str = ""
    marks: tuple[int, ...] = ()
