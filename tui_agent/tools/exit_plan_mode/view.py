"""How ExitPlanMode is drawn: the plan, and the mode it was approved with."""

from __future__ import annotations

from typing import Final

from tui_agent.viewkit.markdown import MarkdownView
from tui_agent.viewkit.plain import add_text
from tui_agent.viewkit.runs import Run
from tui_agent.viewkit.tool_text import argument, count, display_path, one_line
from tui_agent.viewkit.tool_use import ToolUse
from tui_agent.viewkit.tool_view import ToolView
from tui_agent.viewkit.view import LinesBuilder, RenderState

__all__ = ["View"]

_LINES: Final = 200  # of the plan, in the conversation; the dialog has all of it
_MODES: Final = {
    "acceptEdits": "approved, edits are accepted",
    "default": "approved, edits ask",
    "bypassPermissions": "approved, nothing asks",
}


class View(ToolView):
    """Title `Plan · approved, edits ask`; opens to the plan."""

    def name(self, use: ToolUse) -> str:
        return "Plan"

    def subject(self, use: ToolUse, state: RenderState) -> list[Run]:
        plan = (use.data or {}).get("plan") or argument(use, "plan")
        first = next((line.strip(" #") for line in str(plan).splitlines() if line.strip(" #")), "")
        return [Run(one_line(first, 200), state.palette.text)] if first else []

    def outcome(self, use: ToolUse, state: RenderState) -> list[Run]:
        data = use.data or {}
        words = _MODES.get(str(data.get("mode")), "approved")
        runs = [Run(words, state.palette.success)]
        if data.get("isChanged"):
            runs.append(Run(" · changed by you", state.palette.muted))
        return runs

    def preview(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        plan = argument(use, "plan")
        if plan.strip():
            _draw(plan, builder, width, state)
        else:
            add_text(builder, "the plan, for you to approve", state.palette.muted, width)

    def result(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        data = use.data or {}
        plan, file = data.get("plan"), data.get("filePath")
        _draw(plan if isinstance(plan, str) else "", builder, width, state)
        if isinstance(file, str) and file:
            add_text(builder, f"kept in {display_path(file, use.base)}", state.palette.faint, width)

    def ask(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        self.preview(use, builder, width, state)


def _draw(plan: str, builder: LinesBuilder, width: int, state: RenderState) -> None:
    lines = plan.strip("\n").split("\n")
    builder.extend(MarkdownView("\n".join(lines[:_LINES])).render(width, state))
    if len(lines) > _LINES:
        add_text(builder, f"… {count(len(lines) - _LINES, 'more line')}", state.palette.faint, width)
