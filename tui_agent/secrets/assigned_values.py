"""What stands where a value does: a secret, or a placeholder, a reference, a type, a word of prose."""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import Final

__all__ = ["SAMPLE_CHARS", "is_mixed", "is_random", "is_reference", "is_spare", "is_uuid"]

SAMPLE_CHARS: Final = 80  # characters of a value that decide what it looks like


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_UUID: Final = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$")
# What stands where a value would and is none: a reference, a path, an expression, a checksum, a version.
_REFERENCE: Final = re.compile(
    r"\$[A-Za-z_{(0-9@*#?$]|%[A-Za-z(%{]|#\{|@[A-Za-z]|[<{\[(]|&[A-Za-z]|\*[A-Za-z_]\w*$|!(?:ref|sub|env|secret|vault|Ref|Sub|GetAtt)\b"
    r"|[./~]{1,3}/|/[A-Za-z]|[A-Za-z]:[/\\]|(?:https?|ftp|file|s3|gs|arn|vault|op|secretsmanager|keyring|env|ssm|sops|doppler):"
    r"|(?:os|process|env|self|this|cls|config|settings|options|args|var|local|data|module|secrets|vars|params|props|req|request"
    r"|ctx|context|app|system|builder|import|ENV|Deno|Bun|System|ConfigurationManager|Environment)\."
    r"|(?![sbr]\.(?=[A-Za-z]{0,23}[0-9])[A-Za-z0-9]{24}(?:\.[A-Za-z0-9]{5})?$)"  # of Vault
    r"[a-z_][a-z0-9_]*(?:(?:\.|->|::|\?\.)[A-Za-z_]\w*)+$"
    r"|[xX*.#_-]+$|sha(?:1|224|256|384|512)-|(?:md5|sha\d+):|[\^~><=]*v?\d+(?:\.\d+)+|0x[0-9a-fA-F]{40}$"
)
_PLACEHOLDER: Final = re.compile(
    r"(?i)example|placeholder|change[-_]?(?:me|it|this)|your[-_]|my[-_](?:secret|password|token|key|api)|dummy|redacted|xxxx"
    r"|\*\*\*\*|<|insert|abcdefghijkl|replace[-_]?(?:me|this|with)|\bnot[-_ ]set\b|todo|fixme|\.\.\."
)
# Words that stand where a value would: types, states, what a form or an error says.
_WORDS: Final = _words(
    """
    password passwd passwords passphrase pass pwd secret secrets token tokens key apikey api_key credential
    credentials username user none null nil true false yes no on off undefined string str bytes text int integer
    number bool boolean any object optional varchar char secretstr securestring unicode type required requires
    invalid incorrect missing empty wrong default hidden masked unset tbd ok error failed failure expired expires
    denied accepted changed updated unknown unexpected value values name prompt interactive disabled enabled never
    always auto inherit ask file basic bearer oauth oauth2 jwt csrf static dynamic random generated self this kwargs
    args data input output new final const let var return if else and or not is in the a an to for of your must
    should can cannot has was will with per field fields public private protected readonly function async await
    lambda def class end begin eof eol identifier newline operator comment keyword literal comma colon semicolon dot
    string_literal whitespace punctuation variable foo bar baz test testing tester
    postgres guest root minioadmin localhost development demo
    """
)
_TURNS: Final = ("du", "dl", "ud", "ld", "lu")  # a capital begins a word, so that what follows it is no turn
_KINDS: Final = {
    code: "d" if chr(code).isdigit() else "u" if chr(code).isupper() else "l" if chr(code).islower() else None
    for code in range(128)
}
_WEIGHTS: Final = tuple(count * math.log2(count or 1) for count in range(SAMPLE_CHARS + 1))
_ROUNDING: Final = 1e-9  # what is just enough must not be too little for how it is added up
_RANDOM_SIGNS: Final = frozenset("!@#$%^&*+/=~")
_IDENTIFIER: Final = re.compile(r"[A-Za-z]+(?:[-_.:/][A-Za-z]+)*[0-9]{0,2}|[A-Za-z_]\w*\.[\w.]+")


def is_reference(value: str) -> bool:
    """Whether this points to a value that stands elsewhere, or is no value at all."""
    return _REFERENCE.match(value) is not None or _PLACEHOLDER.search(value, 0, SAMPLE_CHARS) is not None


def is_spare(value: str) -> bool:
    """Whether this is a word that stands where a value would."""
    return value.lower().rstrip(".?!:*") in _WORDS or len(set(value)) < 2


def is_uuid(value: str) -> bool:
    """Whether this is a UUID, which most often names something."""
    return _UUID.match(value) is not None


def is_mixed(value: str) -> bool:
    """Whether letters stand beside digits or signs in a way that names and words do not: `hunter2!`, `pass1234`."""
    has_letter = any(character.isalpha() for character in value)
    return has_letter and not all(map(str.isalpha, value)) and _IDENTIFIER.fullmatch(value) is None


def is_random(value: str) -> bool:
    """Whether a value looks made by a machine, or like a password somebody took care over; words and numbers do not."""
    value = value[:SAMPLE_CHARS]
    kinds = value.translate(_KINDS)  # a letter for each digit, capital and small letter
    digits, has_both = kinds.count("d"), "u" in kinds and "l" in kinds
    if digits < 2:
        return len(value) >= 20 and has_both and _toggles(kinds) * 4 >= len(value) and _bits(value) >= 3.8
    if len(kinds) - digits < 3:
        return False
    has_signs = not _RANDOM_SIGNS.isdisjoint(value)
    if len(value) < 12:
        return has_both and has_signs and _bits(value) >= 2.8
    return (has_both or has_signs or digits >= 4) and _toggles(kinds) >= 4 and _bits(value) >= 3.0


def _bits(value: str) -> float:
    """Return how many bits a character of a value tells; rather a little too many than too few."""
    counts = Counter(value).values()
    return math.log2(len(value)) - sum(map(_WEIGHTS.__getitem__, counts)) / len(value) + _ROUNDING


def _toggles(kinds: str) -> int:
    """Return how often letters and digits, capitals and small letters take turns: rarely in words and dates."""
    return sum(map(kinds.count, _TURNS))
