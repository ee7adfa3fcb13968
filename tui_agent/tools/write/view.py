"""How a Write is drawn: the content as it arrives, then the change it makes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tui_agent.viewkit.change_body import change_body, diff_of
from tui_agent.viewkit.code import CodeView
from tui_agent.viewkit.diff import DiffView
from tui_agent.viewkit.partial_json import last_text
from tui_agent.viewkit.plain import add_text
from tui_agent.viewkit.runs import Run, fit_path
from tui_agent.viewkit.tool_text import argument, count, display_path
from tui_agent.viewkit.tool_use import ToolUse
from tui_agent.viewkit.tool_view import ToolView
from tui_agent.viewkit.view import LinesBuilder, Rendered, RenderState

__all__ = ["View"]

_PREVIEW_LINES: Final = 60  # of content that waits to become a change
_TAIL_LINES: Final = 16  # of content that is still arriving
_TAIL_CHARS: Final = 6_000  # of the arguments looked at for them


class View(ToolView):
    """Title `Write cart/refund.py · new file, +40`; opens to the content, and to the diff once there is one."""

    def question(self, use: ToolUse) -> str:
        verb = "Create" if use.change is None or use.change.is_new else "Overwrite"
        return f"{verb} {display_path(argument(use, 'file_path'), use.base)}?"

    def subject(self, use: ToolUse, state: RenderState) -> list[Run]:
        path = argument(use, "file_path")
        return [Run(display_path(path, use.base), state.palette.text)] if path else []

    def shorten(self, subject: Sequence[Run], width: int) -> list[Run]:
        return fit_path(subject, width)

    def so_far(self, use: ToolUse, state: RenderState) -> list[Run]:
        palette = state.palette
        if use.change is None:
            lines = _lines_so_far(use)
            return [Run(count(lines, "line"), palette.muted)] if lines else []
        sizes = [Run(f"+{use.change.added}", palette.success)]
        if use.change.is_new:
            return [Run("new file, ", palette.muted), *sizes]
        return [*sizes, Run(f" −{use.change.removed}", palette.error)]

    def outcome(self, use: ToolUse, state: RenderState) -> list[Run]:
        if use.change is None:
            return super().outcome(use, state)
        runs = self.so_far(use, state)
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
        if use.is_input_whole:
            self._content(use, builder, width, state, argument(use, "content"), start=1, limit=_PREVIEW_LINES)
        else:
            self._tail(use, builder, width, state)

    def ask(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        self._content(use, builder, width, state, argument(use, "content"), start=1)

    def _tail(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        """Add the last lines that have arrived, numbered."""
        text = last_text(use.input_text, _TAIL_CHARS) if "content" in use.input else ""
        lines = text.split("\n")[-_TAIL_LINES:]
        start = _lines_so_far(use) - len(lines) + 1
        if start > 1:
            add_text(builder, f"… {count(start - 1, 'line')} before", state.palette.faint, width)
        self._content(use, builder, width, state, "\n".join(lines), start=max(1, start))

    def _content(
        self,
        use: ToolUse,
        builder: LinesBuilder,
        width: int,
        state: RenderState,
        text: str,
        *,
        start: int,
        limit: int | None = None,
    ) -> None:
        if text:
            view = CodeView(text, filename=argument(use, "file_path"), start=start, is_revealed=True, limit=limit)
            builder.extend(view.render(width, state))
        else:
            add_text(
                builder, "no content yet" if not use.is_input_whole else "an empty file", state.palette.faint, width
            )


def _lines_so_far(use: ToolUse) -> int:
    """Return how many lines of content have arrived; of arguments that still stream in, by counting their line ends."""
    if use.is_input_whole or not use.input_text:
        text = argument(use, "content")
        return text.count("\n") + (not text.endswith("\n")) if text else 0
    if "content" not in use.input:
        return 0
    return use.input_text.replace("\\\\", "").count("\\n") + 1
