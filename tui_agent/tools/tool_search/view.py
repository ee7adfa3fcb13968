"""How a search for tools looks: what was looked for, and what can be used now."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from rich.segment import Segment

from tui_agent.text import clean_line
from tui_agent.viewkit.plain import add_text
from tui_agent.viewkit.runs import Run, add_runs
from tui_agent.viewkit.tool_text import argument, arguments, count, one_line
from tui_agent.viewkit.tool_use import ToolUse
from tui_agent.viewkit.tool_view import ToolView
from tui_agent.viewkit.view import LinesBuilder, RenderState

__all__ = ["View"]

_SELECT: Final = "select:"
_INDENT: Final = Segment("  ")


class View(ToolView):
    """Draws ToolSearch."""

    def subject(self, use: ToolUse, state: RenderState) -> list[Run]:
        query = argument(use, "query").strip()
        palette = state.palette
        if query.lower().startswith(_SELECT):
            names = [one_line(name.strip(), 60) for name in query[len(_SELECT) :].split(",")]
            return [Run(", ".join(filter(None, names)), palette.text)]
        return [Run(f'"{one_line(query, 200)}"', palette.text)] if query else []

    def outcome(self, use: ToolUse, state: RenderState) -> list[Run]:
        found = (use.data or {}).get("matches")
        if not isinstance(found, list):
            return super().outcome(use, state)
        names = ", ".join(one_line(str(name), 60) for name in found[:3])
        more = f" and {len(found) - 3} more" if len(found) > 3 else ""
        return [Run(f"{names}{more}" if found else "no tool", state.palette.muted)]

    def preview(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        """Nothing beyond the title, which says what is looked for."""

    def result(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        data, palette = use.data or {}, state.palette
        tools = data.get("tools")
        found = [tool for tool in tools if isinstance(tool, Mapping)] if isinstance(tools, list) else []
        for tool in found:
            add_runs(builder, [Run(one_line(str(tool.get("name", "")), 120), palette.strong)], width)
            if description := clean_line(str(tool.get("description", "")), 300):
                add_runs(builder, [Run(description, palette.muted)], width, first=(_INDENT,), rest=(_INDENT,))
        if not found:
            total = data.get("total_deferred_tools")
            among = f" among {count(total, 'tool')}" if isinstance(total, int) else ""
            add_text(builder, f"nothing found{among}", palette.faint, width)

    def ask(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        values = arguments(use)
        fields = [("look for", argument(use, "query"))]
        if isinstance(most := values.get("max_results"), int):
            fields.append(("at most", count(most, "tool")))
        self.add_fields(builder, fields, width, state)
