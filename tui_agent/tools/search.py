"""Finding tools by what they are called and what they are for: the whole of ToolSearch that needs no session."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from tui_agent.tools.base import Tool

__all__ = ["Searchable", "find_tools"]

_SELECT: Final = "select:"
_WORDS: Final = re.compile(r"[^\W_]+")
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SHORTEST_PART: Final = 3  # a shorter word counts as a whole word only: it is a part of too many
_EMPTY_WORDS: Final = frozenset(
    "a an and as at by for from in into is it of on or that the this to tool tools with".split()  # noqa: SIM905 - readable
)
_LONGEST_QUERY: Final = 2000
# What a word of the query is worth by where it was found: as a whole word, as a part of one.
_IN_NAME: Final = (8, 5)
_IN_HINT: Final = (4, 3)
_IN_DESCRIPTION: Final = (2, 1)


class Searchable(NamedTuple):
    """A tool, and what it says of itself in this session."""

    tool: Tool[Any, Any, Any]
    description: str


def find_tools(query: str, everything: Sequence[Searchable], deferred: Sequence[Searchable], limit: int) -> list[str]:
    """Return the names of the tools that a query means, the best first.

    Args:
        query: `select:A,B` for tools by name, a tool's name, or words to look for in name, hint and description; upper and
            lower case are the same everywhere.
        everything: what can be had by name.
        deferred: what words are looked for in.
        limit: how many may be found by words.
    """
    text = query[:_LONGEST_QUERY].strip()
    if text.lower().startswith(_SELECT):
        return _named(text[len(_SELECT) :].split(","), everything)
    if exact := _named([text], everything):
        return exact
    words = [word for word in dict.fromkeys(_words(text)) if word not in _EMPTY_WORDS]
    rated = [(rating, one.tool.name) for one in deferred if (rating := _rate(words, one)) > (0, 0)]
    return [name for _, name in sorted(rated, key=lambda pair: (-pair[0][0], -pair[0][1], pair[1]))][:limit]


def _named(names: Iterable[str], tools: Sequence[Searchable]) -> list[str]:
    known: dict[str, str] = {}
    for one in tools:
        for name in (one.tool.name, f"{one.tool.name}Tool", *one.tool.aliases):
            known.setdefault(name.lower(), one.tool.name)
    wanted = (name.strip().lower() for name in names)
    return list(dict.fromkeys(known[name] for name in wanted if name in known))


def _rate(words: Sequence[str], one: Searchable) -> tuple[int, int]:
    """Return how many of the words a tool has, and how prominently."""
    places = (
        (_IN_NAME, _CAMEL.sub(" ", one.tool.name)),
        (_IN_HINT, one.tool.search_hint),
        (_IN_DESCRIPTION, one.description),
    )
    ratings = [max(_worth(word, text, worth) for worth, text in places) for word in words]
    return sum(rating > 0 for rating in ratings), sum(ratings)


def _worth(word: str, text: str, worth: tuple[int, int]) -> int:
    if word in _words(text):
        return worth[0]
    return worth[1] if len(word) >= _SHORTEST_PART and word in text.lower() else 0


def _words(text: str) -> list[str]:
    return _WORDS.findall(text.lower())
