"""Reading and joining settings as plain JSON values, addressed by paths such as `("permissions", "allow")`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from tui_agent.settings.source_text import Location

__all__ = ["ABSENT", "Path", "dotted", "leaves", "look_up", "merged", "put", "undotted", "without"]

Path = tuple[str, ...]


class _Absent:
    def __repr__(self) -> str:
        return "absent"


ABSENT: Final = _Absent()
_QUOTED: Final = re.compile(r'"(?:[^"\\]|\\.)*"(?=\.|\Z)', re.DOTALL)
_WHOLE: Final = frozenset({"env", "hooks"})  # objects whose keys people choose


def look_up(values: Any, path: Location) -> Any:  # noqa: ANN401 - any JSON
    """Return the entry at `path`, or `ABSENT`."""
    for part in path:
        if isinstance(values, Mapping):
            if part not in values:
                return ABSENT
        elif not isinstance(values, list) or not isinstance(part, int) or part >= len(values):
            return ABSENT
        values = values[part]
    return values


def without(values: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """Return a copy that lacks the entry at `path`."""
    result = dict(values)
    if len(path) == 1:
        result.pop(path[0], None)
    elif isinstance(result.get(path[0]), Mapping):
        result[path[0]] = without(result[path[0]], path[1:])
    return result


def put(values: Mapping[str, Any], path: Path, value: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return a copy with `value` at `path`."""
    result = dict(values)
    if len(path) == 1:
        result[path[0]] = value
    else:
        below = result.get(path[0])
        result[path[0]] = put(below if isinstance(below, Mapping) else {}, path[1:], value)
    return result


def merged(low: Mapping[str, Any], high: Mapping[str, Any]) -> dict[str, Any]:
    """Lay `high` over `low`: objects key by key, lists joined with the stronger entries first, else the stronger value."""
    result = dict(low)
    for key, value in high.items():
        below = result.get(key)
        if isinstance(value, Mapping) and isinstance(below, Mapping):
            result[key] = merged(below, value)
        elif isinstance(value, list) and isinstance(below, list):
            result[key] = _joined(value, below)
        else:
            result[key] = value
    return result


def _joined(high: list[Any], low: list[Any]) -> list[Any]:
    """Return one list after the other, what stands in both only once."""
    texts = {item for item in high if isinstance(item, str)}  # a foreign file may hold very many
    others = [item for item in high if not isinstance(item, str)]
    return [*high, *(item for item in low if item not in (texts if isinstance(item, str) else others))]


def leaves(values: Mapping[str, Any], at: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield every entry that is no object, with its path; an object whose keys people choose (`env`, `hooks`) is one entry."""
    for key, value in values.items():
        path = (*at, key)
        if isinstance(value, Mapping) and path[0] not in _WHOLE:
            yield from leaves(value, path)
        else:
            yield path, value


def dotted(path: Location) -> str:
    """Return a path as people write it; a name with a dot of its own stands in quotes, as in `env."a.b"`."""
    return ".".join(_quoted(str(part)) for part in path)


def _quoted(name: str) -> str:
    return json.dumps(name, ensure_ascii=False) if not name or "." in name or name.startswith('"') else name


def undotted(key: str) -> Path:
    """Return the path that `dotted` makes this text of."""
    parts: list[str] = []
    at = 0
    while True:
        quoted = _QUOTED.match(key, at)
        if quoted:
            parts.append(_unquoted(quoted[0]))
            at = quoted.end()
        else:
            end = key.find(".", at)
            parts.append(key[at:] if end < 0 else key[at:end])
            at = len(key) if end < 0 else end
        if at >= len(key):
            return tuple(parts)
        at += 1


def _unquoted(text: str) -> str:
    try:
        return str(json.loads(text))
    except ValueError:
        return text
