"""What the terminal displays, row by row, so that only what it does not display yet is written to it.

A line that grew by a word is written from that word on. Lines that moved up or down together are moved by the terminal itself
(a scroll region, and lines deleted from it or inserted), which takes a few bytes; only what came into view is written then.

Nothing is assumed of cells that were not written through here: they are unknown, and written whenever somebody paints them. A
text whose width is uncertain is written whole, and what stands behind it in its row is unknown again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from textual.geometry import Size
from textual.strip import Strip

__all__ = ["DisplayedRows", "Piece", "changed_cells"]

Piece = tuple[int, int, Strip]  # column, row, what is to stand there

_FEWEST_MOVED: Final = 3  # rows
_WIDE: Final = 3 / 4  # of the screen: what stands beside something narrower would have to be written again
_WHOLE: Final = 2 / 3  # of a line: if more of it changed, it is written whole, as it may have been written before


class _Move(NamedTuple):
    """Rows from `top` to `bottom`, both included, are to move up by `lines`; down where that is negative."""

    top: int
    bottom: int
    lines: int

    @property
    def sequence(self) -> str:
        """The escape codes: a scroll region, lines deleted or inserted at its top, and no scroll region."""
        count, code = (self.lines, "M") if self.lines > 0 else (-self.lines, "L")
        return f"\x1b[{self.top + 1};{self.bottom + 1}r\x1b[{self.top + 1};1H\x1b[{count}{code}\x1b[r"


class DisplayedRows:
    """Remembers what was written. `is_unsure` says whether terminals may count the cells of a strip otherwise."""

    def __init__(self, is_unsure: Callable[[Strip], bool]) -> None:
        self._is_unsure = is_unsure
        self._screen_size = Size(0, 0)
        self._rows: list[dict[int, Strip]] = []  # by column; what is known overlaps nowhere

    def forget(self) -> None:
        """The terminal may display anything."""
        self._rows = [{} for _ in range(self._screen_size.height)]

    def show_all(self, size: Size, rows: Iterable[Iterable[Strip]]) -> None:
        """All of the screen is written: each row's strips side by side."""
        self._screen_size = size
        self.forget()
        for row, strips in zip(self._rows, rows, strict=False):
            x = 0
            for strip in strips:
                row[x] = strip
                x += strip.cell_length

    def show(self, size: Size, pieces: Sequence[Piece]) -> tuple[str, list[Piece]]:
        """Return what has to be written for these pieces to be displayed: a sequence, and after it pieces.

        `size` is the screen's; if it is another one than before, nothing is known of what is displayed.
        """
        if size != self._screen_size:
            self._screen_size = size
            self.forget()
        moves: list[str] = []
        changes: list[Piece] = []
        for group in _groups(pieces):
            if len(group) > _FEWEST_MOVED and (move := self._find_move(group)) is not None:
                moves.append(move.sequence)
                changes += self._shift(move, group[0])
        if moves:  # what stood beside the lines has moved with them; it is put back unless it changes anyway
            new = {piece[:2] for piece in pieces}
            changes = [
                change for piece in changes if piece[:2] not in new and (change := self._change(piece)) is not None
            ]
        rows = self._rows
        for piece in pieces:
            x, y, strip = piece
            if (y >= len(rows) or rows[y].get(x) is not strip) and (change := self._change(piece)) is not None:
                changes.append(change)
        return "".join(moves), changes

    # --- lines that moved --------------------------------------------------------------------------------------------

    def _find_move(self, group: Sequence[Piece]) -> _Move | None:
        """Return by how many lines most of a group has moved, where there is something in having the terminal move it."""
        x, top, first = group[0]
        width, bottom = first.cell_length, top + len(group) - 1
        if width < _WIDE * self._screen_size.width or bottom >= len(self._rows):
            return None
        rows = self._rows[top : bottom + 1]
        before = [id(row.get(x)) for row in rows]
        places = {name: y for y, name in enumerate(before, top)}
        votes: Counter[int] = Counter()
        for _, y, strip in group:
            place = places.get(id(strip))
            if place is not None and before.count(id(strip)) == 1:  # blank lines may be anywhere
                votes[place - y] += 1
        lines, moved = votes.most_common(1)[0] if votes else (0, 0)
        if not lines or moved < _FEWEST_MOVED:
            return None
        # What stands beside them must be known, as it has to be put back.
        beside = self._screen_size.width - width
        is_known = all(sum(strip.cell_length for _, strip in _beside(row, x, x + width)) == beside for row in rows)
        return _Move(top, bottom, lines) if is_known else None

    def _shift(self, move: _Move, first: Piece) -> list[Piece]:
        """Note that rows have moved; return what has to be put back beside them."""
        x, end = first[0], first[0] + first[2].cell_length
        rows = self._rows[move.top : move.bottom + 1]
        new: list[dict[int, Strip]] = [{} for _ in range(abs(move.lines))]
        moved = [*rows[move.lines :], *new] if move.lines > 0 else [*new, *rows[: move.lines]]
        self._rows[move.top : move.bottom + 1] = moved
        return [
            (at, y, strip)
            for y, (row, now) in enumerate(zip(rows, moved, strict=True), move.top)
            for at, strip in _beside(row, x, end)
            if now.get(at) is not strip
        ]

    # --- lines that changed ------------------------------------------------------------------------------------------

    def _change(self, piece: Piece) -> Piece | None:
        """Note that a piece is displayed; return the part of it that was not, or None."""
        x, y, strip = piece
        if y >= len(self._rows):
            return piece
        row = self._rows[y]
        before = row.get(x)
        if before is None or before.cell_length != strip.cell_length:
            _cover(row, x, self._screen_size.width if self._is_unsure(strip) else x + strip.cell_length)
            row[x] = strip
            return piece
        start, end = changed_cells(before, strip)
        if start >= end:
            row[x] = strip
            return None
        if self._is_unsure(strip) or self._is_unsure(before):
            _cover(row, x, self._screen_size.width)
            row[x] = strip
            return piece
        row[x] = strip
        return piece if end - start > _WHOLE * strip.cell_length else (x + start, y, strip.crop(start, end))


