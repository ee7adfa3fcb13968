"""How a TaskOutput is drawn: which job, how it stands, and what it printed, in the colours it chose."""

from __future__ import annotations

from typing import Final

from tui_agent.viewkit.ansi import add_output
from tui_agent.viewkit.plain import add_text
from tui_agent.viewkit.runs import Run
from tui_agent.viewkit.tool_text import argument, arguments, one_line
from tui_agent.viewkit.tool_use import ToolUse
from tui_agent.viewkit.tool_view import ToolView
from tui_agent.viewkit.view import LinesBuilder, RenderState

__all__ = ["View"]

_STATUS: Final = {
    "running": "still runs", "done": "ended", "failed": "failed", "stopped": "was stopped", "timeout": "ran out of time",
    "too_much_output": "printed too much",
}  # fmt: skip


class View(ToolView):
    """Title `TaskOutput npm test · still runs`; opens to the new output."""

    def subject(self, use: ToolUse, state: RenderState) -> list[Run]:
        name = (use.data or {}).get("command") or argument(use, "task_id")
        runs = [Run(one_line(str(name), 200), state.palette.text)] if name else []
        wanted = arguments(use).get("filter")
        if isinstance(wanted, str) and wanted:
            runs.append(Run(f" only {one_line(wanted, 60)}", state.palette.muted))
        return runs

    def outcome(self, use: ToolUse, state: RenderState) -> list[Run]:
        data, palette = use.data or {}, state.palette
        status, code = str(data.get("status", "")), data.get("exitCode")
        words = _STATUS.get(status, "done") + (f", exit {code}" if isinstance(code, int) else "")
        return [Run(words, palette.error if status == "failed" else palette.muted)]

    def result(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        output = (use.data or {}).get("output")
        if isinstance(output, str) and output.strip():
            add_output(builder, output, width, state.palette)
        else:
            add_text(builder, "nothing new", state.palette.faint, width)
