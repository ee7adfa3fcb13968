"""What a diff is drawn from, whatever the width: a change with the lines and the colours that its texts have.

Colours cost most. A short text is coloured whole; of a long one, the stretches that are looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Final

from tui_agent.changes import FileChange
from tui_agent.line_diff import split_lines
from tui_agent.viewkit.code import Token, language_of, tokenize
from tui_agent.viewkit.diff_rows import hides_returns, notes_of, widest_plain

__all__ = ["DiffSource"]

_WHOLE_FILE: Final = 24_000  # characters up to which colours come from the whole text, not from what is around alone
_COLOURED: Final = 100  # lines of a longer text that are coloured at once
_TOKENS: Final = 48  # such pieces that are kept


class DiffSource:
    """A change, the lines of its old text, and the colours of all lines; each is looked at when it is asked for."""

    def __init__(self, change: FileChange) -> None:
        self.change = change
        self.notes = notes_of(change)
        self.hides_cr = hides_returns(change)
        self._lines: list[str] | None = None
        self._tokens: dict[tuple[int, int, bool], dict[int, Sequence[Token]]] = {}
        self._bodies: dict[tuple[int, bool], Sequence[str]] = {}

    @property
    def lines(self) -> Sequence[str] | None:
        """The lines of the old text, with their ends; None where the text is not known."""
        if self._lines is None and (self.change.before is not None or self.change.is_new):
            self._lines = split_lines(self.change.before or "")
        return self._lines

    @cached_property
    def widest(self) -> int | None:
        """How long the longest line is that hunks show; None where not all lines are plain and whole."""
        return widest_plain(self.change.hunks, hides_cr=self.hides_cr)

    def tokens(self, hunk: int, line: int, *, is_old: bool) -> Sequence[Token]:
        """Return the tokens of a line (from 1): coloured with its whole text where that is not too long, else with its hunk."""
        text = self.change.before if is_old else self.change.after
        if text is not None and len(text) <= _WHOLE_FILE:
            key, body, start = (-1, 0, is_old), text, 1
        else:
            key, body, start = self._piece(hunk, line, is_old=is_old)
        known = self._tokens.get(key)
        if known is None:
            while len(self._tokens) >= _TOKENS:
                del self._tokens[next(iter(self._tokens))]
            known = dict(enumerate(tokenize(body, language_of(self.change.path)), start))
            self._tokens[key] = known
        return known.get(line, ())

    def _piece(self, number: int, line: int, *, is_old: bool) -> tuple[tuple[int, int, bool], str, int]:
        """Return the stretch of lines that a line of a long text is coloured with: its name, its text, its first line."""
        if number >= len(self.change.hunks):
            return (number, line, is_old), "", line
        hunk = self.change.hunks[number]
        body = self._body(number, is_old=is_old)
        start = 1 + (hunk.before_start if is_old else hunk.after_start) - len(hunk.lead)
        at = line - start
        if not 0 <= at < len(body):  # in a stretch that was opened
            shift = 0 if is_old else hunk.before_start - hunk.after_start
            start = max(1, line - line % _COLOURED)
            first = max(0, start + shift - 1)
            body = tuple((self.lines or ())[first : first + _COLOURED])
            return (-2, start, is_old), "\n".join(one.removesuffix("\n") for one in body), start
        part = at // _COLOURED
        body = body[part * _COLOURED : (part + 1) * _COLOURED]
        return (number, part, is_old), "\n".join(one.removesuffix("\n") for one in body), start + part * _COLOURED

    def _body(self, number: int, *, is_old: bool) -> Sequence[str]:
        """Return one side of a hunk with the lines around it; those of the hunk asked for last are kept."""
        found = self._bodies.get((number, is_old))
        if found is None:
            if len(self._bodies) > 1:
                self._bodies.clear()
            hunk = self.change.hunks[number]
            found = self._bodies[number, is_old] = (*hunk.lead, *(hunk.removed if is_old else hunk.added), *hunk.trail)
        return found
