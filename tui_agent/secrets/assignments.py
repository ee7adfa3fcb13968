"""Values that a name gives away: `DB_PASSWORD=…`, `"apiKey": "…"`, `client_secret: …`, where the value looks random."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from typing import Final

from tui_agent.secrets.marks import Span

__all__ = ["assigned", "looks_random"]

_KEYS: Final = r"(?:api|access|private|account|auth|signing|encryption)[_-]?key"
_WORD: Final = rf"(?i:password|passwd|passphrase|secret|token|credential|{_KEYS})"
# The name, which ends where the sign stands: the word that makes it secret, what may follow in the name, a closing quote.
_NAME: Final = re.compile(
    rf"(?P<word>{_WORD})s?(?:[_.-][A-Za-z0-9_.-]{{0,30}}|[A-Z0-9][A-Za-z0-9_]{{0,30}})?"
    r"(?:\\?[\"']\]?)?[ \t]{0,8}:?\Z"
)
# Pieces of those words, one of which has to be there for the name to be looked at more closely.
_PIECES: Final = ("assw", "assphrase", "ecret", "oken", "redential", "key")
_BEFORE: Final = 80  # characters before the sign in which the name stands
# The sign, and the value behind it with its opening quote. Each begins with one character that is quickly found.
_VALUE: Final = r"[ \t]{0,8}(?:\\?[\"']|b[\"'])?(?P<value>[A-Za-z0-9+/=_.\-~!@#$%^&*]{10,400})"
_SIGNS: Final = (re.compile(rf"=(?!=)>?{_VALUE}"), re.compile(rf":(?![:=]){_VALUE}"))
_NAME_CHARS: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.")
_LONGEST_NAME: Final = 40
_MOST_INSIDE: Final = 4  # signs looked at within what was taken for a value
_LOOKED_AT: Final = 80  # characters of a value that decide whether it looks random
_UUID: Final = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$")
# What stands where a value would and is none: a reference, a path, a placeholder, an expression.
_NO_VALUE: Final = re.compile(
    r"\$[A-Za-z_{(]|%[A-Za-z(%]|[./~]{1,3}/|/[a-z]|[A-Za-z]:/|https?:|(?:os|process|env|self|this|config|settings|options|args)\."
    r"|[a-z_][a-z0-9_]*(?:\.[A-Za-z_]\w*)+$"
    r"|[xX*.#_-]+$|sha(?:1|224|256|384|512)-|(?:md5|sha\d+):|v?\d+(?:\.\d+)+"
)
_PLACEHOLDER: Final = re.compile(
    r"(?i)example|placeholder|changeme|change-me|your[_-]|dummy|redacted|xxxx|\*\*\*\*|<|insert"
)
_CALL: Final = frozenset("([{")


def assigned(text: str) -> Iterable[Span]:
    """Yield the values in `text` that a name gives away; each is called as the name."""
    for sign in _SIGNS:
        at = judged = inside = 0
        while (found := sign.search(text, at)) is not None:
            start, end = found.span("value")
            inside = inside + 1 if start < judged else 0
            judged = max(judged, end)
            at = judged if inside > _MOST_INSIDE else found.start() + 1
            word = _word_before(text, found.start())
            if word is not None:
                end = _end_of(text, start, end)
                if _is_secret(text[start:end], text[end : end + 1]):
                    yield Span(start, end, _name(text, *word))


def _word_before(text: str, sign: int) -> tuple[int, int] | None:
    """Return where the word stands that makes the name before a sign a secret one; None where there is none."""
    start = max(0, sign - _BEFORE)
    before = text[start:sign]
    small = before.lower()
    if not any(piece in small for piece in _PIECES) or before.endswith("="):
        return None
    for found in _NAME.finditer(before):
        if not (found.start() and before.endswith("[secret") and sign - start - found.start() == len("secret")):
            return start + found.start("word"), start + found.end("word")
    return None


def looks_random(value: str) -> bool:
    """Whether a value looks made by a machine, or like a password somebody took care over; words and numbers do not."""
    value = value[:_LOOKED_AT]
    digits = sum(char.isdigit() for char in value)
    letters = sum(char.isalpha() for char in value)
    counts = Counter(value)
    bits = -sum(count / len(value) * math.log2(count / len(value)) for count in counts.values())
    has_both = any(char.isupper() for char in value) and any(char.islower() for char in value)
    has_signs = any(char in "!@#$%^&*+/=~" for char in value)
    if digits < 2:
        return len(value) >= 20 and has_both and bits >= 3.8 and _switches(value) * 4 >= len(value)
    if len(value) < 12:
        return letters >= 3 and has_both and has_signs and bits >= 2.8
    return letters >= 3 and bits >= 3.0 and (has_both or has_signs or digits >= 4) and _switches(value) >= 4


def _switches(value: str) -> int:
    """Return how often letters and digits, capitals and small letters take turns: rarely in words and dates."""
    kinds = ["d" if char.isdigit() else "u" if char.isupper() else "l" if char.islower() else "" for char in value]
    kept = [kind for kind in kinds if kind]
    return sum(left != right and (left, right) != ("u", "l") for left, right in pairwise(kept))


def _end_of(text: str, start: int, end: int) -> int:
    """Return where the value ends: `&` parts parameters of an address, and a dot ends a sentence."""
    cut = text.find("&", start, end)
    end = cut if cut > start else end
    while end > start and text[end - 1] in ".,;":
        end -= 1
    return end


def _is_secret(value: str, following: str) -> bool:
    if len(value) < 10 or (following and following in _CALL):
        return False
    if _NO_VALUE.match(value) or _UUID.match(value) or _PLACEHOLDER.search(value, 0, _LOOKED_AT):
        return False
    return looks_random(value)


def _name(text: str, at: int, after: int) -> str:
    """Return the name that the word is a part of."""
    start, end = at, after
    while start > 0 and at - start < _LONGEST_NAME and text[start - 1] in _NAME_CHARS:
        start -= 1
    while end < len(text) and end - after < _LONGEST_NAME and text[end] in _NAME_CHARS:
        end += 1
    return text[start:end].strip("-.")[-_LONGEST_NAME:]
