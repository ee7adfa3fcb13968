"""The keys that the status line names, and which of them fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.cells import cell_len

__all__ = ["BACK", "CLOSE_SEARCH", "HELP", "HINTS", "INTERRUPT", "SHOW_ALL", "Hint", "fit_hints", "room_for"]

Hint = tuple[str, str]  # a key, and what it does

INTERRUPT: Final[Hint] = ("esc", "interrupt")  # named above the prompt, while there is something to interrupt
BACK: Final[Hint] = ("esc", "back")  # what Escape does instead
CLOSE_SEARCH: Final[Hint] = ("esc", "close search")
SHOW_ALL: Final[Hint] = ("esc", "show all")
HELP: Final[Hint] = ("F1", "help")
HINTS: Final[tuple[Hint, ...]] = (
    ("⇧⇥", "mode"), ("^p", "commands"), ("^o", "details"), ("F2", "tools"), ("F3", "diff"), HELP,
)  # fmt: skip


def fit_hints(hints: Sequence[Hint], room: int) -> list[Hint]:
    """Return the hints that fit side by side; where not all do, the last but one goes first."""
    kept = list(hints)
    while kept and room_for(kept) > room:
        kept.pop(-2 if len(kept) > 1 else -1)
    return kept


def room_for(hints: Sequence[Hint]) -> int:
    """Return how many columns hints take side by side, each with the three blanks before it."""
    return sum(cell_len(key) + cell_len(words) + 4 for key, words in hints)
