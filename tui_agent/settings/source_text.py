"""JSON with places: the value of a settings text, and the line and column of everything in it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn

__all__ = ["Location", "MalformedJson", "SourceText", "parse"]

Location = tuple[str | int, ...]
_DEEPEST: Final = 100  # levels; no settings need more, and all that walks over values may recurse
_PIECE: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


class MalformedJson(ValueError):  # noqa: N818 - the name says what is wrong
    """The text is not JSON; `line` and `column` count from one."""

    def __init__(self, reason: str, line: int, column: int) -> None:
        super().__init__(f"line {line}, column {column}: {reason}")
        self.reason: Final = reason
        self.line: Final = line
        self.column: Final = column


@dataclass(frozen=True)
class SourceText:
    """A parsed text: its value, and where each entry starts (an object's entry at its key)."""

    value: Any
    lines: Mapping[Location, int] = field(default_factory=dict)

    def line(self, location: Location) -> int:
        """Return the line of an entry, or of the nearest thing round it that exists."""
        while location and location not in self.lines:
            location = location[:-1]
        return self.lines.get(location, 1)


def parse(text: str) -> SourceText:
    """Parse strict JSON.

    Raises:
        MalformedJson: it is not; the message says where and why.
    """
    try:
        value = json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise _explained(error, text) from None
    except RecursionError:
        raise MalformedJson("too deeply nested", 1, 1) from None
    except _Constant as error:
        at = next(match.start() for match in _PIECE.finditer(text) if match[0] == error.name)
        raise MalformedJson(f"{error.name} is not JSON", *_place(text, at)) from None
    except ValueError as error:  # a number of absurd length
        raise MalformedJson(str(error), 1, 1) from None
    return SourceText(value, _lines(text))


class _Constant(Exception):  # noqa: N818 - carries a name out of the parser
    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name: Final = name


def _refuse_constant(name: str) -> NoReturn:
    """Refuse a number that Python knows and JSON does not."""
    raise _Constant(name)


def _place(text: str, at: int) -> tuple[int, int]:
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def _explained(error: json.JSONDecodeError, text: str) -> MalformedJson:
    """Say it without the parser's jargon; the two mistakes people make most get their own words."""
    at, reason = error.pos, error.msg[:1].lower() + error.msg[1:]
    rest = text[at:].lstrip()
    comma = at if rest.startswith(",") else len(text[:at].rstrip()) - 1
    if rest.startswith(("//", "/*", "#")):
        at, reason = len(text) - len(rest), "comments are not allowed in JSON"
    elif text[comma : comma + 1] == "," and text[comma + 1 :].lstrip()[:1] in {"}", "]"}:
        at, reason = comma, "a comma before a closing bracket is not allowed in JSON"
    return MalformedJson(reason, *_place(text, at))


def _lines(text: str) -> dict[Location, int]:
    """Walk over a text known to be valid and note the line of every entry.

    Raises:
        MalformedJson: it is nested too deeply.
    """
    found: dict[Location, int] = {}
    path: list[str | int] = []
    is_key = False  # whether the next string names an entry
    line, upto = 1, 0
    kinds: list[str] = []
    for match in _PIECE.finditer(text):
        line += text.count("\n", upto, match.start())
        upto = match.start()
        piece = match[0]
        if piece == ":":
            is_key = False
        elif piece == ",":
            is_key = kinds[-1] == "{"
            if not is_key:
                path[-1] = int(path[-1]) + 1
        elif piece in "}]":
            kinds.pop()
            path.pop()
            is_key = False
        elif is_key:
            path[-1] = json.loads(piece)
            found[tuple(path)] = line
        else:
            found.setdefault(tuple(path), line)
            if piece in "{[":
                if len(kinds) == _DEEPEST:
                    raise MalformedJson(f"nested more than {_DEEPEST} levels deep", *_place(text, match.start()))
                kinds.append(piece)
                is_key = piece == "{"
                path.append("" if is_key else 0)
    return found
