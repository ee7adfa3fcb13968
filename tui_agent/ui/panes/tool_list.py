"""What stands in the tool pane, line by line: the turn that runs, background jobs, then earlier turns, folded to a line each.

Pure; knows no widget. A line is found in the logarithm of the number of tool uses.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from typing import TYPE_CHECKING

from tui_agent.ui.panes.tool_details import tail
from tui_agent.ui.panes.tool_filter import ToolFilter
from tui_agent.ui.panes.tool_turn import Shown, ToolRow, TurnRows

if TYPE_CHECKING:
    from tui_agent.ui.projection.projection import Projection
    from tui_agent.viewkit.tool_use import ToolUse

__all__ = ["ToolList"]


class ToolList:
    """All lines of the pane. `refresh` takes in what changed; the rest answers what stands where."""

    def __init__(self) -> None:
        self.turns: list[TurnRows] = []
        self.jobs: dict[str, ToolUse] = {}
        self._shown = Shown()
        self._turn_of: dict[str, TurnRows] = {}
        self._earlier: list[TurnRows] | None = None  # newest first, as they stand
        self._starts: list[int] = []  # the line of each, below the heading
        self._lines = 0  # of all of them

    # --- what changed --------------------------------------------------------------------------------------------------------

    def refresh(self, projection: Projection, changed: Iterable[str]) -> None:
        """Take in new turns and tool uses, and the tool uses that changed."""
        while len(self.turns) < len(projection.turns):
            if self.turns:
                self._grow(self.turns[-1])
            number = len(self.turns)
            self.turns.append(TurnRows(projection.turns[number], number + 1, projection.tools, self._shown))
            self._earlier = None
        self.jobs = projection.jobs
        for name in changed:
            turn, use = self._turn_of.get(name), projection.tools.get(name)
            if turn is not None and use is not None:
                turn.change(use)
                if turn is not self.live:
                    self._earlier = None
        if self.turns:
            self._grow(self.turns[-1])

    def _grow(self, turn: TurnRows) -> None:
        known = len(turn)
        turn.grow()
        for name in turn.info.tool_ids[known:]:
            self._turn_of[name] = turn

    @property
    def live(self) -> TurnRows | None:
        """The turn that runs, or ran last."""
        return self.turns[-1] if self.turns else None

    # --- what the user wants to see ----------------------------------------------------------------------------------

    @property
    def filter(self) -> ToolFilter:
        """Which tool uses are shown."""
        return self._shown.filter

    def set_filter(self, wanted: ToolFilter) -> None:
        """Show only what a filter takes; turns before that hold some of it are open then."""
        self._shown.filter = wanted
        self._earlier = None
        for turn in self.turns:
            turn.measure()

    def toggle(self, key: str) -> None:
        """Open or close the details of a tool use, or an earlier turn."""
        self._earlier = None
        for turn in self.turns:
            if turn.key == key:
                turn.toggle()
        owner = self._turn_of.get(key)
        if owner is not None:
            self._shown.opened ^= {key}
            owner.change(owner.tools[key])

    # --- choosing ----------------------------------------------------------------------------------------------------

    @property
    def newest(self) -> str:
        """The key of the newest tool use that is shown; of a job, or an earlier turn, where there is none."""
        live = self.live
        last = live.height - 1 if live is not None else -1
        found = self._chosen_from(last, -1) or self._chosen_from(last + 1, 1)
        return found[1] if found is not None else ""

    def near(self, key: str, step: int) -> tuple[int, str] | None:
        """Return the line and key of what can be chosen `step` lines of their kind further on; the last one at most."""
        line = self.line_of(key)
        if line is None:
            return self._chosen_from(0, 1)
        if abs(step) > self.height:
            return self._chosen_from(self.height - 1, -1) if step > 0 else self._chosen_from(0, 1)
        way = 1 if step > 0 else -1
        found: tuple[int, str] | None = (line, key)
        for _ in range(abs(step)):
            following = self._chosen_from(found[0] + way, way) if found is not None else None
            if following is None:
                break
            found = following
        return found

    def _chosen_from(self, line: int, way: int) -> tuple[int, str] | None:
        """Return the first line from here on that can be chosen, and its key."""
        while 0 <= line < self.height:
            row = self.row(line)
            if row is not None and row.kind in ("use", "job", "turn"):
                return line, row.key
            line += way
        return None

    # --- lines -------------------------------------------------------------------------------------------------------

    @property
    def ticking_height(self) -> int:
        """How many lines, from the first on, may change with time alone."""
        return self.live_height + len(self._job_rows())

    @property
    def live_height(self) -> int:
        """How many lines the turn that runs takes, at the top."""
        return self.live.height if self.live is not None else 0

    @property
    def height(self) -> int:
        """How many lines there are."""
        earlier = self._earlier_height()
        return self.live_height + len(self._job_rows()) + (1 + earlier if earlier else 0)

    def row(self, line: int) -> ToolRow | None:
        """Return what stands in a line; None below the last."""
        live = self.live
        if live is None or line < 0:
            return None
        if line < live.height:
            return live.row(line)
        line -= live.height
        jobs = self._job_rows()
        if line < len(jobs):
            return jobs[line]
        line -= len(jobs)
        if not self._earlier_height():
            return None
        if line == 0:
            return ToolRow("gap", "", live)
        return self._earlier_row(line - 1)

    def line_of(self, key: str) -> int | None:
        """Return the line in which a tool use, a job or an earlier turn stands; None where it is not shown."""
        live = self.live
        if live is None:
            return None
        if self._turn_of.get(key) is live:
            return live.line_of(key)
        jobs = self._job_rows()
        for number, row in enumerate(jobs):
            if row.key == key and row.kind == "job":
                return live.height + number
        first = live.height + len(jobs) + 1
        for turn, start in zip(self._earlier_turns(), self._starts, strict=True):
            if turn.key == key:
                return first + start
            if self._turn_of.get(key) is turn:
                line = turn.line_of(key) if turn.is_open else None
                return first + start + 1 + line if line is not None else None
        return None

    def _job_rows(self) -> list[ToolRow]:
        live = self.live
        if not self.jobs or live is None:
            return []
        rows: list[ToolRow] = []
        for job in self.jobs.values():
            if self.filter and not self.filter.takes(job):
                continue
            rows.append(ToolRow("job", job.id, live, job))
            if tail(job):
                rows.append(ToolRow("tail", job.id, live, job, 0, tail(job)))
        return [ToolRow("gap", "", live), *rows] if rows and live.height else rows

    def _earlier_turns(self) -> list[TurnRows]:
        """Return the turns before that are shown, newest first: those without a tool use have nothing to show."""
        if self._earlier is None:
            self._earlier, self._starts = [], []
            line = 0
            for turn in reversed(self.turns[:-1]):
                if turn.height if self.filter else len(turn):
                    self._earlier.append(turn)
                    self._starts.append(line)
                    line += self._height_of(turn)
            self._lines = line
        return self._earlier

    def _height_of(self, turn: TurnRows) -> int:
        return 1 + (turn.height if turn.is_open else 0)

    def _earlier_height(self) -> int:
        self._earlier_turns()
        return self._lines

    def _earlier_row(self, line: int) -> ToolRow | None:
        turns = self._earlier_turns()
        place = bisect_right(self._starts, line) - 1
        if place < 0:
            return None
        turn, offset = turns[place], line - self._starts[place]
        if offset == 0:
            return ToolRow("turn", turn.key, turn)
        return turn.row(offset - 1) if offset < self._height_of(turn) else None
