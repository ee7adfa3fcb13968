"""How EnterPlanMode is drawn: that nothing is changed from here on, and where the plan goes."""

from __future__ import annotations

from tui_agent.viewkit.plain import add_text
from tui_agent.viewkit.runs import Run
from tui_agent.viewkit.tool_text import display_path
from tui_agent.viewkit.tool_use import ToolUse
from tui_agent.viewkit.tool_view import ToolView
from tui_agent.viewkit.view import LinesBuilder, RenderState

__all__ = ["View"]


class View(ToolView):
    """Title `Plan mode · on`; opens to where the plan goes."""

    def name(self, use: ToolUse) -> str:
        return "Plan mode"

    def outcome(self, use: ToolUse, state: RenderState) -> list[Run]:
        return [Run("on", state.palette.muted)]

    def preview(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        add_text(builder, "nothing but reading until you approve a plan", state.palette.muted, width)

    def result(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        palette, file = state.palette, (use.data or {}).get("filePath")
        add_text(builder, "Nothing but reading until you approve a plan.", palette.text, width)
        if isinstance(file, str) and file:
            add_text(builder, f"The plan goes to {display_path(file, use.base)}", palette.muted, width)

    def ask(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        add_text(builder, "turn plan mode on: nothing but reading until you approve a plan", state.palette.text, width)
