"""How a Read is drawn: the lines that were read, numbered, in their language's colours."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from tui_agent.viewkit.code import CodeView
from tui_agent.viewkit.runs import Run, fit_path
from tui_agent.viewkit.tool_text import argument, arguments, count, display_path, relative_path
from tui_agent.viewkit.tool_view import ToolUse, ToolView
from tui_agent.viewkit.view import LinesBuilder, RenderState

__all__ = ["View"]

_LINES: Final = 300  # shown of a long page; the model got all of it
_NUMBERED: Final = re.compile(r"^ *(\d+)\t(.*)$", re.MULTILINE)


class View(ToolView):
    """Title `Read cart/refund.py · 40 lines`; opens to the lines."""

    def subject(self, use: ToolUse, state: RenderState) -> list[Run]:
        path = argument(use, "file_path")
        if not path:
            return []
        lines = _range(use)
        shown = [Run(f":{lines}", state.palette.muted)] if lines else []
        return [Run(display_path(path, use.base), state.palette.text), *shown]

    def shorten(self, subject: Sequence[Run], width: int) -> list[Run]:
        return fit_path(subject, width)

    def outcome(self, use: ToolUse, state: RenderState) -> list[Run]:
        page = _file(use)
        shown, total = page.get("numLines"), page.get("totalLines")
        if not isinstance(shown, int):
            return super().outcome(use, state)
        of = f" of {total:,}" if isinstance(total, int) and total != shown else ""
        return [Run(count(shown, "line") + of, state.palette.muted)]

    def preview(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        """Nothing beyond the title: a path and a range are all there is."""

    def result(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        page = _file(use)
        code, start = page.get("content"), page.get("startLine")
        if not isinstance(code, str) or not isinstance(start, int):
            found = _NUMBERED.findall(use.text)
            code, start = "\n".join(text for _, text in found), int(found[0][0]) if found else 1
        if not code:
            super().result(use, builder, width, state)
            return
        view = CodeView(code, filename=argument(use, "file_path"), start=start, limit=_LINES)
        builder.extend(view.render(width, state))

    def ask(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        fields = [("file", relative_path(argument(use, "file_path"), use.base)), ("lines", _range(use) or "all")]
        self.add_fields(builder, fields, width, state)


def _range(use: ToolUse) -> str:
    """Return which lines are asked for, as `10–12` or `10–`; empty for all."""
    values = arguments(use)
    offset, limit = values.get("offset"), values.get("limit")
    if not isinstance(offset, int) and not isinstance(limit, int):
        return ""
    first = max(1, offset) if isinstance(offset, int) else 1
    return f"{first}–{first + limit - 1}" if isinstance(limit, int) else f"{first}–"


def _file(use: ToolUse) -> Mapping[str, Any]:
    """Return what the structured result says of the page; empty where there is none."""
    page = (use.data or {}).get("file")
    return page if isinstance(page, Mapping) else {}
