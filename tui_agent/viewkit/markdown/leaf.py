"""What Markdown is made of: leaves, and the quotes and list items they stand in."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final, Literal

__all__ = ["Container", "Leaf", "LeafKind", "is_long", "split_row"]

LeafKind = Literal["text", "heading", "fence", "code", "math", "table", "rule", "empty"]

_PIPE: Final = re.compile(r"(?<!\\)\|")


@dataclass(slots=True)
class Container:
    """A quote or list item that is open.

    `indent` is where an item's content begins, counted from where its parent's does; `marker` is its bullet or delimiter;
    `number` is an ordered item's, counted from the first of its list; `digits` how many digits its list has room for; `depth`
    how many lists of bullets it stands in.
    """

    is_quote: bool
    indent: int = 0
    marker: str = ""
    number: int | None = None
    digits: int = 0
    depth: int = 0
    is_used: bool = False  # a leaf stands in it


@dataclass(slots=True)
class Leaf:
    """A block without blocks in it, and where it stands.

    `containers` are the quotes and items around it, the first `shared` of which also hold the leaf above. `gap` says whether a
    blank line stands above it. `lines` are its own, without what the containers take: of a fence the code, of a table the
    rows with the head and its rule. `level` is a heading's, `info` and `marker` a fence's. `is_continued` says that the leaf
    above is of the same block, `is_open` that lines may follow. `joined` are the lines that go on in the one above.
    """

    kind: LeafKind
    containers: tuple[Container, ...] = ()
    shared: int = 0
    gap: bool = False
    lines: list[str] = field(default_factory=list)
    size: int = 0
    level: int = 0
    marker: str = ""
    indent: int = 0
    info: str = ""
    is_continued: bool = False
    is_open: bool = True
    joined: set[int] = field(default_factory=set)

    def add(self, line: str) -> None:
        """Add a line."""
        self.lines.append(line)
        self.size += len(line) + 1


def is_long(leaf: Leaf) -> bool:
    """Whether a leaf is of a kind that is drawn line by line, each once."""
    return leaf.kind in {"fence", "code", "table"}


def split_row(line: str) -> list[str]:
    r"""Return the cells of a table's row, blanks around them removed; `\|` is a bar within a cell."""
    line = line.strip()
    line = line.removeprefix("|")
    cells: list[str] = []
    start = 0
    for pipe in _PIPE.finditer(line):
        cells.append(line[start : pipe.end() - 1])
        start = pipe.end()
    if start < len(line) or not cells:
        cells.append(line[start:])
    return [cell.strip().replace("\\|", "|") for cell in cells]
