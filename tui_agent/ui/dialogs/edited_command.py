"""A proposed command while the user edits it: the editor, and what the permissions make of it as it stands."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Static, TextArea

from tui_agent.ui.placeholders import places
from tui_agent.ui.render_style import render_state
from tui_agent.ui.verdict_view import PartsView, is_worth_parts, say_passing, verdict_summary
from tui_agent.ui.widgets.command_editor import CommandEditor
from tui_agent.ui.widgets.view_widget import ViewWidget

if TYPE_CHECKING:
    from tui_agent.boundary import Pending
    from tui_agent.permissions.verdict import Verdict

__all__ = ["EditedCommand"]

_CALM_S: Final = 0.12  # from the last key until it is judged


class EditedCommand(Vertical):
    """Hidden until `open`. `judge` tells what a command would get; it is asked when the user pauses, not at each key."""

    class Judged(Message):
        """The command as it stands was judged; what keys do may have changed."""

    class Given(Message):
        """The user wants this command run, and it may be."""

        def __init__(self, command: str) -> None:
            super().__init__()
            self.command = command

    class GivenUp(Message):
        """The user goes back to the command as it was proposed."""

    def __init__(
        self,
        proposed: str,
        judge: Callable[[str], Pending[Verdict]],
        *,
        is_open: Callable[[], bool],
        id: str | None = None,
    ) -> None:
        super().__init__(id=id)
        self._proposed = proposed
        self._judge = judge
        self._is_open = is_open
        self._verdict: Verdict | None = None
        self._calm: Timer | None = None
        self._took_s = 0.0  # the last judgement; where it takes long, a longer pause is waited for

    @property
    def command(self) -> str:
        """The command as it stands."""
        return self.query_one(CommandEditor).command

    @property
    def keys(self) -> list[tuple[str, str]]:
        """The keys that do something, each with its word."""
        is_denied = self._verdict is not None and self._verdict.behavior == "deny"
        run = [] if is_denied else [("enter", "run this once")]
        return [*run, ("⇧enter ^j", "new line"), ("esc", "restore the proposed one")]

    def compose(self) -> ComposeResult:
        yield CommandEditor(self._is_open)
        yield Static(id="odd", classes="warning", markup=False)
        yield Static(id="verdict")
        parts = ViewWidget(id="edited-parts")
        parts.can_focus = False
        yield parts

    def on_mount(self) -> None:
        self.display = False

    # --- open and closed ---------------------------------------------------------------------------------------------

    def open(self, command: str) -> None:
        """Show a command to be edited, judged as it stands."""
        self.display = True
        editor = self.query_one(CommandEditor)
        editor.load_command(command)
        editor.border_title = Content("the command")
        self.screen.set_focus(editor)
        self._show()

    def close(self) -> None:
        """Hide it; what was edited is gone."""
        self.display = False
        self._stop_waiting()

    # --- judging -----------------------------------------------------------------------------------------------------

    @on(TextArea.Changed)
    def _changed(self, event: TextArea.Changed) -> None:
        event.stop()
        if self.display:
            self._stop_waiting()
            self._calm = self.set_timer(max(_CALM_S, 4 * self._took_s), self._show)

    def _stop_waiting(self) -> None:
        if self._calm is not None:
            self._calm.stop()
            self._calm = None

    def _show(self) -> None:
        """Judge the command as it stands, and say what came out."""
        self._judge_now(lambda: None)

    def _judge_now(self, then: Callable[[], object]) -> None:
        """Judge the command as it stands, say what came out, and do what is to follow unless it is another one by then."""
        self._stop_waiting()
        command = self.command
        began = time.monotonic()

        def take(verdict: Verdict | None) -> None:
            self._took_s = time.monotonic() - began
            if self.is_attached and self.command == command:
                self._show_verdict(command, verdict)
                then()

        if command.strip():
            self._judge(command).then(take)
        else:
            take(None)

    def _show_verdict(self, command: str, verdict: Verdict | None) -> None:
        self._verdict = verdict
        odd = places(command)
        notes = "\n".join(filter(None, (f"◆ invisible: {odd}" if odd else "", say_passing(command))))
        self.query_one("#odd", Static).update(notes)
        self.query_one("#odd", Static).display = bool(notes)
        said = Content("the command is empty") if verdict is None else verdict_summary(verdict)
        if command == self._proposed:
            said = Content.styled("unchanged: edit it to see how it would be judged", "$foreground-muted")
        self.query_one("#verdict", Static).update(said)
        parts = self.query_one("#edited-parts", ViewWidget)
        parts.display = verdict is not None and is_worth_parts(verdict)
        if verdict is not None and parts.display:
            parts.show(PartsView(verdict.parts), render_state(self.app))
        self.post_message(self.Judged())

    @on(CommandEditor.Given)
    def _given(self, event: CommandEditor.Given) -> None:
        """Judge it as it stands now, whatever was still to be judged; only what is not denied is run."""
        event.stop()
        self._judge_now(self._give)

    def _give(self) -> None:
        if self._verdict is not None and self._verdict.behavior != "deny":
            self.post_message(self.Given(self.command))

    @on(CommandEditor.GivenUp)
    def _given_up(self, event: CommandEditor.GivenUp) -> None:
        event.stop()
        self.post_message(self.GivenUp())
