"""A change to a file as a diff: side by side or in one column, in syntax colours, decisions marked hunk by hunk.

Where every line stands is worked out at once, which is cheap; a line is drawn when it is looked at. So a change of twenty
thousand lines opens like one of twenty.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, Literal, overload

from rich.segment import Segment
from rich.style import Style

from tui_agent.changes import FileChange
from tui_agent.viewkit.code import Token, code_runs, language_of, shown_code, tokenize
from tui_agent.viewkit.diff_rows import Row, Side, diff_rows, unified
from tui_agent.viewkit.runs import Run, crop, fit_runs, slice_runs
from tui_agent.viewkit.tool_text import count
from tui_agent.viewkit.view import Line, Rendered, RenderState
from tui_agent.viewkit.wrap import cut_cells

__all__ = ["SPLIT_WIDTH", "DiffView", "Layout"]

Layout = Literal["auto", "split", "unified"]

SPLIT_WIDTH: Final = 100
_NARROWEST: Final = 24
_WHOLE_FILE: Final = 60_000  # characters up to which colours come from the whole text, not from the hunk alone
_CHANGES: Final = 6  # whose work is kept: those on the screen
_PLANS: Final = 4  # kept of one change
_DIM: Final = Style(dim=True)

Span = tuple[int, int]


@dataclass(frozen=True, eq=False)
class DiffView:
    """A diff as a view.

    Args:
        change: what is shown; one read from a journal will do.
        layout: `auto` is two columns from 100 cells on, else one.
        decisions: taken (True) or refused hunks by position, missing ones undecided; None where nothing is being decided,
            which leaves the hunks' headers out.
        current: the hunk that the keys act on.
    """

    change: FileChange
    layout: Layout = "auto"
    decisions: Mapping[int, bool] | None = None
    current: int | None = None

    def render(self, width: int, state: RenderState) -> Rendered:
        """Return the diff. Lines are drawn as they are asked for."""
        plan = self._plan(width)
        rendered = Rendered(_Lines(self, plan, state), (), plan.text)
        return rendered if width >= _NARROWEST else crop(rendered, width)

    def hunk_lines(self, width: int) -> list[int]:
        """Return the first line of each hunk (its header, where there is one) in what `render` gives for `width`."""
        plan = self._plan(width)
        first: dict[int, int] = {}
        for row, line in zip(plan.rows, plan.first, strict=False):
            if row.hunk is not None and row.kind != "skip":
                first.setdefault(row.hunk, line)
        return [first[number] for number in range(len(self.change.hunks))]

    def is_split(self, width: int) -> bool:
        """Whether the diff has two columns at this width."""
        if self.layout == "auto":
            return width >= SPLIT_WIDTH and not self.change.is_new
        return self.layout == "split"

    def _plan(self, width: int) -> _Plan:
        width = max(width, _NARROWEST)
        return _work(self.change).plan(width, is_split=self.is_split(width), has_headers=self.decisions is not None)


class _Work:
    """What is worked out of a change once, however often its decisions are redrawn."""

    def __init__(self, change: FileChange) -> None:
        self.change = change
        self._plans: dict[tuple[int, bool, bool], _Plan] = {}
        self._tokens: dict[tuple[int | None, bool], dict[int, Sequence[Token]]] = {}

    def tokens(self, hunk: int, *, is_old: bool) -> Mapping[int, Sequence[Token]]:
        """Return tokens by line number (from 1): of the whole text where it is not too long, else of the hunk."""
        text = self.change.before if is_old else self.change.after
        if text is None or len(text) > _WHOLE_FILE:
            text = None
        key = (None if text is not None else hunk, is_old)
        if key not in self._tokens:
            language = language_of(self.change.path)
            start = 1
            if text is None:
                found = self.change.hunks[hunk]
                start += (found.before_start if is_old else found.after_start) - len(found.lead)
                body = (*found.lead, *(found.removed if is_old else found.added), *found.trail)
                text = "\n".join(line.removesuffix("\n") for line in body)
            self._tokens[key] = dict(enumerate(tokenize(text, language), start))
        return self._tokens[key]

    def plan(self, width: int, *, is_split: bool, has_headers: bool) -> _Plan:
        key = (width, is_split, has_headers)
        if key not in self._plans:
            while len(self._plans) >= _PLANS:
                del self._plans[next(iter(self._plans))]
            self._plans[key] = _Plan(self.change, width, is_split=is_split, has_headers=has_headers)
        return self._plans[key]


_recent: list[_Work] = []  # the last one first


def _work(change: FileChange) -> _Work:
    """Return what is known of this very change; comparing changes would read both their texts each time."""
    found = next((work for work in _recent if work.change is change), None)
    if found is None:
        found = _Work(change)
        _recent.insert(0, found)
        del _recent[_CHANGES:]
    return found


class _Plan:
    """Where everything stands at one width: rows, how their texts are cut, and the logical text behind them."""

    def __init__(self, change: FileChange, width: int, *, is_split: bool, has_headers: bool) -> None:
        rows = diff_rows(change) if is_split else unified(diff_rows(change))
        self.width = width
        self.is_split = is_split
        self.rows: list[Row] = [row for row in rows if has_headers or row.kind != "hunk"]
        numbers = [side.number for row in self.rows for side in (row.left, row.right) if side is not None]
        self.digits = len(str(max(numbers, default=1)))
        # One column: old number, new number, sign. Two: number and sign in each half, a blank between the halves.
        self.half = (width - 1) // 2
        self.margin = self.digits + 3 if is_split else 2 * self.digits + 4
        room = (self.half if is_split else width) - self.margin
        self.first: list[int] = []  # each row's first line, and the number of all lines
        self.starts: list[int] = []  # each row's first character of the logical text
        self.cuts: list[tuple[list[Span], list[Span]]] = []
        parts: list[str] = []
        lines = length = 0
        for row in self.rows:
            left, left_cuts = _cut(row.left, room)
            right, right_cuts = _cut(row.right, room)
            logical = (right if row.right is not None else left).rstrip(" ")
            self.first.append(lines)
            self.starts.append(length)
            self.cuts.append((left_cuts, right_cuts))
            parts.append(logical)
            lines += max(len(left_cuts), len(right_cuts), 1)
            length += len(logical) + 1
        self.first.append(lines)
        self.text = "\n".join(parts)


def _cut(side: Side | None, room: int) -> tuple[str, list[Span]]:
    if side is None:
        return "", []
    text = shown_code(side.text)
    if len(text) <= room and text.isascii():
        return text, [(0, len(text))]  # blanks at the end stay, so that they can be marked
    return text, cut_cells(text, room)


class _Lines(Sequence[Line]):
    """The painted lines, drawn row by row on demand; a row that wraps into many lines, as far as it is looked at."""

    def __init__(self, view: DiffView, plan: _Plan, state: RenderState) -> None:
        self._view = view
        self._plan = plan
        self._state = state
        self._drawn: dict[int, tuple[list[Line], Iterator[Line]]] = {}  # of a row: the lines there are, and the rest

    def __len__(self) -> int:
        return self._plan.first[-1]

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
        row = bisect_right(self._plan.first, index) - 1
        if row not in self._drawn:
            self._drawn[row] = ([], self._draw(row))
        drawn, rest = self._drawn[row]
        wanted = index - self._plan.first[row]
        drawn += islice(rest, max(0, wanted + 1 - len(drawn)))
        return drawn[wanted]

    def _draw(self, number: int) -> Iterator[Line]:
        row, start = self._plan.rows[number], self._plan.starts[number]
        width = self._plan.width
        match row.kind:
            case "lines" if self._plan.is_split:
                yield from self._draw_split(number, row, start)
            case "lines":
                yield from self._draw_unified(number, row, start)
            case "hunk":
                yield _line(fit_runs(self._header(row.hunk or 0), width), start, width)
            case "skip":
                text = f"{'⋯':>{self._plan.digits}} {count(row.count, 'unchanged line')}"
                yield _line([Run(text[:width], self._state.palette.faint)], start, width)
            case "note":
                yield _line([Run(row.note[:width], self._state.palette.muted)], start, width)

    def _draw_unified(self, number: int, row: Row, start: int) -> Iterator[Line]:
        plan, palette = self._plan, self._state.palette
        side = row.right or row.left
        if side is None:
            return
        digits = plan.digits
        old = f"{row.left.number:>{digits}}" if row.left else " " * digits
        new = f"{row.right.number:>{digits}}" if row.right else " " * digits
        cuts = plan.cuts[number][1 if row.right else 0]
        look = self._look(side.kind, row.hunk)
        room = plan.width - plan.margin
        for index, (span, runs) in enumerate(zip(cuts, self._pieces(row, side, cuts, look), strict=True)):
            head = f"{old} {new} {side.kind} " if index == 0 else f"{'':{2 * digits + 1}} {side.kind} "
            segments = [Segment(head, look.gutter), *_padded(runs, room, look.ground or palette.text)]
            yield Line(tuple(segments), start + span[0], plan.margin)

    def _draw_split(self, number: int, row: Row, start: int) -> Iterator[Line]:
        plan, palette = self._plan, self._state.palette
        room = plan.half - plan.margin
        left_cuts, right_cuts = plan.cuts[number]
        halves: list[tuple[Side | None, _Look, list[list[Run]]]] = []
        for side, cuts in ((row.left, left_cuts), (row.right, right_cuts)):
            look = self._look(side.kind if side else " ", row.hunk)
            halves.append((side, look, self._pieces(row, side, cuts, look) if side else []))
        blank = [Segment(" " * plan.half, palette.text)]
        height = max(len(left_cuts), len(right_cuts), 1)
        spans = right_cuts if row.right is not None else left_cuts
        gutter = plan.half + 1 + plan.margin if row.right is not None else plan.margin
        for index in range(height):
            painted: list[list[Segment]] = []
            for side, look, pieces in halves:
                if side is None or index >= len(pieces):
                    painted.append(blank)
                    continue
                shown = f"{side.number:>{plan.digits}}" if index == 0 else " " * plan.digits
                head = Segment(f"{shown} {side.kind} ", look.gutter)
                painted.append([head, *_padded(pieces[index], room, look.ground or palette.text)])
            left, right = painted
            at = start + (spans[index][0] if index < len(spans) else spans[-1][1])
            yield Line((*left, Segment(" ", palette.text), *right), at, gutter if index < len(spans) else plan.width)

    def _pieces(self, row: Row, side: Side, cuts: Sequence[Span], look: _Look) -> list[list[Run]]:
        known = _work(self._view.change).tokens(row.hunk or 0, is_old=side is row.left)
        tokens = known.get(side.number, ())
        if "".join(text for _, text in tokens) != side.text:
            tokens = (("", side.text),)
        palette = self._state.palette
        runs = code_runs(tokens, palette, look.ground, marks=side.marks, mark=look.word)
        if look.is_dim:
            runs = [Run(run.text, run.style + _DIM, run.hit) for run in runs]
        return slice_runs(runs, cuts)

    def _look(self, kind: str, hunk: int | None) -> _Look:
        palette = self._state.palette
        decisions = self._view.decisions
        is_refused = decisions is not None and hunk is not None and decisions.get(hunk) is False
        match kind:
            case "+" if is_refused:
                return _Look(None, palette.muted, palette.gutter, is_dim=True)
            case "-" if is_refused:
                return _Look(None, palette.text, palette.gutter)
            case "+":
                return _Look(palette.added, palette.added_word, palette.added_gutter)
            case "-":
                return _Look(palette.removed, palette.removed_word, palette.removed_gutter)
            case _:
                return _Look(None, palette.text, palette.gutter)

    def _header(self, number: int) -> list[Run]:
        palette, change = self._state.palette, self._view.change
        is_current = self._view.current == number
        style = palette.strong if is_current else palette.muted
        hunk = change.hunks[number]
        at = hunk.before_start if hunk.removed else hunk.after_start
        decided = (self._view.decisions or {}).get(number)
        if decided is None:
            state = Run("? undecided" if self._state.is_ascii else "○ undecided", palette.waiting)
        elif decided:
            state = Run("+ accepted" if self._state.is_ascii else "✓ accepted", palette.success)
        else:
            state = Run("x refused" if self._state.is_ascii else "✗ refused", palette.error)
        pointer = ("> " if self._state.is_ascii else "▶ ") if is_current else "  "
        where = f"hunk {number + 1}/{len(change.hunks)} · line {at + 1} · "
        return [Run(pointer, palette.accent), Run(where, style), state]


@dataclass(frozen=True, slots=True)
class _Look:
    """How one kind of line is painted: its ground (None: none), its changed words, its numbers and sign."""

    ground: Style | None
    word: Style
    gutter: Style
    is_dim: bool = False


def _padded(runs: Sequence[Run], width: int, ground: Style) -> list[Segment]:
    segments = [Segment(run.text, run.style) for run in runs]
    left = width - sum(segment.cell_length for segment in segments)
    if left > 0:
        segments.append(Segment(" " * left, ground))
    return segments


def _line(runs: Sequence[Run], start: int, width: int) -> Line:
    """Return a line that is no text: it is seen, and not copied."""
    return Line(tuple(Segment(run.text, run.style) for run in runs), start, width)
