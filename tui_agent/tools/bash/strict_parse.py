"""A strict reading of one simple command: plain words and quotes, each certain to mean here what it means to bash.

Anything else (expansions, globs, operators, redirections, comments) is not understood, and nothing is concluded from it.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["strict_words"]

_WORD: Final = re.compile(
    r"""(?:'[^'\n]*'|"(?:[^"\\$`\n]|\\[\\"$`])*"|[A-Za-z0-9_./,:=@%+-]|\\[^\nA-Za-z0-9])+""",
    re.VERBOSE,
)
_PIECE: Final = re.compile(r"""'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^'"\\]+)""")
_BLANK: Final = re.compile(r"[ \t]+")


def strict_words(command: str) -> list[str] | None:
    """Take one simple command apart; None where it holds anything but plain words."""
    words: list[str] = []
    at, text = 0, command.strip(" \t\n")
    while at < len(text):
        match = _WORD.match(text, at)
        if match is None:
            return None
        words.append(_unquoted(match[0]))
        blank = _BLANK.match(text, match.end())
        if blank is None and match.end() < len(text):
            return None
        at = blank.end() if blank else len(text)
    return words


def _unquoted(word: str) -> str:
    out = ""
    for match in _PIECE.finditer(word):
        single, double, escaped, plain = match.groups()
        if double is not None:
            out += re.sub(r"\\([\\\"$`])", r"\1", double)
        else:
            out += single or escaped or plain or ""
    return out
