"""Keys that nothing at their beginning tells, but their make-up does: a checksum, or parts of certain lengths."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import Final

from tui_agent.secrets.long_words import LongWords
from tui_agent.secrets.masks import SecretSpan

__all__ = ["begins_checked", "checked_keys"]

_DIGITS: Final = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_VALUES: Final = {digit: value for value, digit in enumerate(_DIGITS)}
_WIF_SIZES: Final = (51, 52)
_LETTERS: Final = bytes(97 if chr(code).isalnum() else 32 for code in range(128)) + b" " * 128
_SHORTEST_RUN: Final = b"a" * min(_WIF_SIZES)
# The three parts of a Discord bot's token, looked for by the dot in front of the last.
_LAST_PART: Final = re.compile(r"\.(?<=\.[A-Za-z0-9_-]{6}\.)(?=([A-Za-z0-9_-]{27,40})(?![A-Za-z0-9_.-]))")
_FIRST_PARTS: Final = re.compile(r"(?<![A-Za-z0-9_.-])([MNO][A-Za-z0-9_-]{23,27})\.[A-Za-z0-9_-]{6}\Z")
_NEW_RELIC: Final = re.compile(r"(?<![0-9A-Za-z])(?:[0-9a-f]{36}|eu01xx[0-9a-f]{26}FFFF)NRAL(?![0-9A-Za-z])")
_NEW_RELIC_SIZE: Final = 36


# What the end of a text may show of one.
_BEGUN: Final = re.compile(
    r"(?<![A-Za-z0-9_.-])(?:[0-9a-f]{1,36}(?:N|NR|NRA|NRAL)?|eu01xx[0-9a-fFNRAL]{0,34}|[5KLc9][1-9A-HJ-NP-Za-km-z]{0,51}"
    r"|[MNO][A-Za-z0-9_-]{0,27}(?:\.[A-Za-z0-9_-]{0,6}(?:\.[A-Za-z0-9_-]{0,40})?)?)\Z"
)
_LONGEST: Final = 80


def begins_checked(text: str) -> bool:
    """Whether a text may end in the beginning of such a key."""
    return _BEGUN.search(text, max(0, len(text) - _LONGEST)) is not None


def checked_keys(words: LongWords) -> Iterator[SecretSpan]:
    """Yield such keys in the long words of a text."""
    for start, end, label in (*_bitcoin(words.text), *_discord(words.text), *_new_relic(words.text)):
        origin = words.original(start)
        yield SecretSpan(origin, origin + end - start, label)


def _bitcoin(text: str) -> Iterator[tuple[int, int, str]]:
    data = text.encode("ascii", "replace").translate(_LETTERS)
    at = data.find(_SHORTEST_RUN)
    while at >= 0:
        end = data.find(b" ", at)
        end = len(data) if end < 0 else end
        if end - at in _WIF_SIZES and text[at] in "5KLc9" and _is_checked(text[at:end]):
            yield at, end, "Bitcoin key"
        at = data.find(_SHORTEST_RUN, end)


def _is_checked(word: str) -> bool:
    """Whether the last four bytes of a number in base 58 are the checksum of the others."""
    number = 0
    for digit in word:
        value = _VALUES.get(digit)
        if value is None:
            return False
        number = number * 58 + value
    data = number.to_bytes((number.bit_length() + 7) // 8, "big")
    return hashlib.sha256(hashlib.sha256(data[:-4]).digest()).digest()[:4] == data[-4:]


def _discord(text: str) -> Iterator[tuple[int, int, str]]:
    for found in _LAST_PART.finditer(text):
        first = _FIRST_PARTS.search(text, max(0, found.start() - 40), found.start())
        if first is not None and _is_made(first[1]) and _is_made(found[1]):
            yield first.start(), found.end(1), "Discord token"


def _is_made(part: str) -> bool:
    return any(map(str.isdigit, part)) and any(map(str.isupper, part)) and any(map(str.islower, part))


def _new_relic(text: str) -> Iterator[tuple[int, int, str]]:
    at = text.find("NRAL")
    while at >= 0:
        found = _NEW_RELIC.match(text, max(0, at - _NEW_RELIC_SIZE))
        if found is not None:
            yield *found.span(), "New Relic key"
        at = text.find("NRAL", at + 4)
