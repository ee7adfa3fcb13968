"""A recorded session on the screen: the journal's events through the same bus, projection and panes as a live one.

The recording takes the place of the engine. Its clock is the recorded one, so that times, bars and spinners say what they
said then, however fast it is played; questions it asks can be read, and answering them changes nothing.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tui_agent.bus import Bus
from tui_agent.events import Event, ModeChanged, ModelChanged, Notice, SessionStarted
from tui_agent.journal.load import read_events
from tui_agent.permissions.modes import MODES, Mode
from tui_agent.permissions.verdict import Decision, Verdict
from tui_agent.ui.app import TuiAgentApp

if TYPE_CHECKING:
    from textual.app import App

    from tui_agent.changes import FileChange
    from tui_agent.tools.forms import Answers
    from tui_agent.ui.engine import Lobby

__all__ = ["Player", "draw_svg", "load", "picture", "replay_app"]

_LONGEST_PAUSE_S: Final = 2.0  # nobody wants to watch somebody think


class Player:
    """An engine that plays recorded events. `speed` is in times of the recorded one; None plays all at once."""

    def __init__(self, events: Sequence[Event], *, speed: float | None = None, problems: Sequence[str] = ()) -> None:
        self._events = tuple(events)
        self._problems = tuple(problems)
        self._speed = speed
        self._position_ms = self._events[0].monotonic_ms if self._events else 0.0
        self._resumed_at = 0.0  # on this process's clock, when the position was set
        self._playing: asyncio.Task[None] | None = None
        session = self._events[0].session_id if self._events else ""
        self.bus = Bus(session, wall=lambda: self._events[-1].time, monotonic=lambda: self.now_ms() / 1000)

    def now_ms(self) -> float:
        """Milliseconds on the recorded clock."""
        if self._speed is None or self._playing is None or self._playing.done():
            return self._position_ms
        return self._position_ms + (time.monotonic() - self._resumed_at) * 1000 * self._speed

    # --- playing -----------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Play: all of it now, or from now on."""
        for problem in self._problems:
            self.bus.publish(Notice(level="warning", text=f"Left out of this recording: {problem}"))
        if self._speed is None:
            for event in self._events:
                self._give(event)
        else:
            self._playing = asyncio.create_task(self._play(self._speed))

    async def _play(self, speed: float) -> None:
        for event in self._events:
            pause = (event.monotonic_ms - self._position_ms) / 1000
            if pause > 0:  # the clock of another process, in a resumed session, may lie before this one's
                await asyncio.sleep(min(pause, _LONGEST_PAUSE_S) / speed)
            self._give(event)

    def _give(self, event: Event) -> None:
        self._position_ms = event.monotonic_ms
        self._resumed_at = time.monotonic()
        self.bus.republish(event)

    # --- what an engine is asked -------------------------------------------------------------------------------------

    @property
    def id(self) -> str:
        """The recorded session's id."""
        return self.bus.session_id

    @property
    def mode(self) -> Mode:
        """The mode the recording ended in."""
        named = [event.mode for event in self._events if isinstance(event, SessionStarted | ModeChanged)]
        return next((mode for mode in MODES if named and mode == named[-1]), "default")

    @property
    def model(self) -> str:
        """The model the recording ended with."""
        named = [event.model for event in self._events if isinstance(event, SessionStarted | ModelChanged)]
        return named[-1] if named else ""

    @property
    def is_busy(self) -> bool:
        """Nothing runs in a recording."""
        return False

    def submit(self, text: str) -> str:  # noqa: ARG002 - an engine's signature
        """Say that nobody listens."""
        self.bus.publish(
            Notice(level="info", text="This is a recording: nobody is there to answer.", hint="^q leaves it.")
        )
        return ""

    def answer(self, request_id: str, decision: Decision) -> bool:  # noqa: ARG002
        """What was asked is long settled."""
        return False

    def proposals(self, request_id: str) -> tuple[FileChange, ...]:  # noqa: ARG002
        """A recording holds hunks, not the texts to apply them to."""
        return ()

    def answer_form(self, request_id: str, answers: Answers | None) -> bool:  # noqa: ARG002
        """What was asked is long answered."""
        return False

    def judge(self, request_id: str, input: dict[str, Any]) -> Verdict:  # noqa: ARG002
        """Nothing is judged in a recording."""
        return Verdict(behavior="deny", by="default", reason="this is a recording")

    @property
    def tool_names(self) -> Sequence[tuple[str, str]]:
        """Nothing can be run in a recording."""
        return ()

    def run_tool(self, line: str) -> str:  # noqa: ARG002
        """Nothing is run in a recording."""
        return "This is a recording: nothing can be run in it."

    def take_back(self) -> str | None:
        """Nothing waits."""
        return None

    def interrupt(self) -> None:
        """Nothing runs."""

    def set_mode(self, mode: Mode) -> None:
        """What was recorded stays."""

    def cycle_mode(self) -> None:
        """What was recorded stays."""

    def set_model(self, model: str) -> None:
        """What was recorded stays."""

    def stop_tool(self, tool_use_id: str) -> None:
        """Nothing runs."""

    def stop_job(self, job_id: str) -> None:
        """Nothing runs."""

    def move_to_background(self, tool_use_id: str) -> None:
        """Nothing runs."""

    def clear(self) -> None:
        """What was recorded stays."""

    async def refresh(self) -> None:
        """What surrounded a recording is in the recording."""

    async def wait_idle(self) -> None:
        """Return when the recording has been played."""
        if self._playing is not None:
            await asyncio.wait({self._playing})

    async def close(self) -> None:
        """Stop playing."""
        if self._playing is not None:
            self._playing.cancel()


def replay_app(player: Player, *, theme: str | None = None, has_reduced_motion: bool = False) -> TuiAgentApp:
    """Return an app that shows what `player` plays."""

    async def connect(_lobby: Lobby) -> Player:
        return player

    return TuiAgentApp(connect, theme=theme, has_reduced_motion=has_reduced_motion, clock=player.now_ms)


def load(path: Path, *, speed: float | None = None) -> Player:
    """Return a player of the journal at `path`.

    Raises:
        JournalError: it cannot be read, or holds no events.
    """
    recording = read_events(path)
    return Player(recording.events, speed=speed, problems=recording.problems)


def picture(app: App[Any]) -> str:
    """Return the app's screen as SVG. The names in it are made of its content; a fixed one keeps pictures comparable."""
    return re.sub(r"\bterminal-\d+-", "terminal-", app.export_screenshot(title="tui-agent"))


async def draw_svg(player: Player, size: tuple[int, int], *, theme: str | None = None) -> str:
    """Return the screen as it is at the end of the recording, `size` in columns and rows, as SVG. Needs no terminal.

    The same recording gives the same text.
    """
    app = replay_app(player, theme=theme, has_reduced_motion=True)
    async with app.run_test(size=size) as pilot:
        while app.engine is None or player.bus.waiting:
            await pilot.pause()
        await pilot.pause()
        return picture(app)
