"""Errors for the model about an invalid input: each field, what was expected, and what was received."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

__all__ = ["FieldFault", "InputValidationError", "Path", "describe_value", "node_at", "report"]

Path = tuple[int | str, ...]

_MOST_PROBLEMS: Final = 10
_LONGEST_TEXT: Final = 60
_MOST_CHOICES: Final = 20
_LARGEST_SHOWN: Final = 10**18


class InputValidationError(ValueError):
    """An input does not fit its tool. The text names each field, what was expected and what was received."""


@dataclass(frozen=True, slots=True)
class FieldFault:
    """One thing that is wrong, at `path` inside the input.

    `schema`: the value is not what the schema says there; `rule`: it breaks a rule that only `message` can tell.
    """

    path: Path
    kind: Literal["missing", "unknown", "schema", "rule"]
    value: object = None
    message: str = ""


def report(tool: str, faults: Iterable[FieldFault], schema: Mapping[str, Any]) -> str:
    """Return the text for faults in an input of `tool`, whose API schema is `schema`."""
    problems = list(dict.fromkeys(_problem(fault, schema) for fault in faults))
    if len(problems) == 1:
        return f"The input of {tool} does not fit: {problems[0]}"
    lines = [f"- {problem}" for problem in problems[:_MOST_PROBLEMS]]
    if len(problems) > _MOST_PROBLEMS:
        lines.append(f"- … and {len(problems) - _MOST_PROBLEMS} more")
    return "\n".join([f"The input of {tool} does not fit:", *lines])


def _problem(fault: FieldFault, schema: Mapping[str, Any]) -> str:
    name = _named(fault.path)
    match fault.kind:
        case "missing":
            return f"{name}: expected {_expected(node_at(schema, fault.path))}, received nothing (it is required)"
        case "unknown":
            fields = list(node_at(schema, fault.path[:-1]).get("properties", {}))
            if not fields:
                return f"{name}: expected no fields, received one"
            near = difflib.get_close_matches(str(fault.path[-1])[:100], fields, n=1)
            hint = f"; did you mean `{near[0]}`?" if near else ""
            known = ", ".join(f"`{field}`" for field in fields)
            return f"{name}: expected one of the fields {known}, received an unknown one{hint}"
        case "schema":
            wanted = _expected(node_at(schema, fault.path))
            return f"{name}: expected {wanted}, received {describe_value(fault.value)}"
        case "rule":
            return f"{name}: {fault.message}, received {describe_value(fault.value)}"


def node_at(schema: Mapping[str, Any], path: Sequence[int | str]) -> Mapping[str, Any]:
    """Return the part of a schema that is about a place inside the input, or an empty one where it says nothing."""
    node: Mapping[str, Any] = schema
    for step in path:
        node = next((found for branch in _branches(node) if (found := _inner(branch, step)) is not None), {})
    return node


def _branches(node: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    found: list[Mapping[str, Any]] = [node]
    for key in ("anyOf", "oneOf", "allOf"):
        choices = node.get(key)
        if isinstance(choices, list):
            found += [inner for choice in choices if isinstance(choice, Mapping) for inner in _branches(choice)]
    return found


def _inner(node: Mapping[str, Any], step: int | str) -> Mapping[str, Any] | None:
    if isinstance(step, int):
        found = node.get("items")
    else:
        properties = node.get("properties")
        found = properties.get(step) if isinstance(properties, Mapping) else None
        found = node.get("additionalProperties") if found is None else found
    return found if isinstance(found, Mapping) else None


# --- words -----------------------------------------------------------------------------------------------------------


def _named(path: Path) -> str:
    """Return a place as `edits.0.path`; what the model wrote is cut and spelled out, as it may be anything."""
    if not path:
        return "the input"
    return "`" + ".".join(str(step) if isinstance(step, int) else _spelled(step) for step in path) + "`"


def _spelled(text: str) -> str:
    return repr(text if len(text) <= _LONGEST_TEXT else text[: _LONGEST_TEXT - 1] + "…")[1:-1]


def _expected(node: Mapping[str, Any]) -> str:
    """Say in words what a schema wants."""
    if isinstance(choices := node.get("enum"), list) and choices:
        shown = [repr(choice) for choice in choices[:_MOST_CHOICES]]
        shown += [f"one of {len(choices) - _MOST_CHOICES} more"] if len(choices) > _MOST_CHOICES else []
        return " or ".join(part for part in (", ".join(shown[:-1]), shown[-1]) if part)
    if "const" in node:
        return repr(node["const"])
    for key in ("anyOf", "oneOf"):
        if isinstance(parts := node.get(key), list) and parts:
            return " or ".join(dict.fromkeys(_expected(part) for part in parts if isinstance(part, Mapping)))
    kinds = node.get("type", "")
    if isinstance(kinds, list):
        return " or ".join(_expected({**node, "type": kind}) for kind in kinds)
    return _KINDS.get(str(kinds), "another value") + _bounds(node, str(kinds))


_KINDS: Final = {
    "string": "a string",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
# Names of the bounds of a kind of value, and the unit they are counted in.
_SIZES: Final = {
    "string": ("minLength", "maxLength", "character"),
    "array": ("minItems", "maxItems", "item"),
    "integer": ("minimum", "maximum", ""),
    "number": ("minimum", "maximum", ""),
}


def _bounds(node: Mapping[str, Any], kind: str) -> str:
    low_key, high_key, unit = _SIZES.get(kind, ("", "", ""))
    low, high = node.get(low_key), node.get(high_key)
    if low is not None and high is not None:
        said = [f"of {low} to {high}" if unit else f"from {low} to {high}"]
    else:
        said = [f"of at least {low}"] if low is not None else [f"of at most {high}"] if high is not None else []
    if unit and said:
        said[0] += f" {unit}{'' if (low if high is None else high) == 1 else 's'}"
    for key, words in (("exclusiveMaximum", "below"), ("exclusiveMinimum", "above")):
        if (bound := node.get(key)) is not None:
            said.insert(0, f"{words} {bound}")
    if kind == "string" and isinstance(pattern := node.get("pattern"), str):
        said.append(f"that matches `{pattern[:200]}`")
    return f" {' and '.join(said)}" if said else ""


def describe_value(value: object) -> str:
    """Say what a value is, short enough for an error text whatever it is."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() if abs(value) > _LARGEST_SHOWN:
            return "a number beyond all measure"
        case int() | float():
            return f"the number {value}"
        case str():
            size = f" of {len(value):,} characters" if len(value) > _LONGEST_TEXT else ""
            return f"the string '{_spelled(value)}'{size}"
        case list() | tuple():
            return f"a list of {len(value)}"
        case dict():
            names = ", ".join(f"'{_spelled(str(name))}'" for name in list(value)[:5])
            return f"an object with {names}" if names else "an empty object"
        case _:
            return type(value).__name__
