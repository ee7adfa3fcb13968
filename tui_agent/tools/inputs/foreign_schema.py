"""JSON Schemas taken as such: checking an input against one that came from outside, in whichever draft it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from tui_agent.tools.inputs.errors import FieldFault, InputValidationError

__all__ = ["check", "schema_problem"]

_MOST_FAULTS: Final = 50
_DEEPEST: Final = 100
# Keywords whose meaning our own words for the schema at that place carry.
_BY_SCHEMA: Final = frozenset({
    "anyOf", "const", "enum", "exclusiveMaximum", "exclusiveMinimum", "maxItems", "maxLength", "maximum", "minItems",
    "minLength", "minimum", "oneOf", "pattern", "type",
})  # fmt: skip


def check(schema: Mapping[str, Any], value: dict[str, Any]) -> list[FieldFault]:
    """Return what is wrong with an input.

    Raises:
        InputValidationError: the schema itself is not one; nothing can be said of any input then.
    """
    if _is_deeper(value, _DEEPEST):
        return [FieldFault((), "rule", value, f"expected at most {_DEEPEST} levels")]
    import jsonschema  # type: ignore[import-untyped]  # here, as few sessions have such tools
    import referencing
    import referencing.exceptions

    kind = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
    try:
        kind.check_schema(schema)
        # A registry of its own: a reference to elsewhere is a fault of the schema, not a reason to fetch something.
        validator = kind(schema, registry=referencing.Registry())
        return [fault for error in _first(validator.iter_errors(value)) for fault in _faults(error)]
    except (jsonschema.SchemaError, referencing.exceptions.Unresolvable, RecursionError) as error:
        reason = str(getattr(error, "message", None) or error)[:300]
        raise InputValidationError(f"the tool's own schema cannot be used: {reason}") from error


def schema_problem(schema: Mapping[str, Any]) -> str:
    """Return what is wrong with a schema itself; empty when nothing is."""
    import jsonschema

    try:
        jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator).check_schema(schema)
    except jsonschema.SchemaError as error:
        return f"its schema is none: {error.message[:300]}"
    return ""


def _first(errors: Iterator[Any]) -> Iterator[Any]:
    for _, error in zip(range(_MOST_FAULTS), errors, strict=False):
        yield error


def _faults(error: Any) -> Iterator[FieldFault]:  # noqa: ANN401 - the library is untyped
    path = tuple(error.absolute_path)
    found, wanted = error.instance, error.validator_value
    match error.validator:
        case "required":
            yield from (FieldFault((*path, name), "missing") for name in wanted if name not in found)
        case "additionalProperties" if isinstance(found, dict):
            known = error.schema.get("properties", {})
            yield from (FieldFault((*path, name), "unknown") for name in found if name not in known)
        case keyword if keyword in _BY_SCHEMA:
            yield FieldFault(path, "schema", found)
        case keyword:
            yield FieldFault(path, "rule", found, f"expected what `{keyword}` of the tool's schema says")


def _is_deeper(value: object, levels: int) -> bool:
    layer = [value]
    for _ in range(levels):
        layer = [
            inner
            for item in layer
            for inner in (item.values() if isinstance(item, dict) else item if isinstance(item, list) else ())
            if isinstance(inner, dict | list)
        ]
        if not layer:
            return False
    return True
