"""Events as JSON: the journal's lines, and what `-p --output-format events` prints.

The `type` tag is the class name in snake case, `v` the version of the format. A reader passes over fields it does not know, as
a newer writer may add some; anything else that does not fit is refused by name.
"""

from __future__ import annotations

import dataclasses
import json
import re
import types
import typing
from dataclasses import dataclass, fields
from typing import Any, Final, Literal, get_args, get_origin

from tui_agent.changes import FileChange
from tui_agent.events import Event

__all__ = ["EVENT_TYPES", "SCHEMA_VERSION", "Encoded", "EventFormatError", "from_json", "to_json", "to_text"]

SCHEMA_VERSION: Final = 2  # 1: events without `agent_id`, all of the main conversation


class EventFormatError(ValueError):
    """A JSON object is not an event this version can read; the text says which part of it."""


@dataclass(frozen=True, slots=True)
class _Field:
    """A field of an event: its name, its key in JSON, its type; and which values need no closer look.

    Those are values whose very type is in `plain`, and the strings in `words`.
    """

    name: str
    key: str
    hint: Any
    plain: frozenset[type]
    words: frozenset[object]
    is_needed: bool


_NOTHING: Final = object()


def _tag(cls: type[Event]) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()


EVENT_TYPES: Final[dict[str, type[Event]]] = {_tag(cls): cls for cls in Event.__subclasses__()}
_TAGS: Final = {cls: tag for tag, cls in EVENT_TYPES.items()}
# `json.dumps` would make one for each piece.
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_LONG_LIST: Final = 500  # items that are encoded in one piece
_HEADER: Final = ("session_id", "agent_id", "seq", "time", "monotonic_ms")
_FIELDS: dict[type[Event], tuple[_Field, ...]] = {}
_NAMES: Final[dict[type[Event], tuple[tuple[str, str], ...]]] = {
    cls: tuple((f.name, f.metadata.get("json", f.name)) for f in fields(cls) if f.name not in _HEADER)
    for cls in EVENT_TYPES.values()
}


def to_json(event: Event, *, is_shallow: bool = False) -> dict[str, Any]:
    """Return the event as JSON data: `v`, `type`, the header, then its own fields; a shallow one has changes as they are."""
    data: dict[str, Any] = {
        "v": SCHEMA_VERSION,
        "type": _TAGS[type(event)],
        "session_id": event.session_id,
        "agent_id": event.agent_id,
        "seq": event.seq,
        "time": event.time,
        "monotonic_ms": event.monotonic_ms,
    }
    for name, key in _NAMES[type(event)]:
        value = getattr(event, name)
        data[key] = value.to_json() if isinstance(value, FileChange) and not is_shallow else value
    return data


class Encoded(dict[str, Any]):
    """JSON data whose text is known already, and in which no secret is left to be hidden. It must not be changed."""

    __slots__ = ("text",)

    def __init__(self, data: dict[str, Any]) -> None:
        """Encode `data`, in small pieces, so that other threads are not held up meanwhile."""
        super().__init__(data)
        self.text = _pieced(data)


def to_text(event: Event) -> str:
    """Return `to_json` as JSON text, on one line; what has its text already is not encoded again."""
    data = to_json(event, is_shallow=True)
    ready = {key: value for key, value in data.items() if isinstance(value, FileChange | Encoded)}
    rest = {key: value for key, value in data.items() if key not in ready}
    text = _dumped(rest)
    for key, value in ready.items():
        known = value.json_text() if isinstance(value, FileChange) else value.text
        text = f'{text[:-1]},"{key}":{known}}}'
    return text


def _pieced(value: Any) -> str:  # noqa: ANN401 - any JSON data
    """Return JSON text; objects and long lists are put together of the texts of their items."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{_dumped(str(key))}:{_pieced(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list) and len(value) > _LONG_LIST:
        pieces = (value[at : at + _LONG_LIST] for at in range(0, len(value), _LONG_LIST))
        if any(isinstance(item, dict | list) for item in value):
            return "[" + ",".join(map(_pieced, value)) + "]"
        return "[" + ",".join(_dumped(piece)[1:-1] for piece in pieces) + "]"
    if isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        return "[" + ",".join(map(_pieced, value)) + "]"
    return _dumped(value)


def _dumped(value: Any) -> str:  # noqa: ANN401 - any JSON data
    return _ENCODER.encode(value)


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
    specs = _FIELDS.get(cls) or _FIELDS.setdefault(cls, _fields_of(cls))
    values: dict[str, Any] = {}
    for spec in specs:
        value = data.get(spec.key, _NOTHING)
        if value is _NOTHING:
            if spec.is_needed:
                raise EventFormatError(f"{_TAGS[cls]}.{spec.key} is missing")
        elif type(value) in spec.plain or (type(value) is str and value in spec.words):
            values[spec.name] = value
        else:
            values[spec.name] = _read(value, spec.hint, f"{_TAGS[cls]}.{spec.key}")
    return cls(**values)


def _fields_of(cls: type[Event]) -> tuple[_Field, ...]:
    """Return what is to know of an event's fields, looked up once: a long journal has a million of them."""
    hints = typing.get_type_hints(cls)
    found = []
    for spec in fields(cls):
        options = _options(hints[spec.name])
        kinds: tuple[type, ...] = (str, int, float, bool, types.NoneType)
        plain = [kind for kind in kinds if kind in options]
        plain += [dict for option in options if get_origin(option) is dict]
        words = [word for option in options if get_origin(option) is Literal for word in get_args(option)]
        is_needed = spec.default is dataclasses.MISSING and spec.default_factory is dataclasses.MISSING
        key = spec.metadata.get("json", spec.name)
        found.append(_Field(spec.name, key, hints[spec.name], frozenset(plain), frozenset(words), is_needed))
    return tuple(found)


def _options(hint: Any) -> tuple[Any, ...]:  # noqa: ANN401 - a type as written
    return get_args(hint) if get_origin(hint) in (types.UnionType, typing.Union) else (hint,)


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
