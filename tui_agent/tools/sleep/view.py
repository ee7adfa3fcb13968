"""How waiting looks: how long and what for, what is left of it, and what ended it."""

from __future__ import annotations

from tui_agent.viewkit.plain import add_text
from tui_agent.viewkit.runs import Run
from tui_agent.viewkit.tool_text import argument, arguments, duration, one_line
from tui_agent.viewkit.tool_use import ToolUse
from tui_agent.viewkit.tool_view import ToolView
from tui_agent.viewkit.view import LinesBuilder, RenderState

__all__ = ["View"]


class View(ToolView):
    """Draws Sleep."""

    def subject(self, use: ToolUse, state: RenderState) -> list[Run]:
        reason = one_line(argument(use, "reason"), 200)
        runs = [Run(_asked(use), state.palette.text)]
        return [*runs, Run(f" {reason}", state.palette.muted)] if reason else runs

    def so_far(self, use: ToolUse, state: RenderState) -> list[Run]:
        message = (use.progress or {}).get("message")
        return [Run(one_line(message, 60), state.palette.muted)] if isinstance(message, str) and message else []

    def outcome(self, use: ToolUse, state: RenderState) -> list[Run]:
        if (use.data or {}).get("wokenByPerson") is True:
            return [Run(f"you wrote after {_slept(use)}", state.palette.muted)]
        return [Run("over", state.palette.muted)]

    def preview(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        """Nothing beyond the title, which says how long and what for."""

    def progress(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        """Nothing beyond the title, which counts down."""

    def result(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        woken = (use.data or {}).get("wokenByPerson") is True
        text = f"ended after {_slept(use)}, as you wrote a message" if woken else "the time is over"
        add_text(builder, text, state.palette.faint, width)

    def ask(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        self.add_fields(builder, [("wait for", _asked(use)), ("reason", argument(use, "reason"))], width, state)


def _asked(use: ToolUse) -> str:
    return _seconds(arguments(use).get("seconds"))


def _slept(use: ToolUse) -> str:
    return _seconds((use.data or {}).get("sleptSeconds"))


def _seconds(value: object) -> str:
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e9
    return (
        duration(float(value) * 1000)
        if is_number and isinstance(value, int | float)
        else one_line(str(value or ""), 20)
    )
