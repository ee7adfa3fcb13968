"""An app that shows one session: makes its engine, takes what happens in it, and brings that to the panes.

The first frame shows before the engine is imported.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterable
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Final, Literal, TypeVar

from textual import events, on, work
from textual.screen import Screen
from textual.worker import Worker, WorkerState

from tui_agent.ui.agent_views import AgentViews
from tui_agent.ui.frame_scheduler import FrameScheduler
from tui_agent.ui.main_screen import MainScreen
from tui_agent.ui.outbox import Outbox
from tui_agent.ui.prompting.history import PromptHistory
from tui_agent.ui.styles_path import style_sheet
from tui_agent.ui.terminal.focus_state import FocusState
from tui_agent.ui.terminal.window import window_size
from tui_agent.ui.terminal_app import TerminalApp

if TYPE_CHECKING:
    from pathlib import Path

    from tui_agent.boundary import Engine
    from tui_agent.drafts import Draft
    from tui_agent.events import Event
    from tui_agent.queries import Preferences, SessionState
    from tui_agent.ui.engine import Connect, Reconnect, Renew
    from tui_agent.ui.notice_level import Level
    from tui_agent.ui.projection.projection import Projection
    from tui_agent.ui.projection.state import Dirty
    from tui_agent.ui.questions import Questions

__all__ = ["SessionApp"]

# What the session's screen looks like. The dialogs' sheet is longer than these together and is read with the first of them.
_SHEETS: Final = ("app", "conversation", "panes", "prompt")
_CALM_S: Final = 0.05  # from the first frame until the engine is made

T = TypeVar("T")


class SessionApp(TerminalApp):
    """One session on the screen. `connect` makes its engine, `reconnect` that of a recorded session; without it none can be
    taken up. `renew` makes a new one as one stands; without it a conversation starts afresh within its session. `history`
    remembers prompts, `first` is what the user said already. `clock` gives milliseconds on the events' clock, where that is not
    this process's own.
    """

    TITLE = "tui-agent"
    SESSION_SCREEN: ClassVar[type[MainScreen]] = MainScreen

    def __init__(
        self,
        connect: Connect,
        *,
        first: str | None,
        history: PromptHistory | None,
        theme: str | None,
        reconnect: Reconnect | None,
        renew: Renew | None = None,
        has_reduced_motion: bool,
        clock: Callable[[], float] | None,
    ) -> None:
        sheets = [style_sheet(name) for name in _SHEETS]
        super().__init__(sheets=sheets, theme=theme, has_reduced_motion=has_reduced_motion)
        self._connect = connect
        self._reconnect = reconnect
        self._renew = renew
        self._is_switching = False  # what is sent meanwhile is for the session that comes
        self.engine: Engine | None = None
        self.session_id = ""  # once the engine has told it
        self._questions: Questions | None = None
        self.frames = FrameScheduler(self, self._take, self._report)
        self._main = self.SESSION_SCREEN(history or PromptHistory(None), self.frames.pace, clock=clock)
        self._focus_state = FocusState(self.write_raw, self._main.show_own_line, lambda: self.size)
        self._outbox = Outbox(lambda: None if self._is_switching else self.engine, self._shell_refused, first)
        self._notices: list[tuple[str, Literal["info", "warning"]]] = []
        self._preferences: Preferences | None = None
        self._reported: set[str] = set()
        self.agent_views = AgentViews(
            self,
            lambda: self.engine,
            lambda: self.projection,
            self.notify_user,
            clock or (lambda: time.monotonic() * 1000),
        )

    @cached_property
    def projection(self) -> Projection:
        """What the screen shows. The events it is made of take a while to import, so the first frame does without."""
        from tui_agent.ui.projection.projection import Projection

        return Projection()

    @property
    def is_busy(self) -> bool:
        """Whether a turn is running."""
        return self.engine is not None and self.projection.status.is_busy

    @property
    def job_count(self) -> int:
        """How many commands run in the background."""
        return self.projection.status.jobs

    @property
    def resumable_id(self) -> str:
        """The id of the session, where something was said in it that may be gone on with; else empty."""
        blocks = self.projection.blocks if self.session_id else ()
        return self.session_id if any(block.kind != "notice" for block in blocks) else ""

    @property
    def is_behind(self) -> bool:
        """Whether events wait that the screen does not show yet."""
        return self.frames.is_behind

    def get_default_screen(self) -> Screen[None]:
        """Return the session's screen."""
        return self._main

    def on_mount(self) -> None:
        """Show the first frame, then make the engine."""
        self.theme_changed_signal.subscribe(self, lambda _: self._main.recolour(self.projection))
        # A moment later: keys pressed at the first frame show before the engine's import takes the processor.
        self.call_after_refresh(self.set_timer, _CALM_S, self._open)

    async def on_unmount(self) -> None:
        """End the session in order, however the app came to its end."""
        self.frames.close()
        self._focus_state.end()
        if self.engine is not None:
            from tui_agent.commands import Close

            await self.engine.send(Close())

    # --- engine ------------------------------------------------------------------------------------------------------

    @work(exit_on_error=False, group="engine")
    async def _open(self) -> None:
        """Make the engine, and take up what came before the prompt was ready."""
        try:
            engine = await self._connect(self)
        except Exception as error:  # noqa: BLE001 - whatever it is, the user is told, on a screen that still works
            self.notify_user(f"The session cannot start: {error}", str(getattr(error, "hint", "")), level="error")
            return
        if engine is None:
            self.exit(0)
            return
        self._resume(engine)

    def _resume(self, engine: Engine) -> None:
        """Show this engine's session from now on."""
        from tui_agent.commands import Start

        self._is_switching = False
        self._focus_state.resume()
        self.engine = engine
        self.session_id, self._preferences = "", None
        self._ask_preferences(engine)
        self._equip_prompt(engine)
        self._questions = self._make_questions(engine)
        self._main.diff.compare_by(engine)
        self.frames.listen(engine)
        engine.send(Start())
        for words, level in self._notices:
            self.notify_user(words, level=level)
        self._notices.clear()
        self._send_held()

    def _send_held(self) -> None:
        """Send what was written while there was no session for it."""
        self._outbox.send_held()

    def _ask_preferences(self, engine: Engine) -> None:
        """Learn what the settings say about the screen; they may be others than a moment ago."""
        from tui_agent.queries import PreferencesQuery

        def take(found: Preferences | None) -> None:
            self._preferences = found
            self._focus_state.preferences = found
            self._main.conversation.prompt.drafting.prefer(found)
            if found is not None:
                self._main.prefer_layout(found.layout)

        engine.query(PreferencesQuery()).then(take)

    def _equip_prompt(self, engine: Engine) -> None:
        """Let the prompt offer what there is in this session."""
        from tui_agent.queries import StateQuery
        from tui_agent.ui.prompt_completion import complete_skills, complete_tools

        complete_tools(self._main.conversation.prompt, engine)
        complete_skills(self._main.conversation.prompt, engine)
        engine.query(StateQuery()).then(self._take_state)

    def _take_state(self, state: SessionState) -> None:
        """Know which session it is, and let the prompt offer the files of its folder."""
        self.session_id = self._focus_state.session_id = state.session_id
        if not state.root:
            return
        from tui_agent.ui.prompt_completion import complete_files

        complete_files(
            self._main.conversation.prompt,
            state,
            preferences=lambda: self._preferences,
            tools=lambda: self.projection.tools,
        )

    def change_to(self, engine: Engine) -> None:
        """Show another session in the place of this one, whose engine has been closed."""
        from tui_agent.ui.projection.state import Dirty

        self._questions = None
        self.__dict__.pop("projection", None)
        self._show(Dirty.everything())
        self._resume(engine)

    @work(exit_on_error=False, group="engine")
    async def resume(self, session_id: str, cwd: Path) -> None:
        """Go on with a recorded session in the place of this one."""
        from tui_agent.ui.session_switch import switch

        await self._switch(switch(self, self._reconnect, session_id, cwd))

    @work(exit_on_error=False, group="engine")
    async def begin_anew(self, title: str = "") -> None:
        """Begin a new session in the place of this one, which is kept, with this title."""
        from tui_agent.ui.session_switch import begin_anew

        await self._switch(begin_anew(self, self._renew, title))

    async def _switch(self, switching: Awaitable[None]) -> None:
        """Go to another session; what is sent meanwhile waits for it."""
        self._is_switching = True
        try:
            await switching
        finally:
            if self._is_switching:  # it came to nothing
                self._is_switching = False
                self._send_held()

    def send(self, message: str | Draft) -> None:
        """Say something to the model; before there is an engine, it waits."""
        self._outbox.send(message)

    def run_shell(self, command: str) -> None:
        """Run a command of the user's own; before there is an engine, it waits."""
        self._outbox.run_shell(command)

    def _shell_refused(self, command: str, error: str) -> None:
        self.notify_user(error)
        self.draft(f"!{command}")

    def _make_questions(self, engine: Engine) -> Questions:
        from tui_agent.ui.questions import Questions

        def writing() -> Callable[[events.Key], None] | None:
            drafting = self._main.conversation.prompt.drafting
            return drafting.go_on if self.screen is self._main and drafting.is_being_written else None

        def moves_on() -> bool:
            return self._preferences is not None and self._preferences.review_moves_on

        return Questions(self, engine, self.projection, writing=writing, moves_on=moves_on)

    async def ask(self, screen: Screen[T]) -> T | None:
        """Show a screen and return what it is dismissed with. Call from a worker, as `connect` runs in."""
        return await self.push_screen_wait(screen)

    # --- what happens ------------------------------------------------------------------------------------------------

    def preview(self, ending: Iterable[Event]) -> None:
        """Show how a recorded conversation ends, until the session has read all of it and the whole takes its place."""
        from tui_agent.events import SessionEnded
        from tui_agent.ui.projection.projection import Dirty, Projection

        projection = Projection()
        projection.apply(ending)
        projection.apply([SessionEnded(monotonic_ms=projection.now_ms)])  # nothing of it goes on by itself
        self._main.conversation.refresh_from(projection, Dirty.everything())
        self._main.status_line.show(projection.status)
        self.frames.backlog.expect_recording()

    def _take(self, new: Iterable[Event]) -> None:
        dirty = self.projection.apply(new)
        if self.frames.backlog.caught_up():
            dirty = dirty.everything()
        elif self.frames.backlog.is_long:
            return
        self._show(dirty)

    def _show(self, dirty: Dirty) -> None:
        if dirty.status and self.engine is not None:
            self._ask_preferences(self.engine)
        if not self.frames.backlog.is_long:
            self._focus_state.follow(self.projection, has_new_status=dirty.status)
        self._main.refresh_from(self.projection, dirty)
        self.agent_views.refresh_from(self.projection, dirty)
        if self._questions is not None:
            self._questions.refresh_from(self.projection, dirty)
        if dirty.status:
            self._main.conversation.prompt.drafting.follow(self.projection.status)
        if dirty.changes or dirty.tools:
            self._main.conversation.prompt.completer.files_changed()

    @on(Worker.StateChanged)
    def _worker_changed(self, event: Worker.StateChanged) -> None:
        if event.state is WorkerState.ERROR and event.worker.error is not None:
            self._report(event.worker.error)

    def _report(self, error: BaseException) -> None:
        """Say what went wrong, once: what fails each frame would fill the conversation with itself."""
        text = f"Internal UI error: {type(error).__name__}: {error}"
        if text not in self._reported:
            self._reported.add(text)
            self.notify_user(text, "The session continues.", level="error")

    # --- the terminal ------------------------------------------------------------------------------------------------

    async def on_app_focus(self) -> None:
        """The user is back: what other programs changed meanwhile may be shown wrongly."""
        self._focus_state.is_in_front = True
        if self.engine is not None:
            self._refresh_surroundings(self.engine)

    async def on_app_blur(self) -> None:
        """The user looks elsewhere."""
        self._focus_state.is_in_front = False

    @work(exit_on_error=False, group="refresh", exclusive=True)
    async def _refresh_surroundings(self, engine: Engine) -> None:
        from tui_agent.commands import Refresh, ReloadSettings

        # At once: a rule may be meant for what runs now.
        await engine.send(ReloadSettings() if self.is_busy else Refresh())

    async def on_resize(self, event: events.Resize) -> None:
        """Go by the size the window has now, and paint all of one that has its last size back, as it lost what it showed.

        Of two changes that come at once the later may be told first: its signal interrupts whoever tells of the other.
        """
        size = event.size if self.is_headless else window_size() or event.size
        if event.size != size:
            event.prevent_default()
            self.post_message(events.Resize(size, size))
        elif event.size == self._main.laid_out_for:
            self.screen.refresh()

    # --- the user is told ------------------------------------------------------------------------------------------

    def show_jobs(self) -> None:
        """Go to the background jobs, or say that there are none."""
        if self.projection.jobs:
            self._main.show_jobs()
        else:
            self.notify_user("no background jobs", level="brief")

    def show_diff(self) -> None:
        """Go to the diff of what the session changed."""
        if not self._main.diff.has_focus_within:
            self._main.action_pane("diff")

    def draft(self, text: str) -> None:
        """Put text into the prompt, unless something is being written there."""
        prompt = self._main.conversation.prompt
        if not prompt.text.text:
            prompt.put(text)

    def give_back(self, *messages: Draft) -> None:
        """Put messages that were not sent into the prompt, before what stands there."""
        self._main.conversation.prompt.take_back(messages)

    def notify_user(self, text: str, hint: str = "", *, level: Level = "warning") -> None:
        """Tell the user something: `brief` for a moment in the status line, else in the conversation, where it stays."""
        if level == "brief":
            self._main.status_line.show_briefly(text)
            return
        from tui_agent.events import Notice

        notice = Notice(level=level, text=text, hint=hint)
        if self.engine is not None and self.frames.is_listening:
            self.frames.add(notice)  # after what happened before, which may still wait
        else:
            self._take([notice])

    def notify_later(self, text: str, *, level: Literal["info", "warning"]) -> None:
        """Tell the user something as soon as there is a session."""
        self._notices.append((text, level))
