"""Who is asked first what a key pressed in the prompt means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from rich.text import Text
    from textual import events

__all__ = ["KeyHandler"]


class KeyHandler(Protocol):
    """Who is asked first what a key means."""

    def take_key(self, key: str) -> bool:
        """Do what the key means; False when it is for the text."""
        ...

    async def settle(self, key: str) -> None:
        """Return when a key can be taken."""
        ...

    async def take_paste(self, text: str) -> None:
        """Take what was pasted, as it came."""
        ...

    @property
    def has_chips(self) -> bool:
        """Whether something in the text may be whole only."""
        ...

    def widen(self, start: int, stop: int, inserted: str) -> tuple[int, int]:
        """Return from where to where a change has to reach, in offsets: some things go or stay as a whole."""
        ...

    def paint(self, line: Text) -> None:
        """Set apart what stands for something else in a line."""
        ...

    def pass_on(self, event: events.Key) -> bool:
        """Give a key to what was just opened to take it; False where nothing was."""
        ...

    def show_mark(self) -> None:
        """Show anew what stands before the text: its mode has changed."""
        ...

    @property
    def is_completing(self) -> bool:
        """Whether a list is open for what was typed."""
        ...

    def close_list(self) -> None:
        """Close a list that is open for what was typed."""
        ...
