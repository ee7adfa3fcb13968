"""Short lines in sections: a title, and names with what they mean."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from textual.binding import BindingsMap, BindingType

from tui_agent.settings.keybindings.spelling import spell

__all__ = ["Section", "section"]

Section = tuple[str, Sequence[tuple[str, str]]]


def section(title: str, bindings: Iterable[BindingType], more: Iterable[tuple[str, str]] = ()) -> Section:
    """Return a part of the help made of bindings: keys that do the same stand in one line. `more` are keys bound elsewhere."""
    rows: dict[str, list[str]] = {}
    for key, binding in BindingsMap(bindings):
        if binding.description:
            rows.setdefault(binding.description, []).append(spell(key))
    return title, [*((" ".join(keys), words) for words, keys in rows.items()), *more]
