"""What the name in front of a value says: `DB_PASSWORD`, `clientSecret`, `--api-key`, and `tokenAddress`, which is none.

A name is taken apart into words. One of them makes it secret, those in front and behind may take that back: `token_url` is an
address, `max_tokens` a number, `public_key` nothing to hide.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from functools import lru_cache
from typing import Final

__all__ = ["Strength", "names_in", "strength"]


class Strength(Enum):
    """How much a name says of its value."""

    NOTHING = "nothing"  # the value is none to hide, whatever it looks like
    HINT = "hint"  # hidden where it looks random
    SECRET = "secret"  # noqa: S105 - a key or a token; words and numbers stand in its place often
    PASSWORD = "password"  # noqa: S105 - a user's word, which may look like any other


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# What a name is looked for by, in small letters. Each stands in the name, not always at its beginning.
_PIECES: Final = (
    "pass", "pwd", "secret", "token", "credential", "key", "auth", "psk", "mnemonic", "_pat", "_pw", "bindpw", "rootpw",
)  # fmt: skip
_NAME_CHARS: Final = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."
_LONGEST: Final = 40  # characters of a name in front of the piece and behind it
_WORDS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")

_PASSWORDS: Final = (
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "requirepass",
    "sshpass",
    "mnemonic",
    "psk",
    "masterauth",
    "bindpw",
    "rootpw",
)
_GLUED_PASS: Final = _words(
    """
    dbpass mailpass pgpass userpass rootpass adminpass mysqlpass smtppass ftppass mypass
    storepass keypass srcstorepass srckeypass deststorepass destkeypass
    """
)
_SECRETS: Final = ("secret", "token", "credential", "apikey", "secretkey", "accesskey", "privatekey", "authkey")
# What a key is the key of, where the key is one to hide.
_KEY_OWNERS: Final = _words(
    """
    api access private account auth signing encryption secret master storage client shared consumer license app
    application jwt hmac crypto cipher webhook integration write admin service bot subscription deploy sas server
    preshared session decryption wallet validator root host ingest user team project site personal
    """
)
_STRONG_OWNERS: Final = frozenset(
    {"api", "access", "private", "secret", "master", "encryption", "signing", "auth", "account", "preshared"}
)
# Behind the word these leave it a secret; any other word lets only what looks random count.
_NEUTRAL: Final = _words(
    """
    base data value raw plain plaintext prod production dev staging test live new old current confirm confirmation
    key b64 base64 encoded admin root user string default primary secondary access id local env master db backup
    main hash app pw
    """
)
_TAKES_BACK: Final = _words(
    """
    address addr name names type types url urls uri endpoint path paths file files dir folder length len count
    counts size limit limits max min ttl expiry expires expiration expire timeout field fields label hint
    placeholder prompt policy regex pattern format rule rules reset strategy provider class index idx version kind
    ref refs arn store manager header param prefix suffix usage budget balance symbol decimals contract algorithm
    encoder validator input button required enabled visible visibility error errors message title description text
    changed updated created at date time var selector position pos offset list ids mode method state status step
    form page view screen icon link source sources issuer audience scope scopes rate price per cost stream parser
    filter util utils factory service helper handler helpers model schema registry scanner check checker location
    locations column columns table attribute property properties cache bucket ring chain entry vault pair stroke
    board code codes event binding bindings word words frame frames map fingerprint usages ops resolver mapping
    lifetime age window server keyring callback rotation ready
    program mint
    """
)
_TAKES_BACK_BEFORE: Final = _words(
    """
    recv import export trusted
    max min num next no total n count public pub publishable primary foreign sort cache partition page continuation
    cursor sync prompt completion input output context stop eos bos pad special mask sep unk cls lookup dict row
    hash has is show hide toggle forgot reset change get set check verify validate invalid missing wrong without
    reasoning thinking cached budget left parse last first previous prev each per image resume
    """
)
_ALONE: Final = {
    "auth": Strength.HINT, "cookie": Strength.HINT, "salt": Strength.HINT, "dsn": Strength.HINT, "pat": Strength.SECRET,
}  # fmt: skip


def names_in(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the names stand that may be secret ones, by what they hold; none overlaps the one before it."""
    small = text.lower()
    if len(small) != len(text):  # the one letter that is longer when it is small
        small = text.replace("İ", "i").lower()
    found: list[int] = []
    for piece in _PIECES:
        at = small.find(piece)
        while at >= 0:
            if piece != "key" or _may_be_key(small, at):
                found.append(at)
            at = small.find(piece, at + len(piece))
    after = 0
    for at in sorted(found):
        if at < after:
            continue
        before, behind = text[max(after, at - _LONGEST) : at], text[at : at + _LONGEST]
        start = at - len(before) + len(before.rstrip(_NAME_CHARS))
        after = at + len(behind) - len(behind.lstrip(_NAME_CHARS))
        yield start, start + len(text[start:after].rstrip("-."))


def _may_be_key(small: str, at: int) -> bool:
    """Whether a `key` is not the end of `monkey` or the beginning of `keyboard`: another word of the name stands in front."""
    before = small[at - 1 : at]
    return before in ("_", "-", ".", " ") or small[max(0, at - 7) : at].endswith(_GLUED)


# A secret of these is a password as a program has one; a secret of something else may be the name of one.
_SECRET_OWNERS: Final = _words("client app api shared consumer webhook jwt session cookie oauth signing hmac")
_GLUED: Final = (
    *("api", "access", "private", "account", "auth", "signing", "ryption", "secret", "master", "storage", "client"),
    *("shared", "consumer", "license", "app", "webhook", "service", "session", "admin"),
)


@lru_cache(maxsize=2048)
def strength(name: str) -> Strength:
    """Return what a name says of the value behind it."""
    if name in ("PWD", "OLDPWD"):
        return Strength.NOTHING
    if name in ("_authToken", "npmAuthIdent"):  # of npm and Yarn
        return Strength.PASSWORD
    words = [word.lower() for word in _WORDS.findall(name)]
    found = _word_of(words)
    if found is None:
        return Strength.NOTHING
    at, kind = found
    if not _TAKES_BACK.isdisjoint(words[at + 1 :]) or (at and words[at - 1] in _TAKES_BACK_BEFORE):
        return Strength.NOTHING
    if "public" in words or "publishable" in words:
        return Strength.NOTHING
    if any(word not in _NEUTRAL and not word.isdigit() for word in words[at + 1 :]):
        return Strength.HINT if kind is not Strength.NOTHING else kind
    return kind


def _word_of(words: list[str]) -> tuple[int, Strength] | None:
    """Return the last word that makes a name secret, and how much it says."""
    for at in range(len(words) - 1, -1, -1):
        word = words[at] if words[at].endswith("ss") else words[at].removesuffix("s")
        if word.endswith(_PASSWORDS):
            return at, Strength.PASSWORD
        if word in _GLUED_PASS or (word == "pw" and at):
            return at, Strength.PASSWORD
        if word == "pass" and (len(words) == 1 or at):
            return at, Strength.PASSWORD
        if word == "secret" and at and words[at - 1] in _SECRET_OWNERS:
            return at, Strength.PASSWORD
        if word.endswith(_SECRETS):
            return at, Strength.SECRET
        if word == "key" and at:
            owner = words[at - 1]
            if owner in _KEY_OWNERS:
                return at, Strength.SECRET if owner in _STRONG_OWNERS else Strength.HINT
            return at, Strength.HINT
        if word in _ALONE:
            return at, _ALONE[word]
    return None
