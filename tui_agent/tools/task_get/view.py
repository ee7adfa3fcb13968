"""How a TaskGet is drawn: as the task."""

from __future__ import annotations

from tui_agent.viewkit.checklist import add_task
from tui_agent.viewkit.runs import Run
from tui_agent.viewkit.tool_text import arguments, one_line
from tui_agent.viewkit.tool_use import ToolUse
from tui_agent.viewkit.tool_view import ToolView
from tui_agent.viewkit.view import LinesBuilder, RenderState

__all__ = ["View"]


class View(ToolView):
    """Title `TaskGet 3 · Run the tests`; opens to the task."""

    def subject(self, use: ToolUse, state: RenderState) -> list[Run]:
        return [Run(one_line(str(arguments(use).get("taskId", "")), 12), state.palette.text)]

    def outcome(self, use: ToolUse, state: RenderState) -> list[Run]:
        task = (use.data or {}).get("task")
        subject = task.get("subject") if isinstance(task, dict) else None
        return [Run(one_line(str(subject or "found")), state.palette.muted)]

    def result(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        task = (use.data or {}).get("task")
        if isinstance(task, dict):
            add_task(builder, task, width, state)
        else:
            super().result(use, builder, width, state)
