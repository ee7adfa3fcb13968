"""Words of a shell command: what one means once its quotes are off, and whether that can be known before it runs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

__all__ = ["Word", "read_word"]

_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
# A word that means, to bash, exactly what these pieces say: nothing in it can end the word, start a command, or run one.
_PIECES: Final = re.compile(
    rf"""
      (?P<single>'[^']*')
    | (?P<double>"(?:[^"\\$`]|\\.|\$(?:{_NAME}|\{{{_NAME}\}})|\$(?=["\s%,.:/]))*")
    | (?P<escape>\\[^\n])
    | (?P<variable>\$(?:{_NAME}|\{{{_NAME}\}}))
    | (?P<glob>[*?\[\]])
    | (?P<brace>[{{}}])
    | (?P<tilde>~)
    | (?P<text>[^\s\x00-\x1f\x7f'"\\$`*?\[\]{{}}~;&|<>()\#]+|\#)
    """,
    re.VERBOSE | re.DOTALL,
)
_IN_DOUBLE: Final = re.compile(rf"\\([\"\\$`\n])|\$({_NAME}|\{{{_NAME}\}})|(.)", re.DOTALL)
_BRACES: Final = re.compile(r"\{[^{}]*(?:,|\.\.)[^{}]*\}")


@dataclass(frozen=True, slots=True)
class Word:
    """One word. `raw` is its source; `value` what it means, with `known` telling how much of `value` is certain.

    `value` holds variables as they were written, except `$HOME` and `$PWD`, which are left to the reader as `~` is.
    `is_plain` says that the word was read completely: quotes, escapes, variables and globs only. A word that is not literal
    is one word, of whatever text, unless `may_split`: then it may become none, or several. A glob that `is_one` stands for
    just one of the names, as the variable of a loop over it does; one that `may_split` stands for names that are split at
    their blanks.
    """

    raw: str
    value: str
    known: str
    is_plain: bool
    is_literal: bool
    has_glob: bool = False
    may_split: bool = False
    is_one: bool = False

    def __hash__(self) -> int:
        return hash(self.raw)  # words are put into sets a lot, and those of one source are mostly one word

    @property
    def is_known(self) -> bool:
        """Whether the value is certain: no variables, no globs, no braces, nothing unread."""
        return self.is_literal and not self.has_glob


@lru_cache(maxsize=512)
def read_word(raw: str) -> Word:
    """Take a word's quotes off. What is not understood stays as it is, and the word says so."""
    value, position = "", 0
    literal_upto: int | None = None
    has_glob = False
    may_split = False
    unquoted = ""  # the shape outside quotes, in which braces may open
    while position < len(raw):
        match = _PIECES.match(raw, position)
        if match is None or (match.lastgroup == "text" and match[0] == "#" and position == 0):
            known = value if literal_upto is None else value[:literal_upto]
            return Word(
                raw, value + raw[position:], known, is_plain=False, is_literal=False, has_glob=has_glob, may_split=True
            )
        kind, text = match.lastgroup, match[0]
        if kind == "double":
            inner, upto = _unquote(text[1:-1])
            if upto is not None and literal_upto is None:
                literal_upto = len(value) + upto
            value += inner
            unquoted += '"'
        elif kind == "single":
            value += text[1:-1]
            unquoted += "'"
        elif kind == "escape":
            value += text[1]
            unquoted += "\\"
        else:
            if kind in {"variable", "glob"} and literal_upto is None:
                literal_upto = len(value)
            has_glob = has_glob or kind == "glob"
            may_split = may_split or kind == "variable"
            value += text
            unquoted += text
        position = match.end()
    braces = _BRACES.search(unquoted)
    if braces is not None:
        literal_upto = min(len(value) if literal_upto is None else literal_upto, unquoted.find("{"))
        may_split = True
    is_literal = literal_upto is None
    return Word(
        raw, value, value[:literal_upto], is_plain=True, is_literal=is_literal, has_glob=has_glob, may_split=may_split
    )


def _unquote(inner: str) -> tuple[str, int | None]:
    """Return what double quotes hold, and where the first variable in it stands."""
    out, first = "", None
    for escaped, variable, char in _IN_DOUBLE.findall(inner):
        if variable:
            first = len(out) if first is None else first
            out += f"${variable}"
        elif escaped:
            out += "" if escaped == "\n" else escaped
        else:
            out += char
    return out, first
