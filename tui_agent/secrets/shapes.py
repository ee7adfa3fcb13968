"""Values that do not stand right behind their name: in blocks, lists and arrays, on the next line, behind tags.

The shapes are those of YAML, JSON, TOML and XML. A place is where one word of a value stands, and how far the text was read for
it; whether the word is a secret is judged elsewhere. All stand near their name, so that streams have both at hand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from tui_agent.secrets.unsigned import BACKSLASHES, NEXT

__all__ = ["ELEMENT", "Place", "behind_marks", "is_open_element", "next_line", "shaped"]

_FARTHEST: Final = 240  # characters from the name to the beginning of a value
_LAST_WORD: Final = re.compile(r"[ \t]{0,40}(?:\r?\n|[ \t]#|\Z)")
_WORD: Final = r"[^\s\"'`<>\\]{1,4000}"
# `password: |` and `password: >-`, and the lines of such a block.
_BLOCK: Final = re.compile(r"[|>][+-]?[1-9]?[+-]?(?=[ \t]{0,40}(?:#[^\n]{0,80})?\r?\n)(?:[ \t]{1,40}#[^\n]{0,80})?")
_BLOCK_LINE: Final = re.compile(rf"{NEXT}(?<=[ \t])(?!-[ \t])({_WORD})")
# `passwords:` with an item in each of the next lines.
_ITEM: Final = re.compile(
    rf"{NEXT}-[ \t]{{1,8}}(?:[\"'](?=[^\s\"']{{1,400}}(?:[\"'][ \t]{{0,40}}(?:\r?\n|\Z)|\Z)))?({_WORD})[\"']?"
)
_NEXT_QUOTE: Final = re.compile(rf"{NEXT}(?={BACKSLASHES}[\"'])")
_ARRAY: Final = re.compile(rf"\[(?:{NEXT}|[ \t]{{0,8}})(?={BACKSLASHES}[\"'])")
_ARRAY_ITEM: Final = re.compile(
    rf"(?P<quote>{BACKSLASHES}[\"'])([^\s\"'`<>\\]{{1,400}})(?:(?P=quote)(?P<comma>[ \t]{{0,8}},(?:{NEXT}|[ \t]{{0,8}}))?)?"
)
_THREE: Final = re.compile(rf"(?P<quote>\"\"\"|''')(?:\\?{NEXT})?({_WORD})")
_THREE_END: Final = re.compile(rf"(?:[ \t]{{0,40}}|{NEXT})(?:\"\"\"|''')")
# Anchors and tags of YAML. Some tags say that what follows is the name of the value.
_MARKS: Final = re.compile(
    r"(?:&(?!mut\b|dyn\b|str\b)[\w-]{1,60}[ \t]{1,8}|![\w!./:-]{0,60}[ \t]{1,8}){1,3}(?=[^\s|>&!])"
)
_NAMING_TAG: Final = re.compile(
    r"!(?:Ref|Sub|GetAtt|ImportValue|Join|FindInMap|Select|reference|include\w*|env\w*|lambda|input)\b"
)
_LIKELY_NAMING_TAG: Final = re.compile(r"!(?:secret|vault)\b")
# What stands in an element of XML: on lines of its own, or as CDATA.
ELEMENT: Final = re.compile(
    rf"(?:\s{{0,60}}|{NEXT})(?:<!\[CDATA\[(?:\s{{0,60}}|{NEXT}))?(?P<value>[^<>\s]{{3,400}}?)(?:\]\]>)?(?:\s{{0,60}}|{NEXT})(?=</)"
)
_ELEMENT_WORD: Final = re.compile(
    rf"(?:\s{{0,60}}|{NEXT})(?:<!\[CDATA\[(?:\s{{0,60}}|{NEXT}))?(?P<value>[^<>\s\"'`\\]{{1,400}})"
)
_ELEMENT_TAIL: Final = 130


class Place(NamedTuple):
    """Where a word of a value stands, how far the text was read for it, and whether that was far enough."""

    start: int
    end: int
    seen: int
    is_whole: bool


def shaped(text: str, at: int, start: int, *, is_first: bool, is_quoted_name: bool, sign: str) -> Iterator[Place]:
    """Yield the words of a value that begins at `at`, behind a sign, where it has one of these shapes.

    Args:
        text: the text.
        at: where the value begins.
        start: where its name begins.
        is_first: whether only what listings and declarations put there stands in front of the name.
        is_quoted_name: whether the name stands in quotes.
        sign: what stands between the two.
    """
    limit = start + _FARTHEST
    match text[at : at + 1]:
        case "|" | ">" if is_first and sign == ":":
            block = _BLOCK.match(text, at)
            if block is not None:
                yield from _lines(text, block.end(), limit, _BLOCK_LINE)
        case "\n" | "\r" if sign == ":" and is_first and not is_quoted_name:
            yield from _lines(text, at, limit, _ITEM)
        case "[":
            yield from _items(text, at, limit)
        case '"' | "'":
            word = _THREE.match(text, at)
            if word is not None:
                end = _THREE_END.match(text, word.end())
                seen = end.end() if end is not None else len(text) if word.end() + 60 > len(text) else word.end()
                yield Place(*word.span(2), seen, end is not None)


def next_line(text: str, at: int) -> int:
    """Return where a value in quotes begins that stands on the line behind its name; `at` where none does."""
    found = _NEXT_QUOTE.match(text, at)
    return at if found is None else found.end()


def behind_marks(text: str, at: int) -> tuple[int, bool] | None:
    """Return where the value behind anchors and tags begins, and whether it may be a name; None where it is one for sure."""
    marks = _MARKS.match(text, at)
    if marks is None:
        return at, False
    if _NAMING_TAG.search(marks[0]) is not None:
        return None
    return marks.end(), _LIKELY_NAMING_TAG.search(marks[0]) is not None


def is_open_element(text: str, at: int) -> re.Match[str] | None:
    """Return the beginning of what stands in an element where the text ends before its end can be seen."""
    word = _ELEMENT_WORD.match(text, at)
    if word is None or len(text) - word.end() > _ELEMENT_TAIL:
        return None
    rest = text[word.end() :]
    is_open = (
        rest.strip() in ("", "<", ">", "><") or rest.endswith("\n<") or (rest.count("\n") == 1 and "<" not in rest)
    )
    return word if is_open else None


def _lines(text: str, at: int, limit: int, line: re.Pattern[str]) -> Iterator[Place]:
    """Yield the words that are alone in each of the lines from `at` on."""
    while (word := line.match(text, at)) is not None and word.start(1) < limit:
        rest = _LAST_WORD.match(text, word.end())
        if rest is None:
            return
        yield Place(*word.span(1), rest.end(), is_whole=True)
        at = word.end()


def _items(text: str, at: int, limit: int) -> Iterator[Place]:
    """Yield what stands in quotes in an array."""
    array = _ARRAY.match(text, at)
    at = array.end() if array is not None else len(text)
    while at < limit and (item := _ARRAY_ITEM.match(text, at)) is not None:
        is_whole = text.startswith(item["quote"], item.end(2))
        yield Place(*item.span(2), item.end(2) + len(item["quote"]), is_whole)
        if not item["comma"]:
            return
        at = item.end()
