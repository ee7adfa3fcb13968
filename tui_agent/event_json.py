"""Events as JSON: the journal's lines, and what `-p --output-format events` prints.

The `type` tag is the class name in snake case, `v` the version of the format. A reader passes over fields it does not know, as
a newer writer may add some; anything else that does not fit is refused by name.
"""

from __future__ import annotations

import dataclasses
import re
import types
import typing
from dataclasses import fields
from typing import Any, Final, Literal, get_args, get_origin

from tui_agent.changes import FileChange
from tui_agent.events import Event

__all__ = ["EVENT_TYPES", "SCHEMA_VERSION", "EventFormatError", "from_json", "to_json"]

SCHEMA_VERSION: Final = 1


class EventFormatError(ValueError):
    """A JSON object is not an event this version can read; the text says which part of it."""


def _tag(cls: type[Event]) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()


EVENT_TYPES: Final[dict[str, type[Event]]] = {_tag(cls): cls for cls in Event.__subclasses__()}
_TAGS: Final = {cls: tag for tag, cls in EVENT_TYPES.items()}
_HEADER: Final = ("session_id", "seq", "time", "monotonic_ms")
_HINTS: dict[type[Event], dict[str, Any]] = {}
_NAMES: Final[dict[type[Event], tuple[tuple[str, str], ...]]] = {
    cls: tuple((f.name, f.metadata.get("json", f.name)) for f in fields(cls) if f.name not in _HEADER)
    for cls in EVENT_TYPES.values()
}


def to_json(event: Event) -> dict[str, Any]:
    """Return the event as JSON data: `v`, `type`, the header, then its own fields."""
    data: dict[str, Any] = {
        "v": SCHEMA_VERSION,
        "type": _TAGS[type(event)],
        "session_id": event.session_id,
        "seq": event.seq,
        "time": event.time,
        "monotonic_ms": event.monotonic_ms,
    }
    for name, key in _NAMES[type(event)]:
        value = getattr(event, name)
        data[key] = value.to_json() if isinstance(value, FileChange) else value
    return data


def from_json(data: object) -> Event:
    """Return the event that `to_json` made `data` of. Fields it does not know are ignored, as a newer writer may add some.

    Raises:
        EventFormatError: not an object, an unknown type or version, or a field that is missing or of another type.
    """
    if not isinstance(data, dict):
        raise EventFormatError(f"an event is a JSON object, not {type(data).__name__}")
    version = data.get("v")
    if not isinstance(version, int) or version > SCHEMA_VERSION:
        raise EventFormatError(f"event version {version!r} is not one this program reads (up to {SCHEMA_VERSION})")
    cls = EVENT_TYPES.get(str(data.get("type")))
    if cls is None:
        raise EventFormatError(f"unknown event type {data.get('type')!r}")
    hints = _HINTS.get(cls)
    if hints is None:
        hints = _HINTS.setdefault(cls, typing.get_type_hints(cls))
    values: dict[str, Any] = {}
    for spec in fields(cls):
        key = spec.metadata.get("json", spec.name)
        if key in data:
            values[spec.name] = _read(data[key], hints[spec.name], f"{_TAGS[cls]}.{key}")
        elif spec.default is dataclasses.MISSING and spec.default_factory is dataclasses.MISSING:
            raise EventFormatError(f"{_TAGS[cls]}.{key} is missing")
    return cls(**values)


def _read(value: object, expected: Any, where: str) -> Any:  # noqa: ANN401 - any JSON value in, any field value out
    """Check one JSON value against a field's type; lists become tuples where the field is one."""
    if expected is Any:
        return value
    if expected is FileChange:
        try:
            return FileChange.from_json(value)
        except (TypeError, ValueError, KeyError) as error:
            raise EventFormatError(f"{where}: {error}") from error
    origin, arguments = get_origin(expected), get_args(expected)
    if origin in (types.UnionType, typing.Union):
        return _read_union(value, arguments, where)
    if origin is tuple and isinstance(value, list | tuple):
        return tuple(_read(item, arguments[0], where) for item in value)
    if origin is list and isinstance(value, list):
        return [_read(item, arguments[0], where) for item in value]
    if (origin is Literal and value in arguments) or (origin is dict and isinstance(value, dict)):
        return value
    if expected is float and isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if origin is None and isinstance(value, expected) and not (expected is int and isinstance(value, bool)):
        return value
    raise EventFormatError(f"{where} does not fit: {value!r:.80}")


def _read_union(value: object, options: tuple[Any, ...], where: str) -> Any:  # noqa: ANN401
    for option in options:
        try:
            return _read(value, option, where)
        except EventFormatError:
            continue
    raise EventFormatError(f"{where} does not fit: {value!r:.80}")
