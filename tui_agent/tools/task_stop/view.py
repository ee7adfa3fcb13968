"""How a TaskStop is drawn: which job, and that it is over."""

from __future__ import annotations

from tui_agent.viewkit.runs import Run
from tui_agent.viewkit.tool_text import argument, one_line
from tui_agent.viewkit.tool_use import ToolUse
from tui_agent.viewkit.tool_view import ToolView
from tui_agent.viewkit.view import RenderState

__all__ = ["View"]


class View(ToolView):
    """Title `TaskStop npm run dev · stopped`."""

    def subject(self, use: ToolUse, state: RenderState) -> list[Run]:
        data = use.data or {}
        name = data.get("command") or argument(use, "task_id")
        return [Run(one_line(str(name), 200), state.palette.text)] if name else []

    def outcome(self, use: ToolUse, state: RenderState) -> list[Run]:
        data = use.data or {}
        words = "stopped" if data.get("stopped", True) else "had ended before"
        return [Run(words, state.palette.muted)]
