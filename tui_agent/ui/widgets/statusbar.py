"""The quiet lines: where one is and what it costs (top), what goes on (above the prompt), mode and keys (bottom).

Each paints itself from a few values when they change. Only the middle one ticks, and only while something runs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len
from textual.content import Content
from textual.timer import Timer
from textual.widget import Widget

from tui_agent.text import clean_line
from tui_agent.ui.looks import muted, render_state
from tui_agent.ui.tool_views import view_for
from tui_agent.viewkit.tool_text import count, duration

if TYPE_CHECKING:
    from tui_agent.ui.projection import Projection, Status
    from tui_agent.viewkit.tool_view import ToolUse

__all__ = ["ActivityLine", "BottomLine", "TopLine", "fit_hints", "short_path"]

SPINNER: Final = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_TICK_S: Final = 0.1
_SLOW_TICK_S: Final = 1.0  # with reduced motion: seconds count, nothing turns
MODES: Final = {
    "default": ("default", "$foreground-muted"),
    "acceptEdits": ("accept edits", "$text-success"),
    "plan": ("plan", "$text-primary"),
    "dontAsk": ("never ask", "$text-warning"),
    "bypassPermissions": ("BYPASS PERMISSIONS", "$text-error"),
}
HINTS: Final[tuple[tuple[str, str], ...]] = (
    ("⇧⇥", "mode"), ("esc", "interrupt"), ("^o", "details"), ("F2", "tools"), ("F3", "diff"), ("^p", "commands"),
    ("F1", "help"),
)  # fmt: skip


def short_path(path: str, room: int) -> str:
    """Return a folder as people write it, its beginning left out when there is little room."""
    home = str(Path.home())
    text = clean_line(path)
    if text == home or text.startswith(home + "/"):
        text = "~" + text[len(home) :]
    while cell_len(text) > room and "/" in text.removeprefix("…/"):
        text = "…/" + text.removeprefix("…/").partition("/")[2]
    return text


def fit_hints(hints: Sequence[tuple[str, str]], room: int) -> list[tuple[str, str]]:
    """Return the hints that fit side by side; where not all do, the last but one goes first."""
    kept = list(hints)
    while kept and sum(cell_len(key) + cell_len(words) + 4 for key, words in kept) > room:
        kept.pop(-2 if len(kept) > 1 else -1)
    return kept


class TopLine(Widget):
    """Name, folder and branch on the left; model, context and cost on the right."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._status: Status | None = None

    def show(self, status: Status) -> None:
        """Show these values."""
        self._status = status
        self.refresh()

    def render(self) -> Content:
        width = max(1, self.size.width - 2)
        status = self._status
        if status is None:
            return Content.styled(" tui-agent", "bold $text-primary")
        right = _right(status)
        room = width - len(" · ".join(right)) - 2
        left = Content.styled("tui-agent", "bold $text-primary")
        branch = clean_line(status.branch, 40) + (f"●{status.changed_files}" if status.changed_files else "")
        space = room - left.cell_length - (len(branch) + 2 if branch else 0) - 2
        if space >= 8:
            left += Content.assemble("  ", (short_path(status.cwd, space), muted(self.app)))
        if branch and left.cell_length + cell_len(branch) + 2 <= room:
            left += Content.assemble("  ", (branch, "$text-accent" if status.changed_files else muted(self.app)))
        end = (
            Content(" · ").join(Content.styled(part, muted(self.app)) for part in right).truncate(width, ellipsis=True)
        )
        gap = width - left.cell_length - end.cell_length
        if gap < 1:
            return Content.assemble(" ", end.truncate(width))
        return Content.assemble(" ", left, " " * gap, end)


def _right(status: Status) -> list[str]:
    parts = [clean_line(status.model, 40)] if status.model else []
    if status.context_tokens and status.context_size:
        parts.append(f"{round(100 * status.context_tokens / status.context_size)}% ctx")
    elif status.context_tokens:
        parts.append(f"{status.context_tokens / 1000:.0f}k ctx")
    if status.cost_usd is not None:
        parts.append(f"${status.cost_usd:.2f}")
    return parts


