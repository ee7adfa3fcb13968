"""Settings as plain values."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from tui_agent.settings.values import ABSENT, dotted, leaves, look_up, merged, put, undotted, without


def test_objects_are_merged_lists_joined_and_else_the_stronger_value_stays() -> None:
    low = {"a": 1, "b": {"c": 1, "d": [1, {"x": 1}, "t", True]}, "e": [1], "f": {"g": 1}}
    high = {"a": 2, "b": {"d": ["t", "u", {"x": 1}]}, "e": "text", "f": None}
    assert merged(low, high) == {
        "a": 2,
        "b": {"c": 1, "d": ["t", "u", {"x": 1}, 1, True]},
        "e": "text",
        "f": None,
    }
    assert low["b"] == {"c": 1, "d": [1, {"x": 1}, "t", True]}, "nothing given is changed"


def test_long_lists_are_joined_in_a_moment() -> None:
    high, low = ([f"{name}{number}" for number in range(50_000)] for name in "ab")
    began = time.perf_counter()
    assert len(merged({"x": low}, {"x": high})["x"]) == 100_000
    assert time.perf_counter() - began < 5, "not each with each"


def test_entries_are_found_put_and_taken_away_by_path() -> None:
    values = {"a": {"b": [1, {"c": 2}]}}
    assert look_up(values, ("a", "b", 1, "c")) == 2
    for path in (("x",), ("a", "x"), ("a", "b", 5), ("a", "b", "c"), ("a", "b", 0, "c")):
        assert look_up(values, path) is ABSENT
    assert put(values, ("a", "d", "e"), 3) == {"a": {"b": [1, {"c": 2}], "d": {"e": 3}}}
    assert put({"a": 1}, ("a", "b"), 2) == {"a": {"b": 2}}
    assert without(values, ("a", "b")) == {"a": {}}
    assert without(values, ("x", "y")) == values
    assert values == {"a": {"b": [1, {"c": 2}]}}


def test_variables_and_hooks_are_one_entry_each() -> None:
    values = {"a": {"b": {"c": 1}, "d": []}, "env": {"A": "1"}, "hooks": {"Stop": []}, "e": {}}
    assert dict(leaves(values)) == {
        ("a", "b", "c"): 1,
        ("a", "d"): [],
        ("env",): {"A": "1"},
        ("hooks",): {"Stop": []},
    }


@given(st.lists(st.text(alphabet='ab."\\\n ', max_size=4), min_size=1, max_size=4).map(tuple))
def test_a_path_can_be_written_and_read_back(path: tuple[str, ...]) -> None:
    assert undotted(dotted(path)) == path


def test_paths_are_written_as_people_do() -> None:
    assert dotted(("permissions", "allow")) == "permissions.allow"
    assert dotted(("env", "a.b")) == 'env."a.b"'
    assert undotted('env."a.b') == ("env", '"a', "b"), "a quote that does not close is only a character"
