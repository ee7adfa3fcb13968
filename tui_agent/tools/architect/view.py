"""How a plan of an architect is drawn: what was asked, how far it is, the plan."""

from __future__ import annotations

from tui_agent.tools.agent.view import View as AgentView
from tui_agent.viewkit.runs import Run
from tui_agent.viewkit.tool_text import argument, one_line
from tui_agent.viewkit.tool_use import ToolUse
from tui_agent.viewkit.view import LinesBuilder, RenderState

__all__ = ["View"]


class View(AgentView):
    """Title `Architect move rounding into one place · 14 tool uses · 52k tokens · 1m 20s`; opens to the plan."""

    def question(self, use: ToolUse) -> str:
        return "Have a plan worked out?"

    def subject(self, use: ToolUse, state: RenderState) -> list[Run]:
        return [Run(one_line(argument(use, "prompt"), 200), state.palette.text)]

    def ask(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        self.add_fields(builder, [("plan", argument(use, "prompt")), ("known", argument(use, "context"))], width, state)
