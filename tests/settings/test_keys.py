"""The table of keys, the schema and its export say the same."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest

from tui_agent.settings.keys import KEYS, NOT_USED, PARTS
from tui_agent.settings.schema import SettingsValues
from tui_agent.settings.schema_export import settings_schema


def leaves(node: dict[str, Any], at: str = "") -> Iterator[str]:
    for name, entry in node["properties"].items():
        key = f"{at}{name}"
        if "properties" in entry:
            yield from leaves(entry, f"{key}.")
        else:
            yield key


def parts(node: dict[str, Any], at: str = "") -> Iterator[str]:
    for name, entry in node["properties"].items():
        if "properties" in entry:
            yield f"{at}{name}"
            yield from parts(entry, f"{at}{name}.")


def test_every_key_of_the_schema_is_described_and_no_other() -> None:
    schema = settings_schema()
    assert set(leaves(schema)) - {"$schema"} == set(KEYS)
    assert set(parts(schema)) == set(PARTS)
    assert not NOT_USED & (KEYS.keys() | PARTS.keys())


def test_the_export_is_a_schema_that_stands_on_its_own() -> None:
    schema = settings_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert "$ref" not in json.dumps(schema)
    assert schema["properties"]["permissions"]["properties"]["deny"]["description"]


GOOD: list[dict[str, Any]] = [
    {},
    {"$schema": "./schema.json", "someday": 1, "statusLine": {"type": "command", "command": "x"}},
    {"permissions": {"allow": ["Bash(npm test *)", "Read", "mcp__a__*"], "defaultMode": "plan"}, "env": {"A": "b"}},
    {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}, "maxTurns": 3, "features": ["kairos"]},
    {"sandbox": {"enabled": True, "network": {"allowedDomains": ["*.x"], "httpProxyPort": 3128}}},
]
BAD: list[dict[str, Any]] = [
    {"permissions": []},
    {"permissions": {"allow": "Bash"}},
    {"permissions": {"allow": ["Bash("]}},
    {"permissions": {"defaultMode": "free"}},
    {"env": {"A": 1}},
    {"hooks": {"Stop": [{"matcher": "x"}]}},
    {"hooks": []},
    {"maxTurns": 0},
    {"sandbox": {"enabled": "yes"}},
]


@pytest.mark.parametrize("settings", GOOD)
def test_the_export_takes_what_the_program_takes(settings: dict[str, Any]) -> None:
    jsonschema.validate(settings, settings_schema())
    SettingsValues.model_validate(settings)


@pytest.mark.parametrize("settings", BAD, ids=json.dumps)
def test_the_export_refuses_what_the_program_leaves_out(settings: dict[str, Any]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(settings, settings_schema())
