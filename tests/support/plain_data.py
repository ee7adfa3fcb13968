"""Hypothesis strategies for values of the types that events, commands, queries and answers are made of."""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Literal, get_args, get_origin

from hypothesis import strategies as st

from tui_agent.changes import FileChange

__all__ = ["CHANGES", "JSON", "made_of", "strategy_for"]

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=5,
)
LINES = st.lists(st.sampled_from(["a\n", "b\n", "\n", "é\r\n"]), max_size=6).map("".join)
CHANGES = st.builds(lambda before, after: FileChange.between("/w/x", before, after), LINES, LINES)
_SIMPLE: dict[Any, st.SearchStrategy[Any]] = {
    Any: JSON,
    FileChange: CHANGES,
    str: st.text(max_size=8),
    int: st.integers(0, 2**40),
    float: st.floats(0, 1e9),
    bool: st.booleans(),
    bytes: st.binary(max_size=8),
    type(None): st.none(),
}


def strategy_for(hint: Any) -> st.SearchStrategy[Any]:
    """Return what makes values of a type as it is written in a dataclass."""
    origin, arguments = get_origin(hint), get_args(hint)
    if hint in _SIMPLE:
        return _SIMPLE[hint]
    if origin in (types.UnionType, typing.Union):
        return st.one_of([strategy_for(option) for option in arguments])
    if origin is Literal:
        return st.sampled_from(arguments)
    if origin is tuple and arguments[-1:] != (Ellipsis,):
        return st.tuples(*map(strategy_for, arguments))
    if origin is tuple:
        return st.lists(strategy_for(arguments[0]), max_size=3).map(tuple)
    if origin is list:
        return st.lists(strategy_for(arguments[0]), max_size=3)
    if origin in (dict, Mapping):
        return st.dictionaries(st.text(max_size=4), strategy_for(arguments[1]), max_size=3)
    assert is_dataclass(hint)
    assert isinstance(hint, type)
    return made_of(hint)


def made_of(cls: type[Any]) -> st.SearchStrategy[Any]:
    """Return what makes values of a dataclass."""
    hints = typing.get_type_hints(cls)
    return st.builds(cls, **{part.name: strategy_for(hints[part.name]) for part in fields(cls)})
