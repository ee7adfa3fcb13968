"""Keys take effect in the order they were pressed, however fast they come.

A key bubbles from the focused widget up to the app, which runs what it is bound to: closes a dialog, goes to another pane. The
keys behind it would meanwhile be handed to where the focus still is, and be lost there. They wait for it instead.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from textual import events
from textual.message import Message
from textual.widgets import Input, TextArea

if TYPE_CHECKING:
    from textual.app import App
    from textual.widget import Widget

__all__ = ["KeyOrder", "Pressed"]

_PATIENCE_S: Final = 0.5  # with a key whose way led through a widget that has gone meanwhile

Pressed = events.Key | events.Paste


class KeyOrder:
    """Holds what was pressed behind a key that is still on its way. What only writes text into a field holds up nothing."""

    class Arrived(Message, bubble=True):
        """Follows a key on its way up, and then what widgets told each other because of it: two rounds."""

        def __init__(self, number: int, rounds: int = 2) -> None:
            super().__init__()
            self.number = number
            self.rounds = rounds

    def __init__(self, app: App[Any]) -> None:
        self._app = app
        self._waiting: deque[Pressed] = deque()
        self._next: Pressed | None = None  # waited long enough, and is sent again
        self._number = 0
        self._is_under_way = False
        self._patience: asyncio.TimerHandle | None = None

    def holds(self, event: Pressed) -> bool:
        """Whether an event waits for those before it; if so, the app gets it again when its turn has come."""
        if event is self._next:
            self._next = None
            return False
        if not self._is_under_way and self._next is None:
            return False
        self._waiting.append(event)
        if self._is_under_way and self._patience is None:
            self._patience = asyncio.get_running_loop().call_later(_PATIENCE_S, self.go_on)
        return True

    def follow(self, event: Pressed, target: Widget) -> None:
        """An event was just handed to `target`: let the next ones wait until what it does is done."""
        is_text = isinstance(target, Input | TextArea) and (
            isinstance(event, events.Paste) or _is_written(event, target)
        )
        self._number += 1
        self._is_under_way = not is_text and target.post_message(self.Arrived(self._number))
        if not self._is_under_way:
            self._send_next()

    def arrived(self, event: Arrived) -> None:
        """A key has come to its end, and what follows it now has come up too."""
        if event.number != self._number or not self._is_under_way:
            return
        target = self._app.focused or self._app.screen
        if event.rounds < 2 or not target.post_message(self.Arrived(event.number, event.rounds - 1)):
            self.go_on()

    def go_on(self) -> None:
        """What the last key did is done, or nobody will ever say so: the next one goes."""
        if self._is_under_way:
            self._is_under_way = False
            self._send_next()

    def skip(self) -> None:
        """What was to be handed on came to nothing: the next one goes."""
        if not self._is_under_way and self._next is None:
            self._send_next()

    def put_first(self, pressed: Sequence[Pressed]) -> None:
        """Have these come next, before all that waits."""
        self._waiting.extendleft(reversed(pressed))

    def _send_next(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None
        if self._waiting:
            self._next = self._waiting.popleft()
            self._app.post_message(self._next)


def _is_written(event: events.Key, target: Input | TextArea) -> bool:
    """Whether a key only writes into a field; some fields have another use for it, and say so."""
    return event.is_printable and target.check_consume_key(event.key, event.character)
