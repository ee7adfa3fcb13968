"""One model gives both schemas: the API's, clean, and the strict check, which forgives only what is clear."""

from __future__ import annotations

import json
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field, field_validator

from tui_agent.model.demo.request_validation import check_request
from tui_agent.settings.features import FEATURES
from tui_agent.tools.base import Tool, ToolInput, gated, internal
from tui_agent.tools.inputs.schema import InputValidationError, api_schema, parse_input
from tui_agent.tools.registry import ToolPool


class Part(ToolInput):
    """One of several."""

    text: str
    count: int = 1
    words: list[str] = Field([], max_length=3)
    note: str | None = None


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


class Bounded(ToolInput):
    """Bounds of every sort."""

    low: int = Field(1, ge=1)
    high: int = Field(1, le=9)
    both: int = Field(1, ge=1, le=9)
    above: float = Field(1.0, gt=0, lt=10)
    short: str = Field("a", min_length=1, max_length=5)
    few: list[str] = Field(["x"], min_length=1, max_length=2)
    coded: str = Field("a1", pattern="^[a-z][0-9]$")
    either: int | str = 1
    pair: tuple[str, ...] = ()
    names: list[str] = Field([])
    choices: list[Literal["x", "y"]] = Field([])
    table: dict[str, int] = Field({})
    even: int = 2

    @field_validator("even")
    @classmethod
    def _is_even(cls, value: int) -> int:
        if value % 2:
            raise ValueError("an even number")
        return value


class Sample(Tool[Input, None, str]):
    name = "Sample"
    Input = Input


class Bounds(Tool[Bounded, None, str]):
    name = "Bounds"
    Input = Bounded


TOOL = Sample()
BOUNDS = Bounds()


def parse(**raw: Any) -> Input:
    parsed = parse_input(TOOL, raw)
    assert isinstance(parsed, Input)
    return parsed


def refusal(tool: Tool[Any, Any, Any], raw: object) -> str:
    with pytest.raises(InputValidationError) as caught:
        parse_input(tool, raw)
    return str(caught.value)


# The API's schema


def test_the_api_schema_is_clean() -> None:
    part = {
        "text": {"type": "string"},
        "count": {"type": "integer", "default": 1},
        "words": {"type": "array", "default": [], "items": {"type": "string"}, "maxItems": 3},
        "note": {"type": "string"},
    }
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
                    "properties": part,
                },
            },
        },
    }


def test_a_caller_may_change_the_schema_it_was_given() -> None:
    api_schema(TOOL)["properties"].clear()
    assert api_schema(TOOL)["properties"]


def test_every_tool_has_a_schema_without_references() -> None:
    pool = ToolPool.build(features=tuple(FEATURES))
    for schema in pool.schemas_of(pool.tools):
        text = json.dumps(schema)
        assert "$ref" not in text
        assert '"title":' not in text
        assert schema["input_schema"]["additionalProperties"] is False
        assert all("description" in field for field in schema["input_schema"]["properties"].values())


def test_the_api_takes_a_request_with_every_tool_there_is() -> None:
    pool = ToolPool.build(features=tuple(FEATURES))
    message = {"role": "user", "content": "x"}
    check_request(
        {"model": "m", "max_tokens": 9, "stream": True, "messages": [message], "tools": pool.schemas_of(pool.tools)}
    )


def test_a_field_of_a_feature_is_there_only_with_it() -> None:
    class GatedInput(ToolInput):
        prompt: str
        cwd: str | None = gated(None, "kairos", "other", description="Where.")

    class Gated(Tool[GatedInput, None, str]):
        name = "Gated"
        Input = GatedInput

    off, on = Gated(), Gated()
    on.features = frozenset({"other", "unrelated"})
    assert list(api_schema(off)["properties"]) == ["prompt"]
    assert api_schema(on)["properties"]["cwd"] == {"type": "string", "description": "Where."}
    assert parse_input(on, {"prompt": "p", "cwd": "/x"}).model_dump() == {"prompt": "p", "cwd": "/x"}
    assert refusal(off, {"prompt": "p", "cwd": "/x"}) == (
        "The input of Gated does not fit: `cwd`: expected one of the fields `prompt`, received an unknown one"
    )


# What is forgiven


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
        ({"parts": [{"text": "x", "count": None}]}, "parts", [Part(text="x")]),
        ({"parts": '[{"text": "x", "count": "4"}]'}, "parts", [Part(text="x", count=4)]),
        ({"parts": ['{"text": "x"}']}, "parts", [Part(text="x")]),
        ({"parts": [{"text": "x", "words": "one"}]}, "parts", [Part(text="x", words=["one"])]),
        ({"parts": [{"text": "x", "words": '["one", "two"]'}]}, "parts", [Part(text="x", words=["one", "two"])]),
        ({"parts": None}, "parts", []),
    ],
)
def test_a_harmless_mistake_is_forgiven(raw: dict[str, Any], field: str, value: object) -> None:
    assert getattr(parse(name="n", **raw), field) == value


@pytest.mark.parametrize(
    ("raw", "field", "value"),
    [
        ({"names": "one"}, "names", ["one"]),
        ({"names": '["one"]'}, "names", ["one"]),
        ({"names": "[not json"}, "names", ["[not json"]),
        ({"choices": "x"}, "choices", ["x"]),
        ({"pair": ["a", "b"]}, "pair", ("a", "b")),
        ({"pair": '["a"]'}, "pair", ("a",)),
        ({"table": '{"a": "1"}'}, "table", {"a": 1}),
        ({"both": "7", "low": "2"}, "both", 7),
        ({"either": None}, "either", 1),
        ({"above": "2.5"}, "above", 2.5),
    ],
)
def test_a_list_a_table_or_a_number_in_a_string_is_read(raw: dict[str, Any], field: str, value: object) -> None:
    assert getattr(parse_input(BOUNDS, raw), field) == value


