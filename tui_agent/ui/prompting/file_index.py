"""The files and folders of a workspace, held so that a few letters find some of 100,000 within milliseconds.

An index never changes once it is made: who has one may search it in any thread. A search of a text that goes on from the one
before looks only at what fitted that.
"""

from __future__ import annotations

import heapq
import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, compress
from typing import Final

from tui_agent.ui.prompting.fuzzy import compared, positions, score

__all__ = ["MOST_PATHS", "FileIndex", "FileMatch", "Narrowed"]

MOST_PATHS: Final = 200_000
_MOST_SCORED: Final = 800  # paths that are compared closely: those with the letters together, and the shortest that fit
_SLICE: Final = 8192  # paths that are looked through at a go
_MOST_LOOKED: Final = 2500  # places in the text of all paths that are looked at for one kind of fit
_MOST_INSIDE: Final = 20_000  # paths below a folder that are looked at for those directly in it
_FEW: Final = 1500  # of the shortest paths, among which those at the top are looked for
_RECENT: Final = 10_000  # more than any path scores by itself


@dataclass(frozen=True, slots=True)
class FileMatch:
    """A path that fits, folders with a slash at their end, and which of its letters were meant."""

    path: str
    marks: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Narrowed:
    """What fits a query among the first `scanned` paths of an index, by number."""

    index: FileIndex
    query: str
    numbers: Sequence[int]
    scanned: int


class FileIndex:
    """Paths below a folder, relative to it, shortest first. Making one takes time in proportion: call it in a thread."""

    def __init__(self, files: Iterable[str] = (), *, is_cut: bool = False) -> None:
        names = list(dict.fromkeys(name for name in files if name and "\n" not in name))
        self.is_cut = is_cut or len(names) > MOST_PATHS
        """Whether there is more than the index holds."""
        del names[MOST_PATHS:]
        paths = names + sorted(_folders(names))
        paths.sort(key=len)
        self._paths = paths
        joined = compared("\n".join(paths))
        self._lower = joined.split("\n") if paths else []
        self._joined = f"\n{joined}\n"
        self._starts = array("I", accumulate((len(path) + 1 for path in paths), initial=1))

    def __len__(self) -> int:
        return len(self._paths)

    def is_same(self, other: FileIndex) -> bool:
        """Whether the other holds the same paths."""
        return self._paths == other._paths

    def search(
        self, query: str, limit: int, *, recent: Sequence[str] = (), within: Narrowed | None = None
    ) -> tuple[list[FileMatch], Narrowed]:
        """Return the paths that fit best, and what to give as `within` for a query that begins with this one.

        `recent` are paths that come first among those that fit, the newest first.
        """
        wanted = compared(query)
        if not wanted:
            return self._first(limit, recent), Narrowed(self, "", [], 0)
        if within is None or within.index is not self or not wanted.startswith(within.query):
            within = Narrowed(self, "", [], 0)
        close = self._together(wanted)
        if len(close) < limit:
            within = self._fitting(wanted, within)
            close = list(dict.fromkeys((*close, *within.numbers[:_MOST_SCORED])))
        best = self._best(wanted, close, limit, recent)
        return [FileMatch(self._paths[number], positions(wanted, self._lower[number])) for number in best], within

    def inside(self, folder: str, limit: int) -> list[FileMatch]:
        """Return what lies in a folder, named with a slash at its end: folders first, by name; nothing where it is unknown."""
        wanted = compared(folder)
        text, found, looked = "\n" + wanted, [], 0
        at = self._joined.find(text)
        while at >= 0 and looked < _MOST_INSIDE:
            looked += 1
            path = self._paths[bisect_right(self._starts, at + 1) - 1]
            if len(path) > len(folder) and "/" not in path[len(folder) : -1]:
                found.append(path)
            at = self._joined.find(text, at + len(path))
        found.sort(key=lambda path: (not path.endswith("/"), path.lower()))
        return [FileMatch(path) for path in found[:limit]]

    def _first(self, limit: int, recent: Sequence[str]) -> list[FileMatch]:
        """Return what is offered before a letter is typed: what was used last, then what stands at the top."""
        there = list(dict.fromkeys(recent))[:limit]
        top = (path for path in self._paths[:_FEW] if "/" not in path.rstrip("/") and path not in there)
        named = sorted(top, key=lambda path: (not path.endswith("/"), path.lower()))
        return [FileMatch(path) for path in (*there, *named)][:limit]

    def _together(self, wanted: str) -> list[int]:
        """Return paths in which the letters stand together: those whose name begins so first, the shortest first of each."""
        numbers: dict[int, None] = {}
        if wanted not in self._joined:
            return []
        for start, is_name in (("\n", False), ("/", True), ("_", False), ("-", False), (".", False), ("", False)):
            self._collect(start, wanted, numbers, is_name=is_name)
        return list(numbers)

    def _collect(self, start: str, wanted: str, numbers: dict[int, None], *, is_name: bool) -> None:
        """Add paths that have this text; with `is_name` those where the last name begins with what follows its first letter."""
        joined, starts = self._joined, self._starts
        text = start + wanted
        most = len(numbers) + _MOST_SCORED // 4
        at, looked = joined.find(text), 0
        while at >= 0 and len(numbers) < most and looked < _MOST_LOOKED:
            looked += 1
            number = bisect_right(starts, at + len(start)) - 1
            end = starts[number + 1] - 1
            if not is_name or joined.find("/", at + len(text), end - 1) < 0:
                numbers[number] = None
            at = joined.find(text, at + 1 if is_name else end)

    def _fitting(self, wanted: str, within: Narrowed) -> Narrowed:
        """Find paths in which the letters stand in their order, the shortest first, as many as are compared closely."""
        lower = self._lower
        rarest = min(wanted, key=_COMMON.find)
        # each letter is looked for from the one before on, and never looked for again
        fits = re.compile("".join(f"[^{letter}]*+{letter}" for letter in map(re.escape, wanted)), re.DOTALL).match
        numbers = [number for number in within.numbers if fits(lower[number])]
        at = within.scanned
        while at < len(lower) and len(numbers) < _MOST_SCORED:
            picked = [number for number, path in enumerate(lower[at : at + _SLICE], at) if rarest in path]
            numbers += compress(picked, map(fits, map(lower.__getitem__, picked)))
            at += _SLICE
        return Narrowed(self, wanted, numbers, at)

    def _best(self, wanted: str, numbers: Iterable[int], limit: int, recent: Sequence[str]) -> list[int]:
        bonus = {path: _RECENT + 100 * place for place, path in enumerate(reversed(recent))}
        scored: list[tuple[int, int]] = []
        for number in numbers:
            points = score(wanted, self._lower[number])
            if points is not None:
                scored.append((points + bonus.get(self._paths[number], 0), -number))
        return [-number for _, number in heapq.nlargest(limit, scored)]


_COMMON: Final = "qzjxkvwyfbghmpduc_lotnrisae./"  # the rarest first; what is not listed is rarer still


def _folders(names: Iterable[str]) -> set[str]:
    """Return the folders that files lie in, each with a slash at its end."""
    direct = {name[: name.rfind("/") + 1] for name in names if "/" in name}
    found: set[str] = set()
    for folder in direct:
        while folder and folder not in found:
            found.add(folder)
            folder = folder[: folder.rfind("/", 0, len(folder) - 1) + 1]
    return found
