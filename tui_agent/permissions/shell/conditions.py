"""Conditions, `test`, `[ … ]` and `[[ … ]]`: harmless where nothing in them is evaluated as code."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from tui_agent.permissions.shell.judgement import Judgement
from tui_agent.permissions.shell.spelling import Unclear
from tui_agent.permissions.shell.statements import Spelling
from tui_agent.permissions.shell.values import State, is_integer
from tui_agent.permissions.shell.word_expansion import words_of
from tui_agent.permissions.shell.words import Word

__all__ = ["NUMBERS", "check_condition", "judge_test"]

# `-v` and `-R` are left out: they evaluate subscripts.
_UNARY: Final = frozenset({f"-{letter}" for letter in "abcdefghknoprstuwxzGLNOS"})
_TEXT: Final = frozenset({"=", "==", "!=", "<", ">", "-nt", "-ot", "-ef"})
NUMBERS: Final = frozenset({"-eq", "-ne", "-lt", "-le", "-gt", "-ge"})
_INTEGER: Final = re.compile(r"-?[0-9]+")
_UNCLEAR: Final = Judgement(kind="unknown", check="test-expression", reason="what its condition evaluates is not clear")


def judge_test(words: Sequence[Word]) -> Judgement:
    """Judge `test …` or `[ … ]`, whose words are those behind the name, without the `]`."""
    for word in words:
        if word.may_split:
            return Judgement(
                kind="unknown",
                check="test-expression",
                reason=f"`{word.raw}` may turn into several parts of a condition",
            )
    if not _is_harmless(list(words)):
        return _UNCLEAR
    return Judgement(kind="read_only")


def _is_harmless(words: list[Word]) -> bool:
    """Whether the words are terms joined by `-a` and `-o`, with operators that are known and stand where they are seen.

    Any term that is not known stands where `test` cannot take it for an operator with an operand.
    """
    if not words:
        return True
    if len(words) == 1 or (len(words) == 2 and _is(words[0], "!")):
        return True
    at = 0
    while True:
        while at < len(words) and _is(words[at], "!"):
            at += 1
        size = _term(words[at:])
        if not size:
            return False
        at += size
        if at == len(words):
            return True
        if not (_is(words[at], "-a") or _is(words[at], "-o")):
            return False
        at += 1


def _term(words: list[Word]) -> int:
    """Return how many words make up the term that these begin with, or 0."""
    if len(words) >= 3 and words[1].is_known and words[1].value in _TEXT | NUMBERS:
        return 3
    if len(words) >= 2 and words[0].is_known and words[0].value in _UNARY and not words[0].has_glob:
        return 2
    is_sure = bool(words) and words[0].is_known and words[0].value[:1] not in {"-", "!", "("}
    return 1 if is_sure else 0


def _is(word: Word, text: str) -> bool:
    return word.is_known and word.value == text


def check_condition(tokens: Sequence[Spelling | str], state: State) -> None:
    """Check what stands between `[[` and `]]`.

    Raises:
        Unclear: it may evaluate something.
    """
    if _either(list(tokens), 0, state) != len(tokens):
        raise _unclear()


def _unclear() -> Unclear:
    return Unclear(_UNCLEAR.check, _UNCLEAR.reason)


def _either(tokens: list[Spelling | str], at: int, state: State) -> int:
    """Read terms joined by `&&` and `||` from a place on; return where they end."""
    while True:
        at = _one(tokens, at, state)
        if at < len(tokens) and tokens[at] in ("&&", "||"):
            at += 1
            continue
        return at


def _one(tokens: list[Spelling | str], at: int, state: State) -> int:
    while at < len(tokens) and _raw(tokens[at]) == "!":
        at += 1
    if at >= len(tokens):
        raise _unclear()
    if tokens[at] == "(":
        at = _either(tokens, at + 1, state)
        if at >= len(tokens) or tokens[at] != ")":
            raise _unclear()
        return at + 1
    first = _word(tokens, at)
    if first.raw in _UNARY:
        _word(tokens, at + 1)
        return at + 2
    if first.raw.startswith("-") and not _INTEGER.fullmatch(first.raw):
        raise _unclear()
    operator = _raw(tokens[at + 1]) if at + 1 < len(tokens) else ""
    if operator in {"", "&&", "||", ")"}:
        return at + 1
    second = _word(tokens, at + 2)
    if operator in NUMBERS:
        if not (_is_number(first, state) and _is_number(second, state)):
            raise Unclear("arithmetic", "a condition evaluates what is not known to be a number")
    elif operator not in _TEXT | {"=~"}:
        raise _unclear()
    return at + 3


def _raw(token: Spelling | str) -> str:
    return token if isinstance(token, str) else token.raw


def _word(tokens: list[Spelling | str], at: int) -> Spelling:
    token = tokens[at] if at < len(tokens) else ""
    if isinstance(token, str) or token.raw in _TEXT | NUMBERS | {"=~", "!"}:
        raise _unclear()
    return token


def _is_number(spelling: Spelling, state: State) -> bool:
    """Whether bash, which would evaluate any other text, finds nothing but a whole number here."""
    kinds = [piece.kind for piece in spelling.pieces if piece.text or piece.kind != "text"]
    if len(kinds) == 1 and kinds[0] in {"number", "arithmetic"}:
        return True
    if len(kinds) == 1 and kinds[0] == "variable":
        name = next(piece.text for piece in spelling.pieces if piece.kind == "variable")
        value = state.get(name)
        return value is not None and all(is_integer(atom) for atom in value)
    return all(
        len(words) == 1 and words[0].is_known and _INTEGER.fullmatch(words[0].value) is not None
        for words in words_of(spelling, state, splits=False)
    )
