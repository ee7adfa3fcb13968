"""What host a URL names, in one spelling: rules compare it, and what is fetched is fetched from it.

One reading for both, so that a rule can neither be missed nor be met by a host that is written in an odd way: in capitals,
with a last dot, in another script's letters, or as an address in hexadecimal.
"""

from __future__ import annotations

import ipaddress
import re
from typing import Final
from urllib.parse import urlsplit

__all__ = ["canonical_host", "host_of"]

_LONGEST: Final = 253  # characters of a name, by the rules of DNS
_NAME: Final = re.compile(r"[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*")
_NUMBER: Final = re.compile(r"0x[0-9a-f]*|[0-9]+")
# A URL with one of these is read in different ways by different programs.
_AMBIGUOUS: Final = re.compile(r"[\x00-\x20\x7f\\]")


def host_of(url: str) -> str | None:
    """Return the canonical host of an http or https URL, None where it has none or can be read in two ways."""
    if _AMBIGUOUS.search(url):
        return None
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    host = parts.netloc.rpartition("@")[2]
    if parts.scheme not in ("http", "https") or not host:
        return None
    host = host[: host.index("]") + 1] if host.startswith("[") and "]" in host else host.partition(":")[0]
    return canonical_host(host)


def canonical_host(host: str) -> str | None:
    """Return a host in its one spelling, None where it can be none.

    A name is in lower case, without a last dot, in the ASCII form of DNS. An IPv4 address, however written, has four
    decimal numbers; an IPv6 address is in its short form without brackets, or the IPv4 address that it stands for.
    """
    if len(host) > 4 * _LONGEST:
        return None
    if ":" in host or host.startswith("["):
        return _ipv6(host.removeprefix("[").removesuffix("]"))
    try:
        name = host.encode("idna").decode("ascii").lower() if not host.isascii() else host.lower()
    except UnicodeError:
        return None
    name = name.removesuffix(".")
    if len(name) > _LONGEST or not _NAME.fullmatch(name):
        return None
    return _ipv4(name) if _NUMBER.fullmatch(name.rpartition(".")[2]) else name


def _ipv4(text: str) -> str | None:
    """Read an address as C libraries do: one to four numbers, decimal, octal or hexadecimal; the last one fills the rest."""
    numbers = [_number(part) for part in text.split(".")]
    *first, last = numbers
    if len(numbers) > 4 or last is None:
        return None
    value = last
    if value >= 256 ** (5 - len(numbers)):
        return None
    for place, number in enumerate(first):
        if number is None or number > 255:
            return None
        value += number * 256 ** (3 - place)
    return str(ipaddress.IPv4Address(value))


def _number(text: str) -> int | None:
    if not _NUMBER.fullmatch(text) or len(text) > 20:
        return None
    if text.startswith("0x"):
        return int(text[2:] or "0", 16)
    try:
        return int(text, 8 if len(text) > 1 and text.startswith("0") else 10)
    except ValueError:
        return None


def _ipv6(text: str) -> str | None:
    try:
        address = ipaddress.IPv6Address(text)
    except ValueError:
        return None
    if address.scope_id is not None:
        return None
    return str(address.ipv4_mapped or address)
