"""The conversation: a painted window, and what a user does in it by keys: moving, folding, jumping, following links."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message

from tui_agent.ui.widgets.searching import SearchableBlocks

if TYPE_CHECKING:
    from tui_agent.ui.widgets.key_hints import Hint
    from tui_agent.viewkit.view import Hit

__all__ = ["Transcript"]


class Transcript(SearchableBlocks, can_focus=True):
    """Shows the blocks of a projection and lets a user move among them."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", "Previous", show=False),
        Binding("down", "move(1)", "Next", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("home,g", "start", "Start", show=False),
        Binding("end,G", "end", "Go to the end and follow", show=False),
        Binding("left_square_bracket", "message(-1)", "Your previous message", show=False),
        Binding("right_square_bracket", "message(1)", "Your next message", show=False),
        Binding("enter", "enter", "Expand or collapse; follow a link; next match", show=False),
        Binding("space", "fold", "Expand or collapse", show=False),
        Binding("o", "screen.details", "Expand or collapse all details", show=False),
        Binding("slash", "screen.search", "Search", show=False),
        Binding("n", "step_search(1)", "Next match", show=False),
        Binding("N", "step_search(-1)", "Previous match", show=False),
        Binding("l", "links", "Links of the block", show=False),
        Binding("c", "copy", "Copy the selection, or the block", show=False),
        Binding("y", "copy_source", "Copy the source: Markdown, or call and result", show=False),
    ]
    HINTS: ClassVar[tuple[Hint, ...]] = (
        ("enter", "open"), ("[ ]", "messages"), ("/", "search"), ("c", "copy"), ("y", "source"), ("l", "links"),
    )  # fmt: skip

    class LinkClicked(Message):
        """The user wants to follow one of these links; nothing was opened."""

        def __init__(self, *addresses: str) -> None:
            super().__init__()
            self.addresses = addresses

    class Pressed(Message):
        """A click on something that concerns others: `action` and `argument` are those of the view's hit."""

        def __init__(self, action: str, argument: str) -> None:
            super().__init__()
            self.action = action
            self.argument = argument

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002 - Textual's
        """Keys that go from match to match are for the prompt where nothing is searched."""
        return self.is_searching if action == "step_search" else True

    async def on_key(self, event: events.Key) -> None:
        """Open a search at once: the keys behind this one are for its words. They may be here already."""
        focused = self.screen.focused
        if focused is not None and focused is not self:
            event.stop().prevent_default()
            focused.post_message(events.Key(event.key, event.character))
        elif event.key == "slash":
            event.stop().prevent_default()
            await self.run_action("screen.search")

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
        """Take the user to a block, and the focus with them."""
        self.focus()
        self._stop_following()
        if self._page:
            self._begin_with(position)
        else:  # it lay under a pane until now, and has no place on the screen before the next layout
            self.call_after_refresh(self._begin_with, position)

    def _begin_with(self, position: int) -> None:
        self._go(position)
        self._put_at_top(position)

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

    def action_enter(self) -> None:
        """Go to the next match of a search; without one, open, fold or follow what is under the cursor."""
        if self.is_searching:
            self.step_search(1)
        else:
            self.action_fold()

    def action_fold(self) -> None:
        """Open or fold the block under the cursor; follow the links of one that does not fold."""
        if self._cursor is None:
            return
        found = next((hit for hit in self._layout.draw(self._cursor).rendered.hits if hit.action == "toggle"), None)
        if found is not None:
            self._press_hit(self._cursor, found)
        else:
            self.action_links()

    def action_links(self) -> None:
        """Offer the links of the block under the cursor."""
        if self._cursor is None:
            return
        hits = self._layout.draw(self._cursor).rendered.hits
        addresses = list(dict.fromkeys(hit.argument for hit in hits if hit.action == "link"))
        if addresses:
            self.post_message(self.LinkClicked(*addresses))

    def action_message(self, direction: int) -> None:
        """Go to the user's message before or behind the cursor, or the window's top; behind the last one is the end."""
        blocks = self._layout.blocks
        if self._cursor is not None and self._is_visible(self._cursor):
            place = self._cursor + direction
        else:
            position, offset = self._layout.heights.find(self._top)
            is_inside = position < len(blocks) and offset > self._layout.gap(position)
            place = position + (0 if direction < 0 and is_inside else direction)
        while 0 <= place < len(blocks) and blocks[place].kind != "user":
            place += direction
        if place >= len(blocks):
            self.action_end()
        elif place >= 0:
            self._stop_following()
            self._go(place)
            self._put_at_top(place)

    def _put_at_top(self, position: int) -> None:
        """Scroll so that a block begins at the top of the window."""
        heights = self._layout.heights
        self._set_height(heights.total)
        self.scroll_to(y=heights.before(position) + self._layout.gap(position), animate=False)

    def action_step_search(self, direction: int) -> None:
        """Go to the next match of the search, or the one before."""
        self.step_search(direction)

    def toggle(self, position: int) -> None:
        """Open or fold a block. What is on the screen above it stays where it is."""
        self._stop_following()
        self._layout.toggle(position)
        self._update()
        if self._top >= self.max_scroll_y:
            self._is_following = True

    # --- clicks ------------------------------------------------------------------------------------------------------

    def _click(self, x: int, y: int) -> None:
        if self.has_unread and y == self._page - 1:
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
