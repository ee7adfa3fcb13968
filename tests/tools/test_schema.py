"""One model gives both schemas: the API's, clean, and the strict check, which forgives only what is clear."""

from __future__ import annotations

import json
from typing import Any, Literal

import pytest
from pydantic import Field

from tui_agent.tools.base import Tool, ToolInput, internal
from tui_agent.tools.registry import ToolPool
from tui_agent.tools.schema import InputValidationError, api_schema, parse_input


class Part(ToolInput):
    """One of several."""

    text: str
    count: int = 1


class Input(ToolInput):
    """A docstring that is not for the API."""

    name: str = Field(description="Who.")
    number: int | None = None
    share: float = 0.5
    flag: bool = False
    kind: Literal["a", "b"] = "a"
    dashed: int = Field(0, alias="-A")
    parts: list[Part] = Field([])
    secret: str = internal("")


class Sample(Tool[Input, str]):
    name = "Sample"
    Input = Input


TOOL = Sample()


def parse(**raw: Any) -> Input:
    parsed = parse_input(TOOL, raw)
    assert isinstance(parsed, Input)
    return parsed


def test_the_api_schema_is_clean() -> None:
    assert api_schema(TOOL) == {
        "type": "object",
        "additionalProperties": False,
        "required": ["name"],
        "properties": {
            "name": {"type": "string", "description": "Who."},
            "number": {"type": "integer"},
            "share": {"type": "number", "default": 0.5},
            "flag": {"type": "boolean", "default": False},
            "kind": {"type": "string", "enum": ["a", "b"], "default": "a"},
            "-A": {"type": "integer", "default": 0},
            "parts": {
                "type": "array",
                "default": [],
                "items": {
                    "type": "object",
                    "description": "One of several.",
                    "additionalProperties": False,
                    "required": ["text"],
                    "properties": {"text": {"type": "string"}, "count": {"type": "integer", "default": 1}},
                },
            },
        },
    }


def test_a_caller_may_change_the_schema_it_was_given() -> None:
    api_schema(TOOL)["properties"].clear()
    assert api_schema(TOOL)["properties"]


def test_every_tool_has_a_schema_without_references() -> None:
    for schema in ToolPool.build().schemas():
        text = json.dumps(schema)
        assert "$ref" not in text
        assert '"title"' not in text
        assert schema["input_schema"]["additionalProperties"] is False
        assert all("description" in field for field in schema["input_schema"]["properties"].values())


@pytest.mark.parametrize(
    ("raw", "field", "value"),
    [
        ({"number": "30"}, "number", 30),
        ({"number": " -3 "}, "number", -3),
        ({"number": 30.0}, "number", 30),
        ({"number": None}, "number", None),
        ({"share": "0.25"}, "share", 0.25),
        ({"share": 1}, "share", 1.0),
        ({"flag": "true"}, "flag", True),
        ({"flag": "False"}, "flag", False),
        ({"flag": None}, "flag", False),
        ({"-A": "2"}, "dashed", 2),
        ({"parts": [{"text": "x", "count": "4"}]}, "parts", [Part(text="x", count=4)]),
    ],
)
def test_a_harmless_mistake_is_forgiven(raw: dict[str, Any], field: str, value: object) -> None:
    assert getattr(parse(name="n", **raw), field) == value


@pytest.mark.parametrize(
    ("raw", "names", "expected", "received"),
    [
        ({}, "`name`", "a string", "nothing"),
        ({"name": 3}, "`name`", "a string", "the number 3"),
        ({"name": None}, "`name`", "a string", "null"),
        ({"name": "n", "number": "three"}, "`number`", "a whole number", "'three'"),
        ({"name": "n", "number": True}, "`number`", "a whole number", "true"),
        ({"name": "n", "number": 1.5}, "`number`", "a whole number", "1.5"),
        ({"name": "n", "number": "1e3"}, "`number`", "a whole number", "'1e3'"),
        ({"name": "n", "flag": 1}, "`flag`", "true or false", "the number 1"),
        ({"name": "n", "flag": "yes"}, "`flag`", "true or false", "'yes'"),
        ({"name": "n", "kind": "c"}, "`kind`", "'a' or 'b'", "'c'"),
        ({"name": "n", "parts": {}}, "`parts`", "a list", "an empty object"),
        ({"name": "n", "parts": [{"text": 1}]}, "`parts.0.text`", "a string", "the number 1"),
        ({"name": "n", "nmae": "x"}, "`nmae`", "one of the fields", "did you mean `name`?"),
        ({"name": "n", "dashed": 1}, "`dashed`", "`-A`", "unknown"),
        ({"name": "n", "secret": "x"}, "`secret`", "one of the fields", "unknown"),
    ],
)
def test_what_does_not_fit_is_refused_by_field_expected_and_received(
    raw: dict[str, Any], names: str, expected: str, received: str
) -> None:
    with pytest.raises(InputValidationError) as caught:
        parse_input(TOOL, raw)
    for part in (names, expected, received):
        assert part in str(caught.value)


def test_every_fault_is_named_at_once() -> None:
    with pytest.raises(InputValidationError) as caught:
        parse_input(TOOL, {"number": "x", "what": 1})
    assert [name in str(caught.value) for name in ("`name`", "`number`", "`what`")] == [True] * 3


@pytest.mark.parametrize("raw", [None, [], "x", 3])
def test_an_input_that_is_no_object_is_refused(raw: object) -> None:
    with pytest.raises(InputValidationError, match="expected an object"):
        parse_input(TOOL, raw)


def test_what_was_forgiven_is_not_changed_in_the_model_s_own_input() -> None:
    raw = {"name": "n", "number": "30", "parts": [{"text": "x", "count": "4"}]}
    parse_input(TOOL, raw)
    assert raw == {"name": "n", "number": "30", "parts": [{"text": "x", "count": "4"}]}
