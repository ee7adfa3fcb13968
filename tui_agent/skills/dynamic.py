"""The commands in the text of a skill: `` !`command` `` after a blank or a line's beginning, and blocks after ```` ```! ````.

They are found in the text as its author wrote it. Arguments and outputs are put in afterwards, piece by piece, so that nothing
in those is ever taken for a command.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

__all__ = ["Piece", "pieces"]

_COMMAND: Final = re.compile(
    r"^[ \t]*(?P<fence>`{3,})!\n(?P<block>.*?)\n[ \t]*(?P=fence)[ \t]*$|(?<!\S)!`(?P<inline>[^`\n]+)`",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a skill's text: words, or a command whose output takes its place."""

    text: str
    is_command: bool = False


def pieces(body: str) -> list[Piece]:
    """Take a text apart, in its order."""
    found: list[Piece] = []
    at = 0
    for match in _COMMAND.finditer(body):
        found.append(Piece(body[at : match.start()]))
        found.append(Piece((match["block"] or match["inline"]).strip(), is_command=True))
        at = match.end()
    found.append(Piece(body[at:]))
    return [piece for piece in found if piece.text]
