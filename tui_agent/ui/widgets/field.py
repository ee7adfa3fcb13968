"""A one-line input that lets no foreign controls in: what is pasted is cleaned like any text that reaches the screen."""

from __future__ import annotations

from textual import events
from textual.widgets import Input

from tui_agent.text import clean_line

__all__ = ["Field"]


class Field(Input):
    """`Input` with a steady cursor (an idle app paints nothing) and cleaned pastes."""

    def __init__(
        self,
        value: str = "",
        *,
        placeholder: str = "",
        password: bool = False,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(
            value,
            placeholder=placeholder,
            password=password,
            id=id,
            classes=classes,
            compact=True,
            select_on_focus=False,
        )
        self.cursor_blink = False

    def on_paste(self, event: events.Paste) -> None:
        # Textual looks handlers up class by class, so stopping here needs both calls.
        event.stop()
        event.prevent_default()
        text = clean_line(event.text)
        if self.selection.is_empty:
            self.insert_text_at_cursor(text)
        else:
            self.replace(text, *self.selection)
