"""The full-screen app: wires an engine's events to the panes and the person's wishes to the engine.

The first frame shows before the engine is imported. From then on events are taken once a frame, and only while some wait: an
idle app has no timer and writes nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Final, Literal, TypeVar

from textual import events, on, work
from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widget import AwaitMount
from textual.widgets import Input
from textual.worker import Worker, WorkerState

from tui_agent.ui import themes
from tui_agent.ui.command_desk import CommandDesk
from tui_agent.ui.history import PromptHistory
from tui_agent.ui.main_screen import MainScreen
from tui_agent.ui.outside import Outside
from tui_agent.ui.panes.tools import ToolPane
from tui_agent.ui.styles_path import style_sheet
from tui_agent.ui.widgets.prompt import Prompt
from tui_agent.ui.widgets.transcript import Transcript
from tui_agent.viewkit.widget import ViewWidget

if TYPE_CHECKING:
    from tui_agent.bus import Subscription
    from tui_agent.events import Event
    from tui_agent.ui.engine import Connect, Engine
    from tui_agent.ui.projection import Projection
    from tui_agent.ui.screens.questions import Questions

__all__ = ["TuiAgentApp"]

FRAME_S: Final = 1 / 30
# What the session's screen looks like. The dialogs' sheet is longer than these together and is read with the first of them.
_SHEETS: Final = ("app", "conversation", "palette", "panes", "prompt")
_CALM_S: Final = 0.05  # from the first frame until the engine is made
LEAVE_WITHIN_S: Final = 2.5  # between the two presses that end the program

T = TypeVar("T")


class TuiAgentApp(App[object]):
    """One session on the screen. `connect` makes its engine; `history` remembers prompts; `models` gives what `/model` offers.

    `keep_theme` keeps a chosen theme for the next run; it raises OSError or ValueError where it cannot. `clock` gives
    milliseconds on the events' clock, where that is not this process's own.
    """

    TITLE = "tui-agent"
    ENABLE_COMMAND_PALETTE = True
    COMMAND_PALETTE_BINDING = "ctrl+p"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1", "help", "Help"),
        Binding("ctrl+c", "stop_or_leave", "Interrupt; twice: leave", show=False),
        Binding("ctrl+q", "quit", "Leave", show=False),
    ]

    def __init__(
        self,
        connect: Connect,
        *,
        initial_prompt: str | None = None,
        history: PromptHistory | None = None,
        theme: str | None = None,
        keep_theme: Callable[[str], None] = lambda _: None,
        models: Callable[[], Iterable[tuple[str, str]]] = tuple,
        has_reduced_motion: bool = False,
        clock: Callable[[], float] | None = None,
    ) -> None:
        super().__init__(css_path=[style_sheet(name) for name in _SHEETS])
        themes.put_on(self, theme)
        self.keep_theme = keep_theme
        if has_reduced_motion:
            self.animation_level = "none"
        self._connect = connect
        self._desk = CommandDesk(self, models)
        self.engine: Engine | None = None
        self._subscription: Subscription | None = None
        self._questions: Questions | None = None
        self._main = MainScreen(history or PromptHistory(None), clock=clock)
        self._outside = Outside(self, lambda words: self._main.bottom.flash(words))
        self._unsent = [initial_prompt] if initial_prompt else []
        self._is_frame_due = False
        self._last_frame = 0.0
        self._asked_to_leave = -LEAVE_WITHIN_S
        self._reported: set[str] = set()

    @cached_property
    def projection(self) -> Projection:
        """What the screen shows. The events it is made of take a while to import, so the first frame does without."""
        from tui_agent.ui.projection import Projection

        return Projection()

    @property
    def is_busy(self) -> bool:
        """Whether a turn is running."""
        return self.engine is not None and self.projection.status.is_busy

    def get_default_screen(self) -> Screen[None]:
        """Return the session's screen."""
        return self._main

    def on_mount(self) -> None:
        """Show the first frame, then make the engine."""
        self.theme_changed_signal.subscribe(self, lambda _: self._main.recolour(self.projection))
        # A moment later: keys pressed at the first frame show before the engine's import takes the processor.
        self.call_after_refresh(self.set_timer, _CALM_S, self._open)

    async def on_event(self, event: events.Event) -> None:
        """Let what is typed while the app starts wait until the prompt has the focus; without one, keys are lost."""
        if isinstance(event, events.Key | events.Paste) and not self._main.is_mounted:
            await AwaitMount(self._main, [self._main])
        await super().on_event(event)

    async def on_unmount(self) -> None:
        """End the session in order, however the app came to its end."""
        if self.engine is not None:
            await self.engine.close()

    # --- engine ------------------------------------------------------------------------------------------------------

    @work(exit_on_error=False, group="engine")
    async def _open(self) -> None:
        """Make the engine, and take up what came before the prompt was ready."""
        try:
            engine = await self._connect(self)
        except Exception as error:  # noqa: BLE001 - whatever it is, the person is told, on a screen that still works
            self.tell(f"The session cannot start: {error}", str(getattr(error, "hint", "")), level="error")
            return
        if engine is None:
            self.exit(0)
            return
        from tui_agent.ui.screens.questions import Questions

        self.engine = engine
        self._main.conversation.prompt.tool_names = lambda: engine.tool_names
        self._questions = Questions(self, engine, self.projection)
        self._subscription = engine.bus.subscribe("screen", self._wake)
        engine.start()
        for text in self._unsent:
            engine.submit(text)
        self._unsent.clear()

    async def ask(self, screen: Screen[T]) -> T | None:
        """Show a screen and return what it is dismissed with. Call from a worker, as `connect` runs in."""
        return await self.push_screen_wait(screen)

    def _wake(self) -> None:
        """Events wait: take them with the next frame."""
        if not self._is_frame_due:
            self._is_frame_due = True
            self.set_timer(max(0.001, self._last_frame + FRAME_S - time.monotonic()), self._frame)

    def _frame(self) -> None:
        self._is_frame_due = False
        self._last_frame = time.monotonic()
        if self._subscription is None:
            return
        try:
            self._take(self._subscription.take())
        except Exception as error:  # noqa: BLE001 - a fault in drawing must not take the session with it
            self._report(error)

    def _take(self, new: Iterable[Event]) -> None:
        dirty = self.projection.apply(new)
        self._main.refresh_from(self.projection, dirty)
        if self._questions is not None:
            self._questions.refresh_from(self.projection, dirty)

    @on(Worker.StateChanged)
    def _worker_changed(self, event: Worker.StateChanged) -> None:
        if event.state is WorkerState.ERROR and event.worker.error is not None:
            self._report(event.worker.error)

    def _report(self, error: BaseException) -> None:
        """Say what went wrong, once: what fails each frame would fill the conversation with itself."""
        text = f"Something in the screen failed: {type(error).__name__}: {error}"
        if text not in self._reported:
            self._reported.add(text)
            self.tell(text, "The session goes on.", level="error")

    async def on_app_focus(self) -> None:
        """The person is back: what other programs changed meanwhile may be shown wrongly."""
        if self.engine is not None and not self.is_busy:
            self._refresh_surroundings(self.engine)

    @work(exit_on_error=False, group="refresh", exclusive=True)
    async def _refresh_surroundings(self, engine: Engine) -> None:
        await engine.refresh()

    def draft(self, text: str) -> None:
        """Put text into the prompt, unless something is being written there."""
        prompt = self._main.conversation.prompt
        if not prompt.text.text:
            prompt.put(text)

    def tell(self, text: str, hint: str = "", *, level: Literal["warning", "error"] = "warning") -> None:
        """Say something in the conversation that will still be there later."""
        from tui_agent.events import Notice

        notice = Notice(level=level, text=text, hint=hint)
        if self.engine is not None:
            self.engine.bus.publish(notice)
        else:
            self._take([notice])

    # --- the person writes -------------------------------------------------------------------------------------------

    @on(Prompt.Submitted)
    def _submit(self, event: Prompt.Submitted) -> None:
        self._main.conversation.transcript.action_end()
        if self.engine is not None:
            self.engine.submit(event.text)
        else:
            self._unsent.append(event.text)

    @on(Prompt.TakeBackWanted)
    def _take_back(self) -> None:
        text = self.engine.take_back() if self.engine is not None else None
        if text is not None:
            self._main.conversation.prompt.take_back(text)

    @on(Prompt.CommandGiven)
    def _command(self, event: Prompt.CommandGiven) -> None:
        self._desk.run(event.name, event.argument)

    # --- keys --------------------------------------------------------------------------------------------------------

    def action_help(self) -> None:
        """Show keys and commands."""
        self._desk.run("help")

    def action_cycle_mode(self) -> None:
        """Go to the next permission mode."""
        if self.engine is not None:
            self.engine.cycle_mode()

    def action_command_palette(self) -> None:
        """Open the palette, with a cursor that does not blink."""
        super().action_command_palette()
        self.call_after_refresh(self._still_cursor)

    def _still_cursor(self) -> None:
        for field in self.screen.query(Input):
            field.cursor_blink = False

    @on(MainScreen.InterruptWanted)
    def _interrupt(self) -> None:
        if self.engine is not None:
            self.engine.interrupt()

    def action_stop_or_leave(self) -> None:
        """Copy what is selected; else interrupt; else clear the prompt; a second press soon after ends the program."""
        if self.screen is not self._main and not self.is_busy:
            if self.engine is None:
                self.exit(0)
            return
        conversation = self._main.conversation
        area = conversation.prompt.text
        if conversation.transcript.has_selection:
            conversation.transcript.action_copy()
        elif area.has_focus and area.selected_text:
            self._outside.copy(area.selected_text)
        elif self.is_busy:
            self._interrupt()
        else:
            if not conversation.prompt.clear() and time.monotonic() - self._asked_to_leave < LEAVE_WITHIN_S:
                self.exit(0)
            self._main.bottom.flash("press ^c again to leave")
            self._asked_to_leave = time.monotonic()

    @on(Prompt.LeaveWanted)
    async def action_quit(self) -> None:
        """Leave."""
        self.exit(0)

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Put our commands and panes into the palette."""
        return self._desk.palette(self._main) if screen is self._main else ()

    # --- what panes say ----------------------------------------------------------------------------------------------

    @on(ToolPane.Jumped)
    def _jump(self, event: ToolPane.Jumped) -> None:
        position = self.projection.position(event.tool_use_id)
        if position is not None:
            self._main.show_conversation()
            self._main.conversation.transcript.show_block(position)

    @on(ToolPane.StopRequested)
    def _stop_tool(self, event: ToolPane.StopRequested) -> None:
        if self.engine is None:
            return
        if event.tool_use_id in self.projection.jobs:
            self.engine.stop_job(event.tool_use_id)
        else:
            self.engine.stop_tool(event.tool_use_id)

    def show_jobs(self) -> None:
        """Go to the background jobs, or say that there are none."""
        if self.projection.jobs:
            self._main.show_jobs()
        else:
            self._main.bottom.flash("nothing runs in the background")

    def action_to_background(self) -> None:
        """Let the command that runs go on in the background; of several the newest."""
        running = [use for use in self.projection.tools.values() if use.phase == "executing" and use.name == "Bash"]
        if self.engine is not None and running:
            self.engine.move_to_background(running[-1].id)

    @on(ToolPane.BackgroundRequested)
    def _move_to_background(self, event: ToolPane.BackgroundRequested) -> None:
        if self.engine is not None:
            self.engine.move_to_background(event.tool_use_id)

    @on(ViewWidget.HitClicked)
    def _view_hit(self, event: ViewWidget.HitClicked) -> None:
        if event.action == "link":
            self._outside.follow(event.argument)

    @on(Transcript.LinkClicked)
    def _link(self, event: Transcript.LinkClicked) -> None:
        self._outside.follow(event.address)

    @on(Transcript.Copied)
    def _copied(self, event: Transcript.Copied) -> None:
        self._outside.copy(event.text)
        self._main.conversation.transcript.clear_selection()
