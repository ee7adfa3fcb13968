"""What is pressed or pasted on its way into the app: one after the other, and as the user has bound it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any

from textual import events

from tui_agent.ui.terminal.editable import as_editable
from tui_agent.ui.terminal.key_order import KeyOrder, Pressed
from tui_agent.ui.terminal.keys import for_field
from tui_agent.ui.terminal.rebinding import Rebinding

if TYPE_CHECKING:
    from pathlib import Path

    from textual.app import App

__all__ = ["Keyboard"]


class Keyboard:
    """Hands keys on in an app, as `files` bind them. `run` carries out a command by its name, `notify` shows a few words."""

    def __init__(
        self, app: App[Any], files: Sequence[Path], *, run: Callable[[str], object], notify: Callable[[str], object]
    ) -> None:
        self._app = app
        self.order = KeyOrder(app)
        self.rebinding = Rebinding(app, self.order, files, run=run, notify=notify)

    async def press(self, event: Pressed, hand_on: Callable[[Pressed], Awaitable[None]]) -> bool:
        """Give what was pressed to `hand_on`, as what it means; False when it waits, or is done with already."""
        if self.order.holds(event):
            return False
        meant = self.rebinding.read(event)
        if meant is None:
            self.order.skip()
            return False
        target = self._app.focused or self._app.screen
        if isinstance(meant, events.Key) and as_editable(target) is None:
            meant = for_field(meant)
        await hand_on(meant)
        self.order.follow(meant, target)
        return True
