"""How a NotebookRead is drawn: the cells, their outputs below them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tui_agent.viewkit.cells import add_cells
from tui_agent.viewkit.runs import Run, fit_path
from tui_agent.viewkit.tool_text import argument, count, display_path, one_line, relative_path
from tui_agent.viewkit.tool_use import ToolUse
from tui_agent.viewkit.tool_view import ToolView
from tui_agent.viewkit.view import LinesBuilder, RenderState

__all__ = ["View"]


class View(ToolView):
    """Title `NotebookRead analysis.ipynb · 12 cells`; opens to the cells."""

    def subject(self, use: ToolUse, state: RenderState) -> list[Run]:
        path, cell = argument(use, "notebook_path"), argument(use, "cell_id")
        if not path:
            return []
        shown = [Run(f" {one_line(cell, 60)}", state.palette.muted)] if cell else []
        return [Run(display_path(path, use.base), state.palette.text), *shown]

    def shorten(self, subject: Sequence[Run], width: int) -> list[Run]:
        return fit_path(subject, width)

    def outcome(self, use: ToolUse, state: RenderState) -> list[Run]:
        cells, total = _cells(use), _file(use).get("totalCells")
        if not isinstance(total, int):
            return super().outcome(use, state)
        of = f" of {total:,}" if len(cells) != total else ""
        return [Run(count(len(cells), "cell") + of, state.palette.muted)]

    def preview(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        """Nothing beyond the title: a path and a cell are all there is."""

    def result(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        if cells := _cells(use):
            add_cells(builder, cells, width, state)
        else:
            super().result(use, builder, width, state)

    def ask(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        fields = [
            ("notebook", relative_path(argument(use, "notebook_path"), use.base)),
            ("cell", argument(use, "cell_id") or "all"),
        ]
        self.add_fields(builder, fields, width, state)


def _file(use: ToolUse) -> Mapping[str, Any]:
    file = (use.data or {}).get("file")
    return file if isinstance(file, Mapping) else {}


def _cells(use: ToolUse) -> Sequence[object]:
    cells = _file(use).get("cells")
    return cells if isinstance(cells, list) else ()
