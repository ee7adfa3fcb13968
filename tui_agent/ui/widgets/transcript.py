"""The conversation: a painted window, and what a person does in it: the block cursor, folding, clicks, selecting, copying."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.timer import Timer

from tui_agent.ui.selection import Place, Selection, offset_at, word_at
from tui_agent.ui.widgets.painted import LEFT, PaintedBlocks

if TYPE_CHECKING:
    from tui_agent.viewkit.view import Hit, Palette

__all__ = ["Transcript"]


class Transcript(PaintedBlocks, can_focus=True):
    """Shows the blocks of a projection and lets a person move among them."""

    ALLOW_SELECT = False  # Textual's selection belongs to widgets; this one belongs to the text
    FOCUS_ON_CLICK = False

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", "Previous", show=False),
        Binding("down", "move(1)", "Next", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("home", "start", "Start", show=False),
        Binding("end", "end", "End", show=False),
        Binding("enter,space", "fold", "Open or fold", show=False),
        Binding("c", "copy", "Copy", show=False),
    ]

    class LinkClicked(Message):
        """The person clicked a link; nothing was opened."""

        def __init__(self, address: str) -> None:
            super().__init__()
            self.address = address

    class Copied(Message):
        """The person wants this text in the clipboard."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Pressed(Message):
        """A click on something that concerns others: `action` and `argument` are those of the view's hit."""

        def __init__(self, action: str, argument: str) -> None:
            super().__init__()
            self.action = action
            self.argument = argument

    def __init__(self, palette: Palette, *, id: str | None = None) -> None:
        super().__init__(palette, id=id)
        self._press: Place | None = None
        self._drag_timer: Timer | None = None
        self._drag_lines = 0

    # --- moving ------------------------------------------------------------------------------------------------------

    def on_focus(self) -> None:
        """Show the block cursor, on the last block that can be seen unless it is somewhere already."""
        if self._cursor is None or not self._is_visible(self._cursor):
            position, _ = self._layout.heights.find(self._top + self._page - 1)
            self._cursor = self._step(
                min(position, len(self._layout.blocks)) + (position < len(self._layout.blocks)), -1
            )
        self._paint_changes()

    def on_blur(self) -> None:
        """Hide the block cursor."""
        self._paint_changes()

    def action_move(self, direction: int) -> None:
        """Go to the next or previous block; first scroll through one that is taller than the window."""
        if self._cursor is None:
            self.on_focus()
            return
        heights = self._layout.heights
        first, last = heights.before(self._cursor), heights.before(self._cursor + 1) - 1
        if direction > 0 and last >= self._top + self._page:
            self.scroll_to(y=min(last - self._page + 1, self._top + max(1, self._page // 2)), animate=False)
            return
        if direction < 0 and first < self._top:
            self.scroll_to(y=max(first, self._top - max(1, self._page // 2)), animate=False)
            return
        target = self._step(self._cursor, direction)
        if target is None:
            if direction > 0:
                self.action_end()
            return
        self._go(target)

    def _go(self, position: int) -> None:
        """Put the cursor on a block and bring it into the window."""
        self._cursor = position
        if position < len(self._layout.blocks) - 1 and self._is_following:
            self._stop_following()
        self._layout.measure(position)
        first = self._layout.heights.before(position)
        last = self._layout.heights.before(position + 1) - 1
        if first < self._top:
            self.scroll_to(y=first, animate=False)
        elif last >= self._top + self._page:
            self.scroll_to(y=min(first, last - self._page + 1), animate=False)
        self._paint_changes()

    def show_block(self, position: int) -> None:
        """Take the person to a block, and the focus with them."""
        self.focus()
        self._stop_following()
        self._go(position)
        self.scroll_to(y=self._layout.heights.before(position), animate=False)

    def _step(self, position: int | None, direction: int) -> int | None:
        """Return the next block that can be seen, None when there is none."""
        if position is None:
            return None
        position += direction
        while 0 <= position < len(self._layout.blocks):
            if self._layout.heights[position]:
                return position
            position += direction
        return None

    def _is_visible(self, position: int) -> bool:
        if position >= len(self._layout.heights):
            return False
        first = self._layout.heights.before(position)
        return first < self._top + self._page and first + self._layout.heights[position] > self._top

    def action_page(self, direction: int) -> None:
        """Scroll by a page, one line of the old page kept."""
        self.scroll_to(y=self._top + direction * max(1, self._page - 1), animate=False)

    def action_start(self) -> None:
        """Go to the first block."""
        self._cursor = self._step(-1, 1)
        self.scroll_to(y=0, animate=False)
        self._paint_changes()

    def action_end(self) -> None:
        """Go to the end and follow it again."""
        self._cursor = self._step(len(self._layout.blocks), -1)
        self._is_following = True
        self._update()
        self._paint_changes()

    def action_fold(self) -> None:
        """Open or fold the block under the cursor; follow the link of one that does not fold."""
        if self._cursor is None:
            return
        hits = self._layout.draw(self._cursor).rendered.hits
        for action in ("toggle", "link"):
            found = next((hit for hit in hits if hit.action == action), None)
            if found is not None:
                self._press_hit(self._cursor, found)
                return

    def toggle(self, position: int) -> None:
        """Open or fold a block. What is on the screen above it stays where it is."""
        self._stop_following()
        self._layout.toggle(position)
        self._update()
        if self._top >= self.max_scroll_y:
            self._is_following = True

    # --- mouse -------------------------------------------------------------------------------------------------------

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Begin a selection, or a click."""
        if event.button != 1:
            return
        event.stop()
        self.capture_mouse()
        self._press = self._place_at(event.x, event.y)
        if self._selection is not None:
            self._selection = None
            self._paint_changes()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Extend the selection to where the mouse is, scrolling when it has left the window."""
        if self._press is None:
            return
        event.stop()
        self._drag_lines = event.y if event.y < 0 else max(0, event.y - self._page + 1)
        if self._drag_lines and self._drag_timer is None:
            self._drag_timer = self.set_interval(0.05, self._drag_on)
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
        """Select the word under a double click."""
        if event.chain == 2:
            position, offset = self._place_at(event.x, event.y)
            if position < len(self._layout.blocks) and not self._hit_at(event.x, event.y):
                start, stop = word_at(self._layout.draw(position).rendered.text, offset)
                self._selection = Selection((position, start), (position, stop))
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
        if position >= len(layout.blocks):
            last = len(layout.blocks) - 1
            return (last, len(layout.draw(last).rendered.text)) if last >= 0 else (0, 0)
        number = offset - layout.gap(position)
        return position, offset_at(layout.draw(position).rendered, number, x - LEFT)

    def _hit_at(self, x: int, y: int) -> tuple[int, Hit] | None:
        layout = self._layout
        position, offset = layout.heights.find(self._top + y)
        if position >= len(layout.blocks):
            return None
        number, cell = offset - layout.gap(position), x - LEFT
        hits = layout.draw(position).rendered.hits
        found = next((hit for hit in hits if hit.line == number and hit.start <= cell < hit.stop), None)
        return (position, found) if found is not None else None

    def _click(self, x: int, y: int) -> None:
        if self.news and y == self._page - 1:
            self.action_end()
            return
        found = self._hit_at(x, y)
        if found is not None:
            self._press_hit(*found)

    def _press_hit(self, position: int, hit: Hit) -> None:
        if hit.action == "toggle":
            self.toggle(position)
        elif hit.action == "link":
            self.post_message(self.LinkClicked(hit.argument))
        else:
            self.post_message(self.Pressed(hit.action, hit.argument))

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
        if self._selection is None:
            return ""
        layout = self._layout
        pieces: list[str] = []
        for position in range(self._selection.start[0], min(self._selection.stop[0] + 1, len(layout.blocks))):
            text = layout.draw(position).rendered.text
            part = self._selection.part(position, len(text))
            if part is None or not layout.measure_height(position):
                continue
            if pieces:
                pieces.append("\n" * (1 + layout.gap(position)))
            pieces.append(text[part[0] : part[1]])
        return "".join(pieces)

    def action_copy(self) -> None:
        """Copy what is selected; with nothing selected, the block under the cursor."""
        text = self.selected_text()
        if not text and self._cursor is not None and self.has_focus:
            text = self._layout.draw(self._cursor).rendered.text
        if text:
            self.post_message(self.Copied(text))
