"""The part of the projection that says what goes on now, since when, and for how long questions have waited for the user."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tui_agent.ui.projection.thread import PREPARING, Thread

if TYPE_CHECKING:
    from tui_agent.ui.projection.hook_reducer import HookReducer
    from tui_agent.ui.projection.request_reducer import RequestReducer
    from tui_agent.ui.projection.state import Status
    from tui_agent.ui.projection.tool_reducer import ToolReducer

__all__ = ["ActivityReducer"]

WAITS: Final = "waits for you"


class ActivityReducer:
    """Reads the other reducers of a session; what goes on stands in `status`."""

    def __init__(
        self, status: Status, main: Thread, tools: ToolReducer, requests: RequestReducer, hooks: HookReducer
    ) -> None:
        self._status = status
        self._main = main
        self._tools = tools
        self._requests = requests
        self._hooks = hooks
        self._asked_ms = 0.0  # for how long questions waited for the user since the turn began

    def begin_turn(self) -> None:
        """Count anew how long questions wait."""
        self._asked_ms = 0.0

    def asked_ms(self, now_ms: float) -> float:
        """Return for how long questions have waited for the user since the turn began."""
        waiting = now_ms - self._status.activity_since_ms if self._status.activity == WAITS else 0.0
        return self._asked_ms + max(0.0, waiting)

    def settle(self, now_ms: float) -> bool:
        """Bring the status up to date, after each event; True where it changed."""
        status = self._status
        is_busy = self._main.has_turn or self._hooks.holds_up or bool(self._requests.open)
        has_changed = is_busy != status.is_busy
        status.is_busy = is_busy
        activity, tool_id = self._activity() if is_busy else ("", "")
        if status.activity == WAITS and activity != WAITS:
            self._asked_ms = self.asked_ms(now_ms)
        if (activity, tool_id) != (status.activity, status.activity_tool):
            status.activity, status.activity_tool, status.activity_since_ms = activity, tool_id, now_ms
            has_changed = True
        return has_changed

    def _activity(self) -> tuple[str, str]:
        """Put into one or two words what goes on: a question to the user first, then what the model does, then tools."""
        if self._requests.open:
            return WAITS, ""
        if self._hooks.message:
            return self._hooks.message, ""
        if self._main.talk:
            return self._main.talk, self._main.prepared if self._main.talk == PREPARING else ""
        running = list(self._tools.running)
        if len(running) > 1:
            return f"running {len(running)} tools", ""
        if running:
            return "running", running[0]
        return self._hooks.name or "working", ""
