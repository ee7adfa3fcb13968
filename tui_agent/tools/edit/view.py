"""How an Edit is drawn: as the change it makes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.segment import Segment

from tui_agent.viewkit.change_body import change_body, diff_of
from tui_agent.viewkit.code import code_runs
from tui_agent.viewkit.diff import DiffView
from tui_agent.viewkit.plain import add_text
from tui_agent.viewkit.runs import Run, add_runs, fit_path
from tui_agent.viewkit.tool_text import argument, count, display_path
from tui_agent.viewkit.tool_use import ToolUse
from tui_agent.viewkit.tool_view import ToolView
from tui_agent.viewkit.view import LinesBuilder, Rendered, RenderState

__all__ = ["View", "add_texts"]

_PREVIEW_LINES: Final = 24  # of each of the two texts, while they stream in


class View(ToolView):
    """Title `Edit cart/refund.py · +2 −1`; opens to the diff, which is also what a user is asked about."""

    def question(self, use: ToolUse) -> str:
        return f"Edit {display_path(argument(use, 'file_path'), use.base)}?"

    def subject(self, use: ToolUse, state: RenderState) -> list[Run]:
        path = argument(use, "file_path")
        return [Run(display_path(path, use.base), state.palette.text)] if path else []

    def shorten(self, subject: Sequence[Run], width: int) -> list[Run]:
        return fit_path(subject, width)

    def so_far(self, use: ToolUse, state: RenderState) -> list[Run]:
        if use.change is None:
            return []
        palette = state.palette
        sizes = [Run(f"+{use.change.added}", palette.success), Run(f" −{use.change.removed}", palette.error)]
        return [Run("new file, ", palette.muted), sizes[0]] if use.change.is_new else sizes

    def outcome(self, use: ToolUse, state: RenderState) -> list[Run]:
        runs = self.so_far(use, state)
        if not runs:
            return super().outcome(use, state)
        if use.refused_hunks:
            runs.append(Run(f", {count(use.refused_hunks, 'hunk')} refused", state.palette.warning))
        return runs

    def body(self, use: ToolUse, width: int, state: RenderState) -> Rendered:
        if use.change is None or (use.is_error and not use.is_rejected):
            return super().body(use, width, state)
        return change_body(use, diff_of(use, use.change).render(width, state), width, state)

    def request(self, use: ToolUse, width: int, state: RenderState) -> Rendered:
        return super().request(use, width, state) if use.change is None else DiffView(use.change).render(width, state)

    def preview(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        texts = argument(use, "old_string"), argument(use, "new_string")
        add_texts(builder, *texts, width, state, limit=_PREVIEW_LINES)

    def ask(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        add_texts(builder, argument(use, "old_string"), argument(use, "new_string"), width, state)


def add_texts(
    builder: LinesBuilder, old: str, new: str, width: int, state: RenderState, *, limit: int | None = None
) -> None:
    """Add what goes and what comes, as far as the arguments say, before there is a change with line numbers.

    `limit` is how many lines of each are shown at most.
    """
    palette = state.palette
    for text, sign, ground, gutter in (
        (old, "-", palette.removed, palette.removed_gutter),
        (new, "+", palette.added, palette.added_gutter),
    ):
        lines = text.split("\n") if text else []
        for line in lines[:limit]:
            head = (Segment(f"{sign} ", gutter),)
            runs = code_runs((("", line),), palette, ground)
            add_runs(builder, runs, width, first=head, rest=head, fill=ground)
        if limit is not None and len(lines) > limit:
            add_text(builder, f"… {count(len(lines) - limit, 'more line')}", palette.faint, width)