class BottomLine(Widget):
    """The permission mode and as many keys as fit. `flash` puts a short word in their place, for a moment."""

    FLASH_S: Final = 2.5

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._mode = "default"
        self._is_busy = False
        self._is_trusted = True
        self._jobs = 0
        self._flash = ""
        self._timer: Timer | None = None

    def show(self, status: Status) -> None:
        """Show these values."""
        new = (status.mode, status.is_busy, status.is_trusted, status.jobs)
        if new != (self._mode, self._is_busy, self._is_trusted, self._jobs):
            self._mode, self._is_busy, self._is_trusted, self._jobs = new
            self.refresh()

    def flash(self, text: str) -> None:
        """Say something that need not be remembered."""
        if self._timer is not None:
            self._timer.stop()
        self._flash = text
        self._timer = self.set_timer(self.FLASH_S, self._end_flash)
        self.refresh()

    def _end_flash(self) -> None:
        self._flash, self._timer = "", None
        self.refresh()

    def render(self) -> Content:
        label, style = MODES.get(self._mode, (self._mode, muted(self.app)))
        line = Content.assemble(" ", (label, f"bold {style}"))
        if not self._is_trusted:
            line += Content.styled("  folder not trusted", "$text-warning")
        if self._jobs:
            line += Content.assemble("  ", (f"◍ {count(self._jobs, 'job')}", "$text-accent"))
        if self._flash:
            return (line + Content.assemble("   ", self._flash)).truncate(max(1, self.size.width), ellipsis=True)
        hints = [hint for hint in HINTS if self._is_busy or hint[0] != "esc"]
        for key, words in fit_hints(hints, self.size.width - line.cell_length - 1):
            line += Content.assemble("   ", (key, "bold"), " ", (words, muted(self.app)))
        return line.truncate(max(1, self.size.width))


class ActivityLine(Widget):
    """The rule above the prompt. While something goes on it says what, since when, and what waits.

    `clock` gives milliseconds on the events' clock. With `names_tools` it also stands in for the tool pane.
    """

    def __init__(self, *, clock: Callable[[], float] | None = None, id: str | None = None) -> None:
        super().__init__(id=id)
        self._clock = clock or (lambda: time.monotonic() * 1000)
        self._projection: Projection | None = None
        self._timer: Timer | None = None
        self._frame = 0
        self.names_tools = False

    def on_mount(self) -> None:
        """Make the clock that ticks while something runs."""
        is_still = self.app.animation_level == "none"
        self._timer = self.set_interval(_SLOW_TICK_S if is_still else _TICK_S, self._tick, pause=True)

    def refresh_from(self, projection: Projection) -> None:
        """Take in what goes on."""
        self._projection = projection
        if self._timer is not None:
            if projection.status.is_busy and not self._is_waiting:
                self._timer.resume()
            else:
                self._timer.pause()
        self.refresh()

    @property
    def _is_waiting(self) -> bool:
        """Whether nothing but the person can change anything."""
        projection = self._projection
        if projection is None or not projection.requests:
            return False
        return not any(use.running_since_ms is not None for use in self._turn_tools(projection))

    def _tick(self) -> None:
        self._frame += 1
        self.refresh()

    def render(self) -> Content:
        width = max(1, self.size.width)
        words = self._words()
        if words is None:
            return Content.styled("─" * width, "$border-blurred")
        words = words.truncate(max(1, width - 4), ellipsis=True)
        rest = max(0, width - words.cell_length - 4)
        return Content.assemble(("─ ", "$border-blurred"), words, (" " + "─" * (rest + 1), "$border-blurred")).truncate(
            width
        )

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
            use = projection.tools.get(projection.requests[0].tool_use_id)
            name = view_for(use.name).name(use) if use is not None else "A question"
            what = f"{number} wait for you" if number > 1 else f"{name} waits for you"
            return Content.assemble(("◷ ", "$text-warning"), (what, "$text-warning"))
        if self.names_tools:
            line = self._tools(projection, mark, now)
            if line is not None:
                return line
        since = duration(max(0.0, now - status.activity_since_ms))
        return Content.assemble(
            (f"{mark} ", "$text-primary"), clean_line(status.activity, 60), (f"  {since}", muted(self.app))
        )

    def _tools(self, projection: Projection, mark: str, now: float) -> Content | None:
        """Return the tool pane in one line: `⠹ Bash pytest 3.2s · 2 done · 1 waits`."""
        uses = list(self._turn_tools(projection))
        running = next((use for use in uses if use.phase == "executing"), None)
        if running is None:
            return None
        title = (
            view_for(running.name).title(running, max(10, self.size.width // 2), render_state(self.app)).text.rstrip()
        )
        parts = [f"{title} {duration(max(0.0, now - (running.executing_ms or now)))}"]
        counts = {
            "run": sum(use.phase == "executing" for use in uses) - 1,
            "done": sum(use.phase in ("completed", "yielded") for use in uses),
            "waits": sum(use.phase in ("queued", "streaming", "waiting") for use in uses),
        }
        parts += [f"{'+' if word == 'run' else ''}{number} {word}" for word, number in counts.items() if number > 0]
        if projection.jobs:
            parts.append(count(len(projection.jobs), "job"))
        return Content.assemble((f"{mark} ", "$text-primary"), " · ".join(parts))

    @staticmethod
    def _turn_tools(projection: Projection) -> list[ToolUse]:
        turn = projection.turn
        return [projection.tools[name] for name in turn.tool_ids] if turn is not None else []
