"""What the terminal around the app is told, and what it tells: a call when something waits, the user's own status line, and
whether the user looks at it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.geometry import Size

if TYPE_CHECKING:
    from tui_agent.queries import Preferences
    from tui_agent.ui.projection.projection import Projection
    from tui_agent.ui.terminal.notifications import Notifications
    from tui_agent.ui.terminal.status_command import StatusCommand

__all__ = ["FocusState"]


class FocusState:
    """Follows the session for those who do not look at its panes. What it needs is imported with the first session."""

    def __init__(
        self, write: Callable[[str], None], show_line: Callable[[str, int], None], size: Callable[[], Size]
    ) -> None:
        self.is_in_front: bool | None = None  # None: the terminal has never said
        self._write = write
        self._show_line = show_line
        self._size = size
        self.session_id = ""
        self.preferences: Preferences | None = None
        self._attention: Notifications | None = None
        self._line: StatusCommand | None = None

    def resume(self) -> None:
        """Speak for another session from now on. `session_id` and `preferences` are set when they are known."""
        self._end_line()
        self.session_id = ""
        self.preferences = None
        if self._attention is None:
            from tui_agent.ui.terminal.notifications import Notifications

            self._attention = Notifications(self._write, self._channel, lambda: self.is_in_front)

    def follow(self, projection: Projection, *, has_new_status: bool) -> None:
        """Say how things stand where that changed."""
        if self._attention is not None:
            self._attention.follow(projection)
        if has_new_status:
            self._follow_line(projection)

    def end(self) -> None:
        """Say no more, and leave the terminal as it was."""
        if self._attention is not None:
            self._attention.end()
        self._end_line()

    def _channel(self) -> str:
        return self.preferences.notification_channel if self.preferences is not None else "auto"

    def _follow_line(self, projection: Projection) -> None:
        line = self.preferences.status_line if self.preferences is not None else None
        if line is None or not self.session_id:
            return
        if self._line is None:
            from tui_agent.ui.terminal.status_command import StatusCommand

            self._line = StatusCommand(self.session_id, self._show_line, self._size)
        self._line.follow(projection, line)

    def _end_line(self) -> None:
        if self._line is not None:
            self._line.close()
            self._line = None
