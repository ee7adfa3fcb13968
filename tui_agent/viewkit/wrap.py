"""Breaking text into lines by terminal cells, as arithmetic on strings.

Both functions return the spans of the pieces and leave the blanks at which they broke between them, so that
`text[previous.stop:next.start]` is what joins two pieces again. Text must be cleaned (`tui_agent.text`): joiners and variation
selectors occur only within emoji. A *sign* is what is seen as one: a letter with its marks, an emoji of several characters, a
flag.
"""

from __future__ import annotations

import re
from typing import Final

from rich.cells import cell_len, get_character_cell_size

from tui_agent.emoji_sequences import EMOJI_PARTS, JOINER

__all__ = ["TAB_SIZE", "WIDEST_PROSE", "cells_to", "cut_cells", "expand_tabs", "is_narrow", "sign_end", "wrap_cells"]

TAB_SIZE: Final = 4
WIDEST_PROSE: Final = 112  # cells: longer lines are hard to read
_WORDS: Final = re.compile(r" +|[^ ]+")
# Characters of one cell each: what most prose of the West, and most code, is made of.
_NARROW: Final = re.compile(
    "[ -~\u00a1-\u00ac\u00ae-\u02ff\u0370-\u0482\u048a-\u052f\u2010-\u2027\u2030-\u205e\u20a0-\u20bf\u2190-\u2199\u2200-\u22ff"
    "\u2500-\u25fc]*"
)
# What closes something stands at no line's beginning, as Chinese and Japanese are set.
_CLOSING: Final = frozenset("!),.:;?]}’”…、。〉》」』】〕〗〙〛！），．：；？］｝｡｣､々ー")
_FLAG: Final = re.compile("[\U0001f1e6-\U0001f1ff]+\\Z")  # letters that make a flag two by two

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


def is_narrow(text: str) -> bool:
    """Whether every character is known to take one cell."""
    return text.isascii() or _NARROW.fullmatch(text) is not None


def cells_to(text: str, start: int, width: int) -> int:
    """Return the index behind the most characters from `start` on that fit into `width` cells.

    What is one sign stays together: marks with their letter, the parts of an emoji, the two letters of a flag.
    """
    if text.isascii():
        return min(len(text), start + max(0, width))
    used = 0
    for index in range(start, len(text)):
        character = text[index]
        if character in EMOJI_PARTS:
            return _signs_to(text, start, width)
        used += get_character_cell_size(character)
        if used > width:
            return _before_flag(text, start, index)
    return len(text)


def _signs_to(text: str, start: int, width: int) -> int:
    """Return what `cells_to` does, for text in which characters together make one picture."""
    used, index = 0, start
    while index < len(text):
        stop = sign_end(text, index)
        used += cell_len(text[index:stop])
        if used > width:
            return _before_flag(text, start, index)
        index = stop
    return len(text)


def _before_flag(text: str, start: int, index: int) -> int:
    """Return `index`, or where the flag begins that it would cut in two."""
    if not "\U0001f1e6" <= text[index] <= "\U0001f1ff":
        return index
    letters = _FLAG.search(text, start, index)
    is_half = letters is not None and len(letters[0]) % 2 == 1
    return index - 1 if is_half and index - 1 > start else index


def wrap_cells(text: str, width: int) -> list[Span]:
    """Break one line of prose at blanks; words wider than a line are cut, and ideographs may part anywhere.

    Blanks at its start stay (indentation), those at breaks and at the end are in no span. A character wider than
    `width` gets a line of its own. There is always at least one span.
    """
    width = max(1, width)
    stop = len(text.rstrip(" "))
    if is_narrow(text):
        return [(0, stop)] if stop <= width else _wrap_narrow(text, stop, width)
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
        is_breakable = cells > last - first  # ideographs and emoji: they go on where the line stands
        if used + cells > width and text[start:end].strip(" ") and not is_breakable:
            spans.append((start, end))
            start, used = first, 0
        at = first
        while used + cells > width:
            cut = cells_to(text, at, width - used)
            if cut < last and text[cut] in _CLOSING:
                cut = _before_closing(text, at, cut, is_alone=end == start)
            if cut == at and end == start:
                cut = sign_end(text, at)  # too wide for any line
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


def _before_closing(text: str, start: int, index: int, *, is_alone: bool) -> int:
    """Return where the sign begins that goes down with what closes it; `index` where nothing would be left of a line."""
    place = index
    while place > start and text[place] in _CLOSING:
        place -= 1
        while place > start and (text[place - 1] == JOINER or not get_character_cell_size(text[place])):
            place -= 1
        letters = _FLAG.search(text, start, place)
        if letters is not None and "\U0001f1e6" <= text[place] <= "\U0001f1ff":
            place -= len(letters[0]) % 2
    return index if text[place] in _CLOSING or (is_alone and place == start) else place


def sign_end(text: str, start: int) -> int:
    """Return the index behind the sign that begins at `start`: marks that belong to it and joined pictures included."""
    stop = start + 1
    while stop < len(text) and (text[stop - 1] == JOINER or not get_character_cell_size(text[stop])):
        stop += 1
    return stop


def _wrap_narrow(text: str, stop: int, width: int) -> list[Span]:
    """Break a line of which every character takes one cell; `stop` is where the blanks at its end begin."""
    start = len(text) - len(text.lstrip(" "))
    if start < width:
        start = 0
    spans: list[Span] = []
    while stop - start > width:
        cut = text.rfind(" ", start, start + width + 1)
        end = len(text[start:cut].rstrip(" ")) + start if cut >= 0 else start
        if end == start:
            end = cut = start + width  # a word longer than a line
        spans.append((start, end))
        start = cut
        while text[start] == " ":
            start += 1
    spans.append((start, stop))
    return spans


def cut_cells(text: str, width: int) -> list[Span]:
    """Cut one line of code every `width` cells, wherever that is. There is always at least one span."""
    width = max(1, width)
    stop = len(text.rstrip(" "))
    if stop <= width and is_narrow(text):
        return [(0, stop)]
    spans: list[Span] = []
    start = 0
    while start < stop:
        cut = min(cells_to(text, start, width), stop)
        if cut <= start:
            cut = sign_end(text, start)
        spans.append((start, start + len(text[start:cut].rstrip(" "))))
        start = cut
    return spans or [(0, 0)]
