"""Blocks of Markdown, written as their text comes: lines, lists, quotes, code, tables.

A table is collected until it ends; one that turns out to be there for the layout is written like any other text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urljoin

__all__ = ["BLANKS", "BlockWriter", "Link", "ListState", "Table", "link_address"]

BLANKS: Final = re.compile(r"[ \t\n\r\f\v\xa0]+")
_DEEPEST: Final = 12  # levels of lists and quotes that are indented
_MOST_CELLS: Final = 60  # in a row
_LONGEST_LINK: Final = 500
_NAV_IS_MOVED_FROM: Final = 500  # characters of other text
_TICKS: Final = re.compile(r"`{3,}")


@dataclass(slots=True)
class ListState:
    """A list that is open, and the number of its next item."""

    is_ordered: bool
    number: int


@dataclass(slots=True)
class Table:
    """A table that is being collected. `span` is the width of the cell that is open, in columns."""

    rows: list[list[str]] = field(default_factory=list)
    span: int = 1


@dataclass(slots=True)
class Link:
    """A link that is open: where in the line its text begins, and where it leads, as written."""

    start: int
    address: str


class BlockWriter:
    """Writes blocks. `size` is about how many characters there are so far; `base` is what links are completed with."""

    def __init__(self, base: str) -> None:
        self.size = 0
        self.title = ""
        self._base = base
        self._blocks: list[str] = []
        self._nav_blocks: list[str] = []
        self._nav_depth = 0
        self._has_h1 = False
        self._inline: list[str] = []
        self._has_gap = False  # white space is due before the next text
        self._marks: list[tuple[str, int]] = []
        self._links: list[Link] = []
        self._prefix = ""  # of a heading
        self._containers: list[str] = []  # indentation of lists and quotes, outermost first
        self._bullet = ""  # of the item that has no line yet
        self._lists: list[ListState] = []
        self._is_in_list = False  # the block before this one is
        self._pre: list[str] | None = None
        self._language = ""
        self._table: Table | None = None

    # --- text within a line ------------------------------------------------------------------------------------------

    def _put(self, text: str) -> None:
        self._close_gap()
        self._inline.append(text)
        self.size += len(text)

    def _close_gap(self) -> None:
        """Write the white space that is due; none at the beginning of a line or behind a mark that has just opened."""
        if self._has_gap and self._inline and self._inline[-1] != "\n" and not self._is_behind_opening:
            self._inline.append(" ")
        self._has_gap = False

    @property
    def _is_behind_opening(self) -> bool:
        return bool(self._marks) and self._marks[-1][1] == len(self._inline) - 1

    def _open_mark(self, mark: str) -> None:
        self._close_gap()
        self._marks.append((mark, len(self._inline)))
        self._inline.append(mark)
        self.size += len(mark)

    def _close_mark(self, mark: str) -> None:
        if not self._marks or self._marks[-1][0] != mark:
            return
        _, start = self._marks.pop()
        if start == len(self._inline) - 1:
            self._inline.pop()  # nothing is in it
        elif start < len(self._inline):
            self._inline.append(mark)

    def _close_link(self) -> None:
        if not self._links:
            return
        link = self._links.pop()
        text = "".join(self._inline[link.start :]).strip()
        address = link_address(self._base, link.address)
        if not text or not address or "\n" in text:
            return
        del self._inline[link.start :]
        self._marks = [(mark, start) for mark, start in self._marks if start < link.start]
        self._inline.append(f"<{address}>" if text == address else f"[{text}]({address})")
        self.size += len(address)

    # --- blocks ------------------------------------------------------------------------------------------------------

    def _end_block(self) -> None:
        """Write what stands in the line, unless a cell of a table is being filled."""
        self._close_link()
        if self._table is not None and self._table.rows:
            self._has_gap = True
            return
        for mark, start in self._marks:
            if start < len(self._inline):
                self._inline.append(mark)
        self._marks.clear()
        self._has_gap = False
        text = "".join(self._inline)
        self._inline.clear()
        prefix, self._prefix = self._prefix, ""
        lines = [line.strip() for line in text.split("\n")]
        text = "\n".join(lines).strip("\n")
        if text:
            self._add_block(prefix + (text.replace("\n", " ") if prefix else text))

    def _add_block(self, text: str) -> None:
        containers = self._containers[:_DEEPEST]
        bullet, self._bullet = self._bullet, ""
        first = "".join(containers[:-1]) + bullet if bullet else "".join(containers)
        rest = "".join(containers)
        blocks = self._nav_blocks if self._nav_depth else self._blocks
        # The items of a list stand close together, other blocks apart; `\0` marks the latter for `text`.
        opening = "" if bullet and self._is_in_list else "\0"
        self._is_in_list = bool(self._lists)
        if first or rest:
            text = first + text.replace("\n", "\n" + rest)
        blocks.append(opening + text)
        self.size += len(first)

    def _start_item(self) -> None:
        self._end_block()
        if not self._lists:
            return
        here = self._lists[-1]
        self._bullet = f"{here.number}. " if here.is_ordered else "- "
        here.number += 1
        if len(self._containers) <= _DEEPEST:
            self._containers[-1] = " " * len(self._bullet)

    def _end_pre(self) -> None:
        if self._pre is None:
            return
        code = "".join(self._pre).replace("\r\n", "\n").strip("\n")
        self._pre = None
        if not code.strip():
            return
        fence = "`" * (max((len(found) for found in _TICKS.findall(code)), default=2) + 1)
        self._add_block(f"{fence}{self._language}\n{code}\n{fence}")

    # --- tables ------------------------------------------------------------------------------------------------------

    def _end_cell(self) -> None:
        self._close_link()
        table = self._table
        if table is None or not table.rows:
            self._end_block()
            return
        cells = table.rows[-1]
        cells += [self._take_cell(), *[""] * (table.span - 1)]
        self.size += 3 * table.span
        table.span = 1
        del cells[_MOST_CELLS:]

    def _take_cell(self) -> str:
        text = BLANKS.sub(" ", "".join(self._inline)).strip()
        self._inline.clear()
        self._marks.clear()
        self._has_gap = False
        return text

    def _end_table(self) -> None:
        table = self._table
        if table is None:
            self._end_block()
            return
        loose = self._take_cell()
        self._table = None
        rows = [cells for cells in table.rows if any(cells)]
        width = max((len(cells) for cells in rows), default=0)
        if width < 2 or len(rows) < 2:
            self._add_cells(rows)
        else:
            lines = [_row(cells, width) for cells in rows]
            lines.insert(1, "|" + " --- |" * width)
            self._add_block("\n".join(lines))
        if loose:
            self._add_block(loose)

    def _spread_table(self) -> None:
        """Write the cells so far one below the other, and the rest of the table like any other text."""
        table, self._table = self._table, None
        if table is not None:
            self._add_cells(table.rows)

    def _add_cells(self, rows: list[list[str]]) -> None:
        for cells in rows:
            for cell in cells:
                if cell:
                    self._add_block(cell)

    # --- the end -----------------------------------------------------------------------------------------------------

    def finish(self) -> None:
        """Write what is still open."""
        self._end_pre()
        if self._table is not None:
            self._end_table()
        self._end_block()

    def text(self) -> str:
        """Return the whole: the title where the page has no heading of its own, the text, and then what leads elsewhere."""
        blocks = self._blocks
        rest = self._nav_blocks
        if rest and sum(map(len, blocks)) < _NAV_IS_MOVED_FROM:
            blocks, rest = [*rest, *blocks], []
        if self.title and not self._has_h1:
            blocks = [f"\0# {self.title}", *blocks]
        if rest:
            blocks = [*blocks, "\0---", "\0Navigation:", *rest]
        return "\n".join(blocks).replace("\n\0", "\n\n").replace("\0", "").strip("\n")


def _row(cells: list[str], width: int) -> str:
    padded = [cell.replace("|", "\\|") for cell in cells] + [""] * (width - len(cells))
    return "| " + " | ".join(padded) + " |"


def link_address(base: str, address: str) -> str:
    """Return where a link leads, empty where that is nowhere or not worth its length."""
    address = address.strip()
    if not address or address.startswith("#") or len(address) > _LONGEST_LINK:
        return ""
    try:
        whole = urljoin(base, address)
    except ValueError:
        return ""
    if not whole.startswith(("http://", "https://", "mailto:")) or len(whole) > _LONGEST_LINK:
        return ""
    return whole.replace(" ", "%20").replace("(", "%28").replace(")", "%29").replace("\n", "").replace("<", "%3C")
