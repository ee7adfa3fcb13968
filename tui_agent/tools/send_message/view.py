"""How a message to an agent is drawn: to whom, what it says, and the answer."""

from __future__ import annotations

from tui_agent.text import clean
from tui_agent.tools.agent.view import View as AgentView
from tui_agent.viewkit.plain import add_text
from tui_agent.viewkit.runs import Run
from tui_agent.viewkit.tool_text import argument, one_line
from tui_agent.viewkit.tool_use import ToolUse
from tui_agent.viewkit.view import LinesBuilder, RenderState

__all__ = ["View"]


class View(AgentView):
    """Title `SendMessage to seeker: and its colour? · delivered`."""

    def question(self, use: ToolUse) -> str:
        return "Send this to the agent?"

    def subject(self, use: ToolUse, state: RenderState) -> list[Run]:
        palette = state.palette
        to, words = argument(use, "to"), argument(use, "summary") or argument(use, "message")
        return [Run(f"to {one_line(to, 60)}: ", palette.accent), Run(one_line(words, 200), palette.text)]

    def preview(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        add_text(builder, clean(argument(use, "message")).strip(), state.palette.muted, width)

    def result(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        if (use.data or {}).get("status") == "delivered":
            self.preview(use, builder, width, state)
        else:
            super().result(use, builder, width, state)

    def ask(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        self.add_fields(builder, [("to", argument(use, "to")), ("message", argument(use, "message"))], width, state)
