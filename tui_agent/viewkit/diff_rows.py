"""What a diff shows, row by row: pure data made from a `FileChange`, before any width or colour."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal

from tui_agent.changes import FileChange, Hunk
from tui_agent.comparing import Span, word_spans

__all__ = ["Row", "Side", "diff_rows", "unified"]


@dataclass(frozen=True, slots=True)
class Side:
    """A line of one of the two texts: its number (from 1) and its text without the line's end.

    `other` is the line that a changed one stands beside, if there is one.
    """

    number: int
    text: str
    kind: Literal[" ", "-", "+"]
    other: str | None = None

    @property
    def marks(self) -> tuple[Span, ...]:
        """Which of its characters changed; none where the other line is another line altogether. Costs a comparison."""
        if self.other is None:
            return ()
        old, new = (self.other, self.text) if self.kind == "+" else (self.text, self.other)
        spans = word_spans(old, new)
        if spans == (((0, len(old)),), ((0, len(new)),)):
            return ()  # marking all of it would say nothing
        return spans[self.kind == "+"]


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the diff: `lines` (left, right or both), a `hunk`'s header, lines left out (`skip`), or a `note`."""

    kind: Literal["lines", "hunk", "skip", "note"]
    hunk: int | None = None
    left: Side | None = None
    right: Side | None = None
    count: int = 0
    note: str = ""


def diff_rows(change: FileChange) -> Iterator[Row]:
    """Yield the rows of a change as two columns: what was, beside what comes. Each line of context appears once."""
    hides_cr = all(line.endswith("\r\n") for line in _all_lines(change.hunks) if line.endswith("\n"))
    if change.is_new:
        yield Row("note", note="new file")
    elif change.after == "" and change.before:
        yield Row("note", note="all its content goes")
    if not change.hunks:
        if not change.is_new:
            yield Row("note", note="nothing changes")
        return
    old_next = 0  # the next line of the old text that has not been shown
    shift = 0  # how much later the same line stands in the new text
    for number, hunk in enumerate(change.hunks):
        lead = hunk.lead[max(0, len(hunk.lead) - (hunk.before_start - old_next)) :]
        skipped = hunk.before_start - len(lead) - old_next
        if number and skipped > 0:
            yield Row("skip", hunk=number, count=skipped)
        yield Row("hunk", hunk=number)
        shift = hunk.after_start - hunk.before_start
        at = hunk.before_start - len(lead)
        yield from _context(lead, at, shift, number, hides_cr=hides_cr)
        yield from _changed(hunk, number, hides_cr=hides_cr)
        yield from _ends(hunk, number)
        at = hunk.before_start + len(hunk.removed)
        shift += len(hunk.added) - len(hunk.removed)
        trail: Sequence[str] = hunk.trail
        if number + 1 < len(change.hunks):
            trail = trail[: max(0, change.hunks[number + 1].before_start - at)]
        yield from _context(trail, at, shift, number, hides_cr=hides_cr)
        old_next = at + len(trail)


def unified(rows: Iterator[Row]) -> Iterator[Row]:
    """Yield the same rows as one column: of each run of changed lines all that go, then all that come."""
    pending: list[Row] = []
    for row in rows:
        if row.kind == "lines" and (row.left is None or row.left.kind == "-"):
            if row.left is not None:
                yield Row("lines", row.hunk, left=row.left)
            if row.right is not None:
                pending.append(Row("lines", row.hunk, right=row.right))
            continue
        yield from pending
        pending = []
        yield row
    yield from pending


def _context(lines: Sequence[str], at: int, shift: int, hunk: int, *, hides_cr: bool) -> Iterator[Row]:
    for number, line in enumerate(lines, at + 1):
        text = _bare(line, hides_cr=hides_cr)
        yield Row("lines", hunk, Side(number, text, " "), Side(number + shift, text, " "))


def _changed(hunk: Hunk, number: int, *, hides_cr: bool) -> Iterator[Row]:
    """Yield the rows of what changes; the n-th line that goes stands beside the n-th that comes."""
    # Lines in one hunk may hold unchanged ones between (a hunk read from elsewhere): they end a run of changes.
    old, new = hunk.before_start, hunk.after_start
    removed: list[str] = []
    added: list[str] = []
    for line in (*hunk.lines, None):
        if line is not None and line.kind == "-" and not added:
            removed.append(line.text)
        elif line is not None and line.kind == "+":
            added.append(line.text)
        else:
            yield from _paired(removed, added, old, new, number, hides_cr=hides_cr)
            old, new = old + len(removed), new + len(added)
            removed, added = [], []
            if line is not None and line.kind == "-":
                removed.append(line.text)
            elif line is not None:
                yield from _context((line.text,), old, new - old, number, hides_cr=hides_cr)
                old, new = old + 1, new + 1


def _paired(
    removed: Sequence[str], added: Sequence[str], old: int, new: int, hunk: int, *, hides_cr: bool
) -> Iterator[Row]:
    for index, (gone, come) in enumerate(zip_longest(removed, added)):
        left = right = None
        old_text = _bare(gone or "", hides_cr=hides_cr)
        new_text = _bare(come or "", hides_cr=hides_cr)
        if gone is not None:
            left = Side(old + index + 1, old_text, "-", None if come is None else new_text)
        if come is not None:
            right = Side(new + index + 1, new_text, "+", None if gone is None else old_text)
        yield Row("lines", hunk, left, right)


def _ends(hunk: Hunk, number: int) -> Iterator[Row]:
    """Say which of the two texts does not end its last line, where that is part of the change."""
    old = any(line.kind == "-" and not line.text.endswith("\n") for line in hunk.lines)
    new = any(line.kind == "+" and not line.text.endswith("\n") for line in hunk.lines)
    if old or new:
        which = "before and after" if old and new else "before" if old else "after"
        yield Row("note", hunk=number, note=f"no newline at end of file {which}")


def _bare(line: str, *, hides_cr: bool) -> str:
    """Return a line without its end. Its carriage return stays to be seen where not all lines end in the same way."""
    bare = line.removesuffix("\n")
    return bare.removesuffix("\r") if hides_cr else bare


def _all_lines(hunks: Sequence[Hunk]) -> Iterator[str]:
    for hunk in hunks:
        yield from hunk.lead
        yield from (line.text for line in hunk.lines)
        yield from hunk.trail
