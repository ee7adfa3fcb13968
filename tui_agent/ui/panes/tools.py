"""The tool pane: what runs, what waits, what is done, and when it ran in its turn; earlier turns below it.

One painted `ScrollView` for all rows. Events change which rows there are; time alone only repaints the rows that show it,
and only while there are any. No work here is in proportion to how many tools a session has used.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
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

from tui_agent.ui.panes.heading import heading
from tui_agent.ui.panes.tool_heading import foots, title
from tui_agent.ui.render_style import render_state

if TYPE_CHECKING:
    from tui_agent.ui.panes.tool_filter import ToolFilter
    from tui_agent.ui.panes.tool_list import ToolList
    from tui_agent.ui.panes.tool_turn import ToolRow, TurnRows
    from tui_agent.ui.projection.projection import Dirty, Projection
    from tui_agent.ui.projection.time_axis import TimeAxis
    from tui_agent.ui.widgets.key_hints import Hint
    from tui_agent.viewkit.tool_use import ToolUse

__all__ = ["ToolPane"]

_TICK_S = 0.1
_JOB_TICK_S = 1.0  # background jobs may run for hours: their seconds count, nothing turns


class ToolPane(ScrollView, can_focus=True):
    """All tool uses of the session, the turn that runs first. `clock` gives milliseconds on the events' clock."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", "Up", show=False),
        Binding("down", "move(1)", "Down", show=False),
        Binding("home", "move(-1000000)", "First", show=False),
        Binding("end", "move(1000000)", "Last", show=False),
        Binding("enter", "jump", "Show in conversation; open an earlier turn"),
        Binding("space,d", "details", "Where its time went, and why it waits"),
        Binding("k", "stop", "Stop this tool or job"),
        Binding("b", "background", "Move this command to the background"),
        Binding("f", "filter_state", "Filter by state: running, waiting, failed, done"),
        Binding("slash", "filter_text", "Filter by text"),
        Binding("escape", "filter_clear", "Clear the filter", show=False),
    ]
    HINTS: ClassVar[tuple[Hint, ...]] = (
        ("enter", "show it"), ("space", "details"), ("k", "stop"), ("f", "filter"), ("/", "search"), ("b", "background"),
    )  # fmt: skip

    selected: var[str | None] = var(None)  # what keys are about; None is the newest tool use
    is_filtered: var[bool] = var(False)  # Escape shows all again

    class Jumped(Message):
        """The user wants to see this tool use in the conversation."""

        def __init__(self, tool_use_id: str) -> None:
            super().__init__()
            self.tool_use_id = tool_use_id

    class StopRequested(Message):
        """The user wants this one tool to stop."""

        def __init__(self, tool_use_id: str) -> None:
            super().__init__()
            self.tool_use_id = tool_use_id

    class BackgroundRequested(Message):
        """The user wants this running command to go on in the background."""

        def __init__(self, tool_use_id: str) -> None:
            super().__init__()
            self.tool_use_id = tool_use_id

    def __init__(self, *, clock: Callable[[], float] | None = None, id: str | None = None) -> None:
        super().__init__(id=id)
        self._clock = clock or (lambda: time.monotonic() * 1000)
        self._projection: Projection | None = None
        self._list: ToolList | None = None
        self._is_writing = False  # a text to filter by
        self._is_time_still = False
        self._followed = 0  # where following the newest row put the window; elsewhere the user has scrolled to
        self._axes: dict[str, tuple[float, TimeAxis]] = {}
        self._turn: TurnRows | None = None
        self._title = Content()
        self._foots: list[Content] = []
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
        if self._list is None or dirty.is_reset or projection is not self._projection:
            self._start_over()
        self._projection = projection
        rows = self._list
        if rows is not None:
            rows.refresh(projection, dirty.tool_ids)
        self._axes.clear()
        self._fit()
        self._show_counts()
        self._set_ticking()
        self.refresh()

    def _start_over(self) -> None:
        from tui_agent.ui.panes.tool_list import ToolList  # with the first tool, not with the first frame

        kept = self._list.filter if self._list is not None else None
        self._list = ToolList()
        if kept:
            self._list.set_filter(kept)
        self.selected, self._followed, self._turn = None, 0, None

    def on_resize(self) -> None:
        """Follow the newest row in the new size too."""
        self._fit()
        self._show_heading()

    def _fit(self) -> None:
        """Tell the scroll bar how much there is, and follow the newest row, unless the user has scrolled."""
        rows = self._list
        if rows is None:
            return
        size = Size(self._width, rows.height)
        if size != self.virtual_size:
            self.virtual_size = size
        if self.selected is None and self._followed == round(self.scroll_y):
            self._followed = min(max(0, rows.live_height - self.size.height), self.max_scroll_y)
            self.scroll_to(y=self._followed, animate=False, immediate=True)

    def _show_counts(self) -> None:
        """Put counts and the filter into the rule above, and the time saved at its right."""
        rows = self._list
        self.is_filtered = self._is_writing or (rows is not None and bool(rows.filter))
        self._title = title(rows, is_writing=self._is_writing)
        self._foots = foots(rows, self._now)
        self._show_heading()

    def _show_heading(self) -> None:
        self.border_title = heading(self._title, self._foots, self.size.width)

    @property
    def turn(self) -> TurnRows | None:
        """The newest turn that has used a tool."""
        rows = self._list
        if rows is not None and rows.live is not None and len(rows.live):
            self._turn = rows.live
        return self._turn

    # --- time --------------------------------------------------------------------------------------------------------

    @property
    def _now(self) -> float:
        """Milliseconds on the events' clock; what nothing runs in does not age."""
        projection = self._projection
        if projection is None:
            return 0.0
        is_alive = projection.status.is_busy or bool(projection.jobs)
        return max(self._clock(), projection.now_ms) if is_alive else projection.now_ms

    def hold_time(self, is_still: bool) -> None:
        """Say whether the clock stands still, as in a recording that is paused: then nothing ticks."""
        self._is_time_still = is_still
        self._set_ticking()

    def _set_ticking(self) -> None:
        if self._ticker is None or self._job_ticker is None or self._list is None:
            return
        if self._is_time_still:
            self._ticker.pause()
            self._job_ticker.pause()
            return
        live = self._list.live
        if live is not None and live.is_ticking:
            self._ticker.resume()
            self._job_ticker.pause()
            return
        self._ticker.pause()
        if self._list.jobs:
            self._job_ticker.resume()
        else:
            self._job_ticker.pause()

    def _tick(self) -> None:
        """Repaint the rows of the turn that runs and of jobs: bars share the turn's axis, and the axis grows."""
        if self._list is None:
            return
        self._axes.clear()
        last = min(self._list.ticking_height - self.scroll_offset.y, self.size.height)
        if last > 0:
            self.refresh(Region(0, 0, self.size.width, last))

    # --- painting ----------------------------------------------------------------------------------------------------

    @property
    def _width(self) -> int:
        """The cells of a line: without the scroll bar's."""
        return max(1, self.scrollable_content_region.width)

    def render_line(self, y: int) -> Strip:
        width = self._width
        number = y + self.scroll_offset.y
        style = self.rich_style
        row = self._list.row(number) if self._list is not None else None
        if row is None:
            return Strip([Segment(self._empty_words if number == 0 else "", style)]).adjust_cell_length(width, style)
        from tui_agent.ui.panes.tool_rows import paint  # with the first tool, not with the first frame

        state = render_state(self.app)
        now = self._now
        is_still = self.app.animation_level == "none"
        if self.has_focus and row.kind in ("use", "job", "turn") and row.key == self._current:
            style += state.palette.cursor
            # On the cursor's ground what steps back elsewhere would be too faint to read.
            state = replace(state, palette=replace(state.palette, muted=state.palette.text))
        strip = Strip(paint(row, width, now, state, self._time_axis(row.turn, now), is_still=is_still))
        return strip.apply_style(style).adjust_cell_length(width, style)

    @property
    def _empty_words(self) -> str:
        is_filtered = self._list is not None and bool(self._list.filter)
        return "No matches." if is_filtered else "No tool has run yet."

    def _time_axis(self, turn: TurnRows, now: float) -> TimeAxis:
        """Return a turn's time line, counted once for all rows of a frame."""
        found = self._axes.get(turn.key)
        if found is None or found[0] != now:
            found = self._axes[turn.key] = (now, turn.time_axis(now))
        return found[1]

    @property
    def _current(self) -> str:
        """The key of what keys are about: what was chosen, else the newest tool use."""
        rows = self._list
        if rows is None:
            return ""
        if self.selected is not None and rows.line_of(self.selected) is not None:
            return self.selected
        return rows.newest

    @property
    def _current_use(self) -> ToolUse | None:
        rows, key = self._list, self._current
        if rows is None or self._projection is None:
            return None
        return rows.jobs.get(key) or self._projection.tools.get(key)

    # --- the user --------------------------------------------------------------------------------------------------

    def action_move(self, step: int) -> None:
        """Go to another row that can be chosen."""
        rows = self._list
        if rows is None:
            return
        found = rows.near(self._current, step)
        if found is not None:
            line, key = found
            self.selected = key if key != rows.newest else None
            self.scroll_to_region(Region(0, line, 1, 1), animate=False, immediate=True)
            if self.selected is None:
                self._followed = round(self.scroll_target_y)

    def watch_selected(self) -> None:
        self.refresh()

    def choose_job(self) -> None:
        """Let keys be about the first background job."""
        self.selected = next(iter(self._list.jobs), None) if self._list is not None else None

    def action_jump(self) -> None:
        """Show the tool use in the conversation; open or close an earlier turn."""
        current = self._current_use
        if current is None:
            self.action_details()
            return
        is_job = self._list is not None and current.id in self._list.jobs
        started_by = current.parent_id if is_job else None
        self.post_message(self.Jumped(started_by or current.id))

    def action_details(self) -> None:
        """Show where the time of a tool use went and why it waits, or no longer; open or close an earlier turn."""
        rows, key = self._list, self._current
        if rows is None or not key:
            return
        rows.toggle(key)
        self._fit()
        self.refresh()

    def action_stop(self) -> None:
        """Stop the tool use or job; an agent goes on where only one of its tool uses is stopped."""
        current = self._current_use
        if current is not None and current.phase in ("queued", "executing", "waiting"):
            self.post_message(self.StopRequested(current.id))

    def action_background(self) -> None:
        """Let the command go on in the background."""
        current = self._current_use
        is_job = self._list is not None and current is not None and current.id in self._list.jobs
        if current is not None and current.phase == "executing" and not is_job:
            self.post_message(self.BackgroundRequested(current.id))

    def on_click(self, event: events.Click) -> None:
        """Choose the row and do what Enter does."""
        number = event.get_content_offset_capture(self).y + self.scroll_offset.y
        row: ToolRow | None = self._list.row(number) if self._list is not None else None
        if row is not None and row.key:
            self.selected = row.key
            self.action_jump()

    # --- filter ------------------------------------------------------------------------------------------------------

    @property
    def is_writing(self) -> bool:
        """Whether keys are taken for a text to filter by."""
        return self._is_writing

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave Escape to the screen while there is nothing to clear."""
        if action == "filter_clear":
            return self._list is not None and bool(self._list.filter)
        return super().check_action(action, parameters)

    def action_filter_state(self) -> None:
        """Show what is in the next of the states only; after the last one all again."""
        if self._list is not None:
            self._filter_by(self._list.filter.next_state())

    def action_filter_text(self) -> None:
        """Take what is typed from now on for a text to filter by."""
        if self._list is not None:
            self._is_writing = True
            self._show_counts()

    def action_filter_clear(self) -> None:
        """Show all again."""
        from tui_agent.ui.panes.tool_filter import ToolFilter

        self._is_writing = False
        self._filter_by(ToolFilter())

    def _filter_by(self, wanted: ToolFilter) -> None:
        if self._list is not None:
            self._list.set_filter(wanted)
            self._followed = 0
            self._fit()
            self.scroll_to(y=0, animate=False, immediate=True)
            self._show_counts()
            self.refresh()

    def on_key(self, event: events.Key) -> None:
        """While a text to filter by is written, keys are its own."""
        if not self._is_writing or self._list is None:
            return
        match event.key:
            case "escape":
                self.action_filter_clear()
            case "enter" | "tab":
                self._end_writing()
            case key:
                edited = self._list.filter.edited(key, event.character if event.is_printable else None)
                if edited is None:
                    return
                self._filter_by(edited)
        event.stop()
        event.prevent_default()

    def on_blur(self) -> None:
        """Who leaves the pane has written enough."""
        self._end_writing()

    def _end_writing(self) -> None:
        if self._is_writing:
            self._is_writing = False
            self._show_counts()
