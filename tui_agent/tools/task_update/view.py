"""How a TaskUpdate is drawn: as what it changes, and the task as it is then."""

from __future__ import annotations

from typing import Any, Final

from tui_agent.viewkit.checklist import add_task
from tui_agent.viewkit.plain import add_text
from tui_agent.viewkit.runs import Run
from tui_agent.viewkit.tool_text import argument, arguments, one_line
from tui_agent.viewkit.tool_use import ToolUse
from tui_agent.viewkit.tool_view import ToolView
from tui_agent.viewkit.view import LinesBuilder, RenderState

__all__ = ["View"]

_WORDS: Final = {"in_progress": "in progress"}
_NAMES: Final = {
    "activeForm": "active form",
    "addBlocks": "comes before",
    "addBlockedBy": "comes after",
}


class View(ToolView):
    """Title `TaskUpdate 3 Run the tests · completed`; opens to the task."""

    def subject(self, use: ToolUse, state: RenderState) -> list[Run]:
        name = one_line(str(arguments(use).get("taskId", "")), 12)
        task = (use.data or {}).get("task")
        known = task.get("subject") if isinstance(task, dict) else (use.data or {}).get("subject")
        said = known if isinstance(known, str) else argument(use, "subject")
        runs = [Run(name, state.palette.text)]
        return [*runs, Run(f" {one_line(said)}", state.palette.text)] if said else runs

    def so_far(self, use: ToolUse, state: RenderState) -> list[Run]:
        status = argument(use, "status")
        return [Run(_WORDS.get(status, one_line(status, 20)), state.palette.muted)] if status else []

    def outcome(self, use: ToolUse, state: RenderState) -> list[Run]:
        status = self.so_far(use, state)
        if status:
            return status
        fields: Any = (use.data or {}).get("updatedFields")
        names = [_NAMES.get(str(name), one_line(str(name), 20)) for name in fields] if isinstance(fields, list) else []
        return [Run(", ".join(names) or "unchanged", state.palette.muted)]

    def preview(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        self.ask(use, builder, width, state)

    def result(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        task = (use.data or {}).get("task")
        if isinstance(task, dict):
            add_task(builder, task, width, state)
        else:
            add_text(builder, "The task is off the list.", state.palette.muted, width)

    def ask(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        fields = [(_NAMES.get(key, key), _said(value)) for key, value in arguments(use).items() if key != "taskId"]
        self.add_fields(builder, fields, width, state)


def _said(value: Any) -> str:  # noqa: ANN401 - any JSON value
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return _WORDS.get(value, value) if isinstance(value, str) else str(value)
