"""Tables that fit: columns share the width, cells wrap, and where that cannot work each row becomes a list of fields."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from typing import Final, Literal

from rich.cells import cell_len
from rich.segment import Segment

from tui_agent.viewkit.markdown.frame import Frame
from tui_agent.viewkit.markdown.inline import inline_lines, split_breaks
from tui_agent.viewkit.markdown.leaf import split_row
from tui_agent.viewkit.runs import Run, add_runs, slice_runs
from tui_agent.viewkit.view import LinesBuilder, RenderState
from tui_agent.viewkit.wrap import wrap_cells

__all__ = ["TableLines"]

Align = Literal["left", "center", "right"]
Cell = list[list[Run]]  # lines of runs: a cell may say where it breaks

_BETWEEN: Final = " │ "
_LEAST: Final = 10  # cells of a column in which no word is longer, so that a row stays one to the eye
_FEW: Final = 24  # rows up to which a wider one always makes its column wider
_GROWTH: Final = 1.5  # by how much the rows must become more after that, so that all of them are laid out a few times
_WORD: Final = re.compile(r"\S+")


class TableLines:
    """Lays a table out behind a frame, all at once or row by row as they come."""

    def __init__(self, builder: LinesBuilder, width: int, state: RenderState, frame: Frame) -> None:
        self._builder = builder
        self._room = width - frame.cells
        self._width = width
        self._state = state
        self._frame = frame
        self._start = builder.mark()
        self._has_head = True
        self._aligns: list[Align] = []
        self._head: list[Cell] = []
        self._rows: list[list[Cell]] = []
        self._wanted: list[int] = []  # of each column: the cells that its widest cell takes …
        self._least: list[int] = []  # … and those that its longest word takes, up to a limit
        self._columns: list[int] | None = None
        self._fitted: list[int] = []  # what was wanted when the columns were last made to fit, and of how many rows
        self._fitted_rows = 0
        self._read = 0  # lines
        self._has_breaks = False  # a cell says itself where a line of it ends
        self._laid = -1  # rows; of nothing, not even the head
        self._is_tall = False  # a row takes more than a line: then a rule stands between any two

    def add_all(self, lines: Sequence[str], *, has_head: bool) -> None:
        """Add a table that is whole."""
        self._take(lines, has_head=has_head)
        self._fit()
        self._lay()

    def grow(self, lines: Sequence[str], *, has_head: bool) -> None:
        """Add the rows that are new among `lines`.

        The columns become wider for them while the table is small, and later each time that it has become so much longer:
        in between, what is too wide for its column wraps.
        """
        self._take(lines, has_head=has_head)
        rows = len(self._rows)
        is_due = rows <= _FEW or rows >= self._fitted_rows * _GROWTH
        if self._wanted != self._fitted and (is_due or not self._fitted):
            self._builder.rewind(self._start)
            self._laid = -1
            self._fit()
        elif not self._is_tall and self._wraps():
            self._is_tall = True
            self._builder.rewind(self._start)
            self._laid = -1
        self._lay()

    def _take(self, lines: Sequence[str], *, has_head: bool) -> None:
        palette = self._state.palette
        text = palette.quote if self._frame.is_quoted else palette.text
        for line in islice(lines, self._read, None):
            self._read += 1
            cells = split_row(line)
            if self._read == 2:
                self._aligns = [_align(cell) for cell in cells]
                continue
            is_head = self._read == 1
            count = len(cells) if is_head else len(self._head)
            cells = (cells + [""] * count)[:count]
            style = palette.strong if is_head else text
            row = [split_breaks(inline_lines(cell, style, palette)) for cell in cells]
            if is_head:
                self._head, self._has_head = row, has_head
                self._wanted, self._least = [1] * count, [1] * count
            else:
                self._rows.append(row)
            if not is_head or has_head:
                for column, cell in enumerate(row):
                    self._measure(column, cell)
                    self._has_breaks = self._has_breaks or (not is_head and len(cell) > 1)

    def _measure(self, column: int, cell: Cell) -> None:
        for line in cell:
            text = "".join([run.text for run in line])
            cells = cell_len(text)
            if cells > self._wanted[column]:
                self._wanted[column] = cells
            if self._least[column] < _LEAST and cells > self._least[column]:
                longest = max((cell_len(word) for word in _WORD.findall(text)), default=1)
                self._least[column] = max(self._least[column], min(longest, _LEAST))

    def _fit(self) -> None:
        self._columns = _share(self._wanted, self._least, self._room)
        self._fitted, self._fitted_rows = list(self._wanted), len(self._rows)
        self._is_tall = self._wraps()

    def _wraps(self) -> bool:
        """Whether a cell takes more than a line in the columns that there are."""
        columns = self._columns or ()
        return self._has_breaks or any(wanted > cells for wanted, cells in zip(self._wanted, columns, strict=False))

    def _lay(self) -> None:
        """Lay out the rows that are not yet."""
        if self._columns is None:
            for number in range(max(0, self._laid), max(1, len(self._rows))):
                self._add_fields(number)
            self._laid = len(self._rows)
            if not self._rows:
                self._fitted = []  # the first row takes the place of the head
            return
        if self._laid < 0 and self._has_head:
            self._add_row(self._head, self._frame.first, self._frame.head)
            between = "-|-" if self._state.is_ascii else "─┼─"
            line = "-" if self._state.is_ascii else "─"
            rule = between.join(line * column for column in self._columns)
            said = "-|-".join("-" * column for column in self._columns)
            segments = (*self._frame.rest, Segment(rule, self._state.palette.border))
            self._builder.add(segments, gutter=self._frame.cells, text=said)
        for number in range(max(0, self._laid), len(self._rows)):
            if number and self._is_tall:
                self._add_rule()
            self._add_row(self._rows[number], self._frame.rest, None)
        self._laid = len(self._rows)

    def _add_rule(self) -> None:
        """Add a thin rule between two rows. It is no text."""
        between, line = ("-+-", "-") if self._state.is_ascii else ("┄┼┄", "┄")
        rule = between.join(line * column for column in self._columns or ())
        segments = (*self._frame.rest, Segment(rule, self._state.palette.faint))
        self._builder.add(segments, gutter=self._width, joiner="", text="")

    def _add_row(self, row: Sequence[Cell], first: Sequence[Segment], head: str | None) -> None:
        columns = self._columns or ()
        wrapped = [_wrap(cell, column) for cell, column in zip(row, columns, strict=True)]
        between = Segment(" | " if self._state.is_ascii else _BETWEEN, self._state.palette.border)
        gutter = self._frame.cells if head is None else self._frame.gutter
        for number in range(max(map(len, wrapped))):
            segments = [*first]
            said = [head or ""]
            at = self._frame.cells
            hits: list[tuple[int, int, tuple[str, str]]] = []
            for index, (pieces, column) in enumerate(zip(wrapped, columns, strict=True)):
                if index:
                    segments.append(between)
                    said.append(" | ")
                    at += len(_BETWEEN)
                runs = pieces[number] if number < len(pieces) else []
                used = _cells(runs)
                before = max(0, {"left": 0, "center": (column - used) // 2, "right": column - used}[self._align(index)])
                if before:
                    segments.append(Segment(" " * before))
                    said.append(" " * before)
                cell_at = at + before
                for run in runs:
                    cells = cell_len(run.text)
                    segments.append(Segment(run.text, run.style))
                    said.append(run.text)
                    if run.hit is not None:
                        hits.append((cell_at, cell_at + cells, run.hit))
                    cell_at += cells
                after = at + column - cell_at
                if after > 0 and index + 1 < len(columns):
                    segments.append(Segment(" " * after))
                    said.append(" " * after)
                at += column
            self._builder.add(segments, gutter=gutter, text="".join(said))
            for start, stop, (action, argument) in hits:
                self._builder.hit(start, stop, action, argument)
            first, head, gutter = self._frame.rest, None, self._frame.cells

    def _align(self, column: int) -> Align:
        return self._aligns[column] if column < len(self._aligns) else "left"

    def _add_fields(self, number: int) -> None:
        """Add a row as lines of `column: value`, rows a blank line apart; of a table without rows its head."""
        frame, palette = self._frame, self._state.palette
        first: Sequence[Segment] = frame.rest if number else frame.first
        if number:
            self._builder.add(frame.rest, gutter=frame.cells, text="")
        is_headless = not self._rows
        for name, cell in zip(self._head, self._head if is_headless else self._rows[number], strict=True):
            label = [run for line in name for run in line if run.text]
            runs = [run for line in cell for run in (Run(" ", palette.text), *line)][1:]
            if label and not is_headless:
                runs = [*label, Run(": ", palette.muted), *runs]
            add_runs(self._builder, runs, self._width, first=first, rest=frame.rest)
            first = frame.rest


def _share(wanted: Sequence[int], least: Sequence[int], room: int) -> list[int] | None:
    """Return the columns' widths: what they want where that fits, else the widest ones cut down to one common width.

    No column becomes narrower than its words; None where there is no room for them.
    """
    room -= len(_BETWEEN) * (len(wanted) - 1)
    if sum(wanted) <= room:
        return list(wanted)
    if sum(least) > room:
        return None
    low, high = 1, room
    while low < high:  # the widest common width that fits
        middle = (low + high + 1) // 2
        if sum(_columns(wanted, least, middle)) <= room:
            low = middle
        else:
            high = middle - 1
    columns = _columns(wanted, least, low)
    for index, cells in enumerate(wanted):  # what rounding left over
        if sum(columns) < room and columns[index] < cells:
            columns[index] += 1
    return columns


def _columns(wanted: Sequence[int], least: Sequence[int], most: int) -> list[int]:
    return [max(narrow, min(cells, most)) for cells, narrow in zip(wanted, least, strict=True)]


def _align(cell: str) -> Align:
    if cell.endswith(":"):
        return "center" if cell.startswith(":") else "right"
    return "left"


def _wrap(cell: Cell, width: int) -> list[list[Run]]:
    return [
        piece for line in cell for piece in slice_runs(line, wrap_cells("".join([run.text for run in line]), width))
    ] or [[]]


def _cells(runs: Sequence[Run]) -> int:
    return sum([cell_len(run.text) for run in runs])
