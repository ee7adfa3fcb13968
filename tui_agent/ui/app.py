"""The full-screen app: wires an engine's events to the panes and the person's wishes to the engine.

The first frame shows before the engine is imported.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Final, Literal, TypeVar

from textual import events, on, work
from textual.app import App
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.reactive import reactive
from textual.screen import Screen
from textual.widget import AwaitMount
from textual.worker import Worker, WorkerState

from tui_agent.ui import themes
from tui_agent.ui.command_desk import CommandDesk
from tui_agent.ui.frames import Frames
from tui_agent.ui.main_screen import MainScreen
from tui_agent.ui.panes.diff import DiffPane
from tui_agent.ui.panes.tools import ToolPane
from tui_agent.ui.prompting.history import PromptHistory
from tui_agent.ui.styles_path import style_sheet
from tui_agent.ui.terminal.key_order import KeyOrder
from tui_agent.ui.terminal.keyboard import Keyboard
from tui_agent.ui.terminal.keys import read_alt
from tui_agent.ui.terminal.outside import Outside
from tui_agent.ui.terminal.paste import read_pastes
from tui_agent.ui.terminal.presence import Presence
from tui_agent.ui.terminal.window import window_size
from tui_agent.ui.widgets.prompt import Prompt
from tui_agent.ui.widgets.transcript import Transcript
from tui_agent.viewkit.widget import ViewWidget

if TYPE_CHECKING:
    from pathlib import Path

    from tui_agent.drafts import Draft
    from tui_agent.events import Event
    from tui_agent.ui.engine import Connect, Engine, Reconnect
    from tui_agent.ui.projection.projection import Projection
    from tui_agent.ui.projection.state import Dirty
    from tui_agent.ui.screens.questions import Questions

__all__ = ["TuiAgentApp"]

# What the session's screen looks like. The dialogs' sheet is longer than these together and is read with the first of them.
_SHEETS: Final = ("app", "conversation", "panes", "prompt")
_CALM_S: Final = 0.05  # from the first frame until the engine is made
LEAVE_WITHIN_S: Final = 2.5  # between the two presses that end the program

T = TypeVar("T")


class TuiAgentApp(App[object]):
    """One session on the screen. `connect` makes its engine; `history` remembers prompts; `models` gives what `/model` offers.

    `keep_theme` and `keep_model` keep what was chosen; they raise OSError or ValueError where they cannot. Without `keep_model`
    a model counts for the session only. `clock` gives milliseconds on the events' clock, where that is not this process's own.
    `reconnect` makes the engine of a recorded session; without it none can be taken up. `key_files` bind keys, the weakest
    first; the last is the person's own.
    """

    TITLE = "tui-agent"
    ENABLE_COMMAND_PALETTE = False  # ours is another one
    ansi_theme_dark = reactive(themes.SIXTEEN_ON_DARK, init=False)
    ansi_theme_light = reactive(themes.SIXTEEN_ON_LIGHT, init=False)
    SESSION_SCREEN: ClassVar[type[MainScreen]] = MainScreen
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
        keep_model: Callable[[str], None] | None = None,
        models: Callable[[], Iterable[tuple[str, str]]] = tuple,
        reconnect: Reconnect | None = None,
        has_reduced_motion: bool = False,
        clock: Callable[[], float] | None = None,
        key_files: Sequence[Path] = (),
    ) -> None:
        super().__init__(css_path=[style_sheet(name) for name in _SHEETS])
        read_pastes()
        read_alt()
        themes.put_on(self, theme)
        self.keep_theme = keep_theme
        self.keep_model = keep_model
        if has_reduced_motion:
            self.animation_level = "none"
        self._connect = connect
        self._reconnect = reconnect
        self._desk = CommandDesk(self, models)
        self.engine: Engine | None = None
        self._questions: Questions | None = None
        self.frames = Frames(self, self._take, self._report)
        self.keyboard = Keyboard(self, key_files, run=self._run_bound, say=lambda words: self._main.bottom.flash(words))
        self._main = self.SESSION_SCREEN(history or PromptHistory(None), self.frames.pace, clock=clock)
        self._presence = Presence(self.write_raw, self._main.show_own_line, lambda: self.size)
        self._outside = Outside(self, lambda words: self._main.bottom.flash(words))
        self._unsent: list[str | Draft] = [initial_prompt] if initial_prompt else []
        self._unrun: list[str] = []
        self._asked_to_leave = -LEAVE_WITHIN_S
        self._reported: set[str] = set()

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
    def is_behind(self) -> bool:
        """Whether events wait that the screen does not show yet."""
        return self.frames.is_behind

    def get_default_screen(self) -> Screen[None]:
        """Return the session's screen."""
        return self._main

    def on_mount(self) -> None:
        """Show the first frame, then make the engine."""
        self.keyboard.rebinding.look()
        self.theme_changed_signal.subscribe(self, lambda _: self._main.recolour(self.projection))
        # A moment later: keys pressed at the first frame show before the engine's import takes the processor.
        self.call_after_refresh(self.set_timer, _CALM_S, self._open)

    async def on_event(self, event: events.Event) -> None:
        """Let what is typed while the app starts wait until the prompt has the focus; without one, keys are lost."""
        if isinstance(event, events.Key | events.Paste) and not self._main.is_mounted:
            await AwaitMount(self._main, [self._main])
        if not isinstance(event, events.Key | events.Paste) or event.is_forwarded:
            await super().on_event(event)
        else:
            if self.keyboard.rebinding.look(is_now=False):
                self._show_keys()
            if await self.keyboard.press(event, super().on_event):
                self._main.paint_at_once()

    def look_at_keys(self) -> None:
        """Take in how keys are bound now."""
        self.keyboard.rebinding.look()
        self._show_keys()

    def _show_keys(self) -> None:
        """Name keys as they are bound, and say which bindings do not count."""
        self._main.name_keys()
        for words in self.keyboard.rebinding.problems():
            self.tell(words)

    def _run_bound(self, command: str) -> None:
        if self.screen is self._main:  # what is open has its own business first
            self._desk.run(command)

    @on(KeyOrder.Arrived)
    def _let_next_key_go(self, event: KeyOrder.Arrived) -> None:
        self.keyboard.order.arrived(event)

    def pop_screen(self) -> AwaitComplete:
        """Close the screen on top; the key that did it has nowhere else to go."""
        popped = super().pop_screen()
        self.keyboard.order.go_on()
        return popped

    async def on_unmount(self) -> None:
        """End the session in order, however the app came to its end."""
        self.frames.close()
        self._presence.end()
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
        self._take_up(engine)
        self._show_keys()

    def _take_up(self, engine: Engine) -> None:
        """Show this engine's session from now on."""
        self._presence.take_up(engine)
        self.engine = engine
        self._equip_prompt(engine)
        self._questions = self._make_questions(engine)
        self._main.diff.ledger = engine.ledger
        self.frames.listen(engine.bus)
        engine.start()
        for command in self._unrun:
            self._run_shell(Prompt.ShellGiven(command))
        for text in self._unsent:
            engine.submit(text)
        self._unrun.clear()
        self._unsent.clear()

    def _equip_prompt(self, engine: Engine) -> None:
        """Let the prompt offer what there is in this session."""
        prompt = self._main.conversation.prompt
        prompt.offers.tool_names = lambda: engine.tool_names
        prompt.offers.values = self._desk.values
        workspace = engine.workspace
        if workspace is None:
            return
        from tui_agent.ui.prompting.file_finder import FileFinder, worked_on

        prompt.pasting.root = workspace.root
        prompt.offers.use(
            FileFinder(
                workspace,
                respects_ignore=lambda: engine.settings is None or engine.settings.values.respect_gitignore,
                recent=lambda: worked_on(self.projection.tools),
                on_change=prompt.offers.refresh,
            )
        )

    def write_raw(self, text: str) -> None:
        """Send text to the terminal as it is; to none where there is none."""
        if self._driver is not None and not self.is_headless:
            self._driver.write(text)
            self._driver.flush()

    def change_to(self, engine: Engine) -> None:
        """Show another session in the place of this one, whose engine has been closed."""
        from tui_agent.ui.projection.state import Dirty

        self._questions = None
        self.__dict__.pop("projection", None)
        self._show(Dirty.everything())
        self._take_up(engine)

    @work(exit_on_error=False, group="engine")
    async def resume(self, session_id: str, cwd: Path) -> None:
        """Go on with a recorded session in the place of this one."""
        from tui_agent.ui.switching import switch

        await switch(self, self._reconnect, session_id, cwd)

    def _make_questions(self, engine: Engine) -> Questions:
        from tui_agent.ui.screens.questions import Questions

        return Questions(self, engine, self.projection)

    async def ask(self, screen: Screen[T]) -> T | None:
        """Show a screen and return what it is dismissed with. Call from a worker, as `connect` runs in."""
        return await self.push_screen_wait(screen)

    def preview(self, ending: Iterable[Event]) -> None:
        """Show how a recorded conversation ends, until the session has read all of it and the whole takes its place."""
        from tui_agent.events import SessionEnded
        from tui_agent.ui.projection.projection import Dirty, Projection

        projection = Projection()
        projection.apply(ending)
        projection.apply([SessionEnded(monotonic_ms=projection.now_ms)])  # nothing of it goes on by itself
        self._main.conversation.refresh_from(projection, Dirty.everything())
        self._main.top.show(projection.status)
        self.frames.backlog.expect_recording()

    def _take(self, new: Iterable[Event]) -> None:
        dirty = self.projection.apply(new)
        if self.frames.backlog.caught_up():
            dirty = dirty.everything()
        elif self.frames.backlog.is_long:
            return
        self._show(dirty)

    def _show(self, dirty: Dirty) -> None:
        if not self.frames.backlog.is_long:
            self._presence.follow(self.projection, has_new_status=dirty.status)
        self._main.refresh_from(self.projection, dirty)
        if self._questions is not None:
            self._questions.refresh_from(self.projection, dirty)
        if dirty.status:
            self._main.conversation.prompt.drafting.follow(self.projection.status, self.engine)
        if dirty.changes or dirty.tools:
            self._main.conversation.prompt.offers.files_changed()

    @on(Worker.StateChanged)
    def _worker_changed(self, event: Worker.StateChanged) -> None:
        if event.state is WorkerState.ERROR and event.worker.error is not None:
            self._report(event.worker.error)

    def _fatal_error(self) -> None:
        """Say where an error comes from that ends the app: without the values of variables, and without secrets."""
        import traceback

        from rich.segment import Segment, Segments

        from tui_agent.secrets.process import process_masker

        self.bell()
        self._exit_renderables.append(Segments([Segment(process_masker().mask(traceback.format_exc()))]))
        self._close_messages_no_wait()

    def _report(self, error: BaseException) -> None:
        """Say what went wrong, once: what fails each frame would fill the conversation with itself."""
        text = f"Something in the screen failed: {type(error).__name__}: {error}"
        if text not in self._reported:
            self._reported.add(text)
            self.tell(text, "The session goes on.", level="error")

    async def on_app_focus(self) -> None:
        """The person is back: what other programs changed meanwhile may be shown wrongly."""
        self._presence.is_in_front = True
        if self.engine is not None:
            self._refresh_surroundings(self.engine)

    async def on_app_blur(self) -> None:
        """The person looks elsewhere."""
        self._presence.is_in_front = False

    @work(exit_on_error=False, group="refresh", exclusive=True)
    async def _refresh_surroundings(self, engine: Engine) -> None:
        if self.is_busy:
            await engine.reload_settings()  # at once: a rule may be meant for what runs now
        else:
            await engine.refresh()

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

    def draft(self, text: str) -> None:
        """Put text into the prompt, unless something is being written there."""
        prompt = self._main.conversation.prompt
        if not prompt.text.text:
            prompt.put(text)

    def tell(self, text: str, hint: str = "", *, level: Literal["info", "warning", "error"] = "warning") -> None:
        """Say something in the conversation that will still be there later."""
        from tui_agent.events import Notice

        notice = Notice(level=level, text=text, hint=hint)
        if self.engine is not None and self.frames.is_listening:
            self.engine.bus.publish(notice)
        else:  # nobody would hear it there
            self._take([notice])

    # --- the person writes -------------------------------------------------------------------------------------------

    @on(Prompt.Submitted)
    def _submit(self, event: Prompt.Submitted) -> None:
        self._main.conversation.transcript.action_end()
        if self.engine is not None:
            self.engine.submit(event.draft)
        else:
            self._unsent.append(event.draft)

    @on(Prompt.ShellGiven)
    def _run_shell(self, event: Prompt.ShellGiven) -> None:
        self._main.conversation.transcript.action_end()
        if self.engine is None:
            self._unrun.append(event.command)
        elif problem := self.engine.run_shell(event.command):
            self.tell(problem)
            self.draft(f"!{event.command}")

    @on(Prompt.Said)
    def _prompt_said(self, event: Prompt.Said) -> None:
        if event.is_problem:
            self.tell(event.words)
        else:
            self._main.bottom.flash(event.words)

    @on(Prompt.TakeBackWanted)
    def _take_back(self) -> None:
        if self.engine is not None:
            self.give_back(*self.engine.take_back())

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

    def action_choose_model(self) -> None:
        """Choose the model."""
        self._desk.run("model")

    def action_command_palette(self) -> None:
        """Open the palette, where nothing else is open."""
        if self.screen is self._main:
            self._desk.open_palette()

    @on(MainScreen.InterruptWanted)
    def _interrupt(self) -> None:
        if self.engine is not None and (unsent := self.engine.interrupt()) is not None:
            self.give_back(unsent)

    def give_back(self, *messages: Draft) -> None:
        """Put messages that were not sent into the prompt, before what stands there."""
        self._main.conversation.prompt.take_back(messages)

    def action_stop_or_leave(self) -> None:
        """Copy what is selected; else interrupt; else clear the prompt; a second press soon after ends the program."""
        if self.screen is not self._main:
            if selected := self.screen.get_selected_text():
                self._outside.copy(selected)
            elif self.engine is None:
                self.exit(0)
            elif self.is_busy:
                self._interrupt()
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

    @on(DiffPane.PatchWanted)
    def _write_patch(self) -> None:
        self._desk.run("patch")

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
        self._outside.follow(*event.addresses)

    @on(Transcript.Copied)
    def _copied(self, event: Transcript.Copied) -> None:
        self._outside.copy(event.text, event.what)
        self._main.conversation.transcript.clear_selection()
