"""A script's statements: what bash makes of a text, as plain values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

__all__ = [
    "AndOr", "Arithmetic", "Case", "Condition", "For", "Group", "If", "Piece", "Pipeline", "Redirection", "Series", "Simple",
    "Spelling", "Statement", "While",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a word.

    `text` means itself; `glob` and `brace` are single characters that bash expands; `home` is a `~` at the start; `variable`
    holds a name, `number` stands for digits that are not known
    (`text` says which of `$$`, `$?` … it is), `arithmetic` holds an expression that yields such, `unknown`
    stands for any text and `many` for any number of words, those of the array `text` if that is told. `code` is a command
    substitution and `file` a process substitution. `inner` are the command substitutions in arithmetic, where `text` has `$#`.
    """

    kind: Literal[
        "text", "glob", "brace", "home", "variable", "number", "arithmetic", "unknown", "many", "code", "file"
    ]
    text: str = ""
    is_quoted: bool = False
    code: Series | None = None
    inner: tuple[Piece, ...] = ()


@dataclass(frozen=True, slots=True)
class Spelling:
    """A word as written, and the pieces it is spelled with; `items` are the words of an array that a variable is set to.

    `start` is where it begins in the text; -1 where nobody needs to know.
    """

    raw: str
    pieces: tuple[Piece, ...]
    items: tuple[Spelling, ...] = ()
    start: int = field(default=-1, compare=False)


@dataclass(frozen=True, slots=True)
class Redirection:
    """`descriptor` is the number before the operator, or empty. A here-document or -string has a `body` and no target."""

    operator: str
    descriptor: str = ""
    target: Spelling | None = None
    body: Spelling | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """Anything that runs and has a status; `redirects` are those written behind it."""

    redirects: tuple[Redirection, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Simple(Statement):
    """Assignments and words; either may be missing. The name of an array ends in `[]`."""

    words: tuple[Spelling, ...]
    assignments: tuple[tuple[str, Spelling], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Series(Statement):
    """Statements one after the other."""

    items: tuple[Statement, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AndOr(Statement):
    """`a && b || c`: the first, then each with its operator."""

    first: Statement
    rest: tuple[tuple[str, Statement], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipeline(Statement):
    """`a | b`, or `! a` with a single one."""

    items: tuple[Statement, ...]
    is_negated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Group(Statement):
    """`( … )` where `is_subshell`, else `{ …; }`."""

    body: Series
    is_subshell: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class If(Statement):
    """Conditions with what each guards, and what is run when none holds."""

    branches: tuple[tuple[Series, Series], ...]
    otherwise: Series | None


@dataclass(frozen=True, slots=True, kw_only=True)
class For(Statement):
    """`for name in words`; `words` is None where it goes over the shell's own arguments."""

    name: str
    words: tuple[Spelling, ...] | None
    body: Series


@dataclass(frozen=True, slots=True, kw_only=True)
class While(Statement):
    """`while` or `until`."""

    condition: Series
    body: Series
    is_until: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Case(Statement):
    """A word, and each arm's patterns with what it runs."""

    word: Spelling
    arms: tuple[tuple[tuple[Spelling, ...], Series], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition(Statement):
    """`[[ … ]]`, as its text and the substitutions in it."""

    source: str
    words: tuple[Spelling | str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Arithmetic(Statement):
    """`(( … ))`, or the three of `for ((…; …; …))` with its body."""

    expressions: tuple[str, ...]
    body: Series | None = None
