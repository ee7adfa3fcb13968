"""The full-screen app: carries the user's wishes, by keys, commands and clicks, to the engine and to the panes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Final

from textual import events, on, work
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.widget import AwaitMount

from tui_agent.ui.main_screen import MainScreen
from tui_agent.ui.panes.diff import DiffPane
from tui_agent.ui.panes.tools import ToolPane
from tui_agent.ui.prompting.history import PromptHistory
from tui_agent.ui.session_app import SessionApp
from tui_agent.ui.system_open import SystemOpen
from tui_agent.ui.terminal.key_order import KeyOrder
from tui_agent.ui.terminal.keyboard import Keyboard
from tui_agent.ui.terminal.keys import read_alt
from tui_agent.ui.terminal.paste import read_pastes
from tui_agent.ui.terminal.shown_keys import named_key
from tui_agent.ui.widgets.prompt import Prompt
from tui_agent.ui.widgets.transcript import Transcript
from tui_agent.ui.widgets.view_widget import ViewWidget

if TYPE_CHECKING:
    from pathlib import Path

    from tui_agent.boundary import Engine
    from tui_agent.commands import Interrupted, Reply
    from tui_agent.events import Event
    from tui_agent.ui.command_runner import CommandRunner
    from tui_agent.ui.engine import Access, Connect, Reconnect, Renew

__all__ = ["TuiAgentApp"]

_RECENT_S: Final = 10.0  # since a key was refused
_MOVABLE: Final = frozenset({"Agent", "Bash", "SendMessage"})  # what can go on in the background
_AT_ONCE: Final = frozenset({"help", "keys", "quit", "exit", "theme"})  # commands that need no session
LEAVE_WITHIN_S: Final = 2.5  # between the two presses that end the program


class TuiAgentApp(SessionApp):
    """One session on the screen, and what the user does in it. `connect` makes its engine; `history` remembers prompts;
    `models` gives what `/model` offers.

    `keep_theme` and `keep_model` keep what was chosen; they raise OSError or ValueError where they cannot. Without `keep_model`
    a model counts for the session only. `clock` gives milliseconds on the events' clock, where that is not this process's own.
    `reconnect` makes the engine of a recorded session; without it none can be taken up. `renew` makes a
    new one as one stands, for `/clear`; `access` takes keys, for `/login`. `key_files` bind keys, the weakest
    first; the last is the user's own.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1", "help", "Help"),
        Binding("alt+t", "toggle_thinking", "Toggle thinking", priority=True),
        Binding("ctrl+c", "stop_or_leave", "Interrupt; twice: quit", show=False),
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
        renew: Renew | None = None,
        access: Access | None = None,
        has_reduced_motion: bool = False,
        clock: Callable[[], float] | None = None,
        key_files: Sequence[Path] = (),
    ) -> None:
        super().__init__(
            connect,
            first=initial_prompt,
            history=history,
            theme=theme,
            reconnect=reconnect,
            renew=renew,
            has_reduced_motion=has_reduced_motion,
            clock=clock,
        )
        read_pastes()
        read_alt()
        self.keyboard = Keyboard(self, key_files, run=self._run_bound, notify=self._notify_briefly)
        self._models = models
        self._keep_theme = keep_theme
        self._access = access
        self._is_signing_in = False
        self._held_commands: list[tuple[str, str]] = []  # given while there was no session for them
        self._keep_model = keep_model
        self._system = SystemOpen(self, self._notify_briefly)
        self._asked_to_leave = -LEAVE_WITHIN_S

    def on_mount(self) -> None:
        """Know how keys are bound before the first of them."""
        self.keyboard.rebinding.reload()

    @cached_property
    def _command_runner(self) -> CommandRunner:
        """What carries out commands; the first frame does without."""
        from tui_agent.ui.command_runner import CommandRunner

        return CommandRunner(
            self,
            self._models,
            keep_theme=self._keep_theme,
            keep_model=self._keep_model,
            edit_keybindings=self._edit_keybindings,
            copy=self._system.copy,
            sign_in=self.sign_in,
            access=self._access,
        )

    def _resume(self, engine: Engine) -> None:
        super()._resume(engine)
        self._show_keys()

    def _equip_prompt(self, engine: Engine) -> None:
        super()._equip_prompt(engine)
        self._main.conversation.prompt.offer_values(self._command_runner.values)

    # --- a key -------------------------------------------------------------------------------------------------------

    def _take(self, new: Iterable[Event]) -> None:
        from tui_agent.events import TurnFailed

        events = list(new)
        super()._take(events)
        refused = [event for event in events if isinstance(event, TurnFailed) and event.kind == "authentication"]
        if refused and self._access is not None and time.time() - refused[-1].time < _RECENT_S:  # not in a recording
            if self.screen is self._main and not self._main.conversation.prompt.text.text:
                self.sign_in(refused[-1].message)
            else:  # what is being written is not meant for that screen
                self.notify_user("Give another key with /login.", level="info")

    @work(exit_on_error=False, group="access")
    async def sign_in(self, problem: str = "") -> None:
        """Ask for another key or server, and go on with it."""
        if self._access is None or self.engine is None or self._is_signing_in:
            return
        self._is_signing_in = True
        try:
            command, said = await self._access.sign_in(self, problem)
        finally:
            self._is_signing_in = False
        if said:
            self.notify_user(said)
        if command is not None:
            await self.engine.send(command)
            hint = "Say “continue” to have the last message answered." if problem else ""
            self.notify_user("The session goes on with what you entered.", hint, level="info")

    # --- keys --------------------------------------------------------------------------------------------------------

    async def on_event(self, event: events.Event) -> None:
        """Let what is typed while the app starts wait until the prompt has the focus; without one, keys are lost."""
        if isinstance(event, events.Key | events.Paste) and not self._main.is_mounted:
            await AwaitMount(self._main, [self._main])
        if not isinstance(event, events.Key | events.Paste) or event.is_forwarded:
            await super().on_event(event)
        else:
            if self.keyboard.rebinding.reload(is_now=False):
                self._show_keys()
            if await self.keyboard.press(event, super().on_event):
                self._main.paint_at_once()

    async def _edit_keybindings(self) -> None:
        """Open the user's own bindings in their editor, and take in what was saved."""
        from tui_agent.ui.terminal.keybindings_file import edit_keybindings

        if await edit_keybindings(self, self.keyboard.rebinding.files, self.notify_user):
            self.reload_keybindings()

    def reload_keybindings(self) -> None:
        """Take in how keys are bound now."""
        self.keyboard.rebinding.reload()
        self._show_keys()

    def _show_keys(self) -> None:
        """Name keys as they are bound, and say which bindings do not count."""
        self._main.name_keys()
        for words in self.keyboard.rebinding.problems():
            self.notify_user(words)

    def _run_bound(self, command: str) -> None:
        if self.screen is self._main:  # what is open has its own business first
            self._command_runner.run(command)

    @on(KeyOrder.Arrived)
    def _let_next_key_go(self, event: KeyOrder.Arrived) -> None:
        self.keyboard.order.arrived(event)

    def pop_screen(self) -> AwaitComplete:
        """Close the screen on top; the key that did it has nowhere else to go."""
        popped = super().pop_screen()
        self.keyboard.order.go_on()
        return popped

    # --- the user writes -------------------------------------------------------------------------------------------

    @on(Prompt.Submitted)
    def _submit(self, event: Prompt.Submitted) -> None:
        self._main.conversation.transcript.action_end()
        self.send(event.draft)
        if event.is_urgent:
            for tool_use_id in self._running_commands():
                self._to_background(tool_use_id)

    @on(Prompt.ShellGiven)
    def _shell_given(self, event: Prompt.ShellGiven) -> None:
        self._main.conversation.transcript.action_end()
        self.run_shell(event.command)

    @on(Prompt.Notification)
    def _prompt_said(self, event: Prompt.Notification) -> None:
        self.notify_user(event.text, level=event.level)

    @on(Prompt.TakeBackWanted)
    def _take_back(self) -> None:
        if self.engine is not None:
            from tui_agent.commands import TakeBack

            self.engine.send(TakeBack()).then(lambda reply: self.give_back(*(reply.ok.drafts if reply.ok else ())))

    @on(Prompt.CommandGiven)
    def _command(self, event: Prompt.CommandGiven) -> None:
        if (self.engine is not None and not self._is_switching) or event.name in _AT_ONCE:
            self._command_runner.run(event.name, event.argument)
        else:
            self._held_commands.append((event.name, event.argument))

    def _send_held(self) -> None:
        super()._send_held()
        commands, self._held_commands = self._held_commands, []
        for name, argument in commands:
            self._command_runner.run(name, argument)

    # --- what keys do ------------------------------------------------------------------------------------------------

    def action_help(self) -> None:
        """Show keys and commands."""
        self._command_runner.run("help")

    def action_cycle_mode(self) -> None:
        """Go to the next permission mode."""
        if self.engine is not None:
            from tui_agent.commands import CycleMode

            self.engine.send(CycleMode())

    def action_choose_model(self) -> None:
        """Choose the model."""
        self._command_runner.run("model")

    def action_toggle_thinking(self) -> None:
        """Let the model think before it answers, or not, where nothing else is open."""
        if self.screen is self._main:
            self._command_runner.run("thinking")

    def action_command_palette(self) -> None:
        """Open the palette, where nothing else is open."""
        if self.screen is self._main:
            self._command_runner.open_palette()

    @on(MainScreen.InterruptWanted)
    def _interrupt(self) -> None:
        if self.engine is not None:
            from tui_agent.commands import Interrupt

            self.engine.send(Interrupt()).then(self._interrupted)

    def _interrupted(self, reply: Reply[Interrupted]) -> None:
        if reply.ok is not None and reply.ok.unsent is not None:
            self.give_back(reply.ok.unsent)

    def action_stop_or_leave(self) -> None:
        """Copy what is selected; else interrupt; else clear the prompt; a second press soon after ends the program."""
        if self.screen is not self._main:
            if selected := self.screen.get_selected_text():
                self._system.copy(selected)
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
            self._system.copy(area.selected_text)
        elif self.is_busy:
            self._interrupt()
        else:
            if not conversation.prompt.clear() and time.monotonic() - self._asked_to_leave < LEAVE_WITHIN_S:
                self.exit(0)
            key = named_key(self, "Global", "^c")
            self.notify_user(f"press {key} again to quit" if key else "again to quit", level="brief")
            self._asked_to_leave = time.monotonic()

    @on(Prompt.LeaveWanted)
    async def action_quit(self) -> None:
        """Leave."""
        self.exit(0)

    def _notify_briefly(self, text: str) -> None:
        self.notify_user(text, level="brief")

    # --- what panes say ----------------------------------------------------------------------------------------------

    @on(ToolPane.Jumped)
    def _jump(self, event: ToolPane.Jumped) -> None:
        """Show the tool use in the conversation; of one that has started an agent, what that says and does."""
        started = self.projection.agents_of(event.tool_use_id)
        if started:
            self.agent_views.show(started[-1])
            return
        position = self.projection.shown_at(event.tool_use_id)
        if position is not None:
            self._main.show_conversation()
            self._main.conversation.transcript.show_block(position)

    @on(ToolPane.StopRequested)
    def _ask_to_stop(self, event: ToolPane.StopRequested) -> None:
        if self.engine is None:
            return
        from tui_agent.ui.dialogs.confirm import Confirm
        from tui_agent.ui.render_style import render_state
        from tui_agent.ui.transcript.tool_views import view_for

        name = event.tool_use_id
        use = self.projection.tools.get(name) or self.projection.jobs.get(name)
        about = (
            view_for(use.name).title(use, 100, render_state(self)).text.strip() if use is not None else "It has ended."
        )

        def stop(is_wanted: bool | None) -> None:
            if is_wanted:
                self._stop_tool(name)

        self.push_screen(Confirm("Stop this?", about, yes="Yes, stop it", no="No, let it run"), stop)

    def _stop_tool(self, tool_use_id: str) -> None:
        if self.engine is None:
            return
        from tui_agent.commands import StopJob, StopTool

        if tool_use_id in self.projection.jobs:
            self.engine.send(StopJob(tool_use_id))
        else:
            from tui_agent.ui.projection.agents import split_key  # with the first tool, not with the first frame

            agent_id, use_id = split_key(tool_use_id)
            self.engine.send(StopTool(use_id, agent_id))

    @on(DiffPane.PatchWanted)
    def _write_patch(self) -> None:
        self._command_runner.run("patch")

    def action_to_background(self) -> None:
        """Let the command or the agent that runs go on in the background; of several the newest."""
        for tool_use_id in self._running_commands()[-1:]:
            self._to_background(tool_use_id)

    def _running_commands(self) -> list[str]:
        """Return the tool uses that are commands or agents which run, the newest last."""
        uses = self.projection.unfinished_tools.values() if self.engine is not None else ()
        return [use.id for use in uses if use.phase == "executing" and use.name in _MOVABLE and not use.agent_id]

    def _to_background(self, tool_use_id: str) -> None:
        if self.engine is not None:
            from tui_agent.commands import MoveToBackground
            from tui_agent.ui.projection.agents import split_key

            agent_id, use_id = split_key(tool_use_id)
            self.engine.send(MoveToBackground(use_id, agent_id))

    @on(ToolPane.BackgroundRequested)
    def _move_to_background(self, event: ToolPane.BackgroundRequested) -> None:
        self._to_background(event.tool_use_id)

    @on(ViewWidget.HitClicked)
    def _view_hit(self, event: ViewWidget.HitClicked) -> None:
        if event.action == "link":
            self._system.follow(event.argument)

    @on(Transcript.LinkClicked)
    def _link(self, event: Transcript.LinkClicked) -> None:
        self._system.follow(*event.addresses)

    @on(Transcript.Copied)
    def _copied(self, event: Transcript.Copied) -> None:
        self._system.copy(event.text, event.what)
        self._main.conversation.transcript.clear_selection()
