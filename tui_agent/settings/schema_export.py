"""The JSON Schema of settings files, for editors: a file names it by `"$schema"`."""

from __future__ import annotations

from typing import Any, Final

from tui_agent.settings.keys import KEYS, PARTS
from tui_agent.settings.schema import SettingsValues

__all__ = ["settings_schema"]

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_RULES: Final = frozenset({"permissions.allow", "permissions.ask", "permissions.deny"})


def settings_schema() -> dict[str, Any]:
    """Return the schema (draft 2020-12) of a settings file. Keys that it does not name are allowed: they are ignored."""
    made = SettingsValues.model_json_schema(by_alias=True, mode="validation")
    definitions = made.get("$defs", {})
    schema: dict[str, Any] = {
        "$schema": DIALECT,
        "title": "Settings of tui-agent",
        **_resolved({"type": "object", "properties": made["properties"]}, definitions),
    }
    _describe(schema, ())
    schema["properties"] = {
        "$schema": {"type": "string", "description": "The address or file of this schema."},
        **schema["properties"],
    }
    return schema


def _resolved(node: Any, definitions: dict[str, Any]) -> Any:  # noqa: ANN401 - any JSON
    """Put definitions where they are named, and leave out what only the program needs: titles, null, defaults of parts."""
    if isinstance(node, list):
        return [_resolved(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return _resolved(definitions[node["$ref"].rpartition("/")[2]], definitions)
    choices = [choice for choice in node.get("anyOf", ()) if choice != {"type": "null"}]
    if len(choices) == 1:
        rest = {key: value for key, value in node.items() if key not in {"anyOf", "default"} or value}
        rest.pop("anyOf", None)
        return _resolved({**rest, **choices[0]}, definitions)
    found: dict[str, Any] = {}
    for key, value in node.items():
        if key == "properties":
            found[key] = {name: _resolved(entry, definitions) for name, entry in value.items()}
        elif key not in {"title", "description"} and not (key == "default" and value in (None, {}, [])):
            found[key] = _resolved(value, definitions)
    return found


def _describe(node: dict[str, Any], at: tuple[str, ...]) -> None:
    key = ".".join(at)
    if key in KEYS or key in PARTS:
        node["description"] = KEYS.get(key) or PARTS[key]
    if key in _RULES:
        node["items"] = {"type": "string", "pattern": r"^\s*[^\s()]+\s*(\([\s\S]*\S[\s\S]*\)\s*)?$"}
    for name, entry in node.get("properties", {}).items():
        _describe(entry, (*at, name))
