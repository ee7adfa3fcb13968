"""The harmless reading of a wrong value: `"30"` for a number, `"true"` for a flag, JSON in a string for a list or an object.

Only what cannot be misunderstood is read so. Whatever is put in a value's place is checked again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from tui_agent.tools.inputs.errors import FieldFault, Path, node_at

__all__ = ["forgive"]

_WHOLE_NUMBER: Final = re.compile(r"[+-]?\d{1,18}")
_NUMBER: Final = re.compile(r"[+-]?(\d{1,18}(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?")
_LARGEST_EXACT: Final = 2**53
_NOTHING: Final = object()


def forgive(raw: dict[str, Any], faults: Iterable[FieldFault], schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the input with wrong values read as they must have been meant, or None where there is no such reading.

    What was given stays as it is; only the way down to a changed value is copied.
    """
    out: Any = raw
    done: set[Path] = set()
    for fault in faults:
        if fault.kind != "schema" or not fault.path or fault.path in done:
            continue
        done.add(fault.path)  # a union finds a fault for each of its choices
        if fault.value is None and _is_optional(schema, fault.path):
            out = _with(out, fault.path, _NOTHING)
        elif (read := _read(fault.value, node_at(schema, fault.path))) is not _NOTHING:
            out = _with(out, fault.path, read)
    return None if out is raw else out


def _is_optional(schema: Mapping[str, Any], path: Path) -> bool:
    parent = node_at(schema, path[:-1])
    return path[-1] in parent.get("properties", {}) and path[-1] not in parent.get("required", ())


def _read(value: object, node: Mapping[str, Any]) -> Any:  # noqa: ANN401 - JSON
    """Return the reading for the one kind of value that is due; where there are several to choose from it would be a guess."""
    kind = node.get("type")
    match kind, value:
        case "integer", float() if value.is_integer() and abs(value) < _LARGEST_EXACT:
            return int(value)
        case "integer", str() if _WHOLE_NUMBER.fullmatch(value.strip()):
            return int(value)
        case "number", str() if _NUMBER.fullmatch(value.strip()):
            return float(value)
        case "boolean", str() if value.strip().lower() in ("true", "false"):
            return value.strip().lower() == "true"
        case "object", str():
            return _parsed(value, dict)
        case "array", str():
            items = node.get("items")
            parsed = _parsed(value, list)
            if parsed is not _NOTHING or not isinstance(items, Mapping) or items.get("type") != "string":
                return parsed
            return [value] if value.strip() else _NOTHING
        case "array", list():
            return tuple(value)  # a field that is a tuple in the program
        case _:
            return _NOTHING


def _parsed(text: str, kind: type) -> Any:  # noqa: ANN401 - JSON
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return _NOTHING
    return value if isinstance(value, kind) else _NOTHING


def _with(holder: Any, path: Path, value: Any) -> Any:  # noqa: ANN401 - JSON
    """Return a copy of `holder` with another value at `path`, or none there."""
    step, rest = path[0], path[1:]
    copied: Any = list(holder) if isinstance(holder, list | tuple) else dict(holder)
    if rest:
        copied[step] = _with(copied[step], rest, value)
    elif value is _NOTHING:
        del copied[step]
    else:
        copied[step] = value
    return copied
