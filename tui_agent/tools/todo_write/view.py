"""How a TodoWrite is drawn: as the checklist it writes."""

from __future__ import annotations

from typing import Any

from tui_agent.viewkit.checklist import ChecklistStep, add_checklist, current, done, read_steps
from tui_agent.viewkit.plain import add_text
from tui_agent.viewkit.runs import Run
from tui_agent.viewkit.tool_text import arguments
from tui_agent.viewkit.tool_use import ToolUse
from tui_agent.viewkit.tool_view import ToolView
from tui_agent.viewkit.view import LinesBuilder, RenderState

__all__ = ["View"]


class View(ToolView):
    """Title `TodoWrite Running the tests · 2 of 5 done`; opens to the list."""

    def subject(self, use: ToolUse, state: RenderState) -> list[Run]:
        step = current(_steps(use))
        return [Run(step.text, state.palette.text)] if step is not None else []

    def outcome(self, use: ToolUse, state: RenderState) -> list[Run]:
        steps = _steps(use)
        said = f"{done(steps)} of {len(steps)} done" if steps else "empty"
        return [Run(said, state.palette.muted)]

    def preview(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        add_checklist(builder, _steps(use), width, state)

    def result(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        steps = _steps(use)
        if steps:
            add_checklist(builder, steps, width, state)
        else:
            add_text(builder, "The list is empty now.", state.palette.muted, width)

    def ask(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        add_checklist(builder, _steps(use), width, state)


def _steps(use: ToolUse) -> list[ChecklistStep]:
    todos: Any = arguments(use).get("todos")
    return read_steps(todos)
