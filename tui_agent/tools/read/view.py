"""How a Read is drawn: numbered lines in their language's colours; a small picture; pages; cells."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from tui_agent.viewkit.cells import add_cells, picture_facts
from tui_agent.viewkit.code import CodeView
from tui_agent.viewkit.plain import TextView, add_text
from tui_agent.viewkit.runs import Run, fit_path
from tui_agent.viewkit.thumbnail import add_thumbnail
from tui_agent.viewkit.tool_text import argument, arguments, count, display_path, one_line, relative_path
from tui_agent.viewkit.tool_use import ToolUse
from tui_agent.viewkit.tool_view import ToolView
from tui_agent.viewkit.view import LinesBuilder, RenderState

__all__ = ["View"]

_LINES: Final = 300  # shown of a long page; the model got all of it
_NUMBERED: Final = re.compile(r"^ *(\d+)\t(.*)$", re.MULTILINE)


class View(ToolView):
    """Title `Read cart/refund.py · 40 lines`; opens to what was read."""

    def question(self, use: ToolUse) -> str:
        return f"Read {display_path(argument(use, 'file_path'), use.base)}?"

    def subject(self, use: ToolUse, state: RenderState) -> list[Run]:
        path = argument(use, "file_path")
        if not path:
            return []
        part = _range(use)
        shown = [Run(part if part.startswith(" ") else f":{part}", state.palette.muted)] if part else []
        return [Run(display_path(path, use.base), state.palette.text), *shown]

    def shorten(self, subject: Sequence[Run], width: int) -> list[Run]:
        return fit_path(subject, width)

    def outcome(self, use: ToolUse, state: RenderState) -> list[Run]:
        said = one_line(_outcome(str((use.data or {}).get("type", "")), _file(use)), 200)
        return [Run(said, state.palette.muted)] if said else super().outcome(use, state)

    def preview(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        """Nothing beyond the title: a path and a range are all there is."""

    def result(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        file, palette = _file(use), state.palette
        match (use.data or {}).get("type"):
            case "image":
                add_text(builder, picture_facts(file), palette.muted, width)
                if sent := one_line(_sent(file), 200):
                    add_text(builder, sent, palette.faint, width)
                add_thumbnail(builder, file.get("preview"), width, state)
            case "pdf":
                add_text(builder, one_line(_pdf_facts(file), 500), palette.muted, width)
                if isinstance(file.get("content"), str):
                    builder.extend(TextView(file["content"], limit=_LINES).render(width, state))
            case "notebook" if isinstance(file.get("cells"), list):
                add_cells(builder, file["cells"], width, state)
            case "file_unchanged":
                add_text(builder, "as it was read before; the earlier result holds", palette.muted, width)
            case _:
                self._lines(use, builder, width, state)

    def ask(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        part = _range(use).strip()
        name = "pages" if part.startswith("pages ") else "lines"
        fields = [("file", relative_path(argument(use, "file_path"), use.base))]
        fields.append((name, part.removeprefix("pages ") or "all"))
        if encoding := argument(use, "encoding"):
            fields.append(("encoding", encoding))
        self.add_fields(builder, fields, width, state)

    def _lines(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
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


def _outcome(kind: str, file: Mapping[str, Any]) -> str:
    """Return what was read, in a few words."""
    match kind:
        case "image":
            return picture_facts(file)
        case "pdf":
            return _pages(file) + (", as text" if file.get("content") else "")
        case "file_unchanged":
            return "unchanged"
        case "notebook" if isinstance(file.get("cells"), list):
            return _of(len(file["cells"]), file.get("totalCells"), "cell")
        case "base64" if isinstance(file.get("numBytes"), int):
            return _of(file["numBytes"], file.get("originalSize"), "byte")
        case _ if isinstance(file.get("numLines"), int):
            return _of(file["numLines"], file.get("totalLines"), "line")
        case _:
            return ""


def _of(shown: int, total: object, noun: str) -> str:
    return count(shown, noun) + (f" of {total:,}" if isinstance(total, int) and total != shown else "")


def _pages(file: Mapping[str, Any]) -> str:
    first, last, total = file.get("firstPage"), file.get("lastPage"), file.get("totalPages")
    if (first, last) == (1, total):
        return count(total, "page") if isinstance(total, int) else "pages"
    return f"page {first} of {total}" if first == last else f"pages {first}–{last} of {total}"


def _pdf_facts(file: Mapping[str, Any]) -> str:
    reason = file.get("reason")
    return f"{_pages(file)}, as text: {reason}" if isinstance(reason, str) else f"{_pages(file)}, as a document"


def _sent(file: Mapping[str, Any]) -> str:
    """Return as what a picture was sent, where that is not what the file holds."""
    size = file.get("dimensions")
    if not isinstance(size, Mapping) or file.get("sentSize") == file.get("originalSize"):
        return ""
    kind = str(file.get("sentType", "")).rpartition("/")[2].upper()
    return f"shown to the model as {size.get('displayWidth')} × {size.get('displayHeight')} {kind}"


def _range(use: ToolUse) -> str:
    """Return what part is asked for, as `10–12`, `10–` or ` pages 1-5`; empty for all."""
    values = arguments(use)
    if pages := argument(use, "pages"):
        return f" pages {one_line(pages, 40)}"
    offset, limit = values.get("offset"), values.get("limit")
    if not isinstance(offset, int) and not isinstance(limit, int):
        return ""
    first = max(1, offset) if isinstance(offset, int) else 1
    return f"{first}–{first + limit - 1}" if isinstance(limit, int) else f"{first}–"


def _file(use: ToolUse) -> Mapping[str, Any]:
    """Return what the structured result says of the file; empty where there is none."""
    file = (use.data or {}).get("file")
    return file if isinstance(file, Mapping) else {}
