"""Changing cells in a notebook's text: nothing but what changes is written anew, and that in the file's own manner.

A notebook that is parsed and dumped again comes out reformatted wherever it was not written by the same program. So the places
of cells and of their sources are found in the text, and replaced there: indentation, order of keys, ways of escaping, unknown
keys and the end of the file stay as they are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from tui_agent.line_diff import split_lines

__all__ = ["NotebookText"]

_DECODER: Final = json.JSONDecoder(strict=False)
_BLANKS: Final = re.compile(r"[ \t\r\n]*")


class _Span(NamedTuple):
    start: int
    stop: int

    def of(self, text: str) -> str:
        return text[self.start : self.stop]


class _Field(NamedTuple):
    """A key of an object, and where its value is."""

    key: str
    key_start: int
    value: _Span


@dataclass(frozen=True, slots=True)
class _JsonStyle:
    """How the file is written. `unit` is one step of indentation; None where all of it stands on one line."""

    unit: str | None
    newline: str
    after_item: str
    after_key: str
    is_ascii: bool


class NotebookText:
    """The text of a notebook that was parsed before (version 4); each method returns the whole text as it would become."""

    def __init__(self, text: str) -> None:
        self._text = text if text.strip() else _EMPTY
        root = _BLANKS.match(self._text)
        assert root is not None
        fields = _fields(self._text, root.end())
        self._cells_field = next(field for field in reversed(fields) if field.key == "cells")
        self._cells = _items(self._text, self._cells_field.value.start)
        self._manner = _manner_of(self._text, root.end())

    def with_source(self, number: int, source: str) -> str:
        """Return the text with another source of the cell at place `number`; all else of the cell stays."""
        for field in reversed(_fields(self._text, self._cells[number].start)):
            if field.key == "source":
                return self._put(field.value, self._source(field, source))
        raise ValueError("a cell without a source")

    def with_cell(self, number: int, cell: Mapping[str, Any]) -> str:
        """Return the text with this cell at place `number`, in the place of the one that is there."""
        span = self._cells[number]
        return self._put(span, self._dump(cell, self._indent_at(span.start)))

    def with_new_cell(self, number: int, cell: Mapping[str, Any]) -> str:
        """Return the text with a further cell at place `number`."""
        manner = self._manner
        if not self._cells:
            outer = self._indent_at(self._cells_field.key_start)
            if manner.unit is None:
                return self._put(self._cells_field.value, f"[{self._dump(cell, '')}]")
            inner = outer + manner.unit
            body = f"{manner.newline}{inner}{self._dump(cell, inner)}{manner.newline}{outer}"
            return self._put(self._cells_field.value, f"[{body}]")
        if number == 0:
            at = self._cells[0].start
            dumped = self._dump(cell, self._indent_at(at))
            return self._put(_Span(at, at), dumped + self._between(0))
        before = self._cells[number - 1]
        dumped = self._dump(cell, self._indent_at(before.start))
        return self._put(_Span(before.stop, before.stop), self._between(number - 1) + dumped)

    def without_cell(self, number: int) -> str:
        """Return the text without the cell at place `number`."""
        span = self._cells[number]
        if len(self._cells) == 1:
            return self._put(self._cells_field.value, "[]")
        if number + 1 < len(self._cells):
            return self._put(_Span(span.start, self._cells[number + 1].start), "")
        return self._put(_Span(self._cells[number - 1].stop, span.stop), "")

    def _put(self, span: _Span, new: str) -> str:
        return self._text[: span.start] + new + self._text[span.stop :]

    def _between(self, number: int) -> str:
        """Return what stands between the cell at this place and the next, or what would."""
        if number + 1 < len(self._cells):
            return self._text[self._cells[number].stop : self._cells[number + 1].start]
        manner = self._manner
        if manner.unit is None:
            return manner.after_item
        start = self._cells[number].start
        lead = self._text[:start].rpartition("\n")[2]
        return f",{manner.newline}{lead}" if not lead.strip() else manner.after_item

    def _indent_at(self, at: int) -> str:
        """Return the indentation of the line of this position."""
        line = self._text[self._text.rfind("\n", 0, at) + 1 : at]
        return line[: len(line) - len(line.lstrip(" \t"))]

    def _dump(self, value: object, indent: str) -> str:
        manner = self._manner
        dumped = json.dumps(
            value,
            ensure_ascii=manner.is_ascii or not _is_encodable(value),
            indent=manner.unit,
            separators=("," if manner.unit is not None else manner.after_item, manner.after_key),
        )
        return dumped.replace("\n", manner.newline + indent)

    def _source(self, field: _Field, source: str) -> str:
        """Return the JSON of a source, as a text where it was one, else as lines; lines that stay are not written anew."""
        old, lines = field.value.of(self._text), split_lines(source)
        indent = self._indent_at(field.key_start)
        if not old.startswith("["):
            return self._dump(source, indent)
        known: dict[str, str] = {}
        for item in _items(self._text, field.value.start):
            raw = item.of(self._text)
            known.setdefault(json.loads(raw, strict=False), raw)
        dumped = [known.get(line) or self._dump(line, indent) for line in lines]
        if not dumped:
            return "[]"
        manner = self._manner
        if manner.unit is None or ("\n" not in old and known):
            return f"[{manner.after_item.join(dumped)}]" if manner.unit is None else f"[{', '.join(dumped)}]"
        inner = f"{manner.newline}{indent}{manner.unit}"
        return f"[{inner}{f',{inner}'.join(dumped)}{manner.newline}{indent}]"


def _skip(text: str, at: int) -> int:
    match = _BLANKS.match(text, at)
    return match.end() if match else at


def _fields(text: str, at: int) -> list[_Field]:
    """Return the keys and values of the object that begins at `at`."""
    out: list[_Field] = []
    at = _skip(text, at + 1)
    while text[at] != "}":
        key_start = at
        key, at = _DECODER.raw_decode(text, at)
        start = _skip(text, _skip(text, at) + 1)
        _, stop = _DECODER.raw_decode(text, start)
        out.append(_Field(key, key_start, _Span(start, stop)))
        at = _skip(text, stop)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return out


def _items(text: str, at: int) -> list[_Span]:
    """Return the places of the items of the array that begins at `at`."""
    out: list[_Span] = []
    at = _skip(text, at + 1)
    while text[at] != "]":
        _, stop = _DECODER.raw_decode(text, at)
        out.append(_Span(at, stop))
        at = _skip(text, stop)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return out


def _manner_of(text: str, root: int) -> _JsonStyle:
    inside = text[root + 1 : _skip(text, root + 1)]
    is_long = "\n" in inside
    head = text[root : root + 4000]
    after_key = re.search(r'"(\s*:[ \t]*)', head)
    after_item = re.search(r'[\]}"\d](,[ \t]*)["\[{\d]', text[root : root + 100_000])
    return _JsonStyle(
        unit=inside.rpartition("\n")[2] if is_long else None,
        newline="\r\n" if "\r\n" in inside else "\n",
        after_item=after_item[1] if after_item else ", ",
        after_key=after_key[1] if after_key else ": ",
        is_ascii=text.isascii() and re.search(r"(?<!\\)(?:\\\\)*\\u[0-9a-fA-F]{4}", text) is not None,
    )


def _is_encodable(value: object) -> bool:
    """Whether all characters of a JSON value can be written as UTF-8; halves of pairs cannot."""
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


_EMPTY: Final = '{\n "cells": [],\n "metadata": {},\n "nbformat": 4,\n "nbformat_minor": 5\n}\n'
