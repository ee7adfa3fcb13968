"""Secrets in the formats of programs: passwords in addresses, headers of requests, hashes of passwords.

Rows as in `issuers`: a name, what it is found by (with `&` for a blank), and a pattern of what follows, of which group 1 is the
secret part. What takes more than a look at what follows is a function.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from typing import Final

from tui_agent.secrets.masks import SecretSpan

__all__ = ["FORMATS", "HASHES", "in_context"]

# fmt: off
FORMATS: Final[tuple[tuple[str, str, str], ...]] = (
    (
        "URL password",
        "://",
        (r"[^\s/:@\"'`<>\\]{0,100}:(?![${<%\[])(?![xX*.]+@)(?!(?:password|passwd|pass|pwd|secret|token|PASSWORD|PASS)@)"
        r"([^\s/@\"'`<>\\]{3,200}(?:@[^\s/@?#,:;&=()\"'`<>\\]{1,100}){0,2}"
        r"|[^\s/@\"'`<>\\]{1,2}(?:@[^\s/@?#,:;&=()\"'`<>\\]{1,100}){1,2})@(?=[A-Za-z0-9\[.-])"),
    ),
    (
        "URL token", "://",
        (r"([0-9a-f]{40}|(?=[A-Za-z_-]{0,60}[0-9])(?=[A-Z0-9_-]{0,60}[a-z])(?=[a-z0-9_-]{0,60}[A-Z])[A-Za-z0-9_-]{20,100})"
        r"@(?=[A-Za-z0-9\[.-])"),
    ),
    (
        "bearer token", "earer EARER",
        r"(?:[ \t]|%20|\+){1,4}(?=[A-Za-z._~+/=-]{0,200}[0-9])([A-Za-z0-9._~+/=-]{16,4000})",
    ),
    (
        "authorization",
        "uthorization UTHORIZATION",
        (r"\\?[\"']?[ \t]{0,3}[:=][ \t]{0,3}\\?[\"']?(?i:basic|token|apikey|negotiate|digest|ntlm|sso-key|key|bot)[ \t]{1,3}"
        r"([A-Za-z0-9._~+/=:-]{8,4000})"),
    ),
    ("session cookie", "SESSID= SESSIONID= sessionid= session= connect.sid= csrftoken= _session= .AspNetCore.Cookies=",
     r"(?=[A-Za-z%._-]{0,60}[0-9])([A-Za-z0-9%._+/=-]{20,4000})"),
    ("signature", "sig=", r"([A-Za-z0-9%+/]{40,120}(?:%3[Dd]|=)?)"),
    ("signature", "X-Amz-Signature=", r"([0-9a-f]{64})"),
    (
        "registry login", ".dockerconfigjson .dockercfg",
        r"\\?[\"']?[ \t]{0,3}:[ \t]{0,3}\\?[\"']?([A-Za-z0-9+/]{20,8000}={0,2})",
    ),
    (
        "GitHub token", "github-oauth gitlab-oauth gitlab-token",
        r"\\?[\"']\s{0,8}:\s{0,8}\{\s{0,40}\\?[\"'][^\"'\n]{1,100}[\"']\s{0,8}:\s{0,8}\\?[\"']([A-Za-z0-9_-]{20,255})",
    ),
    ("database password", "jdbc:oracle:thin: jdbc:oracle:oci:", r"[^\s/:@\"']{1,64}/(?![$<{%])([^\s/@\"'<>]{3,100})@"),
    ("database password", "=&PASSWORD(", r"\\?['\"](?![$<{%])([^'\"\s]{3,200})\\?['\"]\)"),
    ("Redis password", "&on&>", r"([^\s>\"']{4,200})(?=[ \t][~&+%@-])"),
    ("unseal key", "Unseal&Key&", r"[0-9]{1,2}:[ \t]{1,4}([A-Za-z0-9+/]{32,100}={0,2})"),
    ("Vault token", "Initial&Root&Token:", r"[ \t]{1,4}([A-Za-z0-9._-]{10,200})"),
    (
        "VPN password", "<auth-user-pass>",
        r"\s{1,20}(?:[0-9]{1,7}\t)?\S{1,100}\s{1,20}(?:[0-9]{1,7}\t)?(?!</)([^\s<]{3,200})(?=\s)",
    ),
    (
        "Discord token", "iscord ISCORD",
        r"[^\n]{0,40}?[\"'=: \t]([MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6,7}\.[A-Za-z0-9_-]{27,40})",
    ),
    ("Jenkins secret", "{AQAAAB", r"([A-Za-z0-9+/=]{20,400})\}"),
    ("NTLM hash", "aad3b435b51404eeaad3b435b51404ee:", r"([0-9a-f]{32})"),
    ("TOTP secret", "otpauth://", r"[^\s\"']{1,200}?[?&]secret=([A-Z2-7]{16,100})"),
)

# Hashes that a password can be searched for with.
HASHES: Final[tuple[tuple[str, str, str], ...]] = (
    ("password hash", "$1$ $apr1$", r"[./A-Za-z0-9]{0,8}\$[./A-Za-z0-9]{22}"),
    ("password hash", "$5$", r"(?:rounds=[0-9]{1,9}\$)?[./A-Za-z0-9]{0,16}\$[./A-Za-z0-9]{43}"),
    ("password hash", "$6$", r"(?:rounds=[0-9]{1,9}\$)?[./A-Za-z0-9]{0,16}\$[./A-Za-z0-9]{86}"),
    ("password hash", "$y$ $gy$ $7$", r"[./A-Za-z0-9]{1,40}\$[./A-Za-z0-9]{0,86}\$[./A-Za-z0-9]{43}"),
    ("password hash", "$2$ $2a$ $2b$ $2x$ $2y$", r"[0-9]{2}\$[./A-Za-z0-9]{53}"),
    (
        "password hash", "$argon2id$ $argon2i$ $argon2d$",
        r"(?:v=[0-9]{1,3}\$)?m=[0-9]{1,9},t=[0-9]{1,9},p=[0-9]{1,9}\$[A-Za-z0-9+/]{8,100}\$[A-Za-z0-9+/]{16,200}",
    ),
    ("password hash", "$pbkdf2", r"(?:-sha[0-9]{1,3})?\$[0-9]{1,9}\$[./A-Za-z0-9]{4,100}\$[./A-Za-z0-9]{20,200}"),
    ("password hash", "$scrypt$", r"ln=[0-9]{1,2},r=[0-9]{1,3},p=[0-9]{1,3}\$[A-Za-z0-9+/]{8,100}\$[A-Za-z0-9+/]{20,200}"),
    ("password hash", "pbkdf2_sha", r"[0-9]{1,3}\$[0-9]{1,9}\$[A-Za-z0-9]{1,64}\$[A-Za-z0-9+/=]{20,120}"),
    ("password hash", "pbkdf2:sha", r"[0-9]{1,3}(?::[0-9]{1,9})?\$[A-Za-z0-9]{1,64}\$[0-9a-f]{40,128}"),
    ("password hash", "scrypt:", r"[0-9]{1,9}:[0-9]{1,3}:[0-9]{1,3}\$[A-Za-z0-9]{1,64}\$[0-9a-f]{64,128}"),
    (
        "password hash", "SCRAM-SHA-256$",
        r"[0-9]{1,9}:[A-Za-z0-9+/=]{8,100}\$[A-Za-z0-9+/=]{20,100}:[A-Za-z0-9+/=]{20,100}",
    ),
    ("password hash", "{SSHA} {SHA} {SSHA256} {SSHA512} {SMD5}", r"[A-Za-z0-9+/=]{24,160}"),
)
# fmt: on

_BASIC: Final = re.compile(r"asic[ \t]{1,4}([A-Za-z0-9+/]{8,400}={0,2})")
_IDENTIFIED: Final = re.compile(
    r"(?i:dentified by)[ \t]{1,4}(?i:PASSWORD[ \t]{1,4}|AS[ \t]{1,4})?['\"]([^'\"\s$<{%]{3,200})"
)
_OF_USER: Final = re.compile(r"(?i)\b(?:user|grant|identity|role)\b[^;\n]{0,140}\Z")
# `.pgpass`: host, port, database, name, password. The port tells it from other lists.
_PGPASS: Final = re.compile(r":(?:543[0-9]|6432|\*):[^\s:]{1,63}:[^\s:]{1,63}:([^\s:\"']{3,200})(?=\s|\Z)")
# The parts of a key as JSON that are secret, and what tells such a key from other objects.
_KEY_TYPE: Final = re.compile(r"kty\\?[\"']\s{0,8}:")
_KEY_PARTS: Final = re.compile(r"\\?[\"'](?:d|p|q|dp|dq|qi|k)\\?[\"']\s{0,8}:\s{0,8}\\?[\"']([A-Za-z0-9_-]{16,2000})")
_KEY_SPREAD: Final = 4_000  # characters around its type in which a key lies
_MAILCHIMP: Final = re.compile(r"(?<![0-9A-Za-z])[0-9a-f]{32}-us[0-9]{1,2}(?![0-9A-Za-z])")


def in_context(text: str) -> Iterator[SecretSpan]:
    """Yield secrets that are told by what stands in front of them in the line."""
    at = text.find("asic ")
    while at >= 0:
        found = _BASIC.match(text, at)
        if found is not None and _is_login(found[1]):
            yield SecretSpan(found.start(1), found.end(1), "authorization")
        at = text.find("asic ", at + 5)
    for sign in ("DENTIFIED BY", "dentified by"):
        at = text.find(sign)
        while at >= 0:
            found = _IDENTIFIED.match(text, at)
            if found is not None and _OF_USER.search(text[max(0, at - 150) : at]) is not None:
                yield SecretSpan(found.start(1), found.end(1), "password")
            at = text.find(sign, at + len(sign))
    for port in (":543", ":6432:", ":*:"):
        at = text.find(port)
        while at >= 0:
            found = _PGPASS.match(text, at)
            if found is not None:
                yield SecretSpan(found.start(1), found.end(1), "password")
            at = text.find(port, at + 3)

    yield from _keys_as_json(text)
    at = text.find("-us")
    while at >= 0:
        found = _MAILCHIMP.match(text, max(0, at - 32))
        if found is not None:
            yield SecretSpan(*found.span(), "Mailchimp key")
        at = text.find("-us", at + 3)


def _keys_as_json(text: str) -> Iterator[SecretSpan]:
    after = 0
    at = text.find("kty")
    while at >= 0:
        if _KEY_TYPE.match(text, at) is not None and text[at - 1 : at] in ("'", '"'):
            start, end = max(after, at - _KEY_SPREAD), at + _KEY_SPREAD
            for part in _KEY_PARTS.finditer(text, start, end):
                yield SecretSpan(part.start(1), part.end(1), "private key")
            after = max(after, end)
        at = text.find("kty", at + 3)


def _is_login(coded: str) -> bool:
    """Whether this is `name:password` in base64; the end of it may be missing."""
    try:
        plain = base64.b64decode(coded + "=" * (-len(coded) % 4), validate=True)
    except (binascii.Error, ValueError):
        return False
    return b":" in plain and plain.isascii() and all(byte >= 32 for byte in plain)
