"""Breaking text into lines by terminal cells, as arithmetic on strings.

Both functions return the spans of the pieces and leave the blanks at which they broke between them, so that
`text[previous.stop:next.start]` is what joins two pieces again. Text must be cleaned (`tui_agent.text`): without joiners and
variation selectors a string is exactly as wide as its characters together.
"""

from __future__ import annotations

import re
from typing import Final

from rich.cells import cell_len, get_character_cell_size

__all__ = ["TAB_SIZE", "cells_to", "cut_cells", "expand_tabs", "wrap_cells"]

TAB_SIZE: Final = 4
_WORDS: Final = re.compile(r" +|[^ ]+")

Span = tuple[int, int]


def expand_tabs(text: str, size: int = TAB_SIZE) -> str:
    """Replace tabs by blanks up to the next multiple of `size` cells; a terminal would jump by its own idea of a tab."""
    if "\t" not in text:
        return text
    out: list[str] = []
    column = 0
    for piece in re.split("(\t)", text):
        if piece == "\t":
            blanks = size - column % size
            out.append(" " * blanks)
            column += blanks
        else:
            out.append(piece)
            column += cell_len(piece)
    return "".join(out)


def cells_to(text: str, start: int, width: int) -> int:
    """Return the index behind the most characters from `start` on that fit into `width` cells."""
    if text.isascii():
        return min(len(text), start + max(0, width))
    used = 0
    for index in range(start, len(text)):
        used += get_character_cell_size(text[index])
        if used > width:
            return index
    return len(text)


def wrap_cells(text: str, width: int) -> list[Span]:
    """Break one line of prose at blanks; words wider than a line are cut, and ideographs may part anywhere.

    Blanks at its start stay (indentation), those at breaks and at the end are in no span. A character wider than
    `width` gets a line of its own. There is always at least one span.
    """
    width = max(1, width)
    stop = len(text.rstrip(" "))
    if stop <= width and text.isascii():
        return [(0, stop)]
    spans: list[Span] = []
    start = end = used = 0  # the line being filled: where it starts, where its last word ends, its cells so far
    for word in _WORDS.finditer(text, 0, stop):
        first, last = word.span()
        cells = cell_len(word[0])
        if word[0][0] == " ":
            if first == 0 and cells < width:
                end = last
                used = cells
            elif end > start:
                used += cells
            continue
        if end == start:
            start, used = first, 0  # blanks at a break are dropped
        is_breakable = cells > last - first  # ideographs: they go on where the line stands
        if used + cells > width and text[start:end].strip(" ") and not is_breakable:
            spans.append((start, end))
            start, used = first, 0
        at = first
        while used + cells > width:
            cut = cells_to(text, at, width - used)
            if cut == at and end == start:
                cut += 1  # too wide for any line
            if max(cut, end) > start and (cut > at or text[start:end].strip(" ")):
                spans.append((start, cut if cut > at else end))
            cells -= cell_len(text[at:cut])
            start = end = at = cut
            used = 0
        if at < last:
            end, used = last, used + cells
    if end > start or not spans:
        spans.append((start, end))
    return spans


def cut_cells(text: str, width: int) -> list[Span]:
    """Cut one line of code every `width` cells, wherever that is. There is always at least one span."""
    width = max(1, width)
    stop = len(text.rstrip(" "))
    if stop <= width and text.isascii():
        return [(0, stop)]
    spans: list[Span] = []
    start = 0
    while start < stop:
        cut = max(min(cells_to(text, start, width), stop), start + 1)
        spans.append((start, start + len(text[start:cut].rstrip(" "))))
        start = cut
    return spans or [(0, 0)]
