"""The line at the foot of a replay: what the timeline does, where on it one is, which turn that is, and what is left out."""

from __future__ import annotations

from typing import Final

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.timer import Timer
from textual.widget import Widget

from tui_agent.ui.render_style import muted
from tui_agent.ui.replay.playback import DeckState, Playback
from tui_agent.viewkit.tool_text import count, duration

__all__ = ["ReplayBar", "clock_text", "speed_text"]

_TICK_S: Final = 0.25
_SIGNS: Final[dict[DeckState, tuple[str, str]]] = {
    "playing": ("▶", "$text-primary"), "paused": ("Ⅱ", "$text-warning"), "end": ("■", "$text-success"),
}  # fmt: skip
_SHORTEST_BAR: Final = 8
_MARKED_EACH: Final = 2  # cells a turn needs to be marked
_SHORTEST_PAUSE_S: Final = 1.0  # of what is left out; less is not worth a word


def clock_text(seconds: float) -> str:
    """Return a place of the timeline as `1:05` or `1:02:03`."""
    whole = int(seconds)
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"


def speed_text(speed: float) -> str:
    """Return a speed as `0.25×` or `16×`."""
    return f"{speed:g}×"


class ReplayBar(Widget):
    """One line about a playback. A click on the timeline goes there. It ticks only while the playback plays."""

    def __init__(self, playback: Playback, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._playback = playback
        self._timer: Timer | None = None
        self._shown: tuple[object, ...] = ()
        self._bar: tuple[int, int] = (0, 0)  # the cells of the timeline: its first, and how many

    def on_mount(self) -> None:
        """Make the clock that ticks while the playback plays."""
        self._timer = self.set_interval(_TICK_S, self._tick, pause=True)
        self.show()

    def use(self, playback: Playback) -> None:
        """Tell about another playback."""
        self._playback = playback
        self.show()

    def show(self) -> None:
        """Show where the playback stands now."""
        if self._timer is not None:
            if self._playback.is_playing:
                self._timer.resume()
            else:
                self._timer.pause()
        self._tick()

    def _tick(self) -> None:
        playback = self._playback
        tenths = round(playback.position * 400 / playback.timeline.total) if playback.timeline.total else 0
        new = (
            len(playback.timeline),
            playback.state,
            playback.speed,
            int(playback.position),
            tenths,
            playback.timeline.turn_at(playback.count),
            self._left_out,
        )
        if new != self._shown:
            self._shown = new
            self.refresh()

    @property
    def _left_out(self) -> float:
        """Seconds left out of the pause that the timeline is in, while it plays."""
        left_out = self._playback.timeline.left_out_after(self._playback.count) if self._playback.is_playing else 0.0
        return left_out if left_out >= _SHORTEST_PAUSE_S else 0.0

    def render(self) -> Content:
        playback, timeline, width = self._playback, self._playback.timeline, max(1, self.size.width)
        if not len(timeline):
            return Content.styled(" reading the recording…", muted(self.app))
        state = playback.state
        sign, style = _SIGNS[state]
        total = clock_text(timeline.total)
        now = clock_text(playback.position).rjust(len(total))
        words, room = self._words()
        left = Content.assemble(
            " ", (f"{sign} {state:<7}", f"bold {style}"), f" {speed_text(playback.speed):<5} ", (now, "bold"), " "
        )
        right = Content.assemble(" ", total)
        cells = width - left.cell_length - right.cell_length - room - 3
        if cells < _SHORTEST_BAR:  # a narrow terminal: the words go first
            words, room = Content(), -2
            cells = width - left.cell_length - right.cell_length - 1
        cells = max(cells, 0)
        self._bar = (left.cell_length, cells)
        gap = max(0, room - words.cell_length)
        return Content.assemble(left, self._timeline(cells), right, "  ", words, " " * gap).truncate(width)

    def _words(self) -> tuple[Content, int]:
        """Return which turn it is, or what is left out just now, and the cells that the longest such words need."""
        playback, timeline = self._playback, self._playback.timeline
        turns = len(timeline.turns)
        turn = timeline.turn_at(playback.count)
        place = f"turn {turn} of {turns}" if turn else count(turns, "turn")
        longest = len(f"turn {turns} of {turns}")
        if timeline.left_out >= _SHORTEST_PAUSE_S:
            longest = max(longest, cell_len(f"» {duration(timeline.left_out * 1000)} skipped"))
        if left_out := self._left_out:
            return Content.styled(f"» {duration(left_out * 1000)} skipped", "$text-warning"), longest
        if playback.state == "end" and timeline.left_out >= _SHORTEST_PAUSE_S:
            return Content.styled(f"» {duration(timeline.left_out * 1000)} skipped", muted(self.app)), longest
        return Content.styled(place, muted(self.app)), longest

    def _timeline(self, cells: int) -> Content:
        """Return the timeline as a line: played, still to come, and where turns begin unless there are too many."""
        timeline = self._playback.timeline
        if not cells:
            return Content()
        played = round(cells * self._playback.position / timeline.total) if timeline.total else cells
        turns = (
            timeline.turns if len(timeline.turns) * _MARKED_EACH <= cells else ()
        )  # more would leave no line between them
        marks = {
            min(int(cells * timeline.time_of(turn) / timeline.total), cells - 1) for turn in turns if timeline.total
        }
        done = "".join("╋" if cell in marks else "━" for cell in range(played))
        rest = "".join("┼" if cell in marks else "─" for cell in range(played, cells))
        return Content.assemble((done, "$text-primary"), (rest, muted(self.app)))

    def on_click(self, event: events.Click) -> None:
        """Go to the place of the timeline that was clicked."""
        first, cells = self._bar
        if cells and first <= event.x < first + cells:
            seconds = self._playback.timeline.total * (event.x - first) / max(cells - 1, 1)
            self._playback.go(seconds, self._playback.timeline.count_at(seconds))
