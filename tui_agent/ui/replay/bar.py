"""The line at the foot of a replay: what the tape does, where on it one is, which turn that is, and what is left out."""

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
    """Return a place of the tape as `1:05` or `1:02:03`."""
    whole = int(seconds)
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"


def speed_text(speed: float) -> str:
    """Return a speed as `0.25×` or `16×`."""
    return f"{speed:g}×"


class ReplayBar(Widget):
    """One line about a deck. A click on the tape goes there. It ticks only while the deck plays."""

    def __init__(self, deck: Playback, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._deck = deck
        self._timer: Timer | None = None
        self._shown: tuple[object, ...] = ()
        self._bar: tuple[int, int] = (0, 0)  # the cells of the tape: its first, and how many

    def on_mount(self) -> None:
        """Make the clock that ticks while the deck plays."""
        self._timer = self.set_interval(_TICK_S, self._tick, pause=True)
        self.show()

    def use(self, deck: Playback) -> None:
        """Tell about another deck."""
        self._deck = deck
        self.show()

    def show(self) -> None:
        """Show where the deck stands now."""
        if self._timer is not None:
            if self._deck.is_playing:
                self._timer.resume()
            else:
                self._timer.pause()
        self._tick()

    def _tick(self) -> None:
        deck = self._deck
        tenths = round(deck.position * 400 / deck.tape.total) if deck.tape.total else 0
        new = (
            len(deck.tape),
            deck.state,
            deck.speed,
            int(deck.position),
            tenths,
            deck.tape.turn_at(deck.count),
            self._left_out,
        )
        if new != self._shown:
            self._shown = new
            self.refresh()

    @property
    def _left_out(self) -> float:
        """Seconds left out of the pause that the tape is in, while it plays."""
        left_out = self._deck.tape.left_out_after(self._deck.count) if self._deck.is_playing else 0.0
        return left_out if left_out >= _SHORTEST_PAUSE_S else 0.0

    def render(self) -> Content:
        deck, tape, width = self._deck, self._deck.tape, max(1, self.size.width)
        if not len(tape):
            return Content.styled(" reading the recording…", muted(self.app))
        state = deck.state
        sign, style = _SIGNS[state]
        total = clock_text(tape.total)
        now = clock_text(deck.position).rjust(len(total))
        words, room = self._words()
        left = Content.assemble(
            " ", (f"{sign} {state:<7}", f"bold {style}"), f" {speed_text(deck.speed):<5} ", (now, "bold"), " "
        )
        right = Content.assemble(" ", total)
        cells = width - left.cell_length - right.cell_length - room - 3
        if cells < _SHORTEST_BAR:  # a narrow terminal: the words go first
            words, room = Content(), -2
            cells = width - left.cell_length - right.cell_length - 1
        cells = max(cells, 0)
        self._bar = (left.cell_length, cells)
        gap = max(0, room - words.cell_length)
        return Content.assemble(left, self._tape(cells), right, "  ", words, " " * gap).truncate(width)

    def _words(self) -> tuple[Content, int]:
        """Return which turn it is, or what is left out just now, and the cells that the longest such words need."""
        deck, tape = self._deck, self._deck.tape
        turns = len(tape.turns)
        turn = tape.turn_at(deck.count)
        place = f"turn {turn} of {turns}" if turn else count(turns, "turn")
        longest = len(f"turn {turns} of {turns}")
        if tape.left_out >= _SHORTEST_PAUSE_S:
            longest = max(longest, cell_len(f"» {duration(tape.left_out * 1000)} left out"))
        if left_out := self._left_out:
            return Content.styled(f"» {duration(left_out * 1000)} left out", "$text-warning"), longest
        if deck.state == "end" and tape.left_out >= _SHORTEST_PAUSE_S:
            return Content.styled(f"» {duration(tape.left_out * 1000)} left out", muted(self.app)), longest
        return Content.styled(place, muted(self.app)), longest

    def _tape(self, cells: int) -> Content:
        """Return the tape as a line: played, still to come, and where turns begin unless there are too many."""
        tape = self._deck.tape
        if not cells:
            return Content()
        played = round(cells * self._deck.position / tape.total) if tape.total else cells
        turns = tape.turns if len(tape.turns) * _MARKED_EACH <= cells else ()  # more would leave no line between them
        marks = {min(int(cells * tape.time_of(turn) / tape.total), cells - 1) for turn in turns if tape.total}
        done = "".join("╋" if cell in marks else "━" for cell in range(played))
        rest = "".join("┼" if cell in marks else "─" for cell in range(played, cells))
        return Content.assemble((done, "$text-primary"), (rest, muted(self.app)))

    def on_click(self, event: events.Click) -> None:
        """Go to the place of the tape that was clicked."""
        first, cells = self._bar
        if cells and first <= event.x < first + cells:
            seconds = self._deck.tape.total * (event.x - first) / max(cells - 1, 1)
            self._deck.go(seconds, self._deck.tape.count_at(seconds))
