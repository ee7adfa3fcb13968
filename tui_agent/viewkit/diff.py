"""A change to a file as a diff: side by side or in one column, in syntax colours, decisions marked hunk by hunk.

Where every line stands is worked out at once, which is cheap; a line is drawn when it is looked at. So a change of twenty
thousand lines opens like one of twenty. What the user wrote on lines stands below them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from tui_agent.viewkit.diff_content import DiffContent, DiffLocation, Layout
from tui_agent.viewkit.diff_paint import DiffHits, DiffLines, DiffRendered, placed_comments
from tui_agent.viewkit.diff_plan import DiffPlan
from tui_agent.viewkit.diff_rows import DiffRow, Opened
from tui_agent.viewkit.diff_work import known_work, work_on
from tui_agent.viewkit.runs import crop
from tui_agent.viewkit.view import Rendered, RenderState

__all__ = ["SPLIT_WIDTH", "DiffLocation", "DiffView", "Layout", "opened_around", "opened_whole"]

SPLIT_WIDTH: Final = 100
MORE_CONTEXT: Final = 20  # lines that one step opens of a folded stretch, at each end
_NARROWEST: Final = 24
_MANY_HUNKS: Final = 300
_MANY_LINES: Final = 5000


@dataclass(frozen=True, eq=False)
class DiffView(DiffContent):
    """A diff as a view."""

    def render(self, width: int, state: RenderState) -> Rendered:
        """Return the diff. Lines are drawn as they are asked for."""
        plan = self._plan(width)
        lines = DiffLines(self, plan, placed_comments(self.comments, plan), state)
        rendered = DiffRendered(lines, DiffHits(lines), plan)
        return rendered if width >= _NARROWEST else crop(rendered, width)

    def is_split(self, width: int) -> bool:
        """Whether the diff has two columns at this width."""
        if self.layout == "auto":
            return width >= SPLIT_WIDTH and not self.change.is_new
        return self.layout == "split" and not self.change.is_new

    @property
    def is_large(self) -> bool:
        """Whether working out where everything stands takes longer than a key may: `prepare` does it elsewhere."""
        return len(self.change.hunks) > _MANY_HUNKS or sum(len(hunk.lines) for hunk in self.change.hunks) > _MANY_LINES

    def is_ready(self, width: int) -> bool:
        """Whether `render` takes no time at a width: the change is small, or prepared."""
        if not self.is_large:
            return True
        work = known_work(self.change)
        width = max(width, _NARROWEST)
        return work is not None and work.has_plan(
            width,
            is_split=self.is_split(width),
            has_headers=self.decisions is not None,
            opened=self.opened if self.can_open else None,
        )

    def prepare(self, width: int) -> None:
        """Work out where everything stands at a width, so that `render` takes no time; for a thread."""
        self._plan(width)

    def _plan(self, width: int) -> DiffPlan:
        width = max(width, _NARROWEST)
        is_split = self.is_split(width)
        opened = self.opened if self.can_open else None
        return work_on(self.change).plan(
            width, is_split=is_split, has_headers=self.decisions is not None, opened=opened
        )

    # --- finding one's way -------------------------------------------------------------------------------------------

    def hunk_line(self, number: int, width: int) -> int:
        """Return the first line of a hunk (its header, where there is one) in what `render` gives for `width`."""
        plan = self._plan(width)
        return self._below_comments(plan.hunk_line(number), plan)

    def hunk_end(self, number: int, width: int) -> int:
        """Return the line behind the last of a hunk."""
        plan = self._plan(width)
        return self._below_comments(plan.hunk_end(number), plan)

    def first_spot(self, hunk: int, width: int) -> DiffLocation | None:
        """Return the first line of a hunk that changes."""
        plan = self._plan(width)
        rows = (plan.row(number) for number in plan.hunk_rows(hunk))
        return next((spot for row in rows if is_changed(row) and (spot := _spot(row))), None)

    def moved(self, spot: DiffLocation, step: int, width: int) -> DiffLocation:
        """Return the line that is shown next after `spot`, or before it; the same at the end."""
        plan = self._plan(width)
        at = plan.row_of(spot.line, is_old=spot.side == "old")
        while at is not None and 0 <= (at := at + step) < plan.row_first[-1]:
            found = _spot(plan.row(at), spot.side)
            if found is not None:
                return found
        return spot

    def across(self, spot: DiffLocation, width: int) -> DiffLocation:
        """Return the line that stands beside `spot` in the other column; the same where there is none."""
        plan = self._plan(width)
        at = plan.row_of(spot.line, is_old=spot.side == "old")
        row = plan.row(at) if at is not None else None
        if row is None or row.left is None or row.right is None:
            return spot
        return DiffLocation("new", row.right.number) if spot.side == "old" else DiffLocation("old", row.left.number)

    def spot_at(self, line: int, width: int, *, is_left: bool = False) -> DiffLocation | None:
        """Return the line of text that a painted line shows; None for headers, folds, notes and comments."""
        plan = self._plan(width)
        placed = placed_comments(self.comments, plan)
        base, comment = placed.base(line)
        row = plan.row_at(base) if comment is None else None
        return _spot(plan.row(row), "old" if is_left else "new") if row is not None else None

    def line_of(self, spot: DiffLocation, width: int) -> int | None:
        """Return the painted line that shows `spot` first; None where it is folded."""
        plan = self._plan(width)
        row = plan.row_of(spot.line, is_old=spot.side == "old")
        return self._below_comments(plan.row_lines(row)[0], plan) if row is not None else None

    def hunk_of(self, spot: DiffLocation, width: int) -> int | None:
        """Return the hunk that shows a line."""
        plan = self._plan(width)
        row = plan.row_of(spot.line, is_old=spot.side == "old")
        number = plan.row(row).hunk if row is not None else None
        return None if number is None or number >= len(self.change.hunks) else number

    def texts(self, first: DiffLocation, last: int, width: int) -> list[str]:
        """Return the lines from `first` to `last` of its side, as far as they are shown."""
        plan = self._plan(width)
        found: list[str] = []
        for line in range(first.line, last + 1):
            row = plan.row_of(line, is_old=first.side == "old")
            if row is not None:
                shown = plan.row(row)
                side = shown.left if first.side == "old" else shown.right
                found.append(side.text if side is not None else "")
        return found

    def _below_comments(self, base: int, plan: DiffPlan) -> int:
        return placed_comments(self.comments, plan).painted(base) if self.comments else base


def opened_around(opened: Opened, hunk: int) -> dict[int, tuple[int, int]]:
    """Return the stretches before and after a hunk opened by some more lines."""
    out = dict(opened)
    top, bottom = out.get(hunk, (0, 0))
    out[hunk] = (top, bottom + MORE_CONTEXT)
    top, bottom = out.get(hunk + 1, (0, 0))
    out[hunk + 1] = (top + MORE_CONTEXT, bottom)
    return out


def opened_whole(opened: Opened, gap: int) -> dict[int, tuple[int, int]]:
    """Return one stretch opened whole."""
    return {**opened, gap: (1 << 40, 0)}


def is_changed(row: DiffRow) -> bool:
    """Whether a row shows a line that goes or comes."""
    return any(side is not None and side.kind != " " for side in (row.left, row.right))


def _spot(row: DiffRow, side: Literal["old", "new"] = "new") -> DiffLocation | None:
    """Return the line that a row shows, that of `side` where it shows two; an unchanged one counts as the new text's."""
    left, right = row.left, row.right
    if left is not None and (right is None or (side == "old" and left.kind == "-")):
        return DiffLocation("old", left.number)
    return DiffLocation("new", right.number) if right is not None else None
