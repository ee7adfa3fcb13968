"""What the session has cost, by model and by turn, and its spending limit."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Input, Static

from tui_agent.ui.dialogs.dialog import Dialog
from tui_agent.ui.dialogs.dialog_box import DialogBox
from tui_agent.ui.screen_text.cost_text import cost_text, parse_limit
from tui_agent.ui.widgets.field import Field
from tui_agent.ui.widgets.key_line import KeyLine

if TYPE_CHECKING:
    from tui_agent.ui.projection.cost_reducer import CostReducer

__all__ = ["CostScreen"]

_KEYS = "↑↓ scroll · l set a limit · esc close"


class CostScreen(Dialog[None]):
    """`track` is followed as long as the screen is open; `set_limit` gets the limit that the user writes, None for none."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", "Close"),
        Binding("l", "limit", "Set a spending limit"),
        Binding("down", "scroll(1)", "Scroll down", show=False),
        Binding("up", "scroll(-1)", "Scroll up", show=False),
    ]

    def __init__(self, track: CostReducer, set_limit: Callable[[float | None], object]) -> None:
        super().__init__()
        self._track = track
        self._set_limit = set_limit

    def compose(self) -> ComposeResult:
        with DialogBox():
            with VerticalScroll(id="sections"):
                yield Static(id="text", markup=False)
            yield Field(placeholder="limit in US dollars, or off; then Enter", id="limit")
            yield KeyLine(_KEYS)

    def on_mount(self) -> None:
        self.query_one("#dialog").border_title = Content("Cost")
        self.query_one("#limit").display = False
        self.set_focus(self.query_one("#sections"))

    def on_resize(self, _event: events.Resize) -> None:
        self.call_after_refresh(self.show)

    def show(self) -> None:
        """Bring the numbers up to date."""
        text = self.query_one("#text", Static)
        text.update(cost_text(self._track, max(30, text.size.width)))

    def action_limit(self) -> None:
        """Go to the field for a limit."""
        field = self.query_one("#limit", Input)
        field.display = True
        self.set_focus(field)

    def action_scroll(self, step: int) -> None:
        """Scroll, wherever the focus is."""
        self.query_one("#sections").scroll_relative(y=step, animate=False)

    @on(Input.Submitted, "#limit")
    def _take(self, event: Input.Submitted) -> None:
        event.stop()
        keys = self.query_one("#keys", Static)
        try:
            limit = parse_limit(event.value)
        except ValueError:
            keys.update(Content.styled("Write an amount above 0, such as 5 or 0.50, or off.", "$text-error"))
            return
        self._set_limit(limit)
        keys.update(_KEYS)
        self.action_close()

    def action_close(self) -> None:
        """Leave the field; without it, the screen."""
        field = self.query_one("#limit", Input)
        if field.display:
            field.value, field.display = "", False
            self.set_focus(self.query_one("#sections"))
            self.query_one("#keys", Static).update(_KEYS)
            self.call_after_refresh(self.show)
        else:
            self.dismiss(None)
