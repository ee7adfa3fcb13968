"""How a Glob is drawn: the files that were found, folder by folder."""

from __future__ import annotations

from typing import Final

from rich.segment import Segment

from tui_agent.viewkit.plain import add_text
from tui_agent.viewkit.runs import Run, add_runs
from tui_agent.viewkit.tool_text import argument, count, display_path, one_line, relative_path
from tui_agent.viewkit.tool_use import ToolUse
from tui_agent.viewkit.tool_view import ToolView
from tui_agent.viewkit.view import LinesBuilder, RenderState

__all__ = ["View"]

_SHOWN: Final = 300  # files; the rest is counted


class View(ToolView):
    """Title `Glob **/*.py in src/ · 12 files`; opens to the files in their folders, the newest folder first."""

    def question(self, use: ToolUse) -> str:
        return "Look for these files?"

    def subject(self, use: ToolUse, state: RenderState) -> list[Run]:
        pattern = argument(use, "pattern")
        if not pattern:
            return []
        palette = state.palette
        runs = [Run(one_line(relative_path(pattern, use.base), 300), palette.text)]
        folder = display_path(argument(use, "path") or ".", use.base)
        if folder != ".":
            runs += [Run(" in ", palette.muted), Run(folder, palette.text)]
        return runs

    def outcome(self, use: ToolUse, state: RenderState) -> list[Run]:
        data = use.data or {}
        files, more = data.get("numFiles"), data.get("moreEntries")
        if not isinstance(files, int):
            return super().outcome(use, state)
        total = files + (more if isinstance(more, int) else 0)
        found = count(total, "file") if total else "no files"
        cut = [Run(", stopped early", state.palette.warning)] if data.get("timedOut") else []
        return [Run(found, state.palette.muted), *cut]

    def preview(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        """Nothing beyond the title, which says what is searched for and where."""

    def ask(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        path = argument(use, "path") or use.cwd or use.base
        fields = [("find files", argument(use, "pattern")), ("in", relative_path(path, use.base))]
        self.add_fields(builder, fields, width, state)

    def result(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        palette = state.palette
        data = use.data or {}
        names, more = data.get("filenames"), data.get("moreEntries")
        if not isinstance(names, list):
            super().result(use, builder, width, state)
            return
        folders: dict[str, list[str]] = {}
        for name in map(str, names[:_SHOWN]):
            folder, _, last = name.rpartition("/")
            folders.setdefault(folder, []).append(last)
        for folder, files in folders.items():
            if folder or len(folders) > 1:
                add_runs(builder, [Run(f"{one_line(folder) or '.'}/", palette.strong)], width)
            margin = Segment("  " if folder or len(folders) > 1 else "", palette.text)
            for file in files:
                add_runs(builder, [Run(one_line(file), palette.text)], width, first=(margin,))
        hidden = max(0, len(names) - _SHOWN) + (more if isinstance(more, int) else 0)
        if hidden:
            add_text(builder, f"… and {hidden:,} more", palette.faint, width)
        if not names:
            add_text(builder, "no files", palette.faint, width)
