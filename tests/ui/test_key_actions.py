"""The table of what keys do says what the program does: every key that a class binds belongs to one action of its context."""

from __future__ import annotations

import importlib
from collections import defaultdict

import pytest
from textual.binding import BindingsMap

from tui_agent.settings.keybindings.actions import CONTEXTS, FIXED, chain
from tui_agent.ui.screen_text.help_text import PLACES
from tui_agent.ui.terminal.contexts import OWNERS


def bound_by(owner: str) -> list[set[str]]:
    """Return the keys that a class binds itself, those of one action together."""
    module, _, name = owner.partition(":")
    by_action = defaultdict[str, set[str]](set)
    for key, binding in BindingsMap(getattr(importlib.import_module(module), name).__dict__.get("BINDINGS", ())):
        by_action[binding.action].add(key)
    return [keys - FIXED for keys in by_action.values() if keys - FIXED]


@pytest.mark.parametrize("owner", OWNERS)
def test_each_key_that_is_bound_can_be_bound_otherwise(owner: str) -> None:
    known = [set(keys.split()) for place in chain(OWNERS[owner]) for keys in CONTEXTS[place].values()]
    for keys in bound_by(owner):
        assert any(keys <= action for action in known), f"{sorted(keys)} of {owner} belong to no action together"


def test_each_place_of_the_help_has_a_context() -> None:
    assert {owner for place in PLACES for owner in place.owners} <= OWNERS.keys()
    assert {*OWNERS.values(), "Autocomplete"} == CONTEXTS.keys()


@pytest.mark.parametrize("context", CONTEXTS)
def test_a_key_stands_for_one_action_of_a_context(context: str) -> None:
    keys = [key for keys in CONTEXTS[context].values() for key in keys.split()]
    assert len(keys) == len(set(keys))
    assert not FIXED.intersection(keys)
