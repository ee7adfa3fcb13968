"""What a diff shows, row by row: pure data made from a `FileChange`, before any width or colour.

A diff is a list of sections, which costs a moment for each hunk; the rows of a section are made when it is looked at. No
section is long: a hunk of many lines is several.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final, Literal, NamedTuple

from tui_agent.changes import FileChange
from tui_agent.hunks import Hunk
from tui_agent.line_diff import Span, word_spans

__all__ = [
    "DiffRow",
    "Opened",
    "Section",
    "Side",
    "hides_returns",
    "notes_of",
    "section_rows",
    "sections_of",
    "widest_plain",
]

_LONGEST: Final = 100  # changed rows in one section

# How many lines of a stretch of unchanged ones are shown below the hunk before it and above the one after it, by the number of
# the latter; the stretch after the last hunk has the number of hunks.
Opened = Mapping[int, tuple[int, int]]


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

    @property
    def differs_in_blanks(self) -> bool:
        """Whether nothing but blanks and tabs tells it from the line it stands beside: then they have to be seen."""
        return self.other is not None and self.other != self.text and self.other.split() == self.text.split()


@dataclass(frozen=True, slots=True)
class DiffRow:
    """A line of the diff: `lines` (left, right or both), a `hunk`'s header, lines left out (`skip`), or a `note`."""

    kind: Literal["lines", "hunk", "skip", "note"]
    hunk: int | None = None
    left: Side | None = None
    right: Side | None = None
    count: int = 0
    note: str = ""


class Section(NamedTuple):
    """Some consecutive rows: a hunk, or a part of a long one, with the unchanged lines around it that are shown.

    `hidden` is how many unchanged lines are folded above it. `above` and `below` are lines with their ends. `start` and `stop`
    are which of the hunk's changed rows it has, `gone` how many lines the hunk takes away; -1 where they do not all stand
    before those that come, as in a hunk from elsewhere. What follows the last hunk has no hunk.
    """

    number: int
    hunk: Hunk | None
    hidden: int = 0
    above: Sequence[str] = ()
    below: Sequence[str] = ()
    start: int = 0
    stop: int = 0
    gone: int = 0
    is_head: bool = True  # the hunk begins in it
    is_last: bool = True  # the hunk ends in it
    after_at: int = 0  # where what follows the last hunk begins, in the old text and in the new
    shift: int = 0

    @property
    def extra(self) -> int:
        """How many of the lines above were unfolded: they stand before the hunk's header."""
        return max(0, len(self.above) - len(self.hunk.lead)) if self.hunk is not None else 0


def notes_of(change: FileChange) -> list[str]:
    """Return what is to be said of a change as a whole, before its first hunk."""
    if not change.hunks:
        return ["new file" if change.is_new else "nothing changes"]
    notes = ["new file"] if change.is_new else []
    if not change.is_new and change.after == "" and change.before:
        notes.append("all its content goes")
    if change.before is None or change.after is None or ("\r" in change.before) != ("\r" in change.after):
        old, new = _line_ends(change.hunks, "-"), _line_ends(change.hunks, "+")
        if old and new and old != new:
            notes.append(f"line endings change from {old} to {new}")
    return notes


def hides_returns(change: FileChange) -> bool:
    """Whether all lines end in the same Windows way, so that their carriage returns say nothing."""
    return all(line.endswith("\r\n") for line in _all_lines(change.hunks) if line.endswith("\n"))


def widest_plain(hunks: Sequence[Hunk], *, hides_cr: bool) -> int | None:
    """Return how long the longest line is, without its end; None where not all are plain ASCII, or one has no end."""
    texts = [text for hunk in hunks for text in (*hunk.lead, *hunk.trail)]
    texts += [line.text for hunk in hunks for line in hunk.lines]
    joined = "".join(texts)
    if hides_cr:
        joined = joined.replace("\r\n", "\n")
    lines = joined.split("\n")
    is_plain = len(lines) == len(texts) + 1 and not lines[-1] and joined.isascii() and "".join(lines).isprintable()
    return max(map(len, lines)) if is_plain else None


