"""How sure one can be of a word before the command runs: itself, one word, words that begin alike, or anything at all."""

from __future__ import annotations

import re
from dataclasses import replace
from enum import Enum
from typing import Final

from tui_agent.permissions.shell.words import Word

__all__ = ["Shape", "beginning", "hides", "is_surely_operand", "literal", "names_commits", "part_of", "shape"]

_QUOTED: Final = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
_ESCAPED: Final = re.compile(r"\\.", re.DOTALL)
_HIDING: Final = re.compile(r"\\[A-Za-z0-9-]")  # no shell needs it there
_PLAIN_BEGINNING: Final = re.compile(r"[A-Za-z0-9_./=:,@%+-]*")


# `git diff $(git merge-base main HEAD)`: what is put in are names of commits in hex digits, or, should git fail, what is
# written here, none of which begins with a dash. Nor does what follows, as git may print nothing.
_COMMIT: Final = re.compile(
    r"""(?:[A-Za-z0-9_][\w./@^~-]*)?"?
        \$\([ ]?git[ ](?:merge-base|rev-parse|rev-list)
            (?:[ ](?:--(?:short|verify|fork-point|max-parents=0|max-count=\d+)|-n[ ]?\d+|-\d+|[A-Za-z0-9_@][\w./@^~-]*))*
            (?:[ ]2>/dev/null)?[ ]?\)
        "?(?:[\w./@^~:][\w./@^~:-]*)?""",
    re.VERBOSE | re.ASCII,
)


class Shape(Enum):
    """What a word turns into when the command runs."""

    KNOWN = "known"
    """Exactly its value."""
    ONE = "one"
    """Exactly one word, which begins with what is known of it."""
    ALIKE = "alike"
    """Any number of words, each of which begins with what is known of it: an unquoted glob, or braces."""
    ANY = "any"
    """Any number of any words."""


def shape(word: Word) -> Shape:
    """Return what a word turns into."""
    if word.is_known:
        return Shape.KNOWN
    if not word.is_plain:
        return Shape.ANY
    if word.is_one:
        return Shape.ONE
    if word.may_split:
        return Shape.ALIKE if _is_braces(word) else Shape.ANY
    return Shape.ALIKE if word.has_glob else Shape.ONE


def beginning(word: Word) -> str:
    """Return what each word that this one turns into begins with; empty where that is not certain."""
    kind = shape(word)
    if kind is Shape.KNOWN:
        return word.value
    if kind is Shape.ANY:
        return ""
    if word.may_split:
        found = _PLAIN_BEGINNING.match(word.raw)
        return found[0] if found else ""
    return word.known


def hides(word: Word) -> bool:
    """Whether a backslash outside quotes hides what a word means from whoever reads it."""
    return "\\" in word.raw and _HIDING.search(_QUOTED.sub("", word.raw).partition("=")[0]) is not None


def _is_braces(word: Word) -> bool:
    """Whether a word that may become several is so for its braces alone."""
    bare = _ESCAPED.sub("", _QUOTED.sub("", word.raw))
    return "{" in bare and "$" not in bare and "`" not in bare and "<" not in bare and ">" not in bare


def is_surely_operand(word: Word) -> bool:
    """Whether no word that this one turns into can be taken for an option."""
    start = beginning(word)
    if word.is_known:
        return start == "-" or not start.startswith("-")
    if not start and word.has_glob and word.is_literal and not word.may_split:
        return word.value.startswith("[0-9]")
    return bool(start) and not start.startswith("-")


def names_commits(word: Word) -> bool:
    """Whether a word turns into names of commits and nothing else."""
    return not word.is_known and word.raw.count('"') in {0, 2} and _COMMIT.fullmatch(word.raw) is not None


def part_of(word: Word, start: int) -> Word:
    """Return the word without its first `start` characters, as in the value of `--file=value`."""
    value = word.value[start:]
    return replace(word, raw=value if word.is_known else word.raw, value=value, known=word.known[start:])


def literal(text: str) -> Word:
    """Return a word that means this text."""
    return Word(text, text, text, is_plain=True, is_literal=True)
