r"""Search and replace in a file's text: exact, but for line endings and, where nothing else is found, kinds of quotes.

A model writes `\n` and straight quotes whatever the file holds. So line endings are compared as if all were `\n`; and when the
text to replace is not there as written, curly quotes and primes count as straight ones. What is put in takes the
file's own style in both, and no character outside the replaced places changes.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from tui_agent.context_marks import restored

__all__ = [
    "Endings",
    "NoEffectError",
    "NotFoundError",
    "NotUniqueError",
    "Replaced",
    "TextMatch",
    "replace",
    "straighten",
    "with_endings_of",
]  # fmt: skip

_SINGLE: Final = "'‘’′"
_DOUBLE: Final = '"“”″'
_STRAIGHT: Final = str.maketrans(dict.fromkeys(_SINGLE, "'") | dict.fromkeys(_DOUBLE, '"'))
_OPENS: Final = re.compile(r"[\s(\[{<—–\-/=“‘\"']")  # after one of these, or at the start, a curly quote opens


class NotFoundError(LookupError):
    """The text to replace is not there."""


class NotUniqueError(LookupError):
    """The text to replace is there `count` times."""

    def __init__(self, count: int) -> None:
        super().__init__(f"{count} matches")
        self.count: Final = count


class NoEffectError(ValueError):
    """After the file's own line endings and quotes are put in, nothing would change."""


class TextMatch(NamedTuple):
    """A range of characters and what is put there."""

    start: int
    stop: int
    put: str


@dataclass(frozen=True, slots=True)
class Replaced:
    """The outcome: the new text, how many places changed, and whether only the kind of quotes made them match.

    `places` are these places in the old text, in order, where they were asked for.
    """

    text: str
    count: int
    is_by_quotes: bool
    places: tuple[TextMatch, ...] = ()


def straighten(text: str) -> str:
    """Return `text` with every curly quote and prime as its straight one; the length stays."""
    return text if text.isascii() else text.translate(_STRAIGHT)


def replace(text: str, old: str, new: str, *, every: bool, has_places: bool = False, before: str = "") -> Replaced:
    """Replace `old`, which must not be empty, once or (`every`) wherever it is; `has_places` wants to know where.

    `before` is the text as it was before other edits: its line endings count where they have left none.

    Raises:
        NotFoundError: it is nowhere.
        NotUniqueError: it is there more than once, and only one place may change. Places that overlap count.
        NoEffectError: the outcome is the text there was.
    """
    endings = Endings(text, before)
    wanted, comparable, is_by_quotes = endings.unify(old), endings.plain, False
    if wanted not in comparable and (quoted := endings.unify(restored(old))) in comparable:
        wanted, new = quoted, restored(new)  # of what was read in a neutral form
    if wanted not in comparable:
        wanted, comparable, is_by_quotes = straighten(wanted), straighten(comparable), True
        if wanted not in comparable:
            raise NotFoundError
    if not every:
        first = comparable.find(wanted)
        if comparable.find(wanted, first + 1) >= 0:
            raise NotUniqueError(max(2, comparable.count(wanted)))
    replacement = endings.unify(new) if endings.has_any else new
    places: list[TextMatch] = []
    if endings.is_uniform and not is_by_quotes and not has_places:
        count = comparable.count(wanted) if every else 1
        after = endings.restore(comparable.replace(wanted, replacement, -1 if every else 1))
    else:
        pieces: list[str] = []
        at = 0
        for start, stop in endings.places(_find(comparable, wanted, every=every)):
            put = _in_style(replacement, text[start:stop]) if is_by_quotes else replacement
            places.append(TextMatch(start, stop, endings.adapt(put, start)))
            pieces += (text[at:start], places[-1].put)
            at = stop
        count = len(places)
        after = "".join((*pieces, text[at:]))
    if after == text:
        raise NoEffectError
    return Replaced(after, count, is_by_quotes, tuple(places))


