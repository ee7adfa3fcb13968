"""A screen that paints what changed and nothing else, and times its frames.

Relies on `Screen._compositor` (which the screen lays out and paints with), `Screen._dirty_widgets` (what waits to be painted),
`Screen._on_timer_update` (one layout and one paint) and `Screen._on_idle` (called when all messages are done).
"""

from __future__ import annotations

import time
from typing import Final

from textual import events, on
from textual.screen import Screen

from tui_agent.ui.projection.frame_pacing import FramePacer
from tui_agent.ui.textual_patches.compositing import ExactCompositor

__all__ = ["PacedScreen"]

_AT_ONCE_S: Final = 0.05  # what a key or another size changes is changed by then, in as many steps as it takes


class PacedScreen(Screen[None]):
    """Paints with `ExactCompositor`, counts what painting costs in `pace`, and can paint without waiting for the next tick."""

    def __init__(self, pace: FramePacer) -> None:
        super().__init__()
        self._compositor = self._painter = ExactCompositor()
        self._pace = pace
        self._at_once_until = 0.0

    def paint_at_once(self) -> None:
        """Paint what changes in the next moments as it changes: a user waits for it, and a tick may be 17 ms off."""
        self._at_once_until = time.monotonic() + _AT_ONCE_S

    @on(events.Resize)
    @on(events.ScreenSuspend)
    @on(events.ScreenResume)
    def _forget_displayed(self) -> None:
        """A terminal that has another size, or that another screen or program had in the meantime, may display anything."""
        self._painter.displayed.forget()

    async def _on_idle(self, event: events.Idle) -> None:  # noqa: ARG002 - called by name
        if self._dirty_widgets and time.monotonic() < self._at_once_until:
            self._on_timer_update()

    def _on_timer_update(self) -> None:
        """Lay out and paint; what that costs says when the next frame is due."""
        with self._pace.drawing():
            super()._on_timer_update()
