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

from tui_agent.permissions.modes import LABELS
from tui_agent.text import clean_line
from tui_agent.ui.render_style import muted, render_state
from tui_agent.ui.screen_text.context_text import share
from tui_agent.ui.screen_text.thinking_text import standing
from tui_agent.ui.transcript.tool_views import view_for
from tui_agent.viewkit.tool_text import count, duration, tokens

if TYPE_CHECKING:
    from tui_agent.ui.projection.projection import Projection, Status

__all__ = ["HELP", "HINTS", "INTERRUPT", "ActivityLine", "BottomLine", "Hint", "TopLine", "fit_hints", "short_path"]

Hint = tuple[str, str]  # a key, and what it does

SPINNER: Final = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_TICK_S: Final = 0.2
_STEADY: Final = 40  # columns from which on a running tool's time has a place of its own
_SANDBOX_WIDTH: Final = 60  # columns from which on the sandbox is named that only commands that read run in
_ROOMY: Final = 80  # columns from which on a model's name is written in full
_FOLDER_ROOM: Final = 8  # columns below which a folder says nothing
_NEARLY: Final = 0.8  # of the context, or of the spending limit
_CENTS_TELL: Final = 0.1  # dollars of a limit from which on whole cents say how near it is
_SLOW_TICK_S: Final = 1.0  # with reduced motion: seconds count, nothing turns
MODES: Final = {
    "default": ("default", "$foreground-muted"),
    "acceptEdits": (LABELS["acceptEdits"], "$text-success"),
    "plan": (LABELS["plan"], "$text-primary"),
    "dontAsk": (LABELS["dontAsk"], "$text-warning"),
    "bypassPermissions": (LABELS["bypassPermissions"], "$text-error"),
}
INTERRUPT: Final[Hint] = ("esc", "interrupt")  # named while there is something to interrupt
HELP: Final[Hint] = ("F1", "help")
HINTS: Final[tuple[Hint, ...]] = (
    ("⇧⇥", "mode"), INTERRUPT, ("^o", "details"), ("F2", "tools"), ("F3", "diff"), ("^p", "commands"), HELP,
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


def fit_hints(hints: Sequence[Hint], room: int) -> list[Hint]:
    """Return the hints that fit side by side; where not all do, the last but one goes first."""
    kept = list(hints)
    while kept and _room_for(kept) > room:
        kept.pop(-2 if len(kept) > 1 else -1)
    return kept


def _room_for(hints: Sequence[Hint]) -> int:
    """Return how many columns hints take side by side, each with the three blanks before it."""
    return sum(cell_len(key) + cell_len(words) + 4 for key, words in hints)


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
        end = Content(" · ").join(self._right(status, width)).truncate(width, ellipsis=True)
        left = self._left(status, width - end.cell_length - 2)
        return Content.assemble(" ", left, " " * (width - left.cell_length - end.cell_length), end)

    def _left(self, status: Status, room: int) -> Content:
        """Return name, folder and branch as far as there is room: the branch matters most, then the name."""
        branch = clean_line(status.branch, 40) + (f"●{status.changed_files}" if status.changed_files else "")
        where = Content.styled(branch, "$text-accent" if status.changed_files else muted(self.app))
        name = Content.styled("tui-agent", "bold $text-primary")
        if where.cell_length > room:
            return name if name.cell_length <= room else Content("")
        space = room - name.cell_length - (where.cell_length + 2 if branch else 0)
        if space < 0:
            return where
        parts = [name]
        if space - 2 >= _FOLDER_ROOM and status.cwd:
            parts.append(Content.styled(short_path(status.cwd, space - 2), muted(self.app)))
        return Content("  ").join([*parts, where] if branch else parts).truncate(room, ellipsis=True)

    def _right(self, status: Status, width: int) -> list[Content]:
        """Return model, context and cost. All are there from the start, so that nothing moves when they become known.

        That the model does not think is said beside it, and nothing where it does, as usual.
        """
        if not status.model:
            return []
        model = clean_line(status.model, 40)
        parts = [(model.removeprefix("claude-") if width < _ROOMY else model, "")]
        if thinking := standing(status):
            parts.append((thinking, "$text-accent"))
        if status.context_size:
            is_near = status.context_tokens >= _NEARLY * status.context_size
            filled = share(status.context_tokens, status.context_size)
            parts.append((f"{filled} ctx", "$text-warning" if is_near else ""))
        else:
            parts.append((f"{tokens(status.context_tokens)} ctx" if status.context_tokens else "0% ctx", ""))
        parts.append(_cost(status))
        return [Content.styled(text, style or muted(self.app)) for text, style in parts]


def _cost(status: Status) -> tuple[str, str]:
    """Return what was spent, of the limit where there is one, and how it looks."""
    spent = status.cost_usd
    if spent is None:
        spent = 0.0
        if status.context_tokens:
            return "$?", ""  # there were answers, and nobody knows what they cost
    if status.limit_usd is None:
        return f"${spent:.2f}", ""
    digits = 2 if status.limit_usd >= _CENTS_TELL else 4
    text = f"${spent:.{digits}f} of ${status.limit_usd:.{digits}f}"
    is_near = spent >= _NEARLY * status.limit_usd
    return (f"{text} !", "$text-warning") if is_near else (text, "")


class BottomLine(Widget):
    """The permission mode and as many keys as fit. `brief` puts a short word in their place, for a moment.

    How to interrupt, and such a word, matter more than which sandbox there is.
    """

    BRIEF_S: Final = 2.5

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._mode = "default"
        self._is_busy = False
        self._is_trusted = True
        self._jobs = 0
        self._sandbox = ""
        self._shows_secrets = False
        self._brief = ""
        self._timer: Timer | None = None
        self._hints: tuple[Hint, ...] = HINTS
        self._is_in_pane = False

    def show(self, status: Status) -> None:
        """Show these values."""
        new = (status.mode, status.is_busy, status.is_trusted, status.jobs, status.sandbox, status.shows_secrets)
        if new != (self._mode, self._is_busy, self._is_trusted, self._jobs, self._sandbox, self._shows_secrets):
            self._mode, self._is_busy, self._is_trusted, self._jobs, self._sandbox, self._shows_secrets = new
            self.refresh()

    def name_keys(self, hints: tuple[Hint, ...], *, is_in_pane: bool = False) -> None:
        """Name these keys from now on, the most important first; the last is named wherever there is any room.

        Those of a pane that has the focus (`is_in_pane`) come before everything else.
        """
        if (hints, is_in_pane) != (self._hints, self._is_in_pane):
            self._hints, self._is_in_pane = hints, is_in_pane
            self.refresh()

    def show_briefly(self, text: str) -> None:
        """Say something that need not be remembered."""
        if self._timer is not None:
            self._timer.stop()
        self._brief = text
        self._timer = self.set_timer(self.BRIEF_S, self._end_brief)
        self.refresh()

    def _end_brief(self) -> None:
        self._brief, self._timer = "", None
        self.refresh()

    def render(self) -> Content:
        width = max(1, self.size.width)
        brief = Content.assemble("   ", self._brief) if self._brief else Content()
        hints = [hint for hint in self._hints if self._is_busy or hint[1] != INTERRUPT[1]]
        wanted = brief.cell_length or (_room_for(hints[:2] + hints[-1:]) + 1 if self._is_busy else 0)
        if brief:
            return (self._facts(width - wanted) + brief).truncate(width, ellipsis=True)
        if self._is_in_pane:  # what can be done there matters more than how things stand
            line = Content()
            for key, words in fit_hints(hints, width - 1):
                line += Content.assemble("   " if line else " ", (key, "bold"), " ", (words, muted(self.app)))
            facts = self._facts(max(0, width - line.cell_length - 1))
            return line + Content(" ") + facts if line.cell_length + facts.cell_length < width else line.truncate(width)
        line = self._facts(width - wanted)
        for key, words in fit_hints(hints, width - line.cell_length - 1):
            line += Content.assemble("   ", (key, "bold"), " ", (words, muted(self.app)))
        return line.truncate(width)

    def _facts(self, room: int) -> Content:
        """Return the mode, and what else holds now; a sandbox that is nothing special only where all fits into `room`."""
        label, style = MODES.get(self._mode, (self._mode, muted(self.app)))
        line = Content.assemble(" ", (label, f"bold {style}"))
        if not self._is_trusted:
            line += Content.styled("  folder not trusted", "$text-warning")
        if self._shows_secrets:
            line += Content.styled("  secrets shown", "$text-error")
        jobs = Content.assemble("  ", (f"◍ {count(self._jobs, 'job')}", "$text-accent")) if self._jobs else Content()
        return line + self._sandbox_words(room - line.cell_length - jobs.cell_length) + jobs

    def _sandbox_words(self, room: int) -> Content:
        """Say which sandbox commands run in; that there is none is worth a warning, and room even where there is little."""
        name, _, on = clean_line(self._sandbox, 40).partition(",")
        if not name:
            return Content()
        if name == "none":
            return Content.assemble("  ", ("no sandbox", "$text-warning"))
        if on:
            return Content.assemble("  ", (f"sandbox on ({name})", "$text-success"))
        words = Content.assemble("  ", (f"sandbox: {name}", muted(self.app)))
        return words if self.size.width >= _SANDBOX_WIDTH and words.cell_length <= room else Content()


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
        self._is_time_still = False
        self.names_tools = False
        self._summary: Content | None = None

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

    def render(self) -> Content:
        width = max(1, self.size.width)
        words = self._words()
        if words is None:
            words = self._summary
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
        since = duration(max(0.0, now - (running.executing_ms or now)))
        # A place of its own, so that what follows stays where it is; in the smallest windows there is no room for that.
        parts = [f"{title} {since:>6}" if self.size.width >= _STEADY else f"{title} {since}"]
        counts = {
            "run": sum(use.phase == "executing" for use in uses) - 1,
            "done": len(turn.tool_ids) - len(uses),
            "waits": sum(use.phase in ("queued", "streaming", "waiting") for use in uses),
        }
        parts += [f"{'+' if word == 'run' else ''}{number} {word}" for word, number in counts.items() if number > 0]
        if projection.jobs:
            parts.append(count(len(projection.jobs), "job"))
        return Content.assemble((f"{mark} ", "$text-primary"), " · ".join(parts))
