"""Finding text in a conversation of any length: a query, and how many matches each block has.

Blocks are looked through outwards from where the user is, in slices of a few milliseconds, by the text they are made of; none
is drawn for it. What is painted can differ a little from its source: where a block is drawn, its own count takes the place of
what its source made expect.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final

from tui_agent.ui.transcript.block_source import searched_text
from tui_agent.ui.transcript.heights import Heights

if TYPE_CHECKING:
    from tui_agent.ui.projection.blocks import Block

__all__ = ["Finder", "Match", "SearchQuery"]

Match = tuple[int, int]  # the block's position, and which of its matches, from 0
Span = tuple[int, int]

_LOOK_EVERY: Final = 4096  # characters between two looks at the clock
_EACH: Final = 100  # characters that looking at a block costs besides its own
_MARKUP: Final = r"[*_~`\\]{0,3}"  # what Markdown may have between two letters that are painted side by side
_BREAK: Final = r"[*_~`\\]{0,3}\s[\s*_~`>\\]*"  # the same between two words


class SearchQuery:
    """What is looked for: words with any blanks between them. Small letters stand for capitals too, unless there is one."""

    def __init__(self, text: str) -> None:
        self.words = tuple(text.split())
        self._flags = 0 if any(character.isupper() for character in text) else re.IGNORECASE

    def __bool__(self) -> bool:
        return bool(self.words)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SearchQuery) and (self.words, self._flags) == (other.words, other._flags)

    __hash__ = None  # type: ignore[assignment]

    @cached_property
    def _plain(self) -> re.Pattern[str]:
        return re.compile(r"\s+".join(map(re.escape, self.words)), self._flags)

    @cached_property
    def _marked_up(self) -> re.Pattern[str]:
        return re.compile(_BREAK.join(_MARKUP.join(map(re.escape, word)) for word in self.words), self._flags)

    def spans(self, text: str) -> list[Span]:
        """Return where the matches in a painted text are: start and stop of each, in order, never overlapping."""
        return [match.span() for match in self._plain.finditer(text)] if self.words else []

    def count(self, source: str, *, is_markdown: bool = False) -> int:
        """Return how many matches the text has that a block is made of."""
        pattern = self._marked_up if is_markdown else self._plain
        return sum(1 for _ in pattern.finditer(source)) if self.words else 0


class Finder:
    """The matches of one query in a list of blocks that may grow. `start` is where the user is."""

    def __init__(
        self, blocks: Sequence[Block], query: SearchQuery, start: int, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        self.query = query
        self.first: int | None = None  # the block with a match that is nearest to the start
        self._blocks = blocks
        self._clock = clock
        self._below = min(max(0, start), len(blocks))  # the next to look at, going down
        self._above = self._below - 1  # the same going up
        self._counts = Heights.zeros(len(blocks))

    @property
    def total(self) -> int:
        """How many matches are known."""
        return self._counts.total

    @property
    def is_done(self) -> bool:
        """Whether every block was looked at."""
        return self._above < 0 and self._below >= len(self._blocks)

    def advance(self, seconds: float) -> bool:
        """Look on for about so long; return whether all is done."""
        end = self._clock() + seconds
        read = 0
        while not self.is_done:
            for position in (self._below, self._above):
                if 0 <= position < len(self._blocks):
                    read += _EACH + self._scan(position)
            self._below, self._above = min(self._below + 1, len(self._blocks)), max(self._above - 1, -1)
            if read >= _LOOK_EVERY:
                read = 0
                if self._clock() >= end:
                    break
        return self.is_done

    def rescan(self, position: int) -> None:
        """A block changed that may have been looked at."""
        if self._above < position < self._below:
            self._scan(position)

    def settle(self, position: int, count: int) -> None:
        """Say how many matches a block really has, as it is painted."""
        self._grow()
        self._counts.set(position, count)

    def count(self, position: int) -> int:
        """Return how many matches a block has, as far as is known."""
        return self._counts[position] if position < len(self._counts) else 0

    def number(self, match: Match) -> int:
        """Return the how manieth match this is, from 1."""
        return self._counts.before(match[0]) + min(match[1], max(0, self.count(match[0]) - 1)) + 1

    def step(self, match: Match | None, direction: int) -> Match | None:
        """Return the next match in a direction, beginning anew behind the last; from None the one nearest to the start."""
        if not self.total:
            return None
        if match is None:
            return (self.first, 0) if self.first is not None else self._counts.find(0)
        here = self._counts.before(match[0]) + match[1]
        if not self.count(match[0]):  # where it was is none any more
            here -= direction > 0
        return self._counts.find((here + direction) % self.total)

    def _grow(self) -> None:
        while len(self._counts) < len(self._blocks):
            self._counts.append(0)

    def _scan(self, position: int) -> int:
        self._grow()
        block = self._blocks[position]
        text = searched_text(block)
        count = self.query.count(text, is_markdown=block.kind == "text")
        self._counts.set(position, count)
        if count and self.first is None:
            self.first = position
        return len(text)
