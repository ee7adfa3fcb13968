"""Whether a word, a text in quotes or an item of a list behind a secret name is a secret, going by where it stands.

What looks random is one anywhere. A password of plain words is believed in lines of settings, where nothing else would stand.
"""

from __future__ import annotations

import re
from typing import Final

from tui_agent.secrets.assigned_names import Strength
from tui_agent.secrets.assigned_values import is_mixed, is_random, is_reference, is_spare, is_uuid

__all__ = [
    "BEHIND_WORDS",
    "CALLS",
    "JOINED",
    "in_quotes",
    "is_bare_password",
    "is_coded_login",
    "is_label",
    "is_named_plainly",
    "is_numbered",
    "is_odd",
    "is_shaped",
    "looks_random",
]

CALLS: Final = frozenset("([{")
BEHIND_WORDS: Final = frozenset(("", " ", "\t", "\n", "\r", ";", "&"))
# A list of names and values that blanks part, as a connection string has it, or an option that takes one of them.
JOINED: Final = re.compile(
    r"(?:^|\s)\w+=[^\s,()=]+[ ]\Z|--(?:from-literal|set|set-string|env|build-arg)[= ](?:[\w.]+\.)?\Z"
)
_ASSIGNMENT: Final = re.compile(r"\w+=|https?:")
# In a map on one line: `{host: h, password: …, x: 1}`. In code names of other things stand there.
_FLOW: Final = re.compile(r"\{[^{}\n]{0,150}\Z")
_ALGORITHM: Final = re.compile(r"(?i)sha\d|md5|base\d|utf|x509|auth2|ed25519|aes\d|b64|p256|h264|e2e|i18n|v\d")
# What makes words with blanks a sentence, and no pass phrase.
_PROSE: Final = frozenset(
    """
    a an and are as at be by can cannot char character characters chars contain contains digit digits do enter for from has
    have if in invalid is it least letter letters long longer max maximum min minimum minutes days hours more must no not of
    on one only or please required retype short should than that the this to too use with you your
    """.split()  # noqa: SIM905 - words, as in the other tables
)
_MOUNTING: Final = re.compile(r"\buser(?:name)?=[^\s,]{1,64},\Z")
_TEMPLATE: Final = re.compile(r"\$\{|\{\{|#\{|%[sdrv(]|\{\w*\}|<%")
_KEYWORD: Final = re.compile(r"(?i)passw|secret|token|credential|phrase")
_PLAIN_WORD: Final = re.compile(r"[A-Z][a-z]+")
_SHORTEST_RANDOM: Final = 10


def is_shaped(value: str, kind: Strength, *, is_settings: bool) -> bool:
    """Whether a word of a list or of a block is a secret: it has to look like one."""
    if looks_random(value, ""):
        return True
    if kind is Strength.HINT or is_reference(value) or is_spare(value) or _ASSIGNMENT.match(value) is not None:
        return False
    if _TEMPLATE.search(value) is not None or any(sign in value for sign in "([{") or value.endswith((":", ",", ";")):
        return False
    if kind is Strength.PASSWORD and is_settings:
        return len(value) >= 5 and is_numbered(value)
    return is_odd(value) and _KEYWORD.search(value) is None


def is_bare_password(value: str, following: str, sign: str, before: str, *, is_tight: bool, is_last: bool) -> bool:
    """Whether a word without quotes is a password, as settings files and connection strings write it."""
    is_joined = (
        following in (";", "&") or before.rstrip(" ").endswith((";", "&", "?")) or JOINED.search(before) is not None
    )
    is_joined = is_joined and sign == "=" and is_tight and following not in (",", ")")
    is_joined = is_joined or (sign == "=" and is_tight and _MOUNTING.search(before) is not None)
    if is_joined or before.endswith("--"):
        return len(value) >= 3 and not (before.endswith("--") and value.isupper())
    if sign == ":" and following in (",", "}") and _FLOW.search(before) is not None:
        return (
            len(value) >= 6 and sum(map(str.isdigit, value)) >= 2 and is_mixed(value)
            and is_numbered(value) and _ALGORITHM.search(value) is None
        )  # fmt: skip
    has_other = not value.isalpha()
    if is_last and sign == "=":
        return len(value) >= 3 and (is_tight or (has_other and is_numbered(value)))
    if is_last and sign == ":":
        return len(value) >= 4 and not value.endswith((",", ";")) and (has_other or value.islower())
    return is_tight and sign == "=" and len(value) >= 6 and is_mixed(value) and following in BEHIND_WORDS


