"""Which tools, or other things, a hook is for: a list of exact names, or a regular expression as JavaScript reads it.

Matchers come from settings files, and so from whoever wrote the project. Some expressions take exponential time on a name that
does not match; the search is therefore given a time limit. The `regex` package has one, `re` has not.
"""

from __future__ import annotations

import math
import re
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import regex

__all__ = ["EVERYTHING", "BadMatcherError", "HookMatcher", "parse_matcher"]

_LONGEST_PATTERN: Final = 1_000
_LONGEST_NAME: Final = 300
_MOST_REPEATS: Final = 1_000  # all counted repetitions together: they are written out when they are compiled
_TIME_LIMIT_S: Final = 0.02  # a usual search takes microseconds
_NAMES_ONLY: Final = re.compile(r"[A-Za-z0-9_\-\s,|]*")
# What JavaScript writes differently from `regex`, or gives another meaning. `$` is the very end there, and `.` no line break.
_TOKEN: Final = re.compile(
    r"\\.|\[\^\]|\[\]|\[(?:\\.|[^\]\\])*\]|\(\?<(?![=!])|\(\?(?![:=!<])|\(\*|[?*+}]\+|[.$]", re.DOTALL
)
_COUNTED: Final = re.compile(r"\{(\d*)(?:,(\d*))?\}")
_TRANSLATED: Final = {
    "[^]": r"[\s\S]", "[]": "(?!)", "(?<": "(?P<", ".": r"[^\n\r\u2028\u2029]", "$": r"\Z",
    r"\A": "A", r"\Z": "Z", r"\z": "z", r"\a": "a", r"\G": "G", r"\K": "K", r"\m": "m", r"\M": "M", r"\X": "X", r"\R": "R",
}  # fmt: skip
_compiling: Final = threading.Lock()


class BadMatcherError(ValueError):
    """The matcher cannot be used; the text says why."""


@dataclass(frozen=True, slots=True)
class HookMatcher:
    """A compiled matcher. Without names and expression it matches everything."""

    text: str = ""
    names: frozenset[str] | None = None
    expression: regex.Pattern[str] | None = field(default=None, repr=False)

    def matches(self, *names: str) -> bool:
        """Whether it is for a thing that goes by any of these names."""
        if self.names is not None:
            return not self.names.isdisjoint(names)
        return self.expression is None or any(_is_found(self.expression, name) for name in names)


EVERYTHING: Final = HookMatcher()


def parse_matcher(text: str, *, is_exact: bool = False) -> HookMatcher:
    """Compile a matcher. `is_exact`: names only, for events whose matchers are never expressions.

    Raises:
        BadMatcherError: it is no expression, or one that is not supported.
    """
    if text.strip() in {"", "*"}:
        return HookMatcher(text)
    if is_exact or _NAMES_ONLY.fullmatch(text):
        names = frozenset(name.strip() for name in re.split(r"[|,]", text))
        return HookMatcher(text, names - {""})
    return HookMatcher(text, None, _compiled(text))


def _compiled(text: str) -> regex.Pattern[str]:
    import regex  # takes some milliseconds, and few hooks have an expression

    if len(text) > _LONGEST_PATTERN:
        raise BadMatcherError(f"it is longer than {_LONGEST_PATTERN:,} characters")
    repeats = math.prod(max(int(least or 0), int(most or 0), 1) for least, most in _COUNTED.findall(text))
    if repeats > _MOST_REPEATS:
        raise BadMatcherError(f"it repeats something more than {_MOST_REPEATS:,} times")
    try:
        translated = _TOKEN.sub(_translate, text)
        with _compiling:
            pattern = regex.compile(translated, regex.VERSION0 | regex.ASCII, cache_pattern=False)
    except (regex.error, OverflowError, ValueError) as error:
        raise BadMatcherError(f"it is not a regular expression: {error}") from None
    except RecursionError:
        raise BadMatcherError("it is nested too deeply") from None
    return pattern


def _translate(match: re.Match[str]) -> str:
    token = match[0]
    if token in {"(?", "(*"}:
        raise BadMatcherError("flags and other extensions are not supported")
    if len(token) == 2 and token[1] == "+" and token[0] in "?*+}":
        raise BadMatcherError(f"`{token}` repeats a repetition")
    return _TRANSLATED.get(token, token)


def _is_found(expression: regex.Pattern[str], name: str) -> bool:
    """Whether an expression matches somewhere. What would take too long counts as matching: better a hook too many."""
    if len(name) > _LONGEST_NAME:
        return True
    try:
        return expression.search(name, timeout=_TIME_LIMIT_S) is not None
    except TimeoutError:
        return True
