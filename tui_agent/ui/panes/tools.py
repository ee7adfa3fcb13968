"""The tool pane: what runs, what waits, what is done, and when it ran in its turn.

One painted `ScrollView` for all rows. Events change which rows there are; time alone only repaints the rows that show it,
and only while there are any.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import var
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.timer import Timer

from tui_agent.ui.looks import render_state
from tui_agent.ui.panes.tool_rows import Row, counts, is_ticking, paint, rows_of_jobs, rows_of_turn, saved_ms
from tui_agent.ui.state import TurnInfo
from tui_agent.ui.timeline_bar import GLYPHS
from tui_agent.viewkit.tool_text import count, duration

if TYPE_CHECKING:
    from tui_agent.ui.projection import Dirty, Projection
    from tui_agent.viewkit.tool_view import ToolUse

__all__ = ["ToolPane"]

_TICK_S = 0.1
_JOB_TICK_S = 1.0  # background jobs may run for hours: their seconds count, nothing turns


class ToolPane(ScrollView, can_focus=True):
    """All tool uses of the session, the turn that runs last. `clock` gives milliseconds on the events' clock."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", "Up", show=False),
        Binding("down", "move(1)", "Down", show=False),
        Binding("home", "move(-1000000)", "First", show=False),
        Binding("end", "move(1000000)", "Last", show=False),
        Binding("enter", "jump", "Show in conversation"),
        Binding("k", "stop", "Stop this tool or job"),
        Binding("b", "background", "Let this command go on in the background"),
    ]

    selected: var[str | None] = var(None)  # the tool use that keys are about; None is the newest

    class Jumped(Message):
        """The person wants to see this tool use in the conversation."""

        def __init__(self, tool_use_id: str) -> None:
            super().__init__()
            self.tool_use_id = tool_use_id

    class StopRequested(Message):
        """The person wants this one tool to stop."""

        def __init__(self, tool_use_id: str) -> None:
            super().__init__()
            self.tool_use_id = tool_use_id

    class BackgroundRequested(Message):
        """The person wants this running command to go on in the background."""

        def __init__(self, tool_use_id: str) -> None:
            super().__init__()
            self.tool_use_id = tool_use_id

    def __init__(self, *, clock: Callable[[], float] | None = None, id: str | None = None) -> None:
        super().__init__(id=id)
        self._clock = clock or (lambda: time.monotonic() * 1000)
        self._projection: Projection | None = None
        self._settled: list[Row] = []  # rows of turns that are over
        self._settled_turns = 0
        self._rows: list[Row] = []
        self._uses: dict[str, ToolUse] = {}
        self._jobs: dict[str, ToolUse] = {}
        self._ticker: Timer | None = None
        self._job_ticker: Timer | None = None

    # --- events ------------------------------------------------------------------------------------------------------

    def on_mount(self) -> None:
        self._ticker = self.set_interval(_TICK_S, self._tick, pause=True)
        self._job_ticker = self.set_interval(_JOB_TICK_S, self._tick, pause=True)
        self._show_counts()

    def refresh_from(self, projection: Projection, dirty: Dirty) -> None:
        """Take in what changed."""
        if not dirty.tools:
            return
        self._projection = projection
        if dirty.is_reset:
            self._settled, self._settled_turns, self.selected = [], 0, None
        is_at_end = self.scroll_offset.y >= self.max_scroll_y
        self._collect(projection)
        self.virtual_size = Size(self.size.width, len(self._rows))
        self._show_counts()
        self._set_ticking()
        if is_at_end and self.selected is None:
            self.scroll_end(animate=False)
        self.refresh()

    def _collect(self, projection: Projection) -> None:
        """List the rows anew; those of turns that are over stay as they are."""
        turns = projection.turns
        while self._settled_turns < len(turns) - 1:
            self._settled += self._of_turn(projection, self._settled_turns, self._settled)
            self._settled_turns += 1
        live = self._of_turn(projection, len(turns) - 1, self._settled) if turns else []
        self._rows = self._settled + live
        self._jobs = dict(projection.jobs)
        if self._jobs:
            turn = turns[-1] if turns else TurnInfo("", 0.0)
            rows = rows_of_jobs(self._jobs.values(), turn)
            self._rows = [*self._rows, *([Row("gap", rows[0].use, turn)] if self._rows else []), *rows]
        self._uses = {row.use.id: row.use for row in self._rows if row.kind in ("use", "job")}

    @staticmethod
    def _of_turn(projection: Projection, number: int, before: list[Row]) -> list[Row]:
        rows = rows_of_turn(projection.turns[number], projection.tools)
        if rows and before:
            return [Row("gap", rows[0].use, rows[0].turn), *rows]
        return rows

    def _show_counts(self) -> None:
        """Put counts into the upper border and the time saved into the lower one."""
        jobs = len(self._jobs)
        tally = counts(use for use in self._uses.values() if use.id not in self._jobs)
        if jobs:
            tally = " · ".join(filter(None, (tally, count(jobs, "job"))))
        self.border_title = Content.assemble("Tools", (f" · {tally}" if tally else "", "$foreground-muted"))
        projection = self._projection
        turn = projection.turn if projection is not None else None
        saved = saved_ms(projection, turn, self._now) if projection is not None and turn is not None else 0.0
        self.border_subtitle = Content(
            f"{GLYPHS['early']} ran while the model talked · {duration(saved)} saved" if saved >= 50 else ""
        )

    # --- time --------------------------------------------------------------------------------------------------------

    @property
    def _now(self) -> float:
        """Milliseconds on the events' clock; what nothing runs in does not age."""
        projection = self._projection
        if projection is None:
            return 0.0
        is_alive = projection.status.is_busy or bool(self._jobs)
        return max(self._clock(), projection.now_ms) if is_alive else projection.now_ms

    def _set_ticking(self) -> None:
        if self._ticker is None or self._job_ticker is None:
            return
        if any(row.kind == "use" and is_ticking(row.use) for row in self._rows[len(self._settled) :]):
            self._ticker.resume()
            self._job_ticker.pause()
            return
        self._ticker.pause()
        if self._jobs:
            self._job_ticker.resume()
        else:
            self._job_ticker.pause()

    def _tick(self) -> None:
        """Repaint the rows of the turn that runs: their bars share its axis, and the axis grows."""
        top = max(len(self._settled) - self.scroll_offset.y, 0)
        self.refresh(Region(0, top, self.size.width, max(len(self._rows) - self.scroll_offset.y - top, 1)))

    # --- painting ----------------------------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        number = y + self.scroll_offset.y
        style = self.rich_style
        if not self._rows:
            text = "Nothing has run yet." if number == 0 else ""
            return Strip([Segment(text, style)]).adjust_cell_length(width, style)
        if number >= len(self._rows):
            return Strip.blank(width, style)
        row = self._rows[number]
        state = render_state(self.app)
        strip = Strip(paint(row, width, self._now, state, is_still=self.app.animation_level == "none"))
        if self.has_focus and row.kind in ("use", "job") and row.use is self._current:
            style += state.palette.cursor
        return strip.apply_style(style).adjust_cell_length(width, style)

    @property
    def _current(self) -> ToolUse | None:
        """The tool use or job that keys are about: the chosen one, else the newest tool use."""
        found = self._uses.get(self.selected or "")
        newest = (use for use in reversed(self._uses.values()) if use.id not in self._jobs)
        return found or next(newest, None) or next(reversed(self._uses.values()), None)

    # --- the person --------------------------------------------------------------------------------------------------

    def action_move(self, step: int) -> None:
        current = self._current
        if current is None:
            return
        names = list(self._uses)
        position = min(max(names.index(current.id) + step, 0), len(names) - 1)
        newest = next((name for name in reversed(names) if name not in self._jobs), None)
        self.selected = names[position] if names[position] != newest else None
        line = next(
            number
            for number, row in enumerate(self._rows)
            if row.use.id == names[position] and row.kind in ("use", "job")
        )
        self.scroll_to_region(Region(0, line, 1, 1), animate=False)

    def watch_selected(self) -> None:
        self.refresh()

    def choose_job(self) -> None:
        """Let keys be about the first background job."""
        self.selected = next(iter(self._jobs), None)

    def action_jump(self) -> None:
        current = self._current
        if current is not None:
            started_by = current.parent_id if current.id in self._jobs else None
            self.post_message(self.Jumped(started_by or current.id))

    def action_stop(self) -> None:
        current = self._current
        if current is not None and current.phase in ("queued", "executing", "waiting"):
            self.post_message(self.StopRequested(current.id))

    def action_background(self) -> None:
        current = self._current
        if current is not None and current.phase == "executing" and current.id not in self._jobs:
            self.post_message(self.BackgroundRequested(current.id))

    def on_click(self, event: events.Click) -> None:
        number = event.get_content_offset_capture(self).y + self.scroll_offset.y
        if 0 <= number < len(self._rows) and self._rows[number].kind != "gap":
            self.selected = self._rows[number].use.id
            self.action_jump()
