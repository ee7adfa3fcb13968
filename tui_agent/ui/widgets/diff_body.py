"""The widget that shows a diff: a large one is worked out in a thread, and shown when that is done."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from textual import work
from textual.message import Message

from tui_agent.ui.widgets.view_widget import ViewWidget

if TYPE_CHECKING:
    from tui_agent.viewkit.diff import DiffView

__all__ = ["DiffBody"]

_ABOVE: Final = 2  # lines that are kept in sight above a hunk, where there is room for them


class DiffBody(ViewWidget):
    """Paints any view. A `DiffView` that takes a while is prepared first; what was shown before stays until then."""

    class Prepared(Message):
        """A large diff is on the screen now."""

    @property
    def diff(self) -> DiffView | None:
        """The diff that is shown, if one is."""
        from tui_agent.viewkit.diff import DiffView  # not needed for the first frame

        return self.view if isinstance(self.view, DiffView) else None

    @property
    def cells(self) -> int:
        """The width that views are drawn at."""
        return self.scrollable_content_region.width

    @property
    def is_ready(self) -> bool:
        """Whether what is to be shown is worked out."""
        diff = self.diff
        return diff is None or diff.is_ready(self.cells)

    def scroll_to_hunk(self, number: int) -> None:
        """Bring a hunk into sight, its beginning where there is no room for all of it; what is whole in sight stays."""
        diff = self.diff
        if diff is None or not diff.change.hunks or not self.is_ready:
            return
        number = min(number, len(diff.change.hunks) - 1)
        first, end = diff.hunk_line(number, self.cells), diff.hunk_end(number, self.cells)
        top, height = self.scroll_offset.y, self.size.height
        if first < top or end > top + height:
            above = min(_ABOVE, max(0, height - (end - first)))
            self.scroll_to(y=max(first - above, 0), animate=False, force=True)

    def _draw(self, width: int) -> None:
        diff = self.diff if self.view is not None else None
        if diff is None or diff.is_ready(width):
            super()._draw(width)
        else:
            self._prepare(diff, width)

    @work(exit_on_error=False, exclusive=True, group="diff")
    async def _prepare(self, diff: DiffView, width: int) -> None:
        await asyncio.to_thread(diff.prepare, width)
        if self.view is not None and self.cells == width:
            self._draw(width)
            self.post_message(self.Prepared())
