"""Where top-level blocks of Markdown begin and end, decided line by line as the text arrives.

A part, once closed, is parsed on its own, so the scanner may cut only where what follows cannot change what came before:
at blank lines, around fences, after a heading, and between the items of a top-level list. Inside a part CommonMark's own
rules hold, applied by the parser.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

__all__ = ["Opening", "PartKind", "closes_fence", "open_part", "stays_open"]

PartKind = Literal["text", "heading", "fence", "item", "indented"]

_FENCE: Final = re.compile(r" {0,3}(`{3,}(?=[^`]*\Z)|~{3,})(.*)", re.DOTALL)
_ITEM: Final = re.compile(r" {0,3}(?:([-+*])|(\d{1,9})([.)]))(?:([ \t]+)(\S.*)?|\Z)", re.DOTALL)
_RULE: Final = re.compile(r" {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*\Z")
_HEADING: Final = re.compile(r" {0,3}#{1,6}(?:[ \t]|\Z)")
_QUOTE: Final = re.compile(r" {0,3}>")


@dataclass(slots=True)
class Opening:
    """What opened a part, and what is needed to tell where it ends.

    `marker` is a fence's run of backticks or tildes, or an item's bullet or delimiter; `indent` is how far a fence's opener
    is indented, or where an item's content begins; `number` is an ordered item's own.
    """

    kind: PartKind
    marker: str = ""
    indent: int = 0
    info: str = ""
    number: int | None = None
    is_after_blank: bool = False  # the line before was blank
    inner_fence: str = ""  # an item's fence that is open


def open_part(line: str) -> Opening:
    """Return what a part is that begins with `line`, which is not blank."""
    fence = _FENCE.match(line)
    if fence:
        return Opening("fence", fence[1], len(line) - len(line.lstrip(" ")), fence[2].strip())
    if _HEADING.match(line):
        return Opening("heading")
    item = None if _RULE.match(line) else _ITEM.match(line)
    if item:
        opening = Opening("item", item[1] or item[3], _content_at(item), number=int(item[2]) if item[2] else None)
        _follow_inner_fence(opening, item[5] or "")
        return opening
    if line.startswith(("    ", "\t")):
        return Opening("indented")
    return Opening("text")


def stays_open(opening: Opening, line: str) -> bool:
    """Whether `line` still belongs to the open part; `opening` remembers what later lines depend on."""
    is_blank = not line.strip()
    match opening.kind:
        case "heading":
            return False
        case "fence":
            return True
        case "text":
            return not is_blank and not _interrupts(line)
        case "indented":
            return is_blank or line.startswith(("    ", "\t"))
        case "item":
            return _stays_in_item(opening, line, is_blank)


def closes_fence(marker: str, line: str) -> bool:
    """Whether `line` closes a fence that was opened by `marker`."""
    body = line.strip()
    return len(line) - len(line.lstrip(" ")) <= 3 and len(body) >= len(marker) and not body.strip(marker[0])


def _stays_in_item(opening: Opening, line: str, is_blank: bool) -> bool:
    if is_blank:
        opening.is_after_blank = True
        return True
    was_blank, opening.is_after_blank = opening.is_after_blank, False
    expanded = line.expandtabs(4)
    indent = len(expanded) - len(expanded.lstrip(" "))
    if indent >= opening.indent:
        _follow_inner_fence(opening, expanded[opening.indent :])
        return True
    # Less indented: a paragraph's lazy line at most, and only when nothing stands between.
    if was_blank or opening.inner_fence:
        return False
    return not (_interrupts(line) or _QUOTE.match(line) or open_part(line).kind == "item")


def _follow_inner_fence(opening: Opening, body: str) -> None:
    if opening.inner_fence:
        if closes_fence(opening.inner_fence, body):
            opening.inner_fence = ""
    else:
        fence = _FENCE.match(body)
        opening.inner_fence = fence[1] if fence else ""


def _interrupts(line: str) -> bool:
    """Whether `line` begins something of its own right below a paragraph."""
    if _FENCE.match(line) or _HEADING.match(line):
        return True
    if _RULE.match(line):
        return False  # may be the underline of a heading: the parser sees the lines together
    item = _ITEM.match(line)
    return item is not None and bool(item[5]) and item[2] in {None, "1"}


def _content_at(item: re.Match[str]) -> int:
    """Return the column where an item's content begins."""
    marker_end = item.end(1) if item[1] else item.end(3)
    blanks = len((" " * (marker_end % 4) + (item[4] or "")).expandtabs(4)) - marker_end % 4
    return marker_end + (blanks if item[5] and 1 <= blanks <= 4 else 1)
