"""Commands, queries and answers as JSON: what another process writes to the engine, and reads from it.

The `type` tag is the class name in snake case (`set_mode`); of a query without its ending (`StateQuery` is `state`). Whatever
does not fit is refused, keys that nobody knows included: nothing is done by half.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeVar, get_args

from tui_agent import commands, queries
from tui_agent.codec import FormatError, decode_fields, encode, refuse_unknown, tag_of
from tui_agent.commands import Command
from tui_agent.queries import Query

__all__ = [
    "COMMAND_TYPES",
    "QUERY_TYPES",
    "answer_type",
    "command_from_json",
    "command_to_json",
    "query_from_json",
    "query_to_json",
    "reply_type",
]

COMMAND_TYPES: Final[dict[str, type[Command[Any]]]] = {
    tag_of(cls): cls
    for name in commands.__all__
    if isinstance(cls := getattr(commands, name), type) and issubclass(cls, Command) and cls is not Command
}
QUERY_TYPES: Final[dict[str, type[Query[Any]]]] = {
    tag_of(cls, "Query"): cls
    for name in queries.__all__
    if isinstance(cls := getattr(queries, name), type) and issubclass(cls, Query) and cls is not Query
}
_COMMAND_TAGS: Final = {cls: tag for tag, cls in COMMAND_TYPES.items()}
_QUERY_TAGS: Final = {cls: tag for tag, cls in QUERY_TYPES.items()}

K = TypeVar("K")


def command_to_json(command: Command[Any]) -> dict[str, Any]:
    """Return a command as JSON data."""
    return {"type": _COMMAND_TAGS[type(command)], **encode(command)}


def query_to_json(query: Query[Any]) -> dict[str, Any]:
    """Return a query as JSON data."""
    return {"type": _QUERY_TAGS[type(query)], **encode(query)}


def command_from_json(data: object) -> Command[Any]:
    """Return the command that `command_to_json` made `data` of.

    Raises:
        FormatError: it is none; the text says what is wrong, and where.
    """
    return _read(data, COMMAND_TYPES, "command")


def query_from_json(data: object) -> Query[Any]:
    """Return the query that `query_to_json` made `data` of.

    Raises:
        FormatError: it is none; the text says what is wrong, and where.
    """
    return _read(data, QUERY_TYPES, "query")


def _read(data: object, types: Mapping[str, type[K]], what: str) -> K:
    if not isinstance(data, dict):
        raise FormatError(f"a {what} is a JSON object, not {type(data).__name__}")
    tag = data.get("type")
    cls = types.get(tag) if isinstance(tag, str) else None
    if cls is None:
        raise FormatError(f"unknown {what} type {tag!r:.80}; there are {', '.join(sorted(types))}")
    assert isinstance(tag, str)
    refuse_unknown(cls, data, tag, but=("type",))
    return cls(**decode_fields(cls, data, tag))


def reply_type(cls: type[Command[Any]]) -> Any:  # noqa: ANN401 - a type as written
    """Return the type of what a command is answered with."""
    return _parameter(cls)


def answer_type(cls: type[Query[Any]]) -> Any:  # noqa: ANN401 - a type as written
    """Return the type of what a query is answered with."""
    return _parameter(cls)


def _parameter(cls: type) -> Any:  # noqa: ANN401
    (base,) = cls.__orig_bases__  # type: ignore[attr-defined]
    return get_args(base)[0]
