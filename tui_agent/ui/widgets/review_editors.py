"""The two editors of a review: one for the new lines of a hunk, one for a comment on a line."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import TextArea

from tui_agent.text import clean

__all__ = ["CommentEditor", "HunkEditor"]


class HunkEditor(TextArea):
    """The added lines of one hunk, for editing in place. Enter makes a line; Ctrl+S takes the text, Esc gives it up."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+s", "screen.take_edit", "Use the new lines")]

    def __init__(self) -> None:
        super().__init__(id="editor", tab_behavior="indent", show_line_numbers=False)
        self.cursor_blink = False

    async def on_key(self, event: events.Key) -> None:
        """Esc gives the edit up. A text area whose Tab indents would use it to move the focus on."""
        if event.key == "escape":
            event.stop()
            event.prevent_default()
            await self.run_action("screen.leave_edit")


class CommentEditor(TextArea):
    """A comment on a line. Enter keeps it, Ctrl+J makes another line, Esc gives up."""

    class Kept(Message):
        """The user is done; without text, the comment goes."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class GivenUp(Message):
        """The user does not want it after all."""

    def __init__(self) -> None:
        super().__init__(id="comment", show_line_numbers=False, compact=True)
        self.cursor_blink = False

    async def on_key(self, event: events.Key) -> None:
        if event.key not in ("escape", "enter", "ctrl+j", "shift+enter"):
            return
        event.stop()
        event.prevent_default()
        match event.key:
            case "escape":
                self.post_message(self.GivenUp())
            case "enter":
                self.post_message(self.Kept(clean(self.text)))
            case _:
                self.insert("\n")

    async def on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        self.insert(clean(event.text))
