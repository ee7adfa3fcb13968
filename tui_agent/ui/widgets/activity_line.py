"""The rule above the prompt: what goes on, since when, and what waits. It ticks, and only while something runs."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, Final, Self

from rich.cells import cell_len
from textual.content import Content
from textual.geometry import Region
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from tui_agent.text import clean_line
from tui_agent.ui.render_style import muted, render_state
from tui_agent.ui.transcript.tool_views import view_for
from tui_agent.ui.widgets.key_hints import INTERRUPT, Hint
from tui_agent.viewkit.tool_text import count, duration

if TYPE_CHECKING:
    from tui_agent.ui.projection.projection import Projection

__all__ = ["ActivityLine"]

SPINNER: Final = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_TICK_S: Final = 0.2
_SLOW_TICK_S: Final = 1.0  # with reduced motion: seconds count, nothing turns
_ROOMY: Final = 60  # columns from which on the key that interrupts is named, whatever else is to be said
_INTERRUPT_ROOM: Final = 22  # columns for that, and for the rule around
_STEADY: Final = 40  # columns from which on a running tool's time has a place of its own


class ActivityLine(Widget):
    """The rule above the prompt. While something goes on it says what, since when, and what waits.

    `clock` gives milliseconds on the events' clock. With `names_tools` it also stands in for the tool pane.
    """

    ALLOW_SELECT: ClassVar[bool] = False  # it is another one in a moment

    def __init__(self, *, clock: Callable[[], float] | None = None, id: str | None = None) -> None:
        super().__init__(id=id)
        self._clock = clock or (lambda: time.monotonic() * 1000)
        self._projection: Projection | None = None
        self._timer: Timer | None = None
        self._frame = 0
        self._painted: Strip | None = None
        self._is_time_still = False
        self.names_tools = False
        self._summary: Content | None = None
        self._interrupt: Hint = INTERRUPT

    def on_mount(self) -> None:
        """Make the clock that ticks while something runs."""
        is_still = self.app.animation_level == "none"
        self._timer = self.set_interval(_SLOW_TICK_S if is_still else _TICK_S, self._tick, pause=True)

    def refresh_from(self, projection: Projection) -> None:
        """Take in what goes on."""
        self._projection = projection
        self._set_ticking()
        self.refresh()

    def show_summary(self, summary: Content | None) -> None:
        """Show this while nothing goes on: what the tools of the last turn came to."""
        if summary != self._summary:
            self._summary = summary
            self.refresh()

    def name_interrupt(self, hint: Hint) -> None:
        """Name this key, while something goes on, as the one that interrupts it."""
        if hint != self._interrupt:
            self._interrupt = hint
            self.refresh()

    def hold_time(self, is_still: bool) -> None:
        """Say whether the clock stands still, as in a recording that is paused: then nothing ticks."""
        self._is_time_still = is_still
        self._set_ticking()

    def _set_ticking(self) -> None:
        projection = self._projection
        if self._timer is None or projection is None:
            return
        if projection.status.is_busy and not self._is_waiting and not self._is_time_still:
            self._timer.resume()
        else:
            self._timer.pause()

    @property
    def _is_waiting(self) -> bool:
        """Whether nothing but the user can change anything."""
        projection = self._projection
        if projection is None or not projection.requests:
            return False
        return not any(use.running_since_ms is not None for use in projection.unfinished_tools.values())

    def _tick(self) -> None:
        self._frame += 1
        self.refresh()

    def refresh(self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False) -> Self:
        """Paint the line anew; until then it stays as it is, whatever the time."""
        self._painted = None
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)

    def notify_style_update(self) -> None:
        """Forget what was painted in the old style."""
        super().notify_style_update()
        self._painted = None

    def render_lines(self, crop: Region) -> list[Strip]:
        """Paint the line as it is: it has no border, padding or wrapping, and looking for those costs most of a tick."""
        line, width = self._painted, self.size.width
        if line is None or line.cell_length != width:
            style = self.visual_style
            line = Strip(self.render().render_segments(style)).adjust_cell_length(width, style.rich_style)
            background = self.background_colors[1]
            for colours in self.get_line_filters():
                line = line.apply_filter(colours, background)
            self._painted = line
        return [line.crop(*crop.column_span)] * crop.height

    def render(self) -> Content:
        width = max(1, self.size.width)
        words = self._words()
        if words is None:
            words = self._summary
        if words is None:
            return Content.styled("─" * width, "$border-blurred")
        end = self._end(words, width)
        words = words.truncate(max(1, width - 4 - end.cell_length), ellipsis=True)
        rest = max(0, width - words.cell_length - end.cell_length - 3)
        rule = (" " + "─" * rest, "$border-blurred")
        return Content.assemble(("─ ", "$border-blurred"), words, rule, end).truncate(width)

    def _end(self, words: Content, width: int) -> Content:
        """Return the key that interrupts what goes on, for the right end of the line; while you are asked, it answers."""
        projection = self._projection
        if projection is None or not projection.status.is_busy or projection.requests or not self._interrupt[0]:
            return Content()
        key, does = self._interrupt
        end = Content.assemble(" ", (key, "bold"), " ", (does, muted(self.app)), (" ─", "$border-blurred"))
        return end if width >= _ROOMY or words.cell_length + end.cell_length + 4 <= width else Content()

    def _words(self) -> Content | None:
        projection = self._projection
        if projection is None or not projection.status.is_busy:
            return None
        status, now = projection.status, self._clock()
        mark = "●" if self.app.animation_level == "none" else SPINNER[self._frame % len(SPINNER)]
        if status.retry is not None:
            left = max(0.0, status.retry.due_ms - now) / 1000
            return Content.assemble(
                ("↻ ", "$text-warning"),
                f"try {status.retry.attempt} of {status.retry.max_attempts} in {left:.0f}s: ",
                (clean_line(status.retry.reason, 200), muted(self.app)),
            )
        if projection.requests:
            number = len(projection.requests)
            use = projection.use_of(projection.requests[0])
            name = view_for(use.name).name(use) if use is not None else "A question"
            what = f"{number} wait for you" if number > 1 else f"{name} waits for you"
            return Content.assemble(("◷ ", "$text-warning"), (what, "$text-warning"))
        if self.names_tools:
            line = self._tools(projection, mark, now)
            if line is not None:
                return line
        use = projection.tools.get(status.activity_tool)
        began = use.running_since_ms if use is not None else None  # it may have while the model was still writing
        since = duration(max(0.0, now - (status.activity_since_ms if began is None else began)))
        what = status.activity if use is None else f"{status.activity} {view_for(use.name).name(use)}"
        return Content.assemble((f"{mark} ", "$text-primary"), clean_line(what, 60), (f"  {since}", muted(self.app)))

    def _tools(self, projection: Projection, mark: str, now: float) -> Content | None:
        """Return the tool pane in one line: `⠹ Bash pytest 3.2s · 2 done · 1 waits`."""
        uses = projection.unfinished_tools.values()
        running = next((use for use in uses if use.phase == "executing"), None)
        turn = projection.turn
        if running is None or turn is None:
            return None
        title = (
            view_for(running.name).title(running, max(10, self.size.width // 2), render_state(self.app)).text.rstrip()
        )
        since = duration(max(0.0, now - (running.running_since_ms or now)))
        # A place of its own, so that what follows stays where it is; in the smallest windows there is no room for that.
        parts = [f"{title} {since:>6}" if self.size.width >= _STEADY else f"{title} {since}"]
        counts = {
            "run": sum(use.phase == "executing" for use in uses) - 1,
            "done": len(turn.tool_ids) - len(uses),
            "queued": sum(use.phase in ("queued", "streaming", "waiting") for use in uses),
        }
        parts += [f"{'+' if word == 'run' else ''}{number} {word}" for word, number in counts.items() if number > 0]
        if projection.jobs:
            parts.append(count(len(projection.jobs), "job"))
        room = self.size.width - (_INTERRUPT_ROOM if self.size.width >= _ROOMY else 6)
        while len(parts) > 1 and cell_len(" · ".join(parts)) > room:
            parts.pop()
        return Content.assemble((f"{mark} ", "$text-primary"), " · ".join(parts))
