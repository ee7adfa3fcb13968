"""Painting a diff: its lines, and the comments between them, each drawn when it is looked at."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final, overload

from rich.segment import Segment
from rich.style import Style

from tui_agent.review_comments import LineComment
from tui_agent.text import clean
from tui_agent.viewkit.code import code_runs
from tui_agent.viewkit.diff_plan import DiffPlan, SectionLayout, Span
from tui_agent.viewkit.diff_rows import DiffRow, Side
from tui_agent.viewkit.runs import Run, fit_runs, slice_runs
from tui_agent.viewkit.tool_text import count
from tui_agent.viewkit.view import Hit, Line, Rendered, RenderState
from tui_agent.viewkit.wrap import wrap_cells

if TYPE_CHECKING:
    from tui_agent.viewkit.diff_content import DiffContent

__all__ = ["DiffHits", "DiffLines", "DiffRendered", "Placed", "placed_comments"]

_DRAWN: Final = 512  # rows that stay drawn


class DiffRendered(Rendered):
    """A diff at one width. Its logical text is put together when somebody copies."""

    def __init__(self, lines: Sequence[Line], hits: Sequence[Hit], plan: DiffPlan) -> None:
        self.lines = lines
        self.hits = hits
        self._plan = plan

    @property
    def text(self) -> str:  # type: ignore[override]
        """The logical text."""
        return self._plan.text

    @property
    def length(self) -> int:
        """How many characters the text has."""
        return self._plan.length


class Placed:
    """Comments between the lines of a diff. `base` and `painted` lead from one way of counting lines to the other."""

    def __init__(self, at: Sequence[tuple[int, int, int]], height: int) -> None:
        """`at`: for each comment the line below which it stands, its number, and how many lines it takes; in order."""
        self._after = [after for after, _, _ in at]
        self._numbers = [number for _, number, _ in at]
        self._sums = [0]
        for _, _, lines in at:
            self._sums.append(self._sums[-1] + lines)
        self.height = height + self._sums[-1]

    def base(self, line: int) -> tuple[int, tuple[int, int] | None]:
        """Return the diff's own line that is painted as `line`, or the comment and which of its lines."""
        low, high = 0, len(self._after)
        while low < high:  # the last comment that begins at or above it
            middle = (low + high) // 2
            if self._after[middle] + 1 + self._sums[middle] <= line:
                low = middle + 1
            else:
                high = middle
        if low and line < self._after[low - 1] + 1 + self._sums[low]:
            return 0, (self._numbers[low - 1], line - self._after[low - 1] - 1 - self._sums[low - 1])
        return line - self._sums[low], None

    def painted(self, base: int) -> int:
        """Return where a line of the diff is painted."""
        return base + self._sums[bisect_left(self._after, base)]

    def tops(self) -> Iterator[tuple[int, int, int]]:
        """Yield each comment's number, its first painted line, and the one behind its last."""
        for place, (after, number) in enumerate(zip(self._after, self._numbers, strict=True)):
            yield number, after + 1 + self._sums[place], after + 1 + self._sums[place + 1]


def placed_comments(comments: Sequence[LineComment], plan: DiffPlan) -> Placed:
    """Find each comment its place: below the last line it is on, or at the end where that is not shown."""
    if not comments:
        return Placed((), plan.height)
    at: list[tuple[int, int, int]] = []
    for number, comment in enumerate(comments):
        row = _row_of(comment, plan)
        after = plan.row_lines(row)[1] - 1 if row is not None else plan.height - 1
        at.append((after, number, len(_comment_texts(comment, plan, has_place=row is not None))))
    return Placed(sorted(at), plan.height)


def _row_of(comment: LineComment, plan: DiffPlan) -> int | None:
    """Return the row that shows a comment's last line, if it is still the line that it was written on."""
    row = plan.row_of(comment.lines[-1], is_old=comment.side == "old")
    if row is None:
        return None
    shown = plan.row(row)
    side = shown.left if comment.side == "old" else shown.right
    return row if side is not None and side.text == comment.quote.split("\n")[-1] else None