def _groups(pieces: Iterable[Piece]) -> Iterator[list[Piece]]:
    """Yield pieces that stand below each other in the same columns, together."""
    group: list[Piece] = []
    for piece in pieces:
        if group:
            x, y, strip = group[-1]
            if piece[:2] != (x, y + 1) or piece[2].cell_length != strip.cell_length:
                yield group
                group = []
        group.append(piece)
    if group:
        yield group


def _beside(row: dict[int, Strip], start: int, end: int) -> list[tuple[int, Strip]]:
    """Return what is known to stand in a row before `start` and from `end` on, by column."""
    return [(x, strip) for x, strip in row.items() if x >= end or x + strip.cell_length <= start]


def _cover(row: dict[int, Strip], start: int, end: int) -> None:
    """Take out of a row what is known of the cells from `start` to `end`."""
    for x, strip in list(row.items()):
        right = x + strip.cell_length
        if x < end and right > start:
            del row[x]
            if x < start:
                row[x] = strip.crop(0, start - x)
            if right > end:
                row[end] = strip.crop(end - x)


def changed_cells(before: Strip, after: Strip) -> tuple[int, int]:
    """Return from which cell to which two strips of the same length differ; where they do not, twice the same number."""
    old, new = list(before), list(after)
    start = _same_cells(old, new)
    if start >= after.cell_length:
        return start, start
    rest = min(_same_cells(old[::-1], new[::-1], is_backwards=True), after.cell_length - start)
    return start, after.cell_length - rest


def _same_cells(old: Sequence[Segment], new: Sequence[Segment], *, is_backwards: bool = False) -> int:
    """Return how many cells at the beginning of two lines are the same; of lines read backwards, at the end."""
    cells = 0
    for one, other in zip(old, new, strict=False):
        if one == other:
            cells += one.cell_length
            continue
        if one.style == other.style and one.control == other.control:
            texts = (one.text[::-1], other.text[::-1]) if is_backwards else (one.text, other.text)
            cells += _same_text(*texts)
        break
    return cells


def _same_text(one: str, other: str) -> int:
    """Return how many cells two texts have in common at their beginning."""
    same = min(len(one), len(other))
    if one[:same] != other[:same]:
        same = next(at for at in range(same) if one[at] != other[at])
    return cell_len(one[:same])
