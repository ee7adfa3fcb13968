"""Tells a user who looks elsewhere that something waits for them: by the terminal, and in the window's title.

Whether the terminal is in front is known where it reports its focus. Where it never has, a call would come while the user
looks on, so there is none, unless the settings ask for a bell. Nothing is written but when something changes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from tui_agent.events import FormRequested
from tui_agent.text import clean_line
from tui_agent.ui.terminal.notification_sequences import SAVE_TITLE, call_sequence, restore_title, title_sequence
from tui_agent.viewkit.tool_text import duration

if TYPE_CHECKING:
    from tui_agent.ui.projection.projection import Projection
    from tui_agent.ui.projection.state import Request

__all__ = ["Notifications"]

LONG_MS: Final = 10_000.0  # a turn that took as long is worth a call when it ends
_NAME: Final = "tui-agent"


class Notifications:
    """Follows what an app shows. `write` sends text to the terminal as it is; `channel` gives the setting.

    `is_in_front` says whether the terminal is, None where it has never told.
    """

    def __init__(
        self,
        write: Callable[[str], object],
        channel: Callable[[], str],
        is_in_front: Callable[[], bool | None],
        *,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self._write = write
        self._channel = channel
        self._environ = os.environ if environ is None else environ
        self._is_in_front = is_in_front
        self._title = ""
        self._seen: set[str] = set()
        self._running = ""  # the turn that was seen to run: what a recording ended with is no news

    def follow(self, projection: Projection) -> None:
        """Take in what the screen shows now; call the user if that waits for them."""
        self._set_title(projection)
        waiting = {request.request_id: request for request in projection.requests}
        new = [request for name, request in waiting.items() if name not in self._seen]
        self._seen = set(waiting)
        took = self._took(projection)
        if new:
            self._call(projection, _asked(new[0]))
        elif took >= LONG_MS and projection.turn is not None:
            self._call(projection, _ended(projection.turn.outcome, took))

    def _took(self, projection: Projection) -> float:
        """Return how long the turn took that has just ended by itself, in milliseconds; 0 where none has."""
        turn = projection.turn
        if turn is None or turn.ended_ms is None:
            self._running = turn.id if turn is not None else ""
            return 0.0
        was_running, self._running = turn.id == self._running, ""
        if not was_running or turn.outcome == "interrupted" or projection.queue:
            return 0.0
        return turn.ended_ms - turn.started_ms

    def end(self) -> None:
        """Give the window its title back."""
        if self._title:
            self._title = ""
            self._write(restore_title())

    def _call(self, projection: Projection, text: str) -> None:
        channel, is_in_front = self._channel(), self._is_in_front()
        if is_in_front or (is_in_front is None and channel != "terminal_bell"):
            return
        self._write(call_sequence(channel, f"{_NAME} {_folder(projection)}".strip(), text, self._environ))

    def _set_title(self, projection: Projection) -> None:
        status = projection.status
        if projection.requests:
            title = f"● {_NAME} – waits for you"
        elif status.is_busy:
            title = f"▸ {_NAME} – works"
        else:
            title = f"{_NAME} – {_folder(projection)}" if status.cwd else _NAME
        if title != self._title:
            if not self._title:
                self._write(SAVE_TITLE)
            self._title = title
            self._write(title_sequence(title))


def _folder(projection: Projection) -> str:
    return clean_line(PurePath(projection.status.cwd).name, 60)


def _asked(request: Request) -> str:
    if isinstance(request, FormRequested):
        return "The model asks you something" if request.tool_use_id else "The spending limit is reached"
    if request.name == "ExitPlanMode":
        return "A plan waits for your approval"
    return f"{clean_line(request.name, 60)} needs your permission"


def _ended(outcome: str, took_ms: float) -> str:
    words = "The model has finished" if outcome == "done" else "The turn has ended before it was done"
    return f"{words}, after {duration(took_ms)}"
