"""Brace expansion: `{a,b}` and `{1..3}`, the first thing that bash does with a word."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from tui_agent.permissions.shell.spelling import Unclear
from tui_agent.permissions.shell.statements import Piece

__all__ = ["MAX_BRACES", "unbraced"]

MAX_BRACES: Final = 100
"""How many words one with braces may stand for."""
_RANGE: Final = re.compile(
    r"(-?(?:0|[1-9][0-9]{0,8}))\.\.(-?(?:0|[1-9][0-9]{0,8}))|([a-z])\.\.([a-z])|([A-Z])\.\.([A-Z])"
)


def unbraced(pieces: tuple[Piece, ...]) -> Iterator[tuple[Piece, ...]]:
    """Expand `{a,b}` and `{1..3}` as bash does before all else. Braces that stand for nothing mean themselves."""
    opening = next((at for at, piece in enumerate(pieces) if piece.kind == "brace" and piece.text == "{"), None)
    if opening is None:
        yield pieces
        return
    cuts, closing = _closing(pieces, opening)
    before, rest = pieces[:opening], pieces[opening + 1 :]
    if closing is None:
        if any(piece.kind == "brace" for piece in rest) or _has_range(rest):
            raise Unclear("unknown-construct", "its braces are not understood")
        yield (*before, Piece("text", "{"), *rest)
        return
    inside, after = pieces[opening + 1 : closing], pieces[closing + 1 :]
    count = 0
    for part in _parts(pieces, opening, cuts, closing, inside):
        for tail in unbraced(after):
            for middle in unbraced(part):
                count += 1
                if count > MAX_BRACES:
                    raise Unclear("too-long", "its braces stand for too many words")
                yield (*before, *middle, *tail)


def _closing(pieces: tuple[Piece, ...], opening: int) -> tuple[list[int], int | None]:
    """Return where the commas of a brace stand, and where it is closed."""
    depth, cuts = 0, []
    for at in range(opening, len(pieces)):
        piece = pieces[at]
        if piece.kind != "brace":
            continue
        depth += {"{": 1, "}": -1, ",": 0}[piece.text]
        if piece.text == "," and depth == 1:
            cuts.append(at)
        if not depth:
            return cuts, at
    return cuts, None


def _parts(
    pieces: tuple[Piece, ...], opening: int, cuts: list[int], closing: int, inside: tuple[Piece, ...]
) -> list[tuple[Piece, ...]]:
    """Return what a closed brace stands for, one after the other."""
    if cuts:
        edges = [opening, *cuts, closing]
        return [pieces[start + 1 : end] for start, end in pairwise(edges)]
    if _has_range(inside):
        return [(Piece("text", text, is_quoted=True),) for text in _range(inside)]
    if any(piece.kind == "brace" for piece in inside):
        raise Unclear("unknown-construct", "its braces are not understood")
    return [(Piece("text", "{"), *inside, Piece("text", "}"))]


def _has_range(pieces: tuple[Piece, ...]) -> bool:
    return ".." in "".join(piece.text if piece.kind == "text" and not piece.is_quoted else " " for piece in pieces)


def _range(pieces: tuple[Piece, ...]) -> list[str]:
    text = "".join(piece.text for piece in pieces)
    match = _RANGE.fullmatch(text)
    if match is None or any(piece.kind != "text" or piece.is_quoted for piece in pieces):
        raise Unclear("unknown-construct", "its braces are not understood")
    if match[1]:
        first, last = int(match[1]), int(match[2])
        if abs(last - first) >= MAX_BRACES:
            raise Unclear("too-long", "its braces stand for too many words")
        step = 1 if last >= first else -1
        return [str(number) for number in range(first, last + step, step)]
    first, last = ord(match[3] or match[5]), ord(match[4] or match[6])
    step = 1 if last >= first else -1
    return [chr(code) for code in range(first, last + step, step)]
