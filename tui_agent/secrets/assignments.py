"""Values that a name gives away: `DB_PASSWORD=…`, `"apiKey": "…"`, `client_secret: …`, where the value looks random."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable
from typing import Final

from tui_agent.secrets.marks import Span

__all__ = ["assigned", "looks_random"]

_KEY_WORDS: Final = r"(?:api|access|private|account|auth|signing|encryption)[_-]?key"
_WORD: Final = rf"(?i:password|passwd|passphrase|secret|token|credential|{_KEY_WORDS})"
# The name, which ends where the sign stands: the word that makes it secret, what may follow in the name, a closing quote.
_NAME: Final = re.compile(
    rf"(?P<word>{_WORD})s?(?:[_.-][A-Za-z0-9_.-]{{0,30}}|[A-Z0-9][A-Za-z0-9_]{{0,30}})?"
    r"(?:\\?[\"']\]?)?[ \t]{0,8}:?\Z"
)
# Pieces of those words, one of which has to be there for the name to be looked at more closely.
_PIECES: Final = ("assw", "assphrase", "ecret", "oken", "redential", "key")
_BEFORE_PIECE: Final = len("encryption_")  # characters of a word that stand before its piece at most
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
_RANDOM_SIGNS: Final = frozenset("!@#$%^&*+/=~")
_KINDS: Final = {
    code: "d" if chr(code).isdigit() else "u" if chr(code).isupper() else "l" if chr(code).islower() else None
    for code in range(128)
}
_TURNS: Final = ("du", "dl", "ud", "ld", "lu")  # a capital begins a word, so that what follows it is no turn
_WEIGHTS: Final = tuple(count * math.log2(count or 1) for count in range(_LOOKED_AT + 1))
_ROUNDING: Final = 1e-9  # what is just enough must not be too little for how it is added up


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
    pieces = [at for piece in _PIECES if (at := small.find(piece)) >= 0]
    if not pieces or before.endswith("="):
        return None
    # The name begins with a word, and no word before the first piece of one; small letters may be more than capitals.
    first = max(0, min(pieces) - _BEFORE_PIECE) if len(small) == len(before) else 0
    for found in _NAME.finditer(before, first):
        if not (found.start() and before.endswith("[secret") and sign - start - found.start() == len("secret")):
            return start + found.start("word"), start + found.end("word")
    return None


def looks_random(value: str) -> bool:
    """Whether a value looks made by a machine, or like a password somebody took care over; words and numbers do not."""
    value = value[:_LOOKED_AT]
    kinds = value.translate(_KINDS)  # a letter for each digit, capital and small letter
    digits, has_both = kinds.count("d"), "u" in kinds and "l" in kinds
    if digits < 2:
        return len(value) >= 20 and has_both and _switches(kinds) * 4 >= len(value) and _bits(value) >= 3.8
    if len(kinds) - digits < 3:
        return False
    has_signs = not _RANDOM_SIGNS.isdisjoint(value)
    if len(value) < 12:
        return has_both and has_signs and _bits(value) >= 2.8
    return (has_both or has_signs or digits >= 4) and _switches(kinds) >= 4 and _bits(value) >= 3.0


def _bits(value: str) -> float:
    """Return how many bits a character of a value tells; rather a little too many than too few."""
    counts = Counter(value).values()
    return math.log2(len(value)) - sum(map(_WEIGHTS.__getitem__, counts)) / len(value) + _ROUNDING


def _switches(kinds: str) -> int:
    """Return how often letters and digits, capitals and small letters take turns: rarely in words and dates."""
    return sum(map(kinds.count, _TURNS))


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
