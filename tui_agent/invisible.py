"""Characters that nobody sees, or that change the order in which a text is shown: what hides in a command from who reads it.

Signs that join emoji, and letters of scripts that are written joined, are part of what is seen and do not count. Neither does
the wide blank between two wide letters.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

__all__ = ["first_invisible"]

_SELECTORS: Final = "\ufe0e\ufe0f"
_KEYCAP: Final = "\u20e3"
_JOINER: Final = "\u200d"
_NON_JOINER: Final = "\u200c"
_WIDE_BLANK: Final = "\u3000"
# Letters, marks and signs that are drawn as nothing or as a blank, or are ignored by default; categories do not tell.
_BLANK: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\ufffc")
# Default-ignorable code points: variation selectors, tags, and what Unicode keeps free for more of these.
_IGNORED: Final = re.compile("[\u180b-\u180f\u2065\ufe00-\ufe0f\ufff0-\ufff8\U000e0000-\U000e0fff]")
_HIDING: Final = frozenset({"Cf", "Zl", "Zp", "Zs", "Cc"})
# Scripts in which a joiner or its opposite is part of the spelling: Arabic, Syriac, the scripts of India, Mongolian.
_JOINED: Final = re.compile("[\u0600-\u08ff\u0900-\u0dff\u1000-\u109f\u1780-\u17ff\u1800-\u18af]")


@lru_cache(maxsize=512)
def first_invisible(text: str) -> str:
    """Return what to call the first character of `text` that hides: `U+200B ZERO WIDTH SPACE`; empty where there is none.

    Of ASCII nothing counts: tabs and line ends are the shell's, other control characters are found by who reads its syntax.
    """
    if text.isascii():
        return ""
    for at, character in enumerate(text):
        if not character.isascii() and _hides(character) and not _is_seen(text, at):
            return f"U+{ord(character):04X} {unicodedata.name(character, '')}".rstrip()
    return ""


def _hides(character: str) -> bool:
    return (
        unicodedata.category(character) in _HIDING or character in _BLANK or _IGNORED.fullmatch(character) is not None
    )


def _is_seen(text: str, at: int) -> bool:
    """Whether a character that shows nothing of its own belongs to what is seen next to it."""
    character = text[at]
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    if not before:
        return False
    if character in _SELECTORS:
        return _is_picture(before) or (before in "0123456789#*" and after == _KEYCAP)
    if not after:
        return False
    if character == _JOINER and _is_picture(after):
        return _is_picture(before) or (before == _SELECTORS[1] and _is_picture(text[at - 2 : at - 1]))
    if character in {_JOINER, _NON_JOINER}:
        return _JOINED.match(before) is not None and _JOINED.match(after) is not None
    return character == _WIDE_BLANK and _is_wide(before) and _is_wide(after)


def _is_picture(character: str) -> bool:
    """Whether this is a sign that may be shown as an emoji, or the colour of one."""
    return bool(character) and (
        unicodedata.category(character) == "So"
        or "\U0001f3fb" <= character <= "\U0001f3ff"
        or character in "‼⁉™ℹ↔↕©®〰〽"
    )


def _is_wide(character: str) -> bool:
    return bool(character) and unicodedata.east_asian_width(character) == "W"
