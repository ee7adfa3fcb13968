"""Emoji that are more than one character: which joiners, variation selectors and colours of skin belong to a picture.

Elsewhere these characters are invisible, and whoever shows untrusted text takes them out. A sequence is limited to what
Unicode recommends for interchange (UTS #51): at most four pictures joined, one selector and one colour each. A terminal that
does not know a sequence paints its parts side by side, so that a longer chain could be painted over what is next to it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from typing import Final

__all__ = ["EMOJI_PARTS", "EMOJI_SEQUENCE", "JOINER", "behind_emoji", "emoji_around"]

JOINER: Final = "\u200d"
_COLOURS: Final = "[\U0001f3fb-\U0001f3ff]"
# The blocks of pictographs, without the letters of flags and the colours of skin; single ones from other blocks.
_PICTURE: Final = (
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u2199\u21a9\u21aa\u231a\u231b\u2328\u23cf\u23e9-\u23f3\u23f8-\u23fa\u24c2\u25aa\u25ab"
    "\u25b6\u25c0\u25fb-\u25fe\u2600-\u27bf\u2934\u2935\u2b05-\u2b07\u2b1b\u2b1c\u2b50\u2b55\u3030\u303d\u3297\u3299"
    "\U0001f000-\U0001f1e5\U0001f201-\U0001f3fa\U0001f400-\U0001faff]"
)
# Emoji_Modifier_Base of Unicode 17: people, and parts of them.
_TAKES_COLOUR: Final = (
    "[\u261d\u26f9\u270a-\u270d\U0001f385\U0001f3c2-\U0001f3c4\U0001f3c7\U0001f3ca-\U0001f3cc\U0001f442\U0001f443\U0001f446-\U0001f450"
    "\U0001f466-\U0001f478\U0001f47c\U0001f481-\U0001f483\U0001f485-\U0001f487\U0001f48f\U0001f491\U0001f4aa\U0001f574\U0001f575"
    "\U0001f57a\U0001f590\U0001f595\U0001f596\U0001f645-\U0001f647\U0001f64b-\U0001f64f\U0001f6a3\U0001f6b4-\U0001f6b6\U0001f6c0"
    "\U0001f6cc\U0001f90c\U0001f90f\U0001f918-\U0001f91f\U0001f926\U0001f930-\U0001f939\U0001f93c-\U0001f93e\U0001f977\U0001f9b5"
    "\U0001f9b6\U0001f9b8\U0001f9b9\U0001f9bb\U0001f9cd-\U0001f9cf\U0001f9d1-\U0001f9dd\U0001fac3-\U0001fac5\U0001faf0-\U0001fafa]"
)
_UNIT: Final = f"(?:{_TAKES_COLOUR}{_COLOURS}|{_PICTURE}[\ufe0e\ufe0f]?)"

EMOJI_PARTS: Final = frozenset("\u200d\ufe0e\ufe0f\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff")
"""What makes one picture of several characters: the joiner, two selectors, five colours."""

EMOJI_SEQUENCE: Final = re.compile(f"{_UNIT}(?:{JOINER}{_UNIT}){{0,3}}|[0-9#*]\ufe0f\u20e3")
"""One picture, of one character or of several."""


_LONGEST: Final = 32  # characters: more than a sequence has


def emoji_around(text: str, at: int) -> tuple[int, int] | None:
    """Return where the emoji begins and stops that a place in `text` lies within; None where it lies in none."""
    first = max(0, at - _LONGEST)
    near = text[first : at + _LONGEST]
    if near.isascii() or EMOJI_PARTS.isdisjoint(near):
        return None
    spans = (match.span() for match in EMOJI_SEQUENCE.finditer(near))
    return next(((first + start, first + stop) for start, stop in spans if start < at - first < stop), None)


def behind_emoji(text: str, cuts: Iterable[int]) -> list[int]:
    """Return the places at which `text` is to be cut; one that lies within an emoji moves behind it."""
    cuts = list(cuts)
    if text.isascii() or EMOJI_PARTS.isdisjoint(text):
        return cuts
    emoji = [match.span() for match in EMOJI_SEQUENCE.finditer(text)]
    starts = [start for start, _ in emoji]
    return [max(cut, emoji[at][1]) if (at := bisect_left(starts, cut) - 1) >= 0 else cut for cut in cuts]
