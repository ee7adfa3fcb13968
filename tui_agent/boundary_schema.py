"""The JSON Schema (draft 2020-12) of all commands, queries, answers and events, made of their own types."""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from dataclasses import is_dataclass
from typing import Any, Final, Literal, get_args, get_origin

from tui_agent.boundary_json import COMMAND_TYPES, QUERY_TYPES, answer_type, reply_type
from tui_agent.changes import FileChange
from tui_agent.codec import field_specs
from tui_agent.event_json import EVENT_TYPES, SCHEMA_VERSION

__all__ = ["boundary_schema"]

_SIMPLE: Final[dict[Any, dict[str, Any]]] = {
    Any: {},
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    bytes: {"type": "string", "contentEncoding": "base64"},
    types.NoneType: {"type": "null"},
}
_TEXTS: Final = {"type": "array", "items": {"type": "string"}}
_CHANGE: Final[dict[str, Any]] = {
    "title": "FileChange",
    "description": "A change of one file. Lines of hunks begin with space, - or +. Events leave the two texts out.",
    "type": "object",
    "properties": {
        "path": {"type": "string"},
        "is_new": {"type": "boolean"},
        "before_hash": {"type": "string"},
        "encoding": {"type": "string"},
        "has_bom": {"type": "boolean"},
        "before": {"type": ["string", "null"]},
        "after": {"type": ["string", "null"]},
        "hunks": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "before_start": {"type": "integer"},
                    "after_start": {"type": "integer"},
                    "lines": _TEXTS,
                    "lead": _TEXTS,
                    "trail": _TEXTS,
                },
                "required": ["before_start", "after_start", "lines"],
            },
        },
    },
    "required": ["path", "hunks"],
}


def boundary_schema() -> dict[str, Any]:
    """Return the schema. Under `$defs`: `command`, `query` and `event` are what may stand under these keys of a line."""
    definitions = _Definitions()
    commands = [definitions.message(cls, tag, is_open=False) for tag, cls in COMMAND_TYPES.items()]
    queries = [definitions.message(cls, tag, is_open=False) for tag, cls in QUERY_TYPES.items()]
    events = [
        definitions.message(cls, tag, is_open=True, more={"v": {"type": "integer", "maximum": SCHEMA_VERSION}})
        for tag, cls in EVENT_TYPES.items()
    ]
    answers = {tag: definitions.of(answer_type(cls)) for tag, cls in QUERY_TYPES.items()}
    replies = {tag: definitions.of(reply_type(cls)) for tag, cls in COMMAND_TYPES.items()}
    error = {"type": "object", "properties": {"message": {"type": "string"}}, "required": ["message"]}
    identified = {"id": {"description": "Given back with the answer."}}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "tui-agent serve --stdio: one line",
        "oneOf": [{"$ref": "#/$defs/input"}, {"$ref": "#/$defs/output"}],
        "$defs": {
            "input": {
                "oneOf": [_line(identified, command="command"), _line(identified, query="query")],
            },
            "output": {
                "oneOf": [
                    {**_line({}, event="event")},
                    {"type": "object", "properties": {**identified, "ok": {}}, "required": ["id", "ok"]},
                    {"type": "object", "properties": {**identified, "answer": {}}, "required": ["id", "answer"]},
                    {"type": "object", "properties": {**identified, "error": error}, "required": ["id", "error"]},
                ],
            },
            "command": {"oneOf": commands},
            "query": {"oneOf": queries},
            "event": {"oneOf": events},
            "replies": {"description": "What stands under `ok`, by command.", "properties": replies},
            "answers": {"description": "What stands under `answer`, by query.", "properties": answers},
            **definitions.made,
        },
    }


def _line(more: dict[str, Any], **key: str) -> dict[str, Any]:
    ((name, definition),) = key.items()
    return {
        "type": "object",
        "properties": {**more, name: {"$ref": f"#/$defs/{definition}"}},
        "required": [name],
        "additionalProperties": False,
    }


class _Definitions:
    """The dataclasses met on the way, each described once."""

    def __init__(self) -> None:
        self.made: dict[str, dict[str, Any]] = {}

    def message(self, cls: type, tag: str, *, is_open: bool, more: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return the schema of a command, a query or an event: an object with a `type`."""
        properties = {"type": {"const": tag}, **(more or {}), **self._properties(cls)}
        found: dict[str, Any] = {
            "title": tag,
            "description": _about(cls),
            "type": "object",
            "properties": properties,
            "required": ["type", *(more or {}), *self._needed(cls)],
        }
        return found if is_open else {**found, "additionalProperties": False}

    def _properties(self, cls: type) -> dict[str, Any]:
        return {spec.key: self.of(spec.hint) for spec in field_specs(cls)}

    @staticmethod
    def _needed(cls: type) -> list[str]:
        return [spec.key for spec in field_specs(cls) if spec.is_needed]

    def of(self, hint: Any) -> dict[str, Any]:  # noqa: ANN401 - a type as written
        """Return the schema of a field's type."""
        if hint in _SIMPLE:
            return _SIMPLE[hint]
        origin, arguments = get_origin(hint), get_args(hint)
        if origin in (types.UnionType, typing.Union):
            return {"anyOf": [self.of(option) for option in arguments]}
        if origin is Literal:
            return {"enum": list(arguments)}
        if origin is tuple and arguments[-1:] != (Ellipsis,):
            items = [self.of(item) for item in arguments]
            return {"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)}
        if origin in (tuple, list):
            return {"type": "array", "items": self.of(arguments[0])}
        if origin in (dict, Mapping):
            return {"type": "object", "additionalProperties": self.of(arguments[1])}
        if is_dataclass(hint) and isinstance(hint, type):
            return self._reference(hint)
        raise TypeError(f"no schema is known for {hint!r}")

    def _reference(self, cls: type) -> dict[str, Any]:
        name = cls.__name__
        if name not in self.made:
            self.made[name] = _CHANGE if cls is FileChange else {}  # known before its fields are, which may hold it
        if not self.made[name]:
            self.made[name] |= {
                "title": name,
                "description": _about(cls),
                "type": "object",
                "properties": self._properties(cls),
                "required": self._needed(cls),
            }
        return {"$ref": f"#/$defs/{name}"}


def _about(cls: type) -> str:
    return " ".join((cls.__doc__ or "").split())
