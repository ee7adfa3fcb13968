"""Events as JSON: the journal's lines, and what `-p --output-format events` prints.

The `type` tag is the class name in snake case, `v` the version of the format. A reader passes over fields it does not know, as
a newer writer may add some; anything else that does not fit is refused by name.
"""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any, Final

from tui_agent.changes import FileChange
from tui_agent.codec import FormatError, decode_fields, tag_of
from tui_agent.events import Event

__all__ = ["EVENT_TYPES", "SCHEMA_VERSION", "Encoded", "EventFormatError", "from_json", "to_json", "to_text"]

SCHEMA_VERSION: Final = 2  # 1: events without `agent_id`, all of the main conversation


class EventFormatError(FormatError):
    """A JSON object is not an event this version can read; the text says which part of it."""


EVENT_TYPES: Final[dict[str, type[Event]]] = {tag_of(cls): cls for cls in Event.__subclasses__()}
_TAGS: Final = {cls: tag for tag, cls in EVENT_TYPES.items()}
# `json.dumps` would make one for each piece.
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_LONG_LIST: Final = 500  # items that are encoded in one piece
_HEADER: Final = ("session_id", "agent_id", "seq", "time", "monotonic_ms")
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
    rest = {key: value for key, value in data.items() if key not in ready} if ready else data
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
    try:
        return cls(**decode_fields(cls, data, _TAGS[cls]))
    except FormatError as error:
        raise EventFormatError(str(error)) from error
