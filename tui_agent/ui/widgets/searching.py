"""Search in the conversation: matches marked in what is seen, and a way from one to the next wherever they are."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from textual.message import Message

from tui_agent.ui.transcript.block_views import is_foldable
from tui_agent.ui.transcript.finding import Finder, Match, SearchQuery
from tui_agent.ui.transcript.layout import Drawn, Mark
from tui_agent.ui.transcript.selection import cell_range
from tui_agent.ui.widgets.selecting import SelectableBlocks

if TYPE_CHECKING:
    from tui_agent.ui.projection.blocks import ShownBlocks
    from tui_agent.ui.projection.projection import Dirty
    from tui_agent.viewkit.view import Line, Palette

__all__ = ["SearchableBlocks"]

_SLICE_S: Final = 0.004
_PAUSE_S: Final = 0.004  # between two slices: keys come first


class SearchableBlocks(SelectableBlocks):
    """Blocks that can be searched. `search` says for what; `Found` says what came of it, more than once while it goes on."""

    class Found(Message):
        """What a search knows: the number of the match the user is at (0: none), how many there are, whether that is all."""

        def __init__(self, number: int, total: int, is_done: bool) -> None:
            super().__init__()
            self.number = number
            self.total = total
            self.is_done = is_done

    def __init__(self, palette: Palette, *, id: str | None = None) -> None:
        super().__init__(palette, id=id)
        self._query: SearchQuery | None = None
        self._finder: Finder | None = None
        self._match: Match | None = None  # the one the user is at
        self._is_scanning = False
        self._origin = 0  # the block from which the nearest match is wanted
        self._opened: int | None = None  # a block that is open only because a match is in it

    @property
    def is_searching(self) -> bool:
        """Whether a search is open, with or without words yet."""
        return self._query is not None

    @property
    def searched(self) -> str:
        """The words that are searched for."""
        return " ".join(self._query.words) if self._query is not None else ""

    def begin_search(self) -> None:
        """Open a search from what stands in the window."""
        self._origin, _ = self._layout.heights.find(self._top + self._page // 2)
        self._query = SearchQuery("")
        self._bindings_changed()

    def search(self, text: str) -> None:
        """Look for other words, from where the search was opened."""
        query = SearchQuery(text)
        if self._query is None or query == self._query:
            return
        self._query, self._match = query, None
        self._fold_again()
        self._start_search(query)

    def end_search(self) -> None:
        """Close the search: nothing is marked any more. The window stays where it is."""
        self._query = self._finder = self._match = None
        self._opened = None
        self._bindings_changed()
        self._paint_changes()

    def step_search(self, direction: int) -> None:
        """Go to the next match, or the one before; behind the last comes the first."""
        if self._finder is None:
            return
        match = self._finder.step(self._match, direction)
        # What is painted may have fewer matches than its source made expect, or none: then it is the next block's turn.
        for _ in range(self._finder.total):
            if match is None or self._show_match(match):
                break
            match = self._finder.step(match, direction)
        self._post_found()

    def refresh_from(self, projection: ShownBlocks, dirty: Dirty) -> None:
        """Show what changed, and look through it too."""
        before = self._layout.blocks
        super().refresh_from(projection, dirty)
        if self._finder is None or self._query is None:
            return
        if self._layout.blocks is not before or dirty.is_reset:
            self._match = self._opened = None
            self._origin = max(0, len(self._layout.blocks) - 1)
            self._start_search(self._query)
            return
        for name in dirty.block_ids:
            position = projection.position(name)
            if position is not None and not projection.blocks[position].is_live:
                self._finder.rescan(position)
        if not self._finder.is_done:
            self._continue_search()

    # --- inside ------------------------------------------------------------------------------------------------------

    def _start_search(self, query: SearchQuery) -> None:
        self._finder = Finder(self._layout.blocks, query, self._origin) if query else None
        self._paint_changes()
        if self._finder is None:
            self.post_message(self.Found(0, 0, True))
        else:
            self._continue_search()

    def _continue_search(self) -> None:
        if not self._is_scanning:
            self._is_scanning = True
            self.run_worker(self._scan(), group="searching", exit_on_error=False)

    async def _scan(self) -> None:
        """Look through the blocks, a slice at a time. Another query that comes meanwhile is taken up where this one was."""
        try:
            while (finder := self._finder) is not None:
                is_done = finder.advance(_SLICE_S)
                if self._match is None and finder.total:
                    self.step_search(1)
                else:
                    self._post_found()
                if is_done:
                    return
                await asyncio.sleep(_PAUSE_S)
        finally:
            self._is_scanning = False

    def _post_found(self) -> None:
        finder = self._finder
        if finder is not None:
            number = finder.number(self._match) if self._match is not None else 0
            self.post_message(self.Found(number, finder.total, finder.is_done))

    def _show_match(self, match: Match) -> bool:
        """Go to a match, opening the block it is in; False where nothing of it is painted."""
        finder, layout = self._finder, self._layout
        position, index = match
        if finder is None or position >= len(layout.blocks):
            return False
        if self._opened != position:
            self._fold_again()
        spans = layout.draw(position).find(finder.query)
        if index >= len(spans) and is_foldable(layout.blocks[position]) and not layout.is_open(position):
            layout.open(position, True)
            self._opened = position
            spans = layout.draw(position).find(finder.query)
        if layout.is_open(position) or not is_foldable(layout.blocks[position]):
            if not spans and not is_foldable(layout.blocks[position]):
                finder.settle(position, 0)
                return False
            finder.settle(position, max(1, len(spans)))  # one that its tool's view leaves out still leads to the tool
        index = min(index, max(0, len(spans) - 1))
        self._match = (position, index)
        self._cursor = position
        self._bring_in(position, spans[index][0] if spans else 0)
        return True

    def _bring_in(self, position: int, offset: int) -> None:
        """Bring a character of a block into the window, with some lines around it."""
        self._layout.measure(position)
        line = self._layout.line_of((position, offset))
        self._stop_following()
        self._set_height(self._layout.heights.total)
        if not self._top <= line < self._top + self._page - 2:
            self.scroll_to(y=max(0, line - self._page // 3), animate=False)
        self._update()
        self._paint_changes()

    def _fold_again(self) -> None:
        """Fold the block that was opened for a match that the user has left."""
        if self._opened is not None and self._opened < len(self._layout.blocks):
            self._layout.open(self._opened, False)
        self._opened = None

    def _marks(self, position: int, drawn: Drawn, line: Line) -> tuple[Mark, ...]:
        """Return the matches in a line, and what is selected of it."""
        marks = super()._marks(position, drawn, line)
        if not self._query:
            return marks
        found: list[Mark] = []
        for number, span in _spans_in(drawn.find(self._query), line.start, line.start + len(line.text)):
            cells = cell_range(line, *span)
            if cells is not None:
                found.append((*cells, "here" if self._match == (position, number) else "match"))
        return (*found, *marks)

    def _bindings_changed(self) -> None:
        if self.is_attached:
            self.screen.refresh_bindings()


def _spans_in(spans: list[tuple[int, int]], start: int, stop: int) -> list[tuple[int, tuple[int, int]]]:
    """Return those of the sorted spans that have a part between two offsets, each with its number."""
    low, high = 0, len(spans)
    while low < high:
        middle = (low + high) // 2
        if spans[middle][1] <= start:
            low = middle + 1
        else:
            high = middle
    found = []
    while low < len(spans) and spans[low][0] < stop:
        found.append((low, spans[low]))
        low += 1
    return found
