"""One of a few, in a row: `○ deny  ● ask  ○ allow`. Keys left and right, space, or a click."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, Final

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.reactive import var
from textual.widgets import Static

from tui_agent.ui.transcript.clickable import clickable

__all__ = ["RadioRow"]


class RadioRow(Static, can_focus=True):
    """A row of choices, by value with the words for each; `value` is the one that is chosen."""

    ALLOW_SELECT = False

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "move(-1)", "Previous", show=False),
        Binding("right,space", "move(1)", "The next", show=False),
    ]

    class Picked(Message):
        """Another one was chosen."""

    value: var[str] = var("", init=False)

    def __init__(self, label: str, choices: Iterable[tuple[str, str]], value: str, *, id: str | None = None) -> None:
        super().__init__(id=id, classes="pick")
        self._label: Final = label
        self._choices: Final = dict(choices)
        self.set_reactive(RadioRow.value, value)

    def on_mount(self) -> None:
        self._show()

    def watch_value(self) -> None:
        self._show()
        self.post_message(self.Picked())

    def _show(self) -> None:
        parts = [Content.styled(self._label, "$foreground-muted")]
        for value, words in self._choices.items():
            is_chosen = value == self.value
            text = Content.styled(f"{'●' if is_chosen else '○'} {words}", "" if is_chosen else "$foreground-muted")
            parts.append(clickable(text, "pick", value))
        self.update(Content("  ").join(parts))

    def action_move(self, step: int) -> None:
        values = list(self._choices)
        self.value = values[(values.index(self.value) + step) % len(values)]

    def action_pick(self, value: str) -> None:
        self.value = value

    def on_click(self, event: events.Click) -> None:
        event.stop()
        self.screen.set_focus(self)