def sections_of(
    change: FileChange, *, is_split: bool, opened: Opened | None = None, lines: Sequence[str] | None = None
) -> Iterator[Section]:
    """Yield the sections of a change. Each line of context appears once.

    `opened` says how far folded stretches are open; with None, nothing is said of those before the first hunk and after the
    last. `lines` is the whole old text, where it is known: only then can a stretch be opened.
    """
    hunks = change.hunks
    if not hunks:
        return
    ways: Opened = opened or {}
    old_next = shift = 0  # the next old line that has not been shown; how much later it stands in the new text
    number = 0
    pending: tuple[Section, ...] = ()  # of the hunk before: what is below it is only known now
    tail: Sequence[str] = ()
    for number, hunk in enumerate(hunks):
        start = hunk.before_start
        room = start - old_next
        lead = hunk.lead if len(hunk.lead) <= room else hunk.lead[len(hunk.lead) - room :]
        hidden = room - len(lead)
        above: Sequence[str] = lead
        if hidden > 0 and lines is not None and number in ways:
            top, bottom = ways[number]
            if top + bottom >= hidden:
                above, hidden = lines[old_next:start], 0
            else:
                tail = (*tail, *lines[old_next : old_next + top])
                above = lines[start - len(lead) - bottom : start]
                hidden -= top + bottom
        if number == 0 and (opened is None or lines is None):
            hidden = 0
        yield from _ended(pending, tail)
        kinds = "".join([line.kind for line in hunk.lines])
        come, gone = kinds.count("+"), kinds.count("-")
        pending = _parts(number, hunk, hidden, above, kinds, is_split=is_split)
        old_next = start + len(kinds) - come
        shift = hunk.after_start - start + come - gone
        tail = hunk.trail
        if number + 1 < len(hunks) and len(tail) > (room := hunks[number + 1].before_start - old_next):
            tail = tail[: max(0, room)]
        old_next += len(tail)
    left = len(lines) - old_next if lines is not None and opened is not None else 0
    top, bottom = ways.get(len(hunks), (0, 0))
    if left <= 0 or lines is None:
        yield from _ended(pending, tail)
    elif top + bottom >= left:
        yield from _ended(pending, (*tail, *lines[old_next:]))
    else:
        yield from _ended(pending, (*tail, *lines[old_next : old_next + top]))
        at = len(lines) - bottom
        yield Section(len(hunks), None, left - top - bottom, below=lines[at:], after_at=at, shift=shift)


def section_rows(section: Section, *, is_split: bool, hides_cr: bool) -> Iterator[DiffRow]:
    """Yield a section's rows; in one column, of each run of changed lines all that go, then all that come."""
    number, hunk = section.number, section.hunk
    if section.is_head and section.hidden:
        yield DiffRow("skip", hunk=number, count=section.hidden)
    if hunk is None:
        yield from _context(section.below, section.after_at, section.shift, number, hides_cr=hides_cr)
        return
    if section.is_head:
        extra = section.extra
        shift = hunk.after_start - hunk.before_start
        at = hunk.before_start - len(section.above)
        yield from _context(section.above[:extra], at, shift, number, hides_cr=hides_cr)
        yield DiffRow("hunk", hunk=number)
        yield from _context(section.above[extra:], at + extra, shift, number, hides_cr=hides_cr)
    if section.gone >= 0:
        yield from _part(section, hunk, is_split=is_split, hides_cr=hides_cr)
    else:
        rows = _mixed(hunk, number, hides_cr=hides_cr)
        yield from rows if is_split else _unified(rows)
    if not section.is_last:
        return
    yield from _ends(hunk, number)
    removed, added = len(hunk.lines) - hunk.count("+"), len(hunk.lines) - hunk.count("-")
    at = hunk.before_start + removed
    yield from _context(section.below, at, hunk.after_start + added - at, number, hides_cr=hides_cr)


def _parts(
    number: int, hunk: Hunk, hidden: int, above: Sequence[str], kinds: str, *, is_split: bool
) -> tuple[Section, ...]:
    """Return the sections of a hunk, one unless it is long. `kinds` are the signs of its lines."""
    gone = kinds.count("-")
    come = len(kinds) - gone
    is_mixed = "+-" in kinds or " " in kinds
    rows = max(gone, come) if is_split else gone + come
    if rows <= _LONGEST or is_mixed:
        return (Section(number, hunk, hidden, above, (), 0, rows, -1 if is_mixed else gone),)
    return tuple(
        Section(
            number, hunk, 0 if start else hidden, () if start else above, (), start, min(start + _LONGEST, rows), gone,
            start == 0, start + _LONGEST >= rows,
        )
        for start in range(0, rows, _LONGEST)
    )  # fmt: skip


