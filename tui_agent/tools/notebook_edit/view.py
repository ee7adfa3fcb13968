"""How a NotebookEdit is drawn: the cell and what changes in its source, not the JSON that is written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from tui_agent.changes import FileChange
from tui_agent.viewkit.cells import add_cell_name, language_name
from tui_agent.viewkit.change_body import diff_of
from tui_agent.viewkit.code import CodeView
from tui_agent.viewkit.diff import DiffView
from tui_agent.viewkit.plain import add_text
from tui_agent.viewkit.runs import Run, fit_path
from tui_agent.viewkit.tool_text import argument, display_path, one_line, relative_path
from tui_agent.viewkit.tool_use import ToolUse
from tui_agent.viewkit.tool_view import ToolView
from tui_agent.viewkit.view import LinesBuilder, RenderState

__all__ = ["View"]

_LINES: Final = 60
_ENDINGS: Final = {
    "python": "py",
    "julia": "jl",
    "markdown": "md",
    "javascript": "js",
    "typescript": "ts",
    "rust": "rs",
}
_DONE: Final = {"insert": "inserted", "delete": "deleted", "replace": "replaced"}


class View(ToolView):
    """Title `NotebookEdit analysis.ipynb a1b2 · +2 −1`; opens to the cell's source, as a diff where there was one."""

    def question(self, use: ToolUse) -> str:
        return f"Edit {display_path(argument(use, 'notebook_path'), use.base)}?"

    def subject(self, use: ToolUse, state: RenderState) -> list[Run]:
        path, cell = argument(use, "notebook_path"), argument(use, "cell_id")
        if not path:
            return []
        where = f"{'after ' if _mode(use) == 'insert' else ''}{one_line(cell, 60)}" if cell else ""
        if not cell and _mode(use) == "insert":
            where = "at the beginning"
        shown = [Run(f" {where}", state.palette.muted)] if where else []
        return [Run(display_path(path, use.base), state.palette.text), *shown]

    def shorten(self, subject: Sequence[Run], width: int) -> list[Run]:
        return fit_path(subject, width)

    def outcome(self, use: ToolUse, state: RenderState) -> list[Run]:
        return [Run(_DONE.get(_mode(use), "changed"), state.palette.muted)]

    def preview(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        self._wanted(use, builder, width, state, limit=_LINES)

    def ask(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        fields = [
            ("notebook", relative_path(argument(use, "notebook_path"), use.base)),
            ("mode", _mode(use)),
        ]
        self.add_fields(builder, fields, width, state)
        self._wanted(use, builder, width, state, limit=None)

    def result(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        data = use.data or {}
        old, new = data.get("old_source"), data.get("new_source")
        if not isinstance(old, str) or not isinstance(new, str):
            super().result(use, builder, width, state)
        elif (
            data.get("userModified") and use.change is not None
        ):  # the cell is not what was asked for: show what was written
            builder.extend(diff_of(use, use.change).render(width, state))
        else:
            add_cell_name(
                builder, str(data.get("cell_type", "")), str(data.get("cell_id", "")), width, state, note=_note(use)
            )
            builder.extend(DiffView(_source_change(data, old, new), layout="unified").render(width, state))

    def _wanted(
        self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState, *, limit: int | None
    ) -> None:
        """Add what the arguments say the cell is to be."""
        kind = argument(use, "cell_type")
        add_cell_name(builder, kind, "" if _mode(use) == "insert" else argument(use, "cell_id"), width, state)
        if _mode(use) == "delete":
            add_text(builder, "goes, with its outputs", state.palette.error, width)
            return
        language = "markdown" if kind == "markdown" else "python"
        view = CodeView(
            argument(use, "new_source"), language=language, has_numbers=False, is_revealed=True, limit=limit
        )
        builder.extend(view.render(width, state))


def _mode(use: ToolUse) -> str:
    return argument(use, "edit_mode") or "replace"


def _note(use: ToolUse) -> str:
    return "inserted" if _mode(use) == "insert" else "deleted" if _mode(use) == "delete" else ""


def _source_change(data: dict[str, Any], old: str, new: str) -> FileChange:
    language = language_name(data.get("language"))
    name = f"cell.{_ENDINGS.get(language, language or 'txt')}"
    is_new = data.get("edit_mode") == "insert"
    return FileChange.between(name, None if is_new else _ended(old), _ended(new))


def _ended(source: str) -> str:
    """Return a source with an end to its last line: most cells have none, which says nothing."""
    return source if not source or source.endswith("\n") else source + "\n"
