"""How an LS is drawn: the folder as a tree, folders standing out, sizes stepping back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from rich.cells import cell_len
from rich.segment import Segment

from tui_agent.tools.ls.sizes import size_text
from tui_agent.viewkit.plain import add_text
from tui_agent.viewkit.runs import Run, add_runs
from tui_agent.viewkit.tool_text import argument, arguments, count, display_path, one_line, relative_path
from tui_agent.viewkit.tool_use import ToolUse
from tui_agent.viewkit.tool_view import ToolView
from tui_agent.viewkit.view import LinesBuilder, Palette, RenderState

__all__ = ["View"]

_SHOWN: Final = 500  # entries; the rest is counted
_WIDEST_NAMES: Final = 40  # cells that sizes stand behind, at most
_DEEPEST: Final = 12  # levels that indent


class View(ToolView):
    """Title `LS shop/ · 2 folders, 7 files`; opens to the tree."""

    def question(self, use: ToolUse) -> str:
        return "List this folder?"

    def subject(self, use: ToolUse, state: RenderState) -> list[Run]:
        path = argument(use, "path")
        palette = state.palette
        shown = display_path(path, use.base) if path else "."
        runs = (
            [Run(f"{shown.rstrip('/')}/" if shown != "." else ".", palette.text)] if use.is_input_whole or path else []
        )
        ignored = arguments(use).get("ignore")
        if isinstance(ignored, list) and ignored:
            runs += [Run(" without ", palette.muted), Run(one_line(", ".join(map(str, ignored)), 80), palette.text)]
        return runs

    def outcome(self, use: ToolUse, state: RenderState) -> list[Run]:
        data = use.data or {}
        entries, more = _entries(data), data.get("moreEntries")
        if entries is None:
            return super().outcome(use, state)
        kinds = [str(entry.get("kind")) for entry in entries]
        folders = kinds.count("folder")
        parts = [
            count(number, noun) for number, noun in ((folders, "folder"), (len(kinds) - folders, "file")) if number
        ]
        if isinstance(more, int) and more:
            parts.append(f"{more:,} more")
        cut = [Run(", stopped early", state.palette.warning)] if data.get("timedOut") else []
        return [Run(", ".join(parts) or "empty", state.palette.muted), *cut]

    def preview(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        """Nothing beyond the title, which says what is listed."""

    def ask(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        values = arguments(use)
        path = argument(use, "path") or use.cwd or use.base
        ignored, depth = values.get("ignore"), values.get("depth")
        fields = [("list folder", relative_path(path, use.base))]
        if isinstance(ignored, list):
            fields.append(("leave out", "\n".join(map(str, ignored))))
        if depth is not None:
            fields.append(("levels", str(depth)))
        self.add_fields(builder, fields, width, state)

    def result(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        data = use.data or {}
        entries, more = _entries(data), data.get("moreEntries")
        if entries is None:
            super().result(use, builder, width, state)
            return
        rows = [_row(entry, state.palette) for entry in entries[:_SHOWN]]
        column = (
            min(_WIDEST_NAMES, max((_cells(margin, name) for margin, name, note in rows if note.text), default=0)) + 2
        )
        for margin, name, note in rows:
            gap = " " * max(1, column - _cells(margin, name))
            runs = [*name, *([Run(gap, note.style), note] if note.text else [])]
            add_runs(builder, runs, width, first=(Segment(margin, state.palette.text),))
        hidden = max(0, len(entries) - _SHOWN) + (more if isinstance(more, int) else 0)
        if hidden:
            add_text(builder, f"… and {hidden:,} more", state.palette.faint, width)
        if not entries:
            add_text(builder, "empty", state.palette.faint, width)


def _entries(data: Mapping[str, Any]) -> list[Mapping[str, Any]] | None:
    found = data.get("entries")
    return [entry for entry in found if isinstance(entry, Mapping)] if isinstance(found, list) else None


def _row(entry: Mapping[str, Any], palette: Palette) -> tuple[str, list[Run], Run]:
    """Return an entry's indent, its name, and what is said of it at the side."""
    depth = entry.get("depth")
    margin = "  " * min(_DEEPEST, max(0, depth)) if isinstance(depth, int) else ""
    name = one_line(str(entry.get("name", "")))
    size, files = entry.get("size"), entry.get("files")
    problem = one_line(str(entry.get("problem") or ""))
    match entry.get("kind"):
        case "folder":
            if problem:
                return margin, [Run(f"{name}/", palette.strong)], Run(problem, palette.warning)
            note = "" if not isinstance(files, int) else count(files, "file") if files else "empty"
            return margin, [Run(f"{name}/", palette.strong)], Run(note, palette.muted)
        case "link":
            target = one_line(str(entry.get("target", "")))
            return (
                margin,
                [Run(name, palette.text), Run(" → ", palette.muted), Run(target, palette.muted)],
                Run("", palette.muted),
            )
        case "file":
            return (
                margin,
                [Run(name, palette.text)],
                Run(size_text(size) if isinstance(size, int) else "", palette.faint),
            )
        case _:
            return margin, [Run(name, palette.text)], Run(problem or "no regular file", palette.warning)


def _cells(margin: str, runs: list[Run]) -> int:
    return len(margin) + sum(cell_len(run.text) for run in runs)
