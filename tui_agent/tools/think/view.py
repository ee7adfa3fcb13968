"""How a thought looks: its beginning in the title, all of it when unfolded."""

from __future__ import annotations

from tui_agent.text import clean, reveal
from tui_agent.viewkit.plain import add_text
from tui_agent.viewkit.runs import Run
from tui_agent.viewkit.tool_text import argument, count, one_line
from tui_agent.viewkit.tool_use import ToolUse
from tui_agent.viewkit.tool_view import ToolView
from tui_agent.viewkit.view import LinesBuilder, RenderState

__all__ = ["View"]


class View(ToolView):
    """Draws Think."""

    def subject(self, use: ToolUse, state: RenderState) -> list[Run]:
        return [Run(one_line(argument(use, "thought"), 300), state.palette.muted)]

    def outcome(self, use: ToolUse, state: RenderState) -> list[Run]:
        return [Run(count(len(argument(use, "thought").split()), "word"), state.palette.muted)]

    def preview(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        add_text(builder, clean(argument(use, "thought")).strip(), state.palette.muted, width)

    def result(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        self.preview(use, builder, width, state)

    def ask(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        add_text(builder, reveal(argument(use, "thought")).strip(), state.palette.text, width)
