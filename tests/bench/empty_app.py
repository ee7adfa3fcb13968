"""The least that a full-screen program with a prompt can be: what the start of the real one is measured against."""

from __future__ import annotations

from textual.app import App, ComposeResult
from textual.widgets import Static, TextArea


class EmptyApp(App[None]):
    """A line of text and a field to type in."""

    def compose(self) -> ComposeResult:
        yield Static("empty")
        yield TextArea()

    def on_mount(self) -> None:
        self.query_one(TextArea).cursor_blink = False
        self.query_one(TextArea).focus()


if __name__ == "__main__":
    EmptyApp().run()
