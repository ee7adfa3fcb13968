"""Two schemas from one source: the one sent to the API, and the strict check of the inputs that come back.

The check refuses unknown fields and wrong types, and forgives what cannot be misunderstood (`forgiving`). Nothing else is
guessed, as a guess would run something the model did not ask for. Both are built at a tool's first use and kept.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any, Final

from pydantic import ValidationError

from tui_agent.tools.base import FEATURES, INTERNAL, Tool, ToolInput
from tui_agent.tools.inputs import foreign_schema
from tui_agent.tools.inputs.errors import FieldFault, InputValidationError, Path, describe_value, report
from tui_agent.tools.inputs.lenient_input import forgive

__all__ = ["InputValidationError", "api_schema", "parse_input"]

AnyTool = Tool[Any, Any, Any]

_ROUNDS: Final = 3  # what stands inside a text that was read as JSON may need a reading itself
_MOST_FAULTS: Final = 200
_SCHEMAS: Final[dict[tuple[type[ToolInput], frozenset[str]], dict[str, Any]]] = {}


def api_schema(tool: AnyTool) -> dict[str, Any]:
    """Return the JSON schema of the tool's input as the API gets it; a copy that the caller may change.

    Definitions are inlined; titles, internal fields and those whose feature is off are left out. A schema that came from
    outside is returned as it is.
    """
    return copy.deepcopy(_schema(tool))


def parse_input(tool: AnyTool, raw: object) -> ToolInput:
    """Return the tool's input model made from a model's JSON.

    Raises:
        InputValidationError: it does not fit.
    """
    if not isinstance(raw, dict):
        raise InputValidationError(f"The input of {tool.name}: expected an object, received {describe_value(raw)}")
    raw = tool.in_present_shape(raw)
    hidden = _hidden(tool)
    if intruders := [name for name in raw if name in hidden]:
        raise _refused(tool, [FieldFault((name,), "unknown") for name in intruders])
    found = _check(tool, raw)
    for _ in range(_ROUNDS):
        if isinstance(found, ToolInput):
            return found
        forgiven = forgive(raw, found, _schema(tool))
        if forgiven is None:
            break
        raw = forgiven
        found = _check(tool, raw)
    if isinstance(found, ToolInput):
        return found
    raise _refused(tool, found)


def _refused(tool: AnyTool, faults: Iterable[FieldFault]) -> InputValidationError:
    return InputValidationError(report(tool.name, faults, _schema(tool)))


# --- the API's schema ------------------------------------------------------------------------------------------------


def _schema(tool: AnyTool) -> dict[str, Any]:
    if tool.json_schema is not None:
        return dict(tool.json_schema)
    key = (tool.Input, _hidden(tool))
    if key not in _SCHEMAS:
        _SCHEMAS[key] = _build(*key)
    return _SCHEMAS[key]


def _build(model: type[ToolInput], hidden: frozenset[str]) -> dict[str, Any]:
    schema = model.model_json_schema(by_alias=True)
    definitions = schema.pop("$defs", {})
    for name in hidden:
        schema.get("properties", {}).pop(name, None)
    built: dict[str, Any] = _tidy(schema, definitions)
    built.pop("description", None)  # the class docstring is for programmers; the tool describes itself
    built.setdefault("properties", {})
    built["additionalProperties"] = False
    return built


def _tidy(node: Any, definitions: dict[str, Any]) -> Any:  # noqa: ANN401 - JSON
    """Inline references, drop titles and our own notes, and write `X | None = None` as an optional X."""
    if isinstance(node, list):
        return [_tidy(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        target = definitions[node["$ref"].rsplit("/", 1)[-1]]
        node = {**target, **{key: value for key, value in node.items() if key != "$ref"}}
    out: dict[str, Any] = {}
    for key, value in node.items():
        if key in ("title", FEATURES) and not isinstance(value, dict):
            continue
        if key == "properties":
            out[key] = {name: _tidy(item, definitions) for name, item in value.items()}
        else:
            out[key] = _tidy(value, definitions)
    choices = out.get("anyOf")
    if choices and {"type": "null"} in choices and out.get("default", 0) is None:
        rest = [choice for choice in choices if choice != {"type": "null"}]
        del out["anyOf"], out["default"]
        out = {**(rest[0] if len(rest) == 1 else {"anyOf": rest}), **out}
    return out


def _hidden(tool: AnyTool) -> frozenset[str]:
    """Return the fields that do not exist for the model: the program's own, and those of features that are off."""
    hidden = set()
    for name, field in tool.Input.model_fields.items():
        notes = field.json_schema_extra
        if not isinstance(notes, dict):
            continue
        features = notes.get(FEATURES)
        if notes.get(INTERNAL) or (isinstance(features, list) and not tool.features.intersection(map(str, features))):
            hidden.add(field.alias or name)
    return frozenset(hidden)


# --- the check -------------------------------------------------------------------------------------------------------


def _check(tool: AnyTool, raw: dict[str, Any]) -> ToolInput | list[FieldFault]:
    model: type[ToolInput] = tool.Input
    if tool.json_schema is not None and (faults := foreign_schema.check(tool.json_schema, raw)):
        return faults
    try:
        return model.model_validate(raw, strict=True)
    except ValidationError as error:
        return [
            _fault(raw, item["loc"], item["type"], item["msg"], item["input"])
            for item in error.errors(include_url=False, include_context=False)[:_MOST_FAULTS]
        ]


# What pydantic finds wrong, and a schema says as well.
_BY_SCHEMA: Final = frozenset({
    "bool_type", "dict_type", "finite_number", "float_type", "greater_than", "greater_than_equal", "int_from_float", "int_type",
    "less_than", "less_than_equal", "list_type", "literal_error", "mapping_type", "model_attributes_type", "model_type",
    "none_required", "string_pattern_mismatch", "string_too_long", "string_too_short", "string_type", "too_long", "too_short",
    "tuple_type",
})  # fmt: skip


def _fault(raw: dict[str, Any], location: tuple[int | str, ...], kind: str, message: str, value: object) -> FieldFault:
    path = _located(raw, location, is_missing=kind == "missing")
    match kind:
        case "missing":
            return FieldFault(path, "missing")
        case "extra_forbidden":
            return FieldFault(path, "unknown")
        case _ if kind in _BY_SCHEMA:
            return FieldFault(path, "schema", value)
        case _:
            words = message.removeprefix("Value error, ").removeprefix("Assertion failed, ")
            wanted = words.replace("Input should be", "expected", 1)
            return FieldFault(path, "rule", value, wanted if wanted.startswith("expected ") else f"expected {wanted}")


def _located(raw: object, location: tuple[int | str, ...], *, is_missing: bool) -> Path:
    """Return a place inside the input. Pydantic names the choices of a union on the way, which are no places."""
    path: list[int | str] = []
    here: Any = raw
    for number, step in enumerate(location):
        is_there = (
            step in here
            if isinstance(here, dict)
            else isinstance(here, list | tuple) and isinstance(step, int) and step < len(here)
        )
        if is_there:
            here = here[step]
            path.append(step)
        elif is_missing and number == len(location) - 1:
            path.append(step)
    return tuple(path)
