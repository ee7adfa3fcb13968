"""The screens of a replay: the session's own without its prompt, questions as they were asked, and where to go."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Final

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from tui_agent.text import clean_line
from tui_agent.ui.dialogs.dialog import Dialog
from tui_agent.ui.dialogs.input_grace import InputGrace
from tui_agent.ui.main_screen import MainScreen
from tui_agent.ui.questions import Questions
from tui_agent.ui.replay.bar import ReplayBar, clock_text
from tui_agent.ui.replay.keys import REPLAY_KEYS
from tui_agent.ui.replay.timeline import PlaceError
from tui_agent.ui.widgets.field import Field
from tui_agent.ui.widgets.key_hints import HELP
from tui_agent.ui.widgets.key_line import KeyLine
from tui_agent.viewkit.tool_text import count

if TYPE_CHECKING:
    from textual.app import App

    from tui_agent.boundary import Engine
    from tui_agent.ui.dialogs.question import QueuePosition, WaitingScreen
    from tui_agent.ui.projection.projection import Dirty, Projection
    from tui_agent.ui.projection.state import Request
    from tui_agent.ui.replay.playback import Playback
    from tui_agent.ui.replay.timeline import Timeline

__all__ = ["GoToScreen", "RecordedQuestions", "ReplayScreen"]

_HINTS: Final = (
    ("space", "pause"), ("←→", "step"), ("[ ]", "turn"), ("+−", "speed"), ("g", "go to"), ("F2", "tools"), ("q", "leave"),
    HELP,
)  # fmt: skip


class ReplayScreen(MainScreen):
    """The session's screen, with the timeline's line in the place of the prompt."""

    AUTO_FOCUS = "#transcript"
    # The keys of the timeline are the app's; what a screen holds is what the palette offers.
    BINDINGS: ClassVar[list[BindingType]] = [
        *(replace(key, action=f"app.{key.action}", priority=False) for key in REPLAY_KEYS),
        Binding("f2", "pane('tools')", "Tools"),
        Binding("f3", "pane('diff')", "Diff"),
        Binding("ctrl+o", "details", "Expand or collapse all details"),
    ]
    playback: Playback | None = None

    def on_mount(self) -> None:
        """Put the timeline where the prompt was."""
        if self.playback is not None:
            self.mount(ReplayBar(self.playback, id="tape"), before="#status-line")
        self.conversation.prompt.display = False
        self.conversation.empty.visible = False  # it says what can be typed
        self.name_keys()

    def name_keys(self) -> None:
        """The timeline's keys work wherever the focus is, but for where words are searched for."""
        search = self.conversation.search
        self.conversation.activity.name_interrupt(("", ""))  # nothing of a recording can be interrupted
        self.status_line.name_keys((*search.HINTS, HELP) if search.has_focus_within else _HINTS, is_in_pane=True)

    def refresh_from(self, projection: Projection, dirty: Dirty) -> None:
        """Keys that scroll go to the conversation as soon as there is one."""
        super().refresh_from(projection, dirty)
        if self.focused is None and self.conversation.transcript.display:
            self.set_focus(self.conversation.transcript)

    def on_key(self, event: events.Key) -> None:
        """There is no prompt that typed text could be meant for."""
        event.prevent_default()  # Textual asks the handlers of base classes too

    def on_paste(self, event: events.Paste) -> None:
        """Nor pasted text."""
        event.prevent_default()


class _Sealed(InputGrace):
    """What was asked in a recording is settled: it can be read, and no answer ever counts."""

    lets_read = True

    @property
    def is_open(self) -> bool:
        return False


class RecordedQuestions(Questions):
    """Shows questions as they were asked, with the timeline's line below each."""

    def __init__(self, app: App[object], engine: Engine, projection: Projection, playback: Playback) -> None:
        super().__init__(app, engine, projection, grace=_Sealed)
        self._playback = playback

    def _open(self, request: Request, place: QueuePosition) -> WaitingScreen:
        screen = super()._open(request, place)
        bar = ReplayBar(self._playback, id="tape")

        def add() -> None:
            if screen.is_attached:
                screen.mount(bar)

        screen.call_after_refresh(add)
        return screen


class GoToScreen(Dialog[tuple[float, int]]):
    """Asks where on the timeline to go. Dismissed with the place, as `Timeline.parse` gives it, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "Leave")]

    def __init__(self, timeline: Timeline) -> None:
        super().__init__()
        self._timeline = timeline

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog"):
            yield Field(placeholder="1:23 · 83s · 40% · turn 2")
            yield Static("", id="problem", classes="warning", markup=False)
            yield KeyLine("enter go · esc cancel")

    def on_mount(self) -> None:
        box = self.query_one("#dialog")
        box.border_title = Content("Go to")
        box.border_subtitle = Content(
            f"{clock_text(self._timeline.total)} · {count(len(self._timeline.turns), 'turn')}"
        )
        self.query_one("#problem").display = False
        self.query_one(Field).focus()

    @on(Input.Submitted)
    def _go(self, event: Input.Submitted) -> None:
        try:
            self.dismiss(self._timeline.parse(event.value))
        except PlaceError as error:
            problem = self.query_one("#problem", Static)
            problem.update(Content(clean_line(str(error))))
            problem.display = True

    def action_leave(self) -> None:
        self.dismiss(None)
