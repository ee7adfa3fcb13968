"""How well a few typed letters fit a path, and which of its letters they are.

Letters fit in their order, upper and lower case alike, with and without an accent: not every keyboard has them. The name at the
end of the path counts most: letters that stand together, that begin a word, that begin the name. Where two fit alike, the
shorter path is meant.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from itertools import pairwise
from typing import Final

__all__ = ["compared", "fit", "positions", "score"]

_SEPARATORS: Final = frozenset("/_-. @")
_EXACT, _STEM, _NAME_START, _WORD_START, _NAME, _PATH, _SCATTERED_NAME, _SCATTERED = (
    8000,
    7600,
    7000,
    6000,
    5000,
    4000,
    2500,
    1000,
)
_RUN: Final = 40  # for a letter that follows the one before
_WORD: Final = 60  # for a letter that begins a word


def compared(text: str) -> str:
    """Return a text as it is compared: in lower case, Latin letters without their accents, and as long as before."""
    lower = text.lower()
    if lower.isascii():
        return lower
    if len(lower) != len(text):  # some letters are two in lower case
        lower = "".join(one if len(one := letter.lower()) == 1 else letter for letter in text)
    return lower.translate({ord(letter): _plain(letter) for letter in set(lower)})


@cache
def _plain(letter: str) -> str:
    base = unicodedata.normalize("NFD", letter)[0]
    return base if base.isascii() else letter


def score(query: str, path: str) -> int | None:
    """Return how well a query fits a path, the more the better; None where it does not. Both as they are compared."""
    name_at = path.rfind("/", 0, len(path) - 1) + 1
    at = path.find(query, name_at)
    if at >= 0:
        end = at + len(query)
        rest = path[end:].rstrip("/")
        if at == name_at:
            place = _EXACT if not rest else _STEM if rest[0] == "." else _NAME_START
        else:
            place = _WORD_START if path[at - 1] in _SEPARATORS else _NAME
        return place - len(path)
    at = path.find(query)
    if at >= 0:
        is_start = at == 0 or path[at - 1] in _SEPARATORS
        return _PATH + (_WORD * 5 if is_start else 0) - len(path)
    places = _scattered(query, path, name_at)
    base = _SCATTERED_NAME
    if places is None:
        places, base = _scattered(query, path, 0), _SCATTERED
    if places is None:
        return None
    bonus = sum(_WORD for at in places if at == 0 or path[at - 1] in _SEPARATORS)
    bonus += sum(_RUN for one, other in pairwise(places) if other == one + 1)
    spread = places[-1] - places[0] - len(query)
    return base + min(bonus, 1200) - min(spread, 200) - len(path)


def positions(query: str, path: str) -> tuple[int, ...]:
    """Return which letters of a path a query that fits it means. Both as they are compared."""
    if not query:
        return ()
    name_at = path.rfind("/", 0, len(path) - 1) + 1
    at = path.find(query, name_at)
    if at < 0:
        at = path.find(query)
    if at >= 0:
        return tuple(range(at, at + len(query)))
    return tuple(_scattered(query, path, name_at) or _scattered(query, path, 0) or ())


def fit(query: str, path: str) -> bool:
    """Whether the letters of a query stand in a path in their order. Both as they are compared."""
    letters = iter(path)
    return all(letter in letters for letter in query)


def _scattered(query: str, path: str, start: int) -> list[int] | None:
    """Return where the letters stand: at beginnings of words where they can all be had so, else as close together as may be."""
    at = start - 1
    for letter in query:  # the first end at which all letters have been seen
        at = path.find(letter, at + 1)
        if at < 0:
            return None
    places: list[int] = []
    for letter in reversed(query):  # back from there: the shortest stretch that ends here
        at = path.rfind(letter, start, at + 1)
        places.append(at)
        at -= 1
    places.reverse()
    return _at_words(query, path, start) or places


def _at_words(query: str, path: str, start: int) -> list[int] | None:
    """Return places that begin a word or follow the letter before; None where the letters are not all to be had so."""
    places: list[int] = []
    at = start
    for letter in query:
        if places and at < len(path) and path[at] == letter:
            places.append(at)
            at += 1
            continue
        while True:
            at = path.find(letter, at)
            if at < 0:
                return None
            if at == start or path[at - 1] in _SEPARATORS:
                break
            at += 1
        places.append(at)
        at += 1
    return places
