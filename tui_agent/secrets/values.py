"""The values that must not be seen: those of secret variables, in every spelling in which they may turn up in text."""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final
from urllib.parse import quote, quote_plus

__all__ = ["needles", "own_keys", "secret_values"]

_SHORTEST: Final = 8
_SHORTEST_LINE: Final = 16  # of a value of several lines: each is looked for by itself
_SHORTEST_CODED: Final = 8  # of what base64 leaves of a value that may begin anywhere
# Set everywhere, and words of their own: to hide them would hide half of what people read.
_COMMON: Final = frozenset(
    {"password", "postgres", "changeme", "localhost", "username", "disabled", "required", "undefined", "optional",
     "development", "production", "anonymous", "keychain", "kerberos", "cookiejar", "filesystem", "interactive"}
)  # fmt: skip
_ADDRESS: Final = re.compile(r"://[^\s/:@]*:([^\s/@]{8,})@")


def secret_values(environment: Mapping[str, str], is_secret: Callable[[str], bool]) -> dict[str, str]:
    """Return the secrets of an environment by what each is called: values of secret names, and passwords in addresses."""
    found: dict[str, str] = {}
    for name, value in environment.items():
        if is_secret(name):
            if _is_worth(value):
                found[name] = value
        elif (address := _ADDRESS.search(value)) is not None and _is_worth(address[1]):
            found[f"password in {name}"] = address[1]
    return found


def own_keys(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return what an environment holds of what requests to the model are signed with."""
    names = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")
    return tuple(environment[name] for name in names if _is_worth(environment.get(name, "")))


def needles(values: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return what to look for, and what each is called, for secrets given as name and value; the longest first."""
    found: dict[str, str] = {}
    for name, value in values:
        for spelling in _spellings(value.strip()):
            found.setdefault(spelling, name)
    return sorted(found.items(), key=lambda item: -len(item[0]))


def _is_worth(value: str) -> bool:
    value = value.strip()
    if len(value) < _SHORTEST or value.lower() in _COMMON or len(set(value)) < 3:
        return False
    # A file that holds a secret is no secret itself.
    return not (value.startswith(("/", "~/", "./")) and os.path.lexists(os.path.expanduser(value)))  # noqa: PTH111


def _spellings(value: str) -> Iterable[str]:
    lines = [line.strip() for line in value.splitlines()]
    if len(lines) > 1:
        for line in lines:
            if len(line) >= _SHORTEST_LINE and not line.startswith("-----"):
                yield from _of_line(line)
        yield json.dumps(value)[1:-1]
    elif value:
        yield from _of_line(value)


def _of_line(value: str) -> Iterable[str]:
    yield value
    yield json.dumps(value)[1:-1]
    yield json.dumps(value, ensure_ascii=False)[1:-1]
    for quoted in (quote(value, safe=""), quote(value), quote_plus(value)):
        yield quoted
        yield re.sub(r"%[0-9A-F]{2}", lambda code: code[0].lower(), quoted)
    data = value.encode("utf-8", "surrogateescape")
    # Where in a coded text it begins decides how it is written; what shares a character with its neighbours is left out.
    for offset in range(3):
        coded = base64.b64encode(bytes(offset) + data).decode()
        first = (offset * 8 + 5) // 6
        core = coded[first : first + (len(data) * 8 - (first * 6 - offset * 8)) // 6]
        if len(core) >= _SHORTEST_CODED:
            yield core
            yield core.replace("+", "-").replace("/", "_")
