"""Two schemas from one source: what the API is told of a tool's input, and the strict check of what comes back.

The check refuses unknown fields and wrong types, and forgives what cannot be misunderstood: `"30"` for a number, `"true"`
for a flag, null for an optional field. Nothing else is guessed, as a guess would run something the model did not ask for.
"""

from __future__ import annotations

import copy
import difflib
import re
from collections.abc import Sequence
from typing import Any, Final

from pydantic import ValidationError

from tui_agent.tools.base import INTERNAL, Tool, ToolInput

__all__ = ["InputValidationError", "api_schema", "parse_input"]

AnyTool = Tool[Any, Any]

_WHOLE_NUMBER: Final = re.compile(r"[+-]?\d{1,18}")
_NUMBER: Final = re.compile(r"[+-]?(\d{1,18}(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?")
_SCHEMAS: Final[dict[type[ToolInput], dict[str, Any]]] = {}


class InputValidationError(ValueError):
    """An input does not fit its tool. The text names each field, what was expected and what was received."""


def api_schema(tool: AnyTool) -> dict[str, Any]:
    """Return the JSON schema of the tool's input as the API gets it; a copy that the caller may change.

    Built at the first call and kept. Definitions are inlined, titles and internal fields left out.
    """
    model = tool.Input
    if model not in _SCHEMAS:
        _SCHEMAS[model] = _build(model)
    return copy.deepcopy(_SCHEMAS[model])


def parse_input(tool: AnyTool, raw: object) -> ToolInput:
    """Return the tool's input model made from a model's JSON.

    Raises:
        InputValidationError: it does not fit.
    """
    if not isinstance(raw, dict):
        raise InputValidationError(f"The input of {tool.name}: expected an object, received {_describe(raw)}")
    model: type[ToolInput] = tool.Input
    private = _internal_names(model)
    if intruders := [name for name in raw if name in private]:
        raise InputValidationError(_report(tool, [_unknown(tool, name) for name in intruders]))
    try:
        return model.model_validate(raw, strict=True)
    except ValidationError as error:
        first = error
    forgiven = copy.deepcopy(raw)
    if sum(_forgive(forgiven, item["loc"], item["type"], model) for item in first.errors()):
        try:
            return model.model_validate(forgiven, strict=True)
        except ValidationError as error:
            first = error
    raise InputValidationError(_report(tool, _problems(tool, first))) from first


def _build(model: type[ToolInput]) -> dict[str, Any]:
    schema = model.model_json_schema(by_alias=True)
    definitions = schema.pop("$defs", {})
    for name in _internal_names(model):
        schema.get("properties", {}).pop(name, None)
    built: dict[str, Any] = _tidy(schema, definitions)
    built.pop("description", None)  # the class docstring is for programmers; the tool describes itself
    built.setdefault("properties", {})
    built["additionalProperties"] = False
    return built


def _tidy(node: Any, definitions: dict[str, Any]) -> Any:  # noqa: ANN401 - JSON
    """Inline references, drop titles, and write `X | None = None` as an optional X."""
    if isinstance(node, list):
        return [_tidy(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        target = definitions[node["$ref"].rsplit("/", 1)[-1]]
        node = {**target, **{key: value for key, value in node.items() if key != "$ref"}}
    out: dict[str, Any] = {}
    for key, value in node.items():
        if key == "title" and isinstance(value, str):
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


def _internal_names(model: type[ToolInput]) -> set[str]:
    return {
        field.alias or name
        for name, field in model.model_fields.items()
        if isinstance(field.json_schema_extra, dict) and field.json_schema_extra.get(INTERNAL)
    }


def _forgive(raw: dict[str, Any], where: Sequence[int | str], kind: str, model: type[ToolInput]) -> bool:
    """Put the harmless reading of one wrong value in its place; say whether there was one."""
    holder: Any = raw
    steps = [step for step in where if not (isinstance(step, str) and step in ("int", "float", "bool", "str"))]
    if not steps:
        return False
    try:
        for step in steps[:-1]:
            holder = holder[step]
        value = holder[steps[-1]]
    except (KeyError, IndexError, TypeError):
        return False
    if value is None and len(steps) == 1 and steps[0] in _optional_names(model):
        del holder[steps[0]]
        return True
    read = _read_as(kind, value)
    if read is None:
        return False
    holder[steps[-1]] = read
    return True


def _read_as(kind: str, value: object) -> int | float | bool | None:
    match kind, value:
        case ("int_type" | "int_from_float", float()) if value.is_integer() and abs(value) < 2**53:
            return int(value)
        case "int_type", str() if _WHOLE_NUMBER.fullmatch(value.strip()):
            return int(value)
        case "float_type", str() if _NUMBER.fullmatch(value.strip()):
            return float(value)
        case "bool_type", str() if value.strip().lower() in ("true", "false"):
            return value.strip().lower() == "true"
        case _:
            return None


def _optional_names(model: type[ToolInput]) -> set[str]:
    return {field.alias or name for name, field in model.model_fields.items() if not field.is_required()}


def _public_names(tool: AnyTool) -> list[str]:
    return list(api_schema(tool)["properties"])


def _report(tool: AnyTool, problems: list[str]) -> str:
    if len(problems) == 1:
        return f"The input of {tool.name} does not fit: {problems[0]}"
    return "\n".join([f"The input of {tool.name} does not fit:", *(f"- {problem}" for problem in problems)])


def _problems(tool: AnyTool, error: ValidationError) -> list[str]:
    out: list[str] = []
    for item in error.errors():
        name = ".".join(map(str, item["loc"])) or "the input"
        match item["type"]:
            case "extra_forbidden":
                out.append(_unknown(tool, name))
            case "missing":
                out.append(f"`{name}`: expected {_expected(tool, item['loc'])}, received nothing (it is required)")
            case "string_type" | "int_type" | "float_type" | "bool_type" | "list_type" | "dict_type" | "model_type":
                out.append(f"`{name}`: expected {_expected(tool, item['loc'])}, received {_describe(item['input'])}")
            case _:
                wanted = item["msg"].removeprefix("Input should be ").removeprefix("Value error, ")
                out.append(f"`{name}`: expected {wanted}, received {_describe(item['input'])}")
    return list(dict.fromkeys(out))


def _unknown(tool: AnyTool, name: str) -> str:
    fields = _public_names(tool)
    near = difflib.get_close_matches(name, fields, n=1)
    hint = f"; did you mean `{near[0]}`?" if near else ""
    return f"`{name}`: expected one of the fields {', '.join(f'`{field}`' for field in fields)}, received an unknown one{hint}"


def _expected(tool: AnyTool, where: Sequence[int | str]) -> str:
    node: Any = api_schema(tool)
    for step in where:
        inner = node.get("items") if isinstance(step, int) else node.get("properties", {}).get(step)
        if inner is None:
            break
        node = inner
    if "enum" in node:
        return "one of " + ", ".join(repr(value) for value in node["enum"])
    kinds = (
        [choice.get("type", "a value") for choice in node["anyOf"]]
        if "anyOf" in node
        else [node.get("type", "a value")]
    )
    return " or ".join(_A.get(kind, str(kind)) for kind in kinds)


_A: Final = {
    "string": "a string",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}


def _describe(value: object) -> str:
    """Say what a value is, short enough for an error text."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return f"the number {value}"
        case str():
            text = value if len(value) <= 60 else value[:57] + "…"
            return f"the string {text!r}"
        case list():
            return f"a list of {len(value)}"
        case dict():
            return f"an object with {', '.join(map(repr, list(value)[:5])) or 'no fields'}"
        case _:
            return type(value).__name__
