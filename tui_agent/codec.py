"""Frozen dataclasses as JSON data and back, checked by their own types; and the JSON Schema of these types.

Events, commands, queries and answers are written and read here. Besides what JSON has itself, a field may be a tuple, a
mapping with string keys, a `Literal`, a union, another dataclass, bytes (written as Base64) or a `FileChange`. A field's
`json` metadata gives it another key. What does not fit is refused with its place and the reason.
"""

from __future__ import annotations

import base64
import binascii
import dataclasses
import re
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, Final, Literal, get_args, get_origin

from tui_agent.changes import FileChange

__all__ = ["FieldSpec", "FormatError", "decode", "decode_fields", "encode", "field_specs", "refuse_unknown", "tag_of"]


class FormatError(ValueError):
    """JSON data is not of the type that it should be; the text says which part of it, and why."""


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """A field of a dataclass: its name, its key in JSON, its type; and which values need no closer look.

    Those are values whose very type is in `plain`, and the strings in `words`.
    """

    name: str
    key: str
    hint: Any
    plain: frozenset[type]
    words: frozenset[object]
    is_needed: bool


_NOTHING: Final = object()
_SPECS: dict[type, tuple[FieldSpec, ...]] = {}
_Quick = tuple[str, str, frozenset[type], frozenset[object], FieldSpec]
_QUICK: dict[type, tuple[_Quick, ...]] = {}
_PLAIN: Final[tuple[type, ...]] = (str, int, float, bool, types.NoneType)


def tag_of(cls: type, ending: str = "") -> str:
    """Return the name by which JSON tells a class: in snake case, without `ending`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__.removesuffix(ending)).lower()


def field_specs(cls: type) -> tuple[FieldSpec, ...]:
    """Return what is to know of a dataclass's fields, looked up once: a long journal has a million events."""
    known = _SPECS.get(cls)
    if known is None:
        hints = typing.get_type_hints(cls)
        known = _SPECS[cls] = tuple(_spec(part, hints[part.name]) for part in fields(cls) if part.init)
    return known


def _spec(part: dataclasses.Field[Any], hint: Any) -> FieldSpec:  # noqa: ANN401 - a type as written
    options = _options(hint)
    plain = [kind for kind in _PLAIN if kind in options]
    plain += [dict for option in options if get_origin(option) in (dict, Mapping) and get_args(option)[1] is Any]
    words = [word for option in options if get_origin(option) is Literal for word in get_args(option)]
    is_needed = part.default is dataclasses.MISSING and part.default_factory is dataclasses.MISSING
    key = part.metadata.get("json", part.name)
    return FieldSpec(part.name, key, hint, frozenset(plain), frozenset(words), is_needed)


def _options(hint: Any) -> tuple[Any, ...]:  # noqa: ANN401 - a type as written
    return get_args(hint) if get_origin(hint) in (types.UnionType, typing.Union) else (hint,)


# --- writing ---------------------------------------------------------------------------------------------------------


def encode(value: Any) -> Any:  # noqa: ANN401 - any field value in, any JSON value out
    """Return a value as JSON data. A `FileChange` has its two texts beside what a journal keeps of it."""
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, FileChange):
        return {**value.to_json(), "before": value.before, "after": value.after}
    if is_dataclass(value):
        return {spec.key: encode(getattr(value, spec.name)) for spec in field_specs(type(value))}
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, Mapping):
        return {str(key): encode(item) for key, item in value.items()}
    return [encode(item) for item in value]


# --- reading ---------------------------------------------------------------------------------------------------------


