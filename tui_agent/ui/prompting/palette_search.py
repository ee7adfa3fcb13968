"""What the command palette lists, and how well a search fits it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from tui_agent.ui.prompting.fuzzy import score

__all__ = ["Kind", "PaletteEntry", "found"]

Kind = Literal["command", "key", "mode", "model", "theme", "session"]

_NAME_FIRST: Final = 10_000  # what a fit of the name is worth more than one of the words
_KINDS: Final[dict[Kind, int]] = {"command": 0, "session": 1, "key": 2, "mode": 3, "model": 4, "theme": 5}


@dataclass(frozen=True, slots=True)
class PaletteEntry:
    """One thing to do: its name, words on it, the key that does it too, and what it does. Texts may be foreign."""

    kind: Kind
    name: str
    words: str
    key: str
    run: Callable[[], object]


def found(all_entries: Iterable[PaletteEntry], query: str) -> list[PaletteEntry]:
    """Return what a search finds, the best first; an empty one finds all, commands first. Each word must fit."""
    words = query.lower().split()
    if not words:
        return sorted(all_entries, key=lambda entry: _KINDS[entry.kind])
    scored = [(worth, entry) for entry in all_entries if (worth := _worth(entry, words)) is not None]
    scored.sort(key=lambda pair: (-pair[0], _KINDS[pair[1].kind], pair[1].name))
    return [entry for _, entry in scored]


def _worth(entry: PaletteEntry, words: Sequence[str]) -> int | None:
    total = 0
    name, told = entry.name.lower().removeprefix("/"), f"{entry.kind} {entry.words} {entry.key}".lower()
    for word in words:
        by_name = score(word.removeprefix("/") or word, name)
        if by_name is not None:
            total += by_name + _NAME_FIRST
        elif word in told:  # words that are not its name are not guessed at
            total += len(word)
        else:
            return None
    return total