def test_what_was_forgiven_is_not_changed_in_the_model_s_own_input() -> None:
    raw = {"name": "n", "number": "30", "parts": [{"text": "x", "count": "4"}]}
    parse_input(TOOL, raw)
    assert raw == {"name": "n", "number": "30", "parts": [{"text": "x", "count": "4"}]}


# What is refused, and how


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
        ({"name": "n", "parts": "x"}, "`parts`", "a list", "'x'"),
        ({"name": "n", "parts": "{}"}, "`parts`", "a list", "'{}'"),
        ({"name": "n", "parts": [{"text": 1}]}, "`parts.0.text`", "a string", "the number 1"),
        ({"name": "n", "parts": [{"text": "a"}, {}]}, "`parts.1.text`", "a string", "nothing"),
        ({"name": "n", "parts": [{"text": "a", "txet": 1}]}, "`parts.0.txet`", "`text`, `count`", "did you mean `text`?"),
        ({"name": "n", "parts": [{"text": "a", "words": ["a"] * 4}]}, "`parts.0.words`", "of at most 3 items", "a list of 4"),
        ({"name": "n", "nmae": "x"}, "`nmae`", "one of the fields", "did you mean `name`?"),
        ({"name": "n", "dashed": 1}, "`dashed`", "`-A`", "unknown"),
        ({"name": "n", "secret": "x"}, "`secret`", "one of the fields", "unknown"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_by_field_expected_and_received(
    raw: dict[str, Any], names: str, expected: str, received: str
) -> None:
    text = refusal(TOOL, raw)
    for part in (names, expected, received):
        assert part in text


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        ({"low": 0}, "`low`: expected a whole number of at least 1, received the number 0"),
        ({"high": 10}, "`high`: expected a whole number of at most 9, received the number 10"),
        ({"both": "12"}, "`both`: expected a whole number from 1 to 9, received the number 12"),
        ({"above": 0.0}, "`above`: expected a number above 0 and below 10, received the number 0.0"),
        ({"above": float("nan")}, "`above`: expected a number above 0 and below 10, received the number nan"),
        ({"short": ""}, "`short`: expected a string of 1 to 5 characters, received the string ''"),
        (
            {"short": "abcdef" * 50},
            f"`short`: expected a string of 1 to 5 characters, received the string '{('abcdef' * 10)[:59]}…' of 300 characters",
        ),
        ({"few": []}, "`few`: expected a list of 1 to 2 items, received a list of 0"),
        ({"coded": "1a"}, "`coded`: expected a string that matches `^[a-z][0-9]$`, received the string '1a'"),
        ({"either": []}, "`either`: expected a whole number or a string, received a list of 0"),
        ({"names": ["a", 1]}, "`names.1`: expected a string, received the number 1"),
        ({"names": ""}, "`names`: expected a list, received the string ''"),
        ({"choices": ["x", "z"]}, "`choices.1`: expected 'x' or 'y', received the string 'z'"),
        ({"table": {"a": "b"}}, "`table.a`: expected a whole number, received the string 'b'"),
        ({"table": []}, "`table`: expected an object, received a list of 0"),
        ({"even": 3}, "`even`: expected an even number, received the number 3"),
        ({"high": 10**5000}, "`high`: expected a whole number of at most 9, received a number beyond all measure"),
    ],
)  # fmt: skip
def test_each_kind_of_mistake_has_its_words(raw: dict[str, Any], problem: str) -> None:
    assert refusal(BOUNDS, raw) == f"The input of Bounds does not fit: {problem}"


def test_every_fault_is_named_at_once_and_a_flood_of_them_is_counted() -> None:
    text = refusal(TOOL, {"number": "x", "what": 1})
    assert [name in text for name in ("`name`", "`number`", "`what`")] == [True] * 3
    text = refusal(TOOL, {"name": "n", "parts": [{}] * 5000})
    assert text.count("\n") == 11
    assert text.endswith("more")


@pytest.mark.parametrize("raw", [None, [], "x", 3])
def test_an_input_that_is_no_object_is_refused(raw: object) -> None:
    assert "expected an object, received" in refusal(TOOL, raw)


def test_what_a_model_wrote_is_spelled_out_and_cut_in_the_text() -> None:
    text = refusal(TOOL, {"name": "n", "\x1b]0;x\x07\ud800\n" + "y" * 5000: 1, "kind": "\u202e" + "z" * 5000})
    text.encode()
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert len(text) < 600


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
NAMES = [*Bounded.model_fields, "parts", "number", "name", "text", "extra"]


@given(st.dictionaries(st.sampled_from(NAMES), ANYTHING, max_size=5), st.sampled_from([TOOL, BOUNDS]))
def test_any_input_is_taken_or_refused_in_words(raw: dict[str, Any], tool: Tool[Any, Any, Any]) -> None:
    try:
        parsed = parse_input(tool, raw)
    except InputValidationError as error:
        text = str(error)
    else:
        again = parse_input(tool, parsed.model_dump(mode="json", by_alias=True, exclude_unset=True))
        assert repr(again) == repr(parsed)
        return
    assert text.startswith(f"The input of {tool.name} does not fit:")


def test_a_value_nested_without_end_is_refused_or_taken_but_never_breaks_the_check() -> None:
    deep: list[Any] = []
    for _ in range(5000):
        deep = [deep]
    assert "`name`" in refusal(TOOL, {"name": deep})
    assert "`names.0`" in refusal(BOUNDS, {"names": deep})