def is_numbered(value: str) -> bool:
    """Whether a value is more than a name that code could give to something: `hunter2`, and not `password2`."""
    return (is_mixed(value) or (value[-1:].isdigit() and len(value) >= 6)) and _KEYWORD.search(value) is None


def in_quotes(value: str, kind: Strength, *, is_config: bool, is_env: bool, name: str) -> bool:
    """Whether what stands in quotes behind a name is a secret."""
    if looks_random(value, ""):
        return True
    if kind is Strength.HINT or is_reference(value) or is_spare(value) or _TEMPLATE.search(value) is not None:
        return is_coded_login(value) if kind is Strength.HINT else False
    if any(blank in value for blank in " \t"):
        is_phrase = any(word in name.lower() for word in ("phrase", "mnemonic", "psk"))
        if len(value) < 8 or _KEYWORD.search(value) is not None:
            return False
        return is_env or is_phrase or (kind is Strength.PASSWORD and is_config and _is_phrase(value))
    if is_env:
        return len(value) >= 4 and (kind is Strength.PASSWORD or not value.isdigit())
    if kind is Strength.PASSWORD:
        if is_config:
            return len(value) >= 4 and not is_label(value)
        return len(value) >= 6 and is_mixed(value)
    return is_odd(value)


def _is_phrase(value: str) -> bool:
    """Whether a password has blanks: a few words with numbers among them, and nothing that a sentence would have."""
    words = value.lower().split()
    return (
        len(words) <= 5 and len(value) <= 60 and any(map(str.isdigit, value)) and not value[:1].isupper()
        and _PROSE.isdisjoint(words) and value[-1] not in ".:?!,;)" and value == value.strip()
        and all(any(map(str.isalnum, word)) for word in words)
    )  # fmt: skip


def is_named_plainly(value: str) -> bool:
    """Whether a value of `"API_TOKEN": "…"` is one: no reference, no sentence, and no name like the variable's own."""
    if len(value) < 8 or is_reference(value) or is_spare(value) or _TEMPLATE.search(value) is not None:
        return False
    return not any(blank in value for blank in " \t") and not value.isupper() and _KEYWORD.search(value) is None


def is_label(value: str) -> bool:
    """Whether this is what a form calls its field, in any language: `Password`, `Passwort`, `confirm-password`."""
    if _KEYWORD.search(value) is not None:
        return not any(map(str.isdigit, value))
    return value.isalpha() and not value.islower() and (not value.isascii() or _PLAIN_WORD.fullmatch(value) is not None)


def looks_random(value: str, following: str) -> bool:
    """Whether a value is one that nobody would write by hand; what follows it tells a call from a value."""
    if len(value) < _SHORTEST_RANDOM or (following and following in CALLS) or any(blank in value for blank in " \t"):
        return False
    return not is_reference(value) and not is_uuid(value) and is_random(value)


def is_odd(value: str) -> bool:
    """Whether a key or a token could be written so, though it does not look random: `abc123def456`."""
    return (
        len(value) >= 8
        and sum(map(str.isdigit, value)) >= 2
        and is_mixed(value)
        and not is_uuid(value)
        and not value.isdigit()
    )


def is_coded_login(value: str) -> bool:
    """Whether this is `name:password` in base64, as package managers and registries write it."""
    import base64
    import binascii

    if len(value) < 8 or len(value) % 4:
        return False
    try:
        return b":" in base64.b64decode(value, validate=True)[1:]
    except (binascii.Error, ValueError):
        return False