def decode_fields(cls: type, data: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return the fields of a dataclass from a JSON object; keys that it does not know are passed over.

    Raises:
        FormatError: a field is missing or of another type.
    """
    values: dict[str, Any] = {}
    for name, key, plain, words, spec in _QUICK.get(cls) or _quick(cls):
        value = data.get(key, _NOTHING)
        kind = type(value)
        if kind in plain or (kind is str and value in words):
            values[name] = value
        elif value is not _NOTHING:
            values[name] = decode(value, spec.hint, f"{where}.{key}")
        elif spec.is_needed:
            raise FormatError(f"{where}.{key} is missing")
    return values


def _quick(cls: type) -> tuple[_Quick, ...]:
    """Return what `decode_fields` reads of the specs as plain tuples: unpacking one is much faster than four attributes."""
    made = tuple((spec.name, spec.key, spec.plain, spec.words, spec) for spec in field_specs(cls))
    _QUICK[cls] = made
    return made


def decode(value: object, expected: Any, where: str) -> Any:  # noqa: ANN401 - any JSON value in, any field value out
    """Check one JSON value against a type and return it as one of that type; lists become tuples where it is one.

    Raises:
        FormatError: it does not fit.
    """
    if expected is Any:
        return value
    origin, arguments = get_origin(expected), get_args(expected)
    if origin in (types.UnionType, typing.Union):
        return _decode_union(value, arguments, where)
    if expected is FileChange:
        return _decode_change(value, where)
    if origin is tuple and isinstance(value, list | tuple):
        return _decode_tuple(value, arguments, where)
    if origin is list and isinstance(value, list):
        return [decode(item, arguments[0], f"{where}[{number}]") for number, item in enumerate(value)]
    if origin in (dict, Mapping) and isinstance(value, dict):
        kind = arguments[1]
        return value if kind is Any else {key: decode(one, kind, f"{where}.{key}") for key, one in value.items()}
    if origin is Literal and value in arguments:
        return value
    if expected is float and isinstance(value, int | float) and not isinstance(value, bool):
        return _decode_float(value, where)
    if expected is bytes and isinstance(value, str):
        return _decode_bytes(value, where)
    if is_dataclass(expected) and isinstance(value, dict):
        return _decode_object(value, expected, where)
    if expected in _PLAIN and isinstance(value, expected) and not (expected is int and isinstance(value, bool)):
        return value
    raise FormatError(f"{where} does not fit: {value!r:.80}")


def _decode_union(value: object, options: tuple[Any, ...], where: str) -> Any:  # noqa: ANN401
    if value is None and types.NoneType in options:
        return None
    options = tuple(option for option in options if option is not types.NoneType)
    if len(options) == 1:
        return decode(value, options[0], where)  # which says best what is wrong
    for option in options:
        try:
            return decode(value, option, where)
        except FormatError:
            continue
    raise FormatError(f"{where} does not fit: {value!r:.80}")


def _decode_tuple(value: list[Any] | tuple[Any, ...], arguments: tuple[Any, ...], where: str) -> tuple[Any, ...]:
    if arguments[-1:] == (Ellipsis,):
        arguments = arguments[:1] * len(value)
    elif len(arguments) != len(value):
        raise FormatError(f"{where} has {len(value)} items, not {len(arguments)}")
    return tuple(
        decode(item, kind, f"{where}[{number}]")
        for number, (item, kind) in enumerate(zip(value, arguments, strict=True))
    )


def _decode_object(value: dict[str, Any], cls: Any, where: str) -> Any:  # noqa: ANN401 - a dataclass in, one of it out
    """Read a dataclass inside of another thing; a key that it does not have is refused."""
    refuse_unknown(cls, value, where)
    return cls(**decode_fields(cls, value, where))


def refuse_unknown(cls: type, value: Mapping[str, Any], where: str, *, but: tuple[str, ...] = ()) -> None:
    """Refuse keys that are no field's: one that is misspelt would be passed over.

    Raises:
        FormatError: there is one.
    """
    known = {spec.key for spec in field_specs(cls)} | set(but)
    for key in value:
        if key not in known:
            raise FormatError(f"{where} has no {key!r:.80}")


def _decode_change(value: object, where: str) -> FileChange:
    try:
        change = FileChange.from_json(value)
    except (TypeError, ValueError, KeyError) as error:
        raise FormatError(f"{where}: {error}") from error
    assert isinstance(value, dict)
    before, after = value.get("before"), value.get("after")
    if not isinstance(before, str | None) or not isinstance(after, str | None):
        raise FormatError(f"{where}: its texts are strings, or null")
    return change if before is None and after is None else replace(change, before=before, after=after)


def _decode_float(value: float, where: str) -> float:
    try:
        return float(value)
    except OverflowError:
        raise FormatError(f"{where} is too large a number") from None


def _decode_bytes(value: str, where: str) -> bytes:
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError) as error:
        raise FormatError(f"{where} is not Base64: {error}") from error
