"""The messages that wait until the model is asked again, listed above the prompt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from textual.content import Content
from textual.widgets import Static

from tui_agent.text import clean_line
from tui_agent.ui.render_style import muted
from tui_agent.ui.terminal.shown_keys import named_key

__all__ = ["QueuedMessages"]

_ROWS: Final = 3


class QueuedMessages(Static):
    """The newest of them, how many more there are, and the key that takes them back; not shown while none waits."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, markup=False)
        self.count = 0
        """How many wait."""

    def on_mount(self) -> None:
        """Nothing waits yet."""
        self.display = False

    def show(self, waiting: Sequence[tuple[str, str]], width: int) -> None:
        """List these in so many columns: pairs of id and text, the oldest first."""
        self.count = len(waiting)
        self.display = bool(waiting)
        shown = waiting[-_ROWS:]
        rows = [Content.assemble(("queued  ", "$text-warning"), clean_line(text, 300)) for _, text in shown]
        if rows:
            more = f"{len(waiting) - len(rows)} more · " if len(waiting) > len(rows) else ""
            words = more + _when_sent([text for _, text in waiting], named_key(self.app, "Chat", "↑"))
            indent = min(len("queued  "), max(0, width - 2 - len(words)))
            rows.append(Content.styled(" " * indent + words, muted(self.app)))
        self.update(Content("\n").join(rows))


def _when_sent(waiting: Sequence[str], key: str) -> str:
    """Return when what waits is sent, or run, and what a key takes back: messages together, else the newest command."""
    commands = sum(text.startswith("!") for text in waiting)
    messages = len(waiting) - commands
    if not commands:
        when, what = "delivered at the next step", "it" if messages == 1 else "them"
    elif not messages:
        when, what = "run after the turn", "it" if commands == 1 else "the last"
    else:
        when, what = "next step, ! after the turn", "the message" if messages == 1 else "the messages"
    return f"{when} · {key} takes {what} back" if key else when
