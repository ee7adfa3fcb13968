"""Which tools, or other things, a hook is for: a list of exact names, or a regular expression as JavaScript reads it.

Matchers come from settings files, and so from whoever wrote the project. An expression is therefore not run by `re`, which can
take for ever over one: its parsed form is walked here with sets of positions, so that the work is bounded by its size
times the square of the name's length, whatever it looks like.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from re import _constants as ops  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, Final

__all__ = ["EVERYTHING", "BadMatcherError", "Matcher", "parse_matcher"]

_LONGEST_PATTERN: Final = 1_000
_LONGEST_NAME: Final = 300
_MOST_REPEATS: Final = 100
_NAMES_ONLY: Final = re.compile(r"[A-Za-z0-9_\-\s,|]*")
_ESCAPE: Final = re.compile(r"\\(.)|\[\^\]|\[\]|\(\?<(?![=!])", re.DOTALL)
# What JavaScript writes differently, or takes for a plain letter.
_TRANSLATED: Final = {"[^]": r"[\s\S]", "[]": "(?!)", "(?<": "(?P<", r"\A": "A", r"\Z": "Z", r"\z": "z", r"\a": "a"}

Bits = int  # a set of positions in the name
Walk = Callable[[str, int], Bits]


class BadMatcherError(ValueError):
    """The matcher cannot be used; the text says why."""


@dataclass(frozen=True, slots=True)
class Matcher:
    """A compiled matcher. Without names and expression it matches everything."""

    text: str = ""
    names: frozenset[str] | None = None
    expression: _Expression | None = field(default=None, repr=False)

    def matches(self, *names: str) -> bool:
        """Whether it is for a thing that goes by any of these names."""
        if self.names is not None:
            return not self.names.isdisjoint(names)
        return self.expression is None or any(self.expression.is_found_in(name) for name in names)


EVERYTHING: Final = Matcher()


def parse_matcher(text: str, *, is_exact: bool = False) -> Matcher:
    """Compile a matcher. `is_exact`: names only, for events whose matchers are never expressions.

    Raises:
        BadMatcherError: it is no expression, or one that is not supported.
    """
    if text.strip() in {"", "*"}:
        return Matcher(text)
    if is_exact or _NAMES_ONLY.fullmatch(text):
        names = frozenset(name.strip() for name in re.split(r"[|,]", text))
        return Matcher(text, names - {""})
    return Matcher(text, None, _Expression(text))


class _Expression:
    """A regular expression that is looked for anywhere in a name."""

    def __init__(self, text: str) -> None:
        if len(text) > _LONGEST_PATTERN:
            raise BadMatcherError(f"it is longer than {_LONGEST_PATTERN:,} characters")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # doubts about its style
                parsed = parser.parse(_ESCAPE.sub(_translate, text), re.ASCII)
            if parsed.state.flags & ~re.ASCII:
                raise BadMatcherError("flags inside an expression are not supported")
            self._walk = _sequence(parsed)
        except (re.error, OverflowError) as error:
            raise BadMatcherError(f"it is no regular expression: {error}") from None
        except RecursionError:
            raise BadMatcherError("it is nested too deeply") from None

    def is_found_in(self, name: str) -> bool:
        """Whether it matches somewhere. A name that is absurdly long counts as matching: better a hook too many."""
        if len(name) > _LONGEST_NAME:
            return True
        return any(self._walk(name, start) for start in range(len(name) + 1))


def _translate(match: re.Match[str]) -> str:
    return _TRANSLATED.get(match[0], match[0])


# --- walking: from one position of a name to all those where the piece may end ------------------------------------------


def _remembering(walk: Walk) -> Walk:
    """Work each position out only once for the name at hand."""
    known: dict[tuple[str, int], Bits] = {}

    def remembered(name: str, start: int) -> Bits:
        found = known.get((name, start))
        if found is None:
            if len(known) > 4 * _LONGEST_NAME:
                known.clear()
            found = known[name, start] = walk(name, start)
        return found

    return remembered


def _positions(bits: Bits) -> Iterable[int]:
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def _onward(walk: Walk, name: str, starts: Bits) -> Bits:
    ends = 0
    for start in _positions(starts):
        ends |= walk(name, start)
    return ends


def _sequence(pieces: Iterable[Any]) -> Walk:
    walks = [_piece(code, argument) for code, argument in pieces]

    def walk(name: str, start: int) -> Bits:
        here = 1 << start
        for step in walks:
            here = _onward(step, name, here)
            if not here:
                break
        return here

    return walk


def _piece(code: Any, argument: Any) -> Walk:  # noqa: ANN401 - one case for each code of the parser
    if code is ops.LITERAL:
        return _one(lambda character: ord(character) == argument)
    if code is ops.NOT_LITERAL:
        return _one(lambda character: ord(character) != argument)
    if code is ops.ANY:
        return _one(lambda character: character not in "\n\r\u2028\u2029")
    if code is ops.IN:
        return _one(_set(argument))
    if code is ops.BRANCH:
        return _branches([_sequence(branch) for branch in argument[1]])
    if code is ops.SUBPATTERN:
        if argument[1] or argument[2]:
            raise BadMatcherError("flags inside an expression are not supported")
        return _sequence(argument[3])
    if code in (ops.MAX_REPEAT, ops.MIN_REPEAT):
        return _repeat(*argument)
    if code is ops.AT:
        return _at(argument)
    if code in (ops.ASSERT, ops.ASSERT_NOT):
        direction, inner = argument
        return _look(_sequence(inner), is_back=direction < 0, is_wanted=code is ops.ASSERT)
    if code is ops.FAILURE:
        return lambda _name, _start: 0
    raise BadMatcherError(f"`{str(code).lower().replace('_', ' ')}` is not supported in an expression")


def _one(fits: Callable[[str], bool]) -> Walk:
    return lambda name, start: 1 << (start + 1) if start < len(name) and fits(name[start]) else 0


def _set(items: Iterable[tuple[Any, Any]]) -> Callable[[str], bool]:
    is_negated = False
    tests: list[Callable[[str], bool]] = []
    for code, argument in items:
        if code is ops.NEGATE:
            is_negated = True
        elif code is ops.LITERAL:
            tests.append(lambda character, wanted=argument: ord(character) == wanted)  # type: ignore[misc]
        elif code is ops.RANGE:
            low, high = argument
            tests.append(lambda character, low=low, high=high: low <= ord(character) <= high)  # type: ignore[misc]
        elif code is ops.CATEGORY:
            tests.append(_CATEGORIES[argument])
        else:
            raise BadMatcherError("a set holds something that is not supported")
    return lambda character: any(test(character) for test in tests) != is_negated


def _is_word(character: str) -> bool:
    return character.isascii() and (character.isalnum() or character == "_")


def _is_digit(character: str) -> bool:
    return character.isascii() and character.isdigit()


_CATEGORIES: Final[dict[Any, Callable[[str], bool]]] = {
    ops.CATEGORY_DIGIT: _is_digit,
    ops.CATEGORY_NOT_DIGIT: lambda character: not _is_digit(character),
    ops.CATEGORY_WORD: _is_word,
    ops.CATEGORY_NOT_WORD: lambda character: not _is_word(character),
    ops.CATEGORY_SPACE: str.isspace,
    ops.CATEGORY_NOT_SPACE: lambda character: not character.isspace(),
}


def _branches(walks: list[Walk]) -> Walk:
    def walk(name: str, start: int) -> Bits:
        ends = 0
        for branch in walks:
            ends |= branch(name, start)
        return ends

    return walk


def _repeat(least: int, most: int, inner: Any) -> Walk:  # noqa: ANN401
    is_open = most is parser.MAXREPEAT
    if least > _MOST_REPEATS or (not is_open and most > _MOST_REPEATS):
        raise BadMatcherError(f"it repeats something more than {_MOST_REPEATS:,} times")
    step = _remembering(_sequence(inner))

    def walk(name: str, start: int) -> Bits:
        here = 1 << start
        for _ in range(least):
            here = _onward(step, name, here)
        ends = new = here
        for _ in range(len(name) + 1 if is_open else most - least):
            new = _onward(step, name, new) & ~ends
            if not new:
                break
            ends |= new
        return ends

    return _remembering(walk)


def _at(place: Any) -> Walk:  # noqa: ANN401
    if place in (ops.AT_BEGINNING, ops.AT_BEGINNING_STRING):
        return lambda _name, start: 1 << start if start == 0 else 0
    if place in (ops.AT_END, ops.AT_END_STRING):
        return lambda name, start: 1 << start if start == len(name) else 0
    is_wanted = place is ops.AT_BOUNDARY
    return lambda name, start: 1 << start if _is_boundary(name, start) == is_wanted else 0


def _is_boundary(name: str, at: int) -> bool:
    before = at > 0 and _is_word(name[at - 1])
    after = at < len(name) and _is_word(name[at])
    return before != after


def _look(inner: Walk, *, is_back: bool, is_wanted: bool) -> Walk:
    def is_there(name: str, at: int) -> bool:
        if is_back:
            return any(inner(name, begin) >> at & 1 for begin in range(at + 1))
        return inner(name, at) != 0

    return lambda name, at: 1 << at if is_there(name, at) == is_wanted else 0
