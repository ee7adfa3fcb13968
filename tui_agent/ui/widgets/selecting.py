"""Selecting text of the conversation with the mouse, and copying it: across blocks, whole lines again, as it was written."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Final

from textual import events
from textual.message import Message
from textual.timer import Timer

from tui_agent.ui.transcript.block_source import copied_source
from tui_agent.ui.transcript.selection import Place, Selection, line_at, offset_at, word_at
from tui_agent.ui.widgets.block_view import LEFT, BlockView

if TYPE_CHECKING:
    from tui_agent.viewkit.view import Hit, Palette

__all__ = ["SelectableBlocks"]

_SCROLL_S: Final = 0.05  # between two steps of scrolling while the mouse is held outside the window
_SLICE_S: Final = 0.005
_PAUSE_S: Final = 0.003  # between two slices: keys come first


class SelectableBlocks(BlockView):
    """Blocks whose text can be selected: by dragging, a word by two clicks, a line by three, further by Shift and a click."""

    ALLOW_SELECT = False  # Textual's selection belongs to widgets; this one belongs to the text
    FOCUS_ON_CLICK = False

    class Copied(Message):
        """The user wants this text in the clipboard; `what` says in a word or two what it is."""

        def __init__(self, text: str, what: str = "") -> None:
            super().__init__()
            self.text = text
            self.what = what

    def __init__(self, palette: Palette, *, id: str | None = None) -> None:
        super().__init__(palette, id=id)
        self._press: Place | None = None
        self._anchor: Place | None = None  # where the last selection or click began
        self._drag_timer: Timer | None = None
        self._drag_lines = 0

    # --- mouse -------------------------------------------------------------------------------------------------------

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Begin a selection, or a click; with Shift, take the selection on to here."""
        if event.button != 1:
            return
        event.stop()
        self.capture_mouse()
        place = self._place_at(event.x, event.y)
        if event.shift and self._anchor is not None and self._anchor[0] < len(self._layout.blocks):
            self._press = self._anchor
            self._select_to(place)
            return
        self._press = self._anchor = place
        self.clear_selection()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Extend the selection to where the mouse is, scrolling when it has left the window."""
        if self._press is None:
            return
        event.stop()
        self._drag_lines = event.y if event.y < 0 else max(0, event.y - self._page + 1)
        if self._drag_lines and self._drag_timer is None:
            self._drag_timer = self.set_interval(_SCROLL_S, self._drag_on)
        self._select_to(self._place_at(event.x, min(max(event.y, 0), self._page - 1)))

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """End the selection; without one, it was a click."""
        if self._press is None:
            return
        event.stop()
        self.release_mouse()
        self._stop_dragging()
        self._press = None
        if self._selection is None:
            self._click(event.x, event.y)

    def on_click(self, event: events.Click) -> None:
        """Select the word under a double click, the line under a triple one."""
        if event.chain not in (2, 3) or event.shift:
            return
        position, offset = self._place_at(event.x, event.y)
        if position < len(self._layout.blocks) and not self._hit_at(event.x, event.y):
            text = self._layout.draw(position).rendered.text
            start, stop = (word_at if event.chain == 2 else line_at)(text, offset)
            self._anchor = (position, start)
            self._selection = Selection(self._anchor, (position, stop))
            self._stop_following()
            self._paint_changes()

    def _drag_on(self) -> None:
        self.scroll_to(y=self._top + max(-3, min(3, self._drag_lines)), animate=False)
        corner = (0, 0) if self._drag_lines < 0 else (self.size.width, self._page - 1)
        self._select_to(self._place_at(*corner))

    def _stop_dragging(self) -> None:
        if self._drag_timer is not None:
            self._drag_timer.stop()
            self._drag_timer = None
        self._drag_lines = 0

    def _select_to(self, place: Place) -> None:
        if self._press is None:
            return
        chosen = Selection(self._press, place)
        if chosen.is_empty and self._selection is None:
            return
        if chosen != self._selection:
            self._stop_following()
            self._selection = chosen
            self._paint_changes()

    def _place_at(self, x: int, y: int) -> Place:
        layout = self._layout
        position, offset = layout.heights.find(self._top + y)
        if position >= len(layout.heights):
            last = len(layout.heights) - 1
            return (last, len(layout.draw(last).rendered.text)) if last >= 0 else (0, 0)
        number = offset - layout.gap(position)
        return position, offset_at(layout.draw(position).rendered, number, x - LEFT)

    def _hit_at(self, x: int, y: int) -> tuple[int, Hit] | None:
        layout = self._layout
        position, offset = layout.heights.find(self._top + y)
        if position >= len(layout.heights):
            return None
        number, cell = offset - layout.gap(position), x - LEFT
        hits = layout.draw(position).rendered.hits
        found = next((hit for hit in hits if hit.line == number and hit.start <= cell < hit.stop), None)
        return (position, found) if found is not None else None

    def _click(self, x: int, y: int) -> None:
        """Do what a click on this cell means."""

    # --- copying -----------------------------------------------------------------------------------------------------

    @property
    def has_selection(self) -> bool:
        """Whether text is selected."""
        return self._selection is not None and not self._selection.is_empty

    def clear_selection(self) -> None:
        """Select nothing."""
        if self._selection is not None:
            self._selection = None
            self._paint_changes()

    def selected_text(self) -> str:
        """Return the selected text as it was written: no gutters, no padding, lines that were wrapped whole again."""
        selection = self._selection
        if selection is None:
            return ""
        pieces: list[str] = []
        for position in range(selection.start[0], min(selection.stop[0] + 1, len(self._layout.blocks))):
            self._collect(selection, position, pieces)
        return "".join(pieces)

    def _collect(self, selection: Selection, position: int, pieces: list[str]) -> None:
        """Add what is selected of a block, and what stands between it and the one before."""
        layout = self._layout
        text = layout.draw(position).rendered.text
        part = selection.part(position, len(text))
        if part is None or not layout.measure_height(position):
            return
        if pieces:
            pieces.append("\n" * (1 + layout.gap(position)))
        pieces.append(text[part[0] : part[1]])

    def action_copy(self) -> None:
        """Copy what is selected; with nothing selected, the block under the cursor."""
        if self._selection is not None and not self._selection.is_empty:
            self.run_worker(self._copy(self._selection), group="copying", exclusive=True, exit_on_error=False)
        elif self._cursor is not None and self.has_focus:
            # The blank line above a part of a reply parts it from the one before.
            self._give(self._layout.draw(self._cursor).rendered.text.strip("\n"))

    def action_copy_source(self) -> None:
        """Copy the source of the block under the cursor: of a reply the Markdown of the whole message."""
        if self._cursor is None:
            return
        block = self._layout.blocks[self._cursor]
        what = {"text": "Markdown", "tool": "call and result"}.get(block.kind, "")
        self._give(copied_source(self._layout.blocks, self._cursor), what)

    async def _copy(self, selection: Selection) -> None:
        """Put a selection together; of ten thousand blocks all have to be drawn, so a few at a time."""
        pieces: list[str] = []
        end = time.perf_counter() + _SLICE_S
        for position in range(selection.start[0], min(selection.stop[0] + 1, len(self._layout.blocks))):
            self._collect(selection, position, pieces)
            if time.perf_counter() >= end:
                await asyncio.sleep(_PAUSE_S)
                end = time.perf_counter() + _SLICE_S
        self._give("".join(pieces))

    def _give(self, text: str, what: str = "") -> None:
        if text:
            self.post_message(self.Copied(text, what))
