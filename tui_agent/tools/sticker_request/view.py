"""How a StickerRequest is drawn: where the request is kept, and nothing of what it says."""

from __future__ import annotations

from tui_agent.viewkit.plain import add_text
from tui_agent.viewkit.runs import Run
from tui_agent.viewkit.tool_text import display_path
from tui_agent.viewkit.tool_use import ToolUse
from tui_agent.viewkit.tool_view import ToolView
from tui_agent.viewkit.view import LinesBuilder, RenderState

__all__ = ["View"]


class View(ToolView):
    """Title `Stickers · kept, not sent`; opens to the name of the file."""

    def name(self, use: ToolUse) -> str:
        return "Stickers"

    def outcome(self, use: ToolUse, state: RenderState) -> list[Run]:
        is_filled = bool((use.data or {}).get("isFilled"))
        return [Run("kept on this machine, not sent" if is_filled else "not filled in", state.palette.muted)]

    def preview(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        """Nothing beyond the title: there are no arguments."""

    def result(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        palette, file = state.palette, (use.data or {}).get("file")
        if isinstance(file, str) and file:
            add_text(builder, f"Your request is kept in {display_path(file, use.base)}", palette.text, width)
            add_text(
                builder, "It was not sent, and the model does not see it. Send it on yourself.", palette.muted, width
            )
        else:
            add_text(builder, "The form was closed; nothing was kept.", palette.muted, width)

    def ask(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        add_text(builder, "open a form in which you can ask for stickers", state.palette.text, width)
