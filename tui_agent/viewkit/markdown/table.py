"""Tables that fit: columns share the width, cells wrap, and where that cannot work each row becomes a list of fields."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from rich.cells import cell_len
from rich.segment import Segment

from tui_agent.viewkit.runs import Run, add_runs, slice_runs
from tui_agent.viewkit.view import LinesBuilder, Palette
from tui_agent.viewkit.wrap import wrap_cells

__all__ = ["Align", "add_table"]

Align = Literal["left", "center", "right"]
Cell = list[Run]

_BETWEEN: Final = " │ "
_LEAST: Final = 4  # cells of a column, where its content is not narrower itself


def add_table(
    builder: LinesBuilder,
    head: Sequence[Cell],
    rows: Sequence[Sequence[Cell]],
    aligns: Sequence[Align],
    width: int,
    palette: Palette,
    *,
    prefix: Sequence[Segment] = (),
) -> None:
    """Add a table behind `prefix`, at most `width` cells wide with it. Rows have as many cells as `head`."""
    indent = sum(segment.cell_length for segment in prefix)
    columns = _share([max(map(_cells, column)) for column in zip(head, *rows, strict=True)], width - indent)
    if columns is None:
        _add_as_fields(builder, head, rows, width, palette, prefix)
        return
    _add_row(builder, head, aligns, columns, palette, prefix)
    rule = "─┼─".join("─" * column for column in columns)
    builder.add((*prefix, Segment(rule, palette.border)), gutter=indent)
    for row in rows:
        _add_row(builder, row, aligns, columns, palette, prefix)


def _share(wanted: Sequence[int], width: int) -> list[int] | None:
    """Return the columns' widths: what they want where that fits, else the widest ones cut down to one common width."""
    room = width - len(_BETWEEN) * (len(wanted) - 1)
    wanted = [max(1, cells) for cells in wanted]
    if sum(wanted) <= room:
        return list(wanted)
    if sum(min(cells, _LEAST) for cells in wanted) > room:
        return None
    most = next(most for most in range(room, 0, -1) if sum(min(cells, most) for cells in wanted) <= room)
    columns = [min(cells, most) for cells in wanted]
    for index, cells in enumerate(wanted):  # what rounding left over
        if sum(columns) < room and columns[index] < cells:
            columns[index] += 1
    return columns


def _add_row(
    builder: LinesBuilder,
    row: Sequence[Cell],
    aligns: Sequence[Align],
    columns: Sequence[int],
    palette: Palette,
    prefix: Sequence[Segment],
) -> None:
    wrapped = [_wrap(cell, column) for cell, column in zip(row, columns, strict=True)]
    indent = sum(segment.cell_length for segment in prefix)
    for number in range(max(map(len, wrapped))):
        segments = [*prefix]
        at = indent
        hits: list[tuple[int, int, tuple[str, str]]] = []
        for index, (pieces, column, align) in enumerate(zip(wrapped, columns, aligns, strict=True)):
            if index:
                segments.append(Segment(_BETWEEN, palette.border))
                at += len(_BETWEEN)
            runs = pieces[number] if number < len(pieces) else []
            used = _cells(runs)
            before = {"left": 0, "center": (column - used) // 2, "right": column - used}[align]
            if before > 0:
                segments.append(Segment(" " * before))
            cell_at = at + max(0, before)
            for run in runs:
                cells = cell_len(run.text)
                segments.append(Segment(run.text, run.style))
                if run.hit is not None:
                    hits.append((cell_at, cell_at + cells, run.hit))
                cell_at += cells
            after = at + column - cell_at
            if after > 0 and index + 1 < len(columns):
                segments.append(Segment(" " * after))
            at += column
        builder.add(segments, gutter=indent)
        for start, stop, (action, argument) in hits:
            builder.hit(start, stop, action, argument)


def _wrap(cell: Cell, width: int) -> list[list[Run]]:
    return slice_runs(cell, wrap_cells("".join(run.text for run in cell), width))


def _add_as_fields(
    builder: LinesBuilder,
    head: Sequence[Cell],
    rows: Sequence[Sequence[Cell]],
    width: int,
    palette: Palette,
    prefix: Sequence[Segment],
) -> None:
    """Add each row as lines of `column: value`, rows a blank line apart; of a table without rows its head."""
    indent = sum(segment.cell_length for segment in prefix)
    for number, row in enumerate(rows or [head]):
        if number:
            builder.add(prefix, gutter=indent)
        for name, cell in zip(head, row, strict=True):
            label = [*name, Run(": ", palette.muted)] if rows and name else []
            add_runs(builder, [*label, *cell], width, first=prefix, rest=prefix)


def _cells(runs: Sequence[Run]) -> int:
    return sum(cell_len(run.text) for run in runs)
