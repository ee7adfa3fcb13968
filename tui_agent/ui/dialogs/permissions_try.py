"""Trying a call: what it would get now, said as it is typed. Nothing is run and nobody is asked."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.timer import Timer
from textual.widgets import Input, Static

from tui_agent.queries import TrialQuery
from tui_agent.text import clean_line
from tui_agent.ui.render_style import render_state
from tui_agent.ui.tried_call import TriedCallError, main_field, tool_named, tried_input
from tui_agent.ui.verdict_view import VerdictView, say_passing
from tui_agent.ui.widgets.field import Field
from tui_agent.ui.widgets.view_widget import ViewWidget

if TYPE_CHECKING:
    from tui_agent.boundary import Engine
    from tui_agent.permissions.verdict import Verdict

__all__ = ["TryPane"]

_CALM_S: Final = 0.12  # from the last key until the call is judged


class TryPane(Vertical):
    """A field for the tool, one for its input, and the verdict below. `names` are the tools of the session."""

    def __init__(self, engine: Engine, names: Sequence[str], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._engine = engine
        self._names = names
        self._calm: Timer | None = None

    def compose(self) -> ComposeResult:
        with Horizontal(classes="try-row"):
            yield Static("tool", classes="label", markup=False)
            yield Field("Bash", id="tool", placeholder="Bash")
        with Horizontal(classes="try-row"):
            yield Static(id="field", classes="label", markup=False)
            yield Field(id="input")
        yield Static(id="said", classes="muted", markup=False)
        yield ViewWidget(id="verdict")

    def on_mount(self) -> None:
        self.query_one("#verdict", ViewWidget).can_focus = False
        self._judge_soon()

    def focus_first(self) -> None:
        """Put the cursor where the call is typed."""
        self.screen.set_focus(self.query_one("#input", Field))

    def show_call(self, tool: str, text: str) -> None:
        """Try this call."""
        self.query_one("#tool", Field).value = tool
        field = self.query_one("#input", Field)
        # What does not show, or not on one line, is spelled out: nothing else may be judged than was refused.
        is_plain = clean_line(text) == text or not main_field(tool)
        field.value = clean_line(text) if is_plain else json.dumps({main_field(tool): text})
        field.action_end()

    def scroll_verdict(self, step: int) -> None:
        """Scroll the verdict by pages."""
        verdict = self.query_one("#verdict", ViewWidget)
        verdict.scroll_relative(y=step * max(1, verdict.size.height - 1), animate=False)

    def judge_again(self) -> None:
        """Judge the call by the rules that there are now."""
        self._judge_soon()

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self._judge_soon()

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        """Enter judges at once; in the field for the tool it goes on to the input."""
        event.stop()
        if event.input.id == "tool":
            self.focus_first()
        self._judge()

    def _judge_soon(self) -> None:
        tool = tool_named(self.query_one("#tool", Field).value or "Bash", self._names)
        self.query_one("#field", Static).update(main_field(tool) or "input")
        example = "git log --oneline | head" if tool == "Bash" else "{…}" if not main_field(tool) else ""
        self.query_one("#input", Field).placeholder = example
        if self._calm is not None:
            self._calm.stop()
        self._calm = self.set_timer(_CALM_S, self._judge)

    @work(exit_on_error=False, exclusive=True, group="try")
    async def _judge(self) -> None:
        text = self.query_one("#input", Field).value
        tool = tool_named(self.query_one("#tool", Field).value or "Bash", self._names)
        verdict: Verdict | None = None
        if not text.strip():
            said = f"Type a {tool} call to see the decision and its reason. It does not run."
        else:
            try:
                verdict = await self._engine.query(TrialQuery(tool, tried_input(tool, text)))
                said = say_passing(text)
            except TriedCallError as error:
                said = str(error)
        note = self.query_one("#said", Static)
        note.update(said)
        note.display = bool(said)
        view = VerdictView(verdict) if verdict is not None else None
        self.query_one("#verdict", ViewWidget).show(view, render_state(self.app))
