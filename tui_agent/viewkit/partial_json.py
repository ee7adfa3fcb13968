"""Reading the arguments of a tool use while they still stream in: the top-level fields of a JSON object that is not whole."""

from __future__ import annotations

import json
import re
from typing import Any, Final

__all__ = ["last_text", "read_partial"]

_SPACE: Final = re.compile(r"[ \t\r\n]*")
_STRING: Final = re.compile(r'"([^"\\]*(?:\\.[^"\\]*)*)("|\\?\Z)', re.DOTALL)
_INSIDE: Final = re.compile(r'(?:[^"\\]|\\.)*', re.DOTALL)
_LINE_END: Final = re.compile(r"(?<!\\)(?:\\\\)*\\n")  # the escape, not a backslash before an n
_SCALAR: Final = re.compile(r"(?:true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?=[\s,}\]])")


def read_partial(text: str, limit: int = 65_536) -> dict[str, Any]:
    """Return the fields that can be read so far; the last one, when it is text, as far as it has come.

    Never raises, and never looks at more than `limit` characters. Fields behind the first thing that cannot be read yet
    are left out; objects and lists count only when they are whole.
    """
    text = text[:limit]
    fields: dict[str, Any] = {}
    at = _SPACE.match(text).end()  # type: ignore[union-attr] # matches everywhere
    if not text.startswith("{", at):
        return fields
    at += 1
    while True:
        at = _SPACE.match(text, at).end()  # type: ignore[union-attr]
        key = _STRING.match(text, at)
        if key is None or key[2] != '"':
            return fields
        at = _SPACE.match(text, key.end()).end()  # type: ignore[union-attr]
        if not text.startswith(":", at):
            return fields
        at = _SPACE.match(text, at + 1).end()  # type: ignore[union-attr]
        found, value, at = _value(text, at)
        if not found:
            return fields
        fields[_unescape(key[1])] = value
        at = _SPACE.match(text, at).end()  # type: ignore[union-attr]
        if not text.startswith(",", at):
            return fields
        at += 1


def last_text(text: str, limit: int) -> str:
    """Return the last whole lines, and what has come of the one after, of the text that arrives last.

    Looks at no more than `limit` characters from the end, however long the whole is.
    """
    if len(text) <= limit:
        values = list(read_partial(text, limit).values())
        return values[-1] if values and isinstance(values[-1], str) else ""
    end = _LINE_END.search(text, len(text) - limit)
    inside = _INSIDE.match(text, end.end()) if end else None
    return _unescape(inside[0]) if inside else ""


def _value(text: str, at: int) -> tuple[bool, Any, int]:
    """Read the value at `at`: whether there is one, the value, and where it ends."""
    string = _STRING.match(text, at)
    if string is not None:
        return True, _unescape(string[1]), string.end()
    scalar = _SCALAR.match(text, at)
    if scalar is not None:
        return True, json.loads(scalar[0]), scalar.end()
    try:
        value, end = json.JSONDecoder().raw_decode(text, at)
    except (ValueError, RecursionError):
        return False, None, at
    return isinstance(value, dict | list), value, end


def _unescape(body: str) -> str:
    r"""Decode the inside of a string; one cut off within a `\u` escape ends before it."""
    for text in (body, body[: max(0, body.rfind("\\u"))]):
        try:
            return str(json.loads(f'"{text}"', strict=False))
        except ValueError:
            continue
    return body
