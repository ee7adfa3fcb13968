"""What opens below the title of a tool that changes files: the change, or what was refused of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tui_agent.changes import FileChange
from tui_agent.text import clean
from tui_agent.viewkit.diff import DiffView, Layout
from tui_agent.viewkit.plain import add_text
from tui_agent.viewkit.runs import crop
from tui_agent.viewkit.stacking import stack, stepping_back
from tui_agent.viewkit.tool_use import ToolUse
from tui_agent.viewkit.view import LinesBuilder, Rendered, RenderState

__all__ = ["block", "change_body", "diff_of"]

_NARROWEST: Final = 16


def change_body(use: ToolUse, diff: Rendered, width: int, state: RenderState) -> Rendered:
    """Return the diff, drawn line by line as it is looked at; refused, stepping back below the user's words."""
    if not use.is_rejected:
        return diff
    words = f"refused: {clean(use.words)}" if use.words else "refused"
    head = block(lambda head, cells: add_text(head, words, state.palette.warning, cells), width)
    return stack([head, stepping_back(diff, state.palette)])


def diff_of(use: ToolUse, change: FileChange, *, layout: Layout = "unified") -> DiffView:
    """Return the diff of one of a tool use's files, with what the user wrote on its lines."""
    comments = tuple(comment for comment in use.comments if comment.path == change.path)
    return DiffView(change, layout=layout, comments=comments)


def block(draw: Callable[[LinesBuilder, int], object], width: int) -> Rendered:
    """Return some lines that are drawn at once, at `width`; or wider and cut to it where that is too narrow for any text."""
    builder = LinesBuilder()
    draw(builder, max(width, _NARROWEST))
    return builder.build() if width >= _NARROWEST else crop(builder.build(), width)
