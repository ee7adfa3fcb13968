"""JSON with lines: where an entry stands, and what is said of a text that is no JSON."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tui_agent.settings.source_text import Location, MalformedJson, parse

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)


def entries(value: object, path: Location = ()) -> list[Location]:
    if isinstance(value, dict):
        return [path, *(found for key, item in value.items() for found in entries(item, (*path, key)))]
    if isinstance(value, list):
        return [path, *(found for index, item in enumerate(value) for found in entries(item, (*path, index)))]
    return [path]


@given(VALUES)
@settings(max_examples=150, deadline=None)
def test_every_entry_of_a_written_text_has_its_line(value: object) -> None:
    text = json.dumps(value, indent=1)
    source = parse(text)
    lines = text.split("\n")
    assert source.value == value
    assert set(source.lines) == set(entries(value))
    for location in source.lines:
        if location and isinstance(location[-1], str):
            assert lines[source.line(location) - 1].strip().startswith(json.dumps(location[-1]) + ":")


def test_an_entry_that_is_not_there_has_the_line_of_what_would_hold_it() -> None:
    source = parse('{\n "a": {\n  "b": [1,\n 2]\n }\n}')
    assert [source.line(at) for at in (("a",), ("a", "b", 1), ("a", "b", 9), ("a", "zz"), ("zz",))] == [2, 4, 3, 2, 1]


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ('{"a": 1,\n}', 1, 8, "comma"),
        ('{\n  // why\n  "a": 1\n}', 2, 3, "comments"),
        ('{\n  "a": 1\n  "b": 2\n}', 3, 3, "','"),
        ('{"a": tru}', 1, 7, "expecting value"),
        ('{"NaN": 1,\n "a": NaN}', 2, 7, "NaN"),
        ("[" * 100_000, 1, 1, "nested"),
        ("", 1, 1, "expecting value"),
    ],
)
def test_a_malformed_text_names_line_and_column(text: str, line: int, column: int, words: str) -> None:
    with pytest.raises(MalformedJson) as caught:
        parse(text)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert words in caught.value.reason


@pytest.mark.parametrize("depth", [101, 400, 950, 100_000])
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_what_is_nested_absurdly_is_refused_before_anything_walks_over_it(
    depth: int, opening: str, closing: str
) -> None:
    with pytest.raises(MalformedJson, match="deep"):
        parse(opening * depth + "1" + closing * depth)


def test_what_is_nested_as_deep_as_people_nest_is_taken() -> None:
    assert parse("[" * 100 + "]" * 100).value
