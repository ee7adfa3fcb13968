"""How a TaskList is drawn: as a checklist."""

from __future__ import annotations

from tui_agent.viewkit.checklist import add_checklist, done, read_steps
from tui_agent.viewkit.plain import add_text
from tui_agent.viewkit.runs import Run
from tui_agent.viewkit.tool_use import ToolUse
from tui_agent.viewkit.tool_view import ToolView
from tui_agent.viewkit.view import LinesBuilder, RenderState

__all__ = ["View"]


class View(ToolView):
    """Title `TaskList 2 of 5 done`; opens to the list."""

    def outcome(self, use: ToolUse, state: RenderState) -> list[Run]:
        steps = read_steps((use.data or {}).get("tasks"))
        return [Run(f"{done(steps)} of {len(steps)} done" if steps else "empty", state.palette.muted)]

    def preview(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        """Nothing beyond the title: there are no arguments."""

    def result(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        steps = read_steps((use.data or {}).get("tasks"))
        if steps:
            add_checklist(builder, steps, width, state, has_ids=True)
        else:
            add_text(builder, "The list is empty.", state.palette.muted, width)

    def ask(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        add_text(builder, "look at the task list", state.palette.text, width)
