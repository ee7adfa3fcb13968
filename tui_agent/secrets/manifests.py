"""Secrets in files whose kind tells them: manifests of Kubernetes, lists of users, states of Terraform, settings of clients."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from tui_agent.secrets.assigned_values import is_mixed, is_random, is_reference, is_spare
from tui_agent.secrets.masks import SecretSpan

__all__ = ["in_manifests"]

_SPREAD: Final = 4_000  # characters around what tells of a manifest in which its data lies
_LISTED: Final = r"(?:[^\s:]{1,120}[:-])?(?:[ \t]{0,8}[0-9]{1,7}[\t→│|:-])?"  # what listings put in front of a line
_KIND: Final = re.compile(r"kind\\?[\"']?[ \t]{0,4}:[ \t]{0,4}\\?[\"']?Secret(?:List)?(?![A-Za-z])")
_PARTS: Final = re.compile(rf"(?m)^{_LISTED}---[ \t\r]*$|apiVersion")  # each manifest begins with one of these
_DATA: Final = re.compile(rf"(?m)^{_LISTED}(?P<indent>[ \t]{{0,20}})(?P<name>data|stringData):[ \t\r]*$")
_ENTRY: Final = re.compile(
    rf"\n{_LISTED}(?P<indent>[ \t]{{1,40}})[\w./-]{{1,253}}:[ \t]{{1,8}}[\"']?(?P<value>[^\s\"'#]{{0,3000}})[^\n]*"
)
_JSON_DATA: Final = re.compile(r"\"data\\?\"[ \t]{0,4}:\s{0,8}\{([^{}]{0,4000})")
_JSON_ENTRY: Final = re.compile(r":\s{0,8}\\?\"([A-Za-z0-9+/]{4,3000}={0,2})\\?\"")
_BASE64: Final = re.compile(r"(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?\Z")
_SHADOW: Final = re.compile(
    r"[a-z_][\w.-]{0,31}:!{0,2}([./0-9A-Za-z]{13}):[0-9]{0,6}:[0-9]{0,6}:[0-9]{0,6}:[0-9]{0,3}\Z"
)
_SHORT_TEXT: Final = 100_000  # characters: lists of users are short
_USER_LINE: Final = re.compile(
    rf"(?m)^(?:[^\s:]{{1,120}}:[0-9]{{1,7}}:)?{_LISTED}[A-Za-z][\w.@-]{{0,40}}:([./0-9A-Za-z]{{13}})[\r]?$"
)
_USER_VALUE: Final = re.compile(r"(?m):[./0-9A-Za-z]{13}\r?$")  # what such a line ends in, which is found fast
# Settings that are a login or a shared key: what they are found by, and what follows.
_SETTINGS: Final = tuple(
    (anchor, re.compile(rest))
    for anchor, rest in (
        ("BUNDLE_", r"[A-Z0-9_]{2,80}[\"']?[:=][ \t]{0,4}[\"']?(?!https?:)[^\s:/\"'$<{]{1,64}:([^\s/\"'$<{]{3,200})"),
        ("user = \"", r"[^\s:\"'$<{]{1,64}:(?![0-9]+\")([^\s\"$<{]{6,200})(?=\")"),
        ("user=\"", r"[^\s:\"'$<{]{1,64}:(?![0-9]+\")([^\s\"$<{]{6,200})(?=\")"),
        (": PSK \"", r"([^\"\n$<{]{4,200})(?=\")"),
        ("\"random_password\"", r"[^\n]{0,200}?(?:\n[^\n]{0,200}){0,12}?\"result\"[ \t]{0,4}:[ \t]{0,4}\"([^\"\n]{4,200})\""),
    )
)  # fmt: skip
_MUST_BE_MIXED: Final = ("user", "BUNDLE_")


def in_manifests(text: str) -> Iterator[SecretSpan]:
    """Yield the secrets of such files."""
    yield from _kubernetes(text)
    yield from _of_users(text)
    for anchor, rest in _SETTINGS:
        at = text.find(anchor)
        while at >= 0:
            found = rest.match(text, at + len(anchor))
            if found is not None and _is_secret(found[1], is_sure=not anchor.startswith(_MUST_BE_MIXED)):
                yield SecretSpan(found.start(1), found.end(1), "password")
            at = text.find(anchor, at + len(anchor))


def _is_secret(value: str, *, is_sure: bool) -> bool:
    return not is_reference(value) and not is_spare(value) and (is_sure or is_mixed(value))


def _kubernetes(text: str) -> Iterator[SecretSpan]:
    if "Secret" not in text or "kind" not in text:
        return
    after = 0
    for kind in _KIND.finditer(text):
        start, end = max(after, kind.start() - _SPREAD), min(len(text), kind.end() + _SPREAD)
        borders = [part.span() for part in _PARTS.finditer(text, start, end)]
        start = max((right for _, right in borders if right <= kind.start()), default=start)
        end = min((left for left, _ in borders if left >= kind.end()), default=end)
        yield from _data_of(text, start, end)
        after = max(after, end)


def _data_of(text: str, start: int, end: int) -> Iterator[SecretSpan]:
    for data in _DATA.finditer(text, start, end):
        at, depth = data.end(), len(data["indent"].expandtabs())
        while (entry := _ENTRY.match(text, at, end)) is not None and len(entry["indent"].expandtabs()) > depth:
            value = entry["value"]
            is_coded = data["name"] == "data"
            if _BASE64.match(value) is not None if is_coded else len(value) >= 6 and _is_secret(value, is_sure=False):
                yield SecretSpan(*entry.span("value"), "Kubernetes secret")
            at = entry.end()
    for data in _JSON_DATA.finditer(text, start, end):
        for entry in _JSON_ENTRY.finditer(text, *data.span(1)):
            yield SecretSpan(*entry.span(1), "Kubernetes secret")


def _of_users(text: str) -> Iterator[SecretSpan]:
    """Yield the short hashes of old: 13 characters in `shadow` and in what `htpasswd` makes."""
    at = text.find(":::")
    while at >= 0:
        found = _SHADOW.search(text, max(0, at - 100, text.rfind("\n", max(0, at - 100), at) + 1), at)
        if found is not None:
            yield SecretSpan(*found.span(1), "password hash")
        at = text.find(":::", at + 3)
    if len(text) <= _SHORT_TEXT and _USER_VALUE.search(text) is not None:
        for found in _USER_LINE.finditer(text):
            if is_random(found[1]) and any(map(str.isupper, found[1])) and any(map(str.islower, found[1])):
                yield SecretSpan(*found.span(1), "password hash")
