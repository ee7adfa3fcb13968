"""How the loading of a skill looks: its name and arguments; where it comes from and what it is for when unfolded."""

from __future__ import annotations

from tui_agent.text import clean, clean_line, reveal
from tui_agent.viewkit.plain import add_text
from tui_agent.viewkit.runs import Run
from tui_agent.viewkit.tool_text import argument, one_line
from tui_agent.viewkit.tool_use import ToolUse
from tui_agent.viewkit.tool_view import ToolView
from tui_agent.viewkit.view import LinesBuilder, RenderState

__all__ = ["View"]


class View(ToolView):
    """Draws Skill."""

    def question(self, use: ToolUse) -> str:
        return "Load this skill?"

    def subject(self, use: ToolUse, state: RenderState) -> list[Run]:
        runs = [Run(one_line(argument(use, "skill"), 100), state.palette.text)]
        if given := one_line(argument(use, "args"), 200):
            runs.append(Run(f" {given}", state.palette.muted))
        return runs

    def outcome(self, use: ToolUse, state: RenderState) -> list[Run]:
        place = _fact(use, "source")
        return [Run(f"loaded, {place}", state.palette.muted)] if place else []

    def result(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        for text in (_fact(use, "description"), _fact(use, "file")):
            if text:
                add_text(builder, text, state.palette.muted, width)

    def ask(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        add_text(
            builder, reveal(f"/{argument(use, 'skill')} {argument(use, 'args')}".strip()), state.palette.text, width
        )
        add_text(
            builder,
            "Its instructions go to the model. Its own commands run only where rules or the skill allow them.",
            state.palette.muted,
            width,
        )


def _fact(use: ToolUse, key: str) -> str:
    value = (use.data or {}).get(key)
    return clean_line(clean(value), 1000) if isinstance(value, str) else ""
