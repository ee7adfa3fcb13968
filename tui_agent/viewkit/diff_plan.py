"""Where everything in a diff stands at one width: how high each section is, and, of those looked at, each row.

Heights are measured without making rows wherever all lines of a section are plain and fit, which is nearly always.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from tui_agent.viewkit.code import shown_code
from tui_agent.viewkit.diff_rows import DiffRow, Opened, Section, Side, section_rows, sections_of
from tui_agent.viewkit.diff_source import DiffSource
from tui_agent.viewkit.wrap import TAB_SIZE, wrap_cells

__all__ = ["DiffPlan", "SectionLayout", "Span"]

_LAID: Final = 64  # sections whose rows are kept

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class SectionLayout:
    """A section's rows. `first` and `starts` are each row's first line and character, counted from the section's own; `cuts`
    are the pieces that its texts are painted in.
    """

    rows: Sequence[DiffRow]
    first: Sequence[int]
    starts: Sequence[int]
    cuts: Sequence[tuple[list[Span], list[Span]]]
    texts: Sequence[str]


class DiffPlan:
    """Sections one below the other. `first`, `row_first` and `starts` are each one's first line, row and character; the last
    item of each is the number of all of them.
    """

    def __init__(
        self, source: DiffSource, width: int, *, is_split: bool, has_headers: bool, opened: Opened | None
    ) -> None:
        self.source = source
        self.width = width
        self.is_split = is_split
        self.has_headers = has_headers
        self.notes = [note[:width] for note in source.notes]
        lines = source.lines if opened is not None else None
        self.sections = list(sections_of(source.change, is_split=is_split, opened=opened, lines=lines))
        self.digits = len(str(self._last_number()))
        # A number and a sign: of the new text, of the old one where a line goes. Two columns have a blank between them.
        self.half = (width - 1) // 2
        self.margin = self.digits + 3
        self.room = (self.half if is_split else width) - self.margin
        self.first: list[int] = []
        self.row_first: list[int] = []
        self.starts: list[int] = []
        self._laid: dict[int, SectionLayout] = {}
        self._text: str | None = None
        lines_, rows, chars = len(self.notes), 0, sum(len(note) + 1 for note in self.notes)
        # What is opened of the text between the hunks may be anything.
        is_plain = not opened and (widest := source.widest) is not None and widest <= self.room
        measure = self._count if is_plain else self._measure
        for section in self.sections:
            self.first.append(lines_)
            self.row_first.append(rows)
            self.starts.append(chars)
            more_rows, more_lines, more_chars = measure(section)
            lines_, rows, chars = lines_ + more_lines, rows + more_rows, chars + more_chars
        self.first.append(lines_)
        self.row_first.append(rows)
        self.starts.append(chars)

    @property
    def height(self) -> int:
        """The number of all lines."""
        return self.first[-1]

    @property
    def length(self) -> int:
        """How many characters `text` has."""
        return max(0, self.starts[-1] - 1)  # each row is counted with the break behind it

    @property
    def text(self) -> str:
        """The logical text of all of it; made when it is asked for."""
        if self._text is None:
            parts = [*self.notes]
            for number in range(len(self.sections)):
                parts += self._lay(self.sections[number]).texts
            self._text = "\n".join(parts)
        return self._text

    def section_at(self, line: int) -> int:
        """Return the section that has a line, -1 for the notes at the top."""
        return bisect_right(self.first, line) - 1 if line >= len(self.notes) else -1

    def laid(self, number: int) -> SectionLayout:
        """Return the rows of a section."""
        found = self._laid.get(number)
        if found is None:
            while len(self._laid) >= _LAID:
                del self._laid[next(iter(self._laid))]
            found = self._laid[number] = self._lay(self.sections[number])
        return found

    def _last_number(self) -> int:
        if not self.sections:
            return 1
        section = self.sections[-1]
        if section.hunk is None:
            return section.after_at + len(section.below) + max(section.shift, 0)
        hunk = section.hunk
        ends = hunk.before_start + len(hunk.removed), hunk.after_start + len(hunk.added)
        return max(1, max(ends) + len(section.below))

    def _count(self, section: Section) -> tuple[int, int, int]:
        """Return the same as `_measure` where all lines are known to be plain, to fit, and to have an end."""
        hunk, gone, start, stop = section.hunk, section.gone, section.start, section.stop
        if hunk is None or gone < 0:
            return self._measure(section)
        rows = (section.hidden > 0) + (self.has_headers and section.is_head)
        chars = rows
        lines = hunk.lines
        if self.is_split:
            new = lines[gone + start : gone + stop]
            shown = [
                *new,
                *lines[start + len(new) : min(stop, gone)],
            ]  # what goes and has a line beside it is not copied
        else:
            shown = [*lines[start:stop]]
        texts = [line.text for line in shown]
        if section.above or section.below:
            texts += (*section.above, *section.below)
        rows += len(texts)
        chars += sum(map(len, texts)) - (len(texts) if self.source.hides_cr else 0)
        return rows, rows, chars

    def _measure(self, section: Section) -> tuple[int, int, int]:
        """Return how many rows, lines and characters a section has."""
        extra = (section.hidden > 0) + (self.has_headers and section.hunk is not None and section.is_head)
        parts = self._plain_parts(section)
        if parts is not None:
            context, gone, come = parts
            lines = [*context, *come, *gone]
            joined = "".join(lines)
            ends = joined.count("\n")
            if self.source.hides_cr:
                joined = joined.replace("\r\n", "\n")
            if "\t" in joined:
                joined = joined.expandtabs(TAB_SIZE)
            if (
                ends == len(lines)
                and joined.isascii()
                and joined.replace("\n", "").isprintable()
                and (not joined or max(map(len, joined.split("\n"))) <= self.room)
            ):
                both = min(len(gone), len(come)) if self.is_split else 0
                rows, chars = len(lines) - both + extra, len(joined) + extra
                if both:
                    chars -= sum(len(self._shown(line)) + 1 for line in gone[:both])
                return rows, rows, chars
        laid = self._lay(section)
        return len(laid.rows), laid.first[-1], laid.starts[-1]

    def _plain_parts(self, section: Section) -> tuple[Sequence[str], Sequence[str], Sequence[str]] | None:
        """Return a section's unchanged lines, those that go and those that come; None where there is more to it than these."""
        hunk = section.hunk
        if hunk is None:
            return section.below, (), ()
        gone, lines = section.gone, hunk.lines
        if gone < 0:
            return None
        if section.is_last and not all(
            line.text.endswith("\n") for line in (*lines[max(gone - 1, 0) : gone], *lines[-1:])
        ):
            return None
        start, stop = section.start, section.stop
        if self.is_split:
            old, new = lines[start : min(stop, gone)], lines[gone + start : gone + stop]
        else:
            old, new = lines[start : min(stop, gone)], lines[max(start, gone) : stop]
        context = (*section.above, *section.below) if section.above or section.below else ()
        return context, [line.text for line in old], [line.text for line in new]

    def _shown(self, line: str) -> str:
        """Return a line as it is shown, without its end; for plain text."""
        bare = line.removesuffix("\n")
        if self.source.hides_cr:
            bare = bare.removesuffix("\r")
        return bare.expandtabs(TAB_SIZE) if "\t" in bare else bare

    def _lay(self, section: Section) -> SectionLayout:
        rows = [
            row
            for row in section_rows(section, is_split=self.is_split, hides_cr=self.source.hides_cr)
            if self.has_headers or row.kind != "hunk"
        ]
        first, starts, cuts, texts = [0], [0], [], []
        for row in rows:
            left, left_cuts = _cut(row.left, self.room)
            right, right_cuts = _cut(row.right, self.room)
            text = right if row.right is not None else left
            cuts.append((left_cuts, right_cuts))
            texts.append(text)
            first.append(first[-1] + max(len(left_cuts), len(right_cuts), 1))
            starts.append(starts[-1] + len(text) + 1)
        return SectionLayout(rows, first, starts, cuts, texts)

    # --- rows and lines ----------------------------------------------------------------------------------------------

    def row(self, number: int) -> DiffRow:
        """Return a row, by its place among all."""
        at = bisect_right(self.row_first, number, hi=len(self.sections)) - 1
        return self.laid(at).rows[number - self.row_first[at]]

    def row_lines(self, number: int) -> Span:
        """Return the first line of a row and the one behind its last."""
        at = bisect_right(self.row_first, number, hi=len(self.sections)) - 1
        laid, place = self.laid(at), number - self.row_first[at]
        return self.first[at] + laid.first[place], self.first[at] + laid.first[place + 1]

    def row_at(self, line: int) -> int | None:
        """Return the row that has a line; None for a note at the top, or behind the end."""
        at = self.section_at(line)
        if at < 0 or line >= self.height:
            return None
        laid = self.laid(at)
        return self.row_first[at] + bisect_right(laid.first, line - self.first[at], hi=len(laid.rows)) - 1

    def hunk_rows(self, hunk: int) -> Iterator[int]:
        """Yield the rows of a hunk's sections, from its header on."""
        at = self._section_of(hunk)
        while at < len(self.sections) and self.sections[at].number == hunk:
            yield from range(self.row_first[at], self.row_first[at + 1])
            at += 1

    def hunk_line(self, hunk: int) -> int:
        """Return the first line of a hunk: its header, where there is one."""
        at = self._section_of(hunk)
        section = self.sections[at]
        place = (section.hidden > 0) + section.extra
        return self.first[at] + (self.laid(at).first[place] if section.extra else place)

    def hunk_end(self, hunk: int) -> int:
        """Return the line behind the last of a hunk."""
        at = self._section_of(hunk)
        while at < len(self.sections) and self.sections[at].number == hunk:
            at += 1
        return self.first[at]

    def row_of(self, line: int, *, is_old: bool) -> int | None:
        """Return the row that shows a line (from 1) of one of the texts; None where it is folded."""
        low, high = 0, len(self.sections)
        while low < high:  # the last section that begins at or before it
            middle = (low + high) // 2
            low, high = (middle + 1, high) if self._begins(middle, is_old=is_old) <= line else (low, middle)
        for at in (low - 1, low - 2):
            if at >= 0:
                for place, row in enumerate(self.laid(at).rows):
                    side = row.left if is_old else row.right
                    if side is not None and side.number == line:
                        return self.row_first[at] + place
        return None

    def _begins(self, at: int, *, is_old: bool) -> int:
        """Return the number of the first line that a section shows of one of the texts, or would show there."""
        section = self.sections[at]
        hunk = section.hunk
        if hunk is None:
            return section.after_at + 1 + (0 if is_old else section.shift)
        start = hunk.before_start if is_old else hunk.after_start
        if section.is_head:
            return start - len(section.above) + 1
        gone = section.gone
        if self.is_split:
            return start + min(section.start, gone if is_old else len(hunk.lines) - gone) + 1
        return start + (min(section.start, gone) if is_old else max(0, section.start - gone)) + 1

    def _section_of(self, hunk: int) -> int:
        low, high = 0, len(self.sections)
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if self.sections[middle].number < hunk else (low, middle)
        return low


def _cut(side: Side | None, room: int) -> tuple[str, list[Span]]:
    if side is None:
        return "", []
    text = shown_code(side.text)
    if len(text) <= room and text.isascii():
        return text, [(0, len(text))]  # blanks at the end stay, so that they can be marked
    return text, wrap_cells(text, room)