def _comment_texts(comment: LineComment, plan: DiffPlan, *, has_place: bool) -> list[str]:
    """Return the lines that a comment is painted as."""
    head = ""
    if not has_place:
        head = f"on line {comment.place}: "
    elif comment.last > comment.line:
        head = f"on lines {comment.line}–{comment.last}: "
    room = max(plan.width - _indent(plan) - 2, 8)
    out: list[str] = []
    for line in clean(head + comment.text.strip()).split("\n"):
        line = line.expandtabs(4)
        out += [line[start:stop] for start, stop in wrap_cells(line, room)]
    return out


def _indent(plan: DiffPlan) -> int:
    return min(plan.margin - 2, plan.width // 4)


class DiffLines(Sequence[Line]):
    """The painted lines, drawn row by row on demand; a row that wraps into many lines, as far as it is looked at."""

    def __init__(self, view: DiffContent, plan: DiffPlan, placed: Placed, state: RenderState) -> None:
        self.plan = plan
        self.placed = placed
        self._view = view
        self._state = state
        self._drawn: dict[tuple[int, int], tuple[list[Line], Iterator[Line]]] = {}

    def __len__(self) -> int:
        return self.placed.height

    @overload
    def __getitem__(self, index: int) -> Line: ...
    @overload
    def __getitem__(self, index: slice) -> list[Line]: ...
    def __getitem__(self, index: int | slice) -> Line | list[Line]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        if index < 0:
            index += len(self)
        if not 0 <= index < len(self):
            raise IndexError(index)
        base, comment = self.placed.base(index)
        if comment is not None:
            return self._comment(*comment)
        number = self.plan.section_at(base)
        if number < 0:
            text = self.plan.notes[base]
            start = sum(len(note) + 1 for note in self.plan.notes[:base])
            return _line([Run(text, self._state.palette.muted)], start, self.plan.width)
        laid = self.plan.laid(number)
        place = bisect_right(laid.first, base - self.plan.first[number], hi=len(laid.rows)) - 1
        key = (number, place)
        if key not in self._drawn:
            if len(self._drawn) >= _DRAWN:
                self._drawn.clear()
            self._drawn[key] = ([], self._draw(laid, place, self.plan.starts[number] + laid.starts[place]))
        drawn, rest = self._drawn[key]
        wanted = base - self.plan.first[number] - laid.first[place]
        drawn += islice(rest, max(0, wanted + 1 - len(drawn)))
        return drawn[wanted]

    def _comment(self, number: int, which: int) -> Line:
        comment, palette = self._view.comments[number], self._state.palette
        texts = _comment_texts(comment, self.plan, has_place=_row_of(comment, self.plan) is not None)
        bar = "|" if self._state.is_ascii else "┃"
        runs = [Run(" " * _indent(self.plan) + bar + " ", palette.accent), Run(texts[which], palette.strong)]
        return _line(
            fit_runs(runs, self.plan.width), 0 if not self.plan.height else self._start_at(number), self.plan.width
        )

    def _start_at(self, number: int) -> int:
        """Return where in the logical text a comment stands: at the end of the line above it."""
        top = next(top for found, top, _ in self.placed.tops() if found == number)
        while top > 0:
            top -= 1
            if self.placed.base(top)[1] is None:
                return self[top].start
        return 0

    def _draw(self, laid: SectionLayout, place: int, start: int) -> Iterator[Line]:
        row = laid.rows[place]
        width = self.plan.width
        match row.kind:
            case "lines" if self.plan.is_split:
                yield from self._draw_split(row, laid.cuts[place], start)
            case "lines":
                yield from self._draw_unified(row, laid.cuts[place], start)
            case "hunk":
                yield _line(fit_runs(self._header(row.hunk or 0), width), start, width)
            case "skip":
                yield _line(fit_runs(self._fold(row.count), width), start, width)
            case "note":
                yield _line([Run(row.note[:width], self._state.palette.muted)], start, width)

    def _fold(self, hidden: int) -> list[Run]:
        palette = self._state.palette
        dots = "..." if self._state.is_ascii else "⋯"
        runs = [Run(f"{dots:>{self.plan.digits}} {count(hidden, 'unchanged line')}", palette.faint)]
        if self._view.opened is not None and self._view.can_open:
            runs.append(Run("  + show more", palette.link))
        return runs

    def _draw_unified(self, row: DiffRow, cuts: tuple[list[Span], list[Span]], start: int) -> Iterator[Line]:
        plan, palette = self.plan, self._state.palette
        side = row.right or row.left
        if side is None:
            return
        digits = plan.digits
        spans = cuts[1 if row.right else 0]
        style = self._line_style(side.kind, row.hunk)
        pointer = self._pointer(row, is_old=row.right is None)
        gutter = style.gutter if pointer == " " else palette.strong
        for index, (span, runs) in enumerate(zip(spans, self._pieces(row, side, spans, style), strict=True)):
            head = f"{side.number:>{digits}} {side.kind}" if index == 0 else f"{'':{digits}} {side.kind}"
            segments = [
                Segment(head, style.gutter),
                Segment(pointer, gutter),
                *_padded(runs, plan.room, style.ground or palette.text),
            ]
            yield Line(tuple(segments), start + span[0], plan.margin)

    def _draw_split(self, row: DiffRow, cuts: tuple[list[Span], list[Span]], start: int) -> Iterator[Line]:
        plan, palette = self.plan, self._state.palette
        left_cuts, right_cuts = cuts
        halves: list[tuple[Side | None, _LineStyle, list[list[Run]], str]] = []
        for side, spans, is_old in ((row.left, left_cuts, True), (row.right, right_cuts, False)):
            style = self._line_style(side.kind if side else " ", row.hunk)
            pieces = self._pieces(row, side, spans, style) if side else []
            halves.append((side, style, pieces, self._pointer(row, is_old=is_old) if side else " "))
        blank = [Segment(" " * plan.half, palette.text)]
        height = max(len(left_cuts), len(right_cuts), 1)
        spans = right_cuts if row.right is not None else left_cuts
        gutter = plan.half + 1 + plan.margin if row.right is not None else plan.margin
        for index in range(height):
            painted: list[list[Segment]] = []
            for side, style, pieces, pointer in halves:
                if side is None or index >= len(pieces):
                    painted.append(blank)
                    continue
                shown = f"{side.number:>{plan.digits}}" if index == 0 else " " * plan.digits
                head = [
                    Segment(f"{shown} {side.kind}", style.gutter),
                    Segment(pointer, style.gutter if pointer == " " else palette.strong),
                ]
                painted.append([*head, *_padded(pieces[index], plan.room, style.ground or palette.text)])
            left, right = painted
            at = start + (spans[index][0] if index < len(spans) else spans[-1][1])
            yield Line((*left, Segment(" ", palette.text), *right), at, gutter if index < len(spans) else plan.width)

    def _pointer(self, row: DiffRow, *, is_old: bool) -> str:
        """Return what stands before a line's text: the cursor, the bar of the marked lines, or nothing."""
        cursor, side = self._view.cursor, row.left if is_old else row.right
        if cursor is None or side is None or (cursor.side == "old") != is_old:
            return " "
        if side.number == cursor.line:
            return ">" if self._state.is_ascii else "❯"
        marked = self._view.marked
        if marked is not None and min(cursor.line, marked) <= side.number <= max(cursor.line, marked):
            return "|" if self._state.is_ascii else "│"
        return " "

    def _pieces(self, row: DiffRow, side: Side, cuts: Sequence[Span], style: _LineStyle) -> list[list[Run]]:
        tokens = self.plan.source.tokens(row.hunk or 0, side.number, is_old=side is row.left)
        if "".join(text for _, text in tokens) != side.text:
            tokens = (("", side.text),)
        palette = self._state.palette
        shows_blanks = side.differs_in_blanks
        marks = side.marks
        runs = code_runs(tokens, palette, style.ground, marks=marks, mark=style.word, shows_tabs=shows_blanks)
        if shows_blanks:
            dot = "." if self._state.is_ascii else "·"
            runs = [
                Run(run.text.replace(" ", dot), run.style)
                if run.style == style.word and not run.text.strip(" ⇥")
                else run
                for run in runs
            ]
            if self._state.is_ascii:
                runs = [Run(run.text.replace("⇥", ">"), run.style) for run in runs]
        if style.is_plain:
            runs = [Run(run.text, style.word) for run in runs]
        return slice_runs(runs, cuts)

    def _line_style(self, kind: str, hunk: int | None) -> _LineStyle:
        palette = self._state.palette
        decisions = self._view.decisions
        is_refused = decisions is not None and hunk is not None and decisions.get(hunk) is False
        match kind:
            case "+" if is_refused:
                return _LineStyle(None, palette.muted, palette.gutter, is_plain=True)
            case "-" if is_refused:
                return _LineStyle(None, palette.text, palette.gutter)
            case "+":
                return _LineStyle(palette.added, palette.added_word, palette.added_gutter)
            case "-":
                return _LineStyle(palette.removed, palette.removed_word, palette.removed_gutter)
            case _:
                return _LineStyle(None, palette.text, palette.gutter)

    def _header(self, number: int) -> list[Run]:
        palette, change = self._state.palette, self._view.change
        is_current = self._view.current == number
        style = palette.strong if is_current else palette.muted
        hunk = change.hunks[number]
        at = hunk.after_start if hunk.lines[:1] and hunk.lines[0].kind == "+" else hunk.before_start
        decided = (self._view.decisions or {}).get(number)
        if decided is not False and not self._view.is_writable:
            state = Run(f"{'?' if self._state.is_ascii else '○'} cannot be written", palette.waiting)
        elif decided is None:
            state = Run(f"{'?' if self._state.is_ascii else '○'} undecided: will be written", palette.waiting)
        elif decided:
            state = Run("+ accepted" if self._state.is_ascii else "✓ accepted", palette.success)
        else:
            state = Run("x refused" if self._state.is_ascii else "✗ refused", palette.error)
        pointer = ("> " if self._state.is_ascii else "▶ ") if is_current else "  "
        where = f"hunk {number + 1}/{len(change.hunks)} · line {at + 1} · "
        return [Run(pointer, palette.accent), Run(where, style), state]


class DiffHits(Sequence[Hit]):
    """What can be clicked: folded stretches (`fold`, with their number) and comments (`comment`, with theirs)."""

    def __init__(self, lines: DiffLines) -> None:
        self._lines = lines
        self._found: list[Hit] | None = None

    def __len__(self) -> int:
        return len(self._hits)

    @overload
    def __getitem__(self, index: int) -> Hit: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Hit]: ...
    def __getitem__(self, index: int | slice) -> Hit | Sequence[Hit]:
        return self._hits[index]

    @property
    def _hits(self) -> list[Hit]:
        if self._found is None:
            self._found = list(self._all())
        return self._found

    def _all(self) -> Iterator[Hit]:
        lines = self._lines
        plan, view = lines.plan, lines._view  # noqa: SLF001 - the other half of this
        if view.opened is not None and view.can_open:
            for section, first in zip(plan.sections, plan.first, strict=False):
                if section.hidden:
                    at = lines.placed.painted(first)
                    yield Hit(at, 0, max(1, lines[at].width), "fold", str(section.number))
        if view.opened is not None:
            for number, top, bottom in lines.placed.tops():
                for at in range(top, bottom):
                    yield Hit(at, 0, max(1, lines[at].width), "comment", str(number))


@dataclass(frozen=True, slots=True)
class _LineStyle:
    """How one kind of line is painted: its ground (None: none), its changed words, its numbers and sign.

    A plain one has no other colours than that of its words.
    """

    ground: Style | None
    word: Style
    gutter: Style
    is_plain: bool = False


def _padded(runs: Sequence[Run], width: int, ground: Style) -> list[Segment]:
    segments = [Segment(run.text, run.style) for run in runs]
    left = width - sum(segment.cell_length for segment in segments)
    if left > 0:
        segments.append(Segment(" " * left, ground))
    return segments


def _line(runs: Sequence[Run], start: int, width: int) -> Line:
    """Return a line that is no text: it is seen, and not copied."""
    return Line(tuple(Segment(run.text, run.style) for run in runs), start, width)