def with_endings_of(text: str, new: str) -> str:
    r"""Return `new`, all of a text to come, with the line endings of the text that it follows.

    A model writes `\n` whatever the file holds. Where it wrote other endings itself they are meant; a text whose endings differ
    among each other has no style to keep.
    """
    endings = Endings(text)
    return endings.restore(new) if "\r" not in new and endings.has_any and endings.is_uniform else new


def _find(text: str, wanted: str, *, every: bool) -> Iterator[tuple[int, int]]:
    at = text.find(wanted)
    while at >= 0:
        yield at, at + len(wanted)
        at = text.find(wanted, at + len(wanted)) if every else -1


class Endings:
    r"""A text as if all its lines ended in `\n` (`plain`), and the way back to the endings they have.

    Lines end in `\n` or `\r\n`, in any mixture; in `\r` where a text has no other ending. A text without any takes
    those of the text `before`, where all of them are the same.
    """

    def __init__(self, text: str, before: str = "") -> None:
        self._text = text
        has_feeds, pairs = "\n" in text, text.count("\r\n") if "\r" in text else 0
        self._ending = "\r\n" if pairs else "\r" if "\r" in text and not has_feeds else "\n"
        self.has_any = has_feeds or self._ending == "\r"
        self.is_uniform = not pairs or pairs == text.count("\n")
        if not self.has_any and before and (there := Endings(before)).is_uniform:
            self._ending, self.has_any = there._ending, there.has_any
        self.plain = text.replace(self._ending, "\n") if self._ending != "\n" else text

    def unify(self, text: str) -> str:
        r"""Return a text of the model's with `\n` for every line ending."""
        text = text.replace("\r\n", "\n")
        return text.replace("\r", "\n") if self._ending == "\r" else text

    def restore(self, plain: str) -> str:
        """Give a changed `plain` of a uniform text its endings back."""
        return plain.replace("\n", self._ending) if self._ending != "\n" else plain

    def adapt(self, put: str, at: int) -> str:
        """Give text that is put in at `at` the ending of the line there, or of the line before where that one has none."""
        if self.is_uniform:
            return self.restore(put)
        feed = self._text.find("\n", at)
        if feed < 0:
            feed = self._text.rfind("\n", 0, at)
        return put.replace("\n", "\r\n") if feed > 0 and self._text[feed - 1] == "\r" else put

    def places(self, found: Iterator[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        r"""Translate ranges of `plain` into ranges of the text: each `\r\n` before a position shifts it by one."""
        if self._ending != "\r\n":
            yield from found
            return
        pairs = [match.start() - number for number, match in enumerate(re.finditer("\r\n", self._text))]
        for start, stop in found:
            yield start + bisect_left(pairs, start), stop + bisect_left(pairs, stop)


def _in_style(new: str, replaced: str) -> str:
    """Give `new` the quotes of the text it replaces, single and double ones each for themselves.

    As many as there were: each takes the kind its predecessor had. Otherwise they become curly, primes or straight, as
    those were; and stay as written where there was none.
    """
    for family in (_SINGLE, _DOUBLE):
        there = [character for character in replaced if character in family]
        if not there:
            continue
        count = sum(character in family for character in new)
        kinds = iter(there) if count == len(there) else None
        new = _with_quotes(new, family, _kind_by_place(there, family) if kinds is None else lambda _before: next(kinds))  # noqa: B023
    return new


def _with_quotes(text: str, family: str, kind: Callable[[str], str]) -> str:
    out: list[str] = []
    before = ""
    for character in text:
        put = kind(before) if character in family else character
        out.append(put)
        before = put
    return "".join(out)


def _kind_by_place(there: list[str], family: str) -> Callable[[str], str]:
    """Return what chooses a quote by the character before it, from the kinds a text holds."""
    straight, opening, closing, prime = tuple(family)
    if opening in there or closing in there:
        return lambda before: opening if not before or _OPENS.match(before) else closing
    only = prime if prime in there else straight
    return lambda _before: only
