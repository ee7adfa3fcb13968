"""How a TaskCreate is drawn: as the task it adds."""

from __future__ import annotations

from tui_agent.viewkit.checklist import add_task
from tui_agent.viewkit.runs import Run
from tui_agent.viewkit.tool_text import argument, arguments, one_line
from tui_agent.viewkit.tool_use import ToolUse
from tui_agent.viewkit.tool_view import ToolView
from tui_agent.viewkit.view import LinesBuilder, RenderState

__all__ = ["View"]


class View(ToolView):
    """Title `TaskCreate Run the tests · task 3`; opens to the task."""

    def subject(self, use: ToolUse, state: RenderState) -> list[Run]:
        return [Run(one_line(argument(use, "subject")), state.palette.text)]

    def outcome(self, use: ToolUse, state: RenderState) -> list[Run]:
        task = (use.data or {}).get("task")
        name = one_line(str(task.get("id", "")), 12) if isinstance(task, dict) else ""
        return [Run(f"task {name}" if name else "added", state.palette.muted)]

    def preview(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        add_task(builder, arguments(use), width, state)

    def result(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        task = (use.data or {}).get("task")
        add_task(builder, task if isinstance(task, dict) else arguments(use), width, state)
