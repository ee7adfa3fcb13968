"""The app that plays a recording: the session's own screen, with the keys of a timeline.

The recording is read while the screen stands already: a long one takes its time. The keys work over the questions that were
recorded too, whatever key means what there: nobody can answer them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.widgets import Input, TextArea

from tui_agent.journal.load import JournalError
from tui_agent.ui.app import TuiAgentApp
from tui_agent.ui.dialogs.question import WaitingScreen
from tui_agent.ui.projection.projection import Projection
from tui_agent.ui.replay.bar import ReplayBar
from tui_agent.ui.replay.keys import ACTIONS, REPLAY_KEYS
from tui_agent.ui.replay.playback import Playback
from tui_agent.ui.replay.player import Player
from tui_agent.ui.replay.screens import GoToScreen, RecordedQuestions, ReplayScreen
from tui_agent.ui.replay.timeline import PlaceError, Timeline, joined

if TYPE_CHECKING:
    from pathlib import Path

    from tui_agent.boundary import Engine
    from tui_agent.events import Event
    from tui_agent.ui.engine import StartupPrompter
    from tui_agent.ui.questions import Questions

__all__ = ["ReplayApp"]


class ReplayApp(TuiAgentApp):
    """A session that was, on the screen. `read` gives its engine, called in a thread; `ending` is shown until then.

    What is wrong with the recording ends the app, and is in `fault`.
    """

    SESSION_SCREEN = ReplayScreen
    BINDINGS: ClassVar[list[BindingType]] = [
        *REPLAY_KEYS,
        Binding("ctrl+c", "stop_or_leave", "Copy; leave", show=False, priority=True),
    ]
    CSS = """
    #tape { height: 1; background: $background; }
    ModalScreen > #tape { dock: bottom; margin: 0 0 1 0; }
    """

    def __init__(
        self,
        read: Callable[[], Player],
        *,
        ending: Sequence[Event] = (),
        theme: str | None = None,
        has_reduced_motion: bool = False,
        key_files: Sequence[Path] = (),
    ) -> None:
        super().__init__(
            self._load, theme=theme, has_reduced_motion=has_reduced_motion, clock=self._now_ms, key_files=key_files
        )
        self.fault: JournalError | PlaceError | None = None
        self._read = read
        self._ending = ending
        self._playback = Playback(Timeline(()), lambda _: None)  # until the recording is there
        if isinstance(self._main, ReplayScreen):
            self._main.playback = self._playback

    def _now_ms(self) -> float:
        return self.engine.now_ms() if isinstance(self.engine, Player) else 0.0

    async def _load(self, prompter: StartupPrompter) -> Player | None:
        if self._ending:
            prompter.preview(self._ending)
        try:
            player = await asyncio.to_thread(self._read)
        except (JournalError, PlaceError) as error:
            self.fault = error
            return None
        self._playback = player.playback
        self._playback.leap = self._leap
        self._playback.on_change = self._show_place
        for bar in self._main.query(ReplayBar):
            bar.use(self._playback)
        return player

    def _make_questions(self, engine: Engine) -> Questions:
        return RecordedQuestions(self, engine, self.projection, self._playback)

    # --- places ------------------------------------------------------------------------------------------------------

    def _leap(self, new: Sequence[Event], *, is_anew: bool) -> None:
        """Take in all that lies between two places in one go, and paint once."""
        has_unseen = self.frames.backlog.is_long
        before = self.frames.take_rest()
        if is_anew:
            self.projection = Projection()
            before = []
        dirty = self.projection.apply([*before, *joined(new)])
        self._show(dirty.everything() if is_anew or has_unseen else dirty)

    def _show_place(self) -> None:
        if self._main.is_mounted:
            is_still = not self._playback.is_playing
            self._main.tools.hold_time(is_still)
            self._main.conversation.activity.hold_time(is_still)
            self._main.conversation.strip.hold_time(is_still)
        for screen in self.screen_stack:
            for bar in screen.query(ReplayBar):
                bar.show()

    # --- keys --------------------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave keys to fields that are written into, and to dialogs that are not recorded."""
        if action in ACTIONS:
            if not len(self._playback.timeline):
                return action == "leave"
            if isinstance(self.screen, WaitingScreen):
                return True
            is_writing = isinstance(self.focused, Input | TextArea) or self._main.tools.is_writing
            return self.screen is self._main and not is_writing
        return super().check_action(action, parameters)

    def action_play(self) -> None:
        """Pause or go on."""
        self._playback.toggle()

    def action_step(self, direction: int) -> None:
        """Go to the next step, or the one before."""
        self._playback.step(direction)

    def action_nudge(self, direction: int) -> None:
        """Go one recorded event on or back."""
        self._playback.nudge(direction)

    def action_turn(self, direction: int) -> None:
        """Go to the next turn, or back."""
        self._playback.turn(direction)

    def action_speed(self, direction: int) -> None:
        """Play faster or slower."""
        self._playback.change_speed(direction)

    def action_edge(self, end: int) -> None:
        """Go to the beginning or to the end."""
        self._playback.go_to_count(len(self._playback.timeline) if end else 0)

    def action_ask_place(self) -> None:
        """Ask where to go."""
        self.push_screen(GoToScreen(self._playback.timeline), self._go)

    def _go(self, place: tuple[float, int] | None) -> None:
        if place is not None:
            self._playback.go(*place)

    def action_leave(self) -> None:
        """Leave."""
        self.exit(0)

    def action_stop_or_leave(self) -> None:
        """Copy what is selected, else leave: nothing runs that could be interrupted."""
        if self.screen is self._main and self._main.conversation.transcript.has_selection:
            super().action_stop_or_leave()
        else:
            self.exit(0)

    def action_help(self) -> None:
        """Show the keys, those of the timeline first."""
        from tui_agent.ui.screen_text.help_text import sections
        from tui_agent.ui.screen_text.sections import section
        from tui_agent.ui.screens.help import HelpScreen

        kept = [part for part in sections() if part[0] in ("Conversation", "Tools", "Diff")]
        self.push_screen(HelpScreen([section("Replay", REPLAY_KEYS), *kept]))
