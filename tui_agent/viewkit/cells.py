"""The cells of a notebook: each under its name, its source in its language's colours, its outputs below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from rich.segment import Segment

from tui_agent.viewkit.ansi import add_output
from tui_agent.viewkit.code import CodeView
from tui_agent.viewkit.plain import add_text
from tui_agent.viewkit.runs import Run, add_runs, fit_runs
from tui_agent.viewkit.thumbnail import add_thumbnail
from tui_agent.viewkit.tool_text import count, one_line
from tui_agent.viewkit.view import LinesBuilder, RenderState

__all__ = ["add_cell_name", "add_cells", "language_name", "picture_facts"]

_CELLS: Final = 40  # shown of a long notebook; the model got all of them
_SOURCE_LINES: Final = 60
_OUTPUT_LINES: Final = 20
_INDENT: Final = 2


def add_cells(builder: LinesBuilder, cells: Sequence[object], width: int, state: RenderState) -> None:
    """Add cells as the data of Read and NotebookRead describes them; what is not of that shape is passed over."""
    known: list[Mapping[str, Any]] = [cell for cell in cells if isinstance(cell, Mapping)]
    for number, cell in enumerate(known[:_CELLS]):
        if number:
            builder.add_text("", state.palette.text)
        executed = cell.get("execution_count")
        add_cell_name(
            builder,
            str(cell.get("cellType", "")),
            str(cell.get("cell_id", "")),
            width,
            state,
            note=f"[{executed}]" if isinstance(executed, int) else "",
        )
        source, language = cell.get("source"), language_name(cell.get("language"))
        if isinstance(source, str) and source:
            view = CodeView(source, language=language, limit=_SOURCE_LINES, has_numbers=False)
            builder.extend(view.render(width, state))
        outputs = cell.get("outputs")
        for output in outputs if isinstance(outputs, list) else ():
            if isinstance(output, Mapping):
                _add_output(builder, output, width, state)
    if len(known) > _CELLS:
        add_text(builder, f"… {count(len(known) - _CELLS, 'more cell')}", state.palette.faint, width)


def add_cell_name(
    builder: LinesBuilder, kind: str, cell_id: str, width: int, state: RenderState, *, note: str = ""
) -> None:
    """Add the line over a cell."""
    palette = state.palette
    runs = [Run(one_line(kind, 20) or "cell", palette.heading), Run(f" {one_line(cell_id, 60)}", palette.muted)]
    if note:
        runs.append(Run(f" {note}", palette.faint))
    add_runs(builder, fit_runs(runs, width), width)


def language_name(language: object) -> str:
    """Return the name by which the colours of a cell's language are known; a raw cell has none."""
    return language if isinstance(language, str) and language != "raw" else ""


def picture_facts(facts: Mapping[str, Any]) -> str:
    """Return what there is to say of a picture: `640 × 480 PNG, 84 KB`."""
    size = facts.get("dimensions")
    kind = str(facts.get("mediaType", "")).rpartition("/")[2].upper()
    parts = [
        f"{size.get('originalWidth')} × {size.get('originalHeight')} {kind}" if isinstance(size, Mapping) else kind
    ]
    if isinstance(facts.get("originalSize"), int):
        parts.append(_bytes(facts["originalSize"]))
    return one_line(", ".join(parts), 100)


def _add_output(builder: LinesBuilder, output: Mapping[str, Any], width: int, state: RenderState) -> None:
    palette = state.palette
    inner = LinesBuilder()
    picture, text = output.get("image"), output.get("text")
    room = max(1, width - _INDENT)
    if isinstance(picture, Mapping):
        add_text(inner, picture_facts(picture), palette.muted, room)
        add_thumbnail(inner, picture.get("preview"), room, state)
    elif isinstance(text, str) and text:
        add_output(inner, text, room, palette, head=_OUTPUT_LINES // 2, tail=_OUTPUT_LINES // 2)
    style = palette.error if output.get("output_type") == "error" else palette.border
    bar = Segment("│ " if not state.is_ascii else "| ", style)
    for line in inner.build().lines:
        builder.add((bar, *line.segments), gutter=_INDENT + line.gutter)


def _bytes(number: int) -> str:
    if number < 1000:
        return f"{number} bytes"
    return f"{number / 1000:.0f} KB" if number < 999_500 else f"{number / 1_000_000:.1f} MB"