def _ended(sections: Sequence[Section], below: Sequence[str]) -> Iterator[Section]:
    """Yield a hunk's sections, the last one with the unchanged lines below."""
    yield from sections[:-1]
    if sections:
        last = sections[-1]
        yield last._replace(below=below) if below else last


def _part(section: Section, hunk: Hunk, *, is_split: bool, hides_cr: bool) -> Iterator[DiffRow]:
    """Yield the changed rows that a section has; the n-th line that goes stands beside the n-th that comes."""
    gone = section.gone
    come = len(hunk.lines) - gone

    def text(at: int) -> str:
        return _bare(hunk.lines[at].text, hides_cr=hides_cr)

    for at in range(section.start, section.stop):
        left_at, right_at = (at, at) if is_split else (at, -1) if at < gone else (-1, at - gone)
        left = right = None
        if 0 <= left_at < gone:
            other = text(gone + left_at) if left_at < come else None
            left = Side(hunk.before_start + left_at + 1, text(left_at), "-", other)
        if 0 <= right_at < come:
            other = text(right_at) if right_at < gone else None
            right = Side(hunk.after_start + right_at + 1, text(gone + right_at), "+", other)
        yield DiffRow("lines", section.number, left, right)


def _unified(rows: Iterator[DiffRow]) -> Iterator[DiffRow]:
    pending: list[DiffRow] = []
    for row in rows:
        if row.kind == "lines" and (row.left is None or row.left.kind == "-"):
            if row.left is not None:
                yield DiffRow("lines", row.hunk, left=row.left)
            if row.right is not None:
                pending.append(DiffRow("lines", row.hunk, right=row.right))
            continue
        yield from pending
        pending = []
        yield row
    yield from pending


def _context(lines: Sequence[str], at: int, shift: int, hunk: int, *, hides_cr: bool) -> Iterator[DiffRow]:
    for number, line in enumerate(lines, at + 1):
        text = _bare(line, hides_cr=hides_cr)
        yield DiffRow("lines", hunk, Side(number, text, " "), Side(number + shift, text, " "))


def _mixed(hunk: Hunk, number: int, *, hides_cr: bool) -> Iterator[DiffRow]:
    """Yield the rows of a hunk that may hold unchanged lines: they end a run of changes."""
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
) -> Iterator[DiffRow]:
    for index, (gone, come) in enumerate(zip_longest(removed, added)):
        left = right = None
        old_text = _bare(gone or "", hides_cr=hides_cr)
        new_text = _bare(come or "", hides_cr=hides_cr)
        if gone is not None:
            left = Side(old + index + 1, old_text, "-", None if come is None else new_text)
        if come is not None:
            right = Side(new + index + 1, new_text, "+", None if gone is None else old_text)
        yield DiffRow("lines", hunk, left, right)


def _ends(hunk: Hunk, number: int) -> Iterator[DiffRow]:
    """Say which of the two texts does not end its last line, where that is part of the change."""
    old = any(line.kind == "-" and not line.text.endswith("\n") for line in hunk.lines)
    new = any(line.kind == "+" and not line.text.endswith("\n") for line in hunk.lines)
    if old or new:
        which = "before and after" if old and new else "before" if old else "after"
        yield DiffRow("note", hunk=number, note=f"no newline at end of file {which}")


def _bare(line: str, *, hides_cr: bool) -> str:
    """Return a line without its end. Its carriage return stays to be seen where not all lines end in the same way."""
    bare = line.removesuffix("\n")
    return bare.removesuffix("\r") if hides_cr else bare


def _line_ends(hunks: Sequence[Hunk], kind: Literal["-", "+"]) -> str:
    """Return how all lines of one kind end, in a word; empty where they do not agree, or there are none."""
    ends = {
        line.text[-2:] == "\r\n"
        for hunk in hunks
        for line in hunk.lines
        if line.kind == kind and line.text[-1:] == "\n"
    }
    return "" if len(ends) != 1 else "CRLF" if True in ends else "LF"


def _all_lines(hunks: Sequence[Hunk]) -> Iterator[str]:
    for hunk in hunks:
        yield from hunk.lead
        yield from (line.text for line in hunk.lines)
        yield from hunk.trail
