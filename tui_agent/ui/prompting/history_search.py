"""Looking for what was typed before: words in any order, newest first, each text once. No widget.

As much is looked at as is needed to fill what is shown. Another letter looks only at what the letters before have found, and
goes on from there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from tui_agent.ui.prompting.history import HistoryEntry

__all__ = ["SCOPES", "HistoryMatch", "HistorySearch", "Pools", "Scope", "pools_of", "spans", "when"]

Scope = Literal["session", "folder", "everywhere"]
SCOPES: Final[tuple[Scope, ...]] = ("session", "folder", "everywhere")
_MOST_AT_ONCE: Final = 8192  # texts that are compared before it is seen whether that is enough
_MINUTE, _HOUR, _DAY = 60, 3600, 86400


@dataclass(frozen=True, slots=True)
class HistoryMatch:
    """A prompt that was found: the newest of its text, and how many there are of it in the scope."""

    entry: HistoryEntry
    count: int = 1


@dataclass(frozen=True, slots=True)
class HistoryPool:
    """The different texts of a scope, newest first: in small letters, and what was found of each."""

    low: Sequence[str]
    found: Sequence[HistoryMatch]


Pools = Mapping[Scope, HistoryPool]


def pools_of(entries: Sequence[HistoryEntry], folder: str) -> Pools:
    """Sort entries, newest first, into the scopes as seen from a folder. Of many, do it in a thread."""
    members: dict[Scope, Iterable[HistoryEntry]] = {
        "session": (entry for entry in entries if entry.is_own),
        "folder": (entry for entry in entries if entry.folder == folder),
        "everywhere": entries,
    }
    return {scope: _pool(chosen) for scope, chosen in members.items()}


def _pool(entries: Iterable[HistoryEntry]) -> HistoryPool:
    counts: dict[str, int] = {}
    newest: dict[str, HistoryEntry] = {}
    for entry in entries:
        counts[entry.text] = counts.get(entry.text, 0) + 1
        newest.setdefault(entry.text, entry)
    return HistoryPool(
        [text.lower() for text in newest], [HistoryMatch(entry, counts[text]) for text, entry in newest.items()]
    )


class HistorySearch:
    """A search over `pools`, begun in the scope `folder`. `looked_at` counts the texts that were compared."""

    def __init__(self, pools: Pools, *, scope: Scope = "folder") -> None:
        self.query = ""
        self.scope: Scope = scope
        self.looked_at = 0
        self._pools = pools
        self._hits: list[int] = []
        self._scanned = 0

    def replace(self, pools: Pools) -> None:
        """Search more entries."""
        self._pools = pools
        self._hits, self._scanned = [], 0

    def widen(self) -> None:
        """Go on to the next scope; after the widest comes the narrowest."""
        self.scope = SCOPES[(SCOPES.index(self.scope) + 1) % len(SCOPES)]
        self._hits, self._scanned = [], 0

    def search(self, query: str) -> None:
        """Look for other words."""
        before, self.query = self.query.lower().split(), query
        words = query.lower().split()
        is_narrower = len(words) >= len(before) and all(
            new.startswith(old) for new, old in zip(words, before, strict=False)
        )
        if is_narrower and words:
            self._hits = self._fitting(self._hits, words)
        else:
            self._hits, self._scanned = [], 0

    def first(self, count: int) -> list[HistoryMatch]:
        """Return as many of the newest hits; fewer where there are no more."""
        words, step, size = self.query.lower().split(), count, self.size
        while len(self._hits) < count and self._scanned < size:
            stop = min(self._scanned + step, size)
            self._hits += self._fitting(range(self._scanned, stop), words)
            self._scanned, step = stop, min(2 * step, _MOST_AT_ONCE)
        founds = self._pools[self.scope].found
        return [founds[place] for place in self._hits[:count]]

    @property
    def size(self) -> int:
        """How many different texts the scope has."""
        return len(self._pools[self.scope].low)

    def _fitting(self, places: Iterable[int], words: Sequence[str]) -> list[int]:
        low, fitting = self._pools[self.scope].low, list(places)
        self.looked_at += len(fitting)
        for word in words:
            fitting = [place for place in fitting if word in low[place]]
        return fitting


def spans(text: str, query: str) -> list[tuple[int, int]]:
    """Return where the words of a query stand in a text, in order and apart."""
    low = text.lower()
    if len(low) != len(text):  # letters of which the small one is longer: marks would stand beside the words
        low = text
    found: list[tuple[int, int]] = []
    for word in query.lower().split():
        at = low.find(word)
        if at >= 0:
            found.append((at, at + len(word)))
    joined: list[tuple[int, int]] = []
    for start, stop in sorted(found):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(stop, joined[-1][1]))
        else:
            joined.append((start, stop))
    return joined


def when(seconds: float, now: float) -> str:
    """Say how long ago something was, in a few characters; empty where nobody knows."""
    age = now - seconds
    if seconds <= 0:
        return ""
    if age < _MINUTE:
        return "now"
    if age < _HOUR:
        return f"{int(age // _MINUTE)}m ago"
    if age < _DAY:
        return f"{int(age // _HOUR)}h ago"
    return f"{int(age // _DAY)}d ago"
