"""The conversation of one agent, live: the same blocks as in the main conversation, from its first message on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.getters import query_one
from textual.types import CSSPathType

from tui_agent.ui.dialogs.confirm import Confirm
from tui_agent.ui.dialogs.dialog_box import DialogBox
from tui_agent.ui.dialogs.live_dialog import LiveDialog
from tui_agent.ui.projection.state import Dirty
from tui_agent.ui.render_style import render_state
from tui_agent.ui.screen_text.agents_text import agent_facts, agent_name, agent_state
from tui_agent.ui.styles_path import style_sheet
from tui_agent.ui.widgets.key_line import KeyLine
from tui_agent.ui.widgets.transcript import Transcript

if TYPE_CHECKING:
    from textual.timer import Timer

    from tui_agent.ui.projection.agents import AgentThread
    from tui_agent.ui.projection.blocks import Block
    from tui_agent.ui.projection.projection import Projection

__all__ = ["AgentScreen"]

_TICK_S: Final = 1.0


class _Conversation:
    """An agent's blocks, as a transcript takes them."""

    def __init__(self, agent: AgentThread) -> None:
        self._agent = agent

    @property
    def blocks(self) -> list[Block]:
        return self._agent.blocks.all

    def position(self, block_id: str) -> int | None:
        return self._agent.blocks.position(block_id)


class AgentScreen(LiveDialog[None]):
    """Shows an agent of `projection`. `stop` has it end; `clock` gives milliseconds on the events' clock."""

    CSS_PATH: ClassVar[CSSPathType | None] = [style_sheet("dialogs"), style_sheet("agents")]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave_or_stop", "Stop the agent; go back where it has ended"),
        Binding("q,left,backspace", "close", "Go back"),
        Binding("k", "stop", "Stop the agent"),
        Binding("n,right_square_bracket", "other(1)", "The next agent"),
        Binding("p,left_square_bracket", "other(-1)", "The agent before"),
    ]

    transcript = query_one(Transcript)

    def __init__(
        self, projection: Projection, agent_id: str, stop: Callable[[str], object], *, clock: Callable[[], float]
    ) -> None:
        super().__init__()
        self._projection = projection
        self._agent_id = agent_id
        self._stop = stop
        self._clock = clock
        self._ticker: Timer | None = None

    @property
    def agent(self) -> AgentThread | None:
        """The agent that is shown; None once the conversation that it belonged to is cleared."""
        return self._projection.agents.get(self._agent_id)

    def compose(self) -> ComposeResult:
        with DialogBox():
            yield Transcript(render_state(self.app).palette, id="agent-transcript")
            yield KeyLine()

    def on_mount(self) -> None:
        self._ticker = self.set_interval(_TICK_S, self._show_title, pause=True)
        self._show_agent()
        self.set_focus(self.transcript)

    def refresh_from(self, projection: Projection, dirty: Dirty) -> None:
        """Show what changed of the agent."""
        if projection is not self._projection:  # another session, or another place of a recording
            self._projection = projection
            self._show_agent()
            return
        agent = self.agent
        if agent is None:
            self.dismiss(None)
        elif dirty.blocks_from == 0 and dirty.is_reset:
            self._show_agent()
        elif self._agent_id in dirty.agents:
            self.transcript.refresh_from(_Conversation(agent), agent.dirty)
            self._show_title()

    def _show_agent(self) -> None:
        agent = self.agent
        if agent is None:
            return
        self.transcript.refresh_from(_Conversation(agent), Dirty.everything())
        self._show_title()

    def _show_title(self) -> None:
        agent = self.agent
        box = self.query_one("#dialog")
        if agent is None:
            return
        state = agent_state(agent)
        is_working = not agent.outcome
        style = {"working": "$text-accent", "done": "$text-success", "failed": "$text-error"}.get(
            state, "$text-warning"
        )
        talk = f", {agent.talk}" if is_working and agent.talk else ""
        box.border_title = Content.assemble((agent_name(agent), "bold"), " · ", (f"{state}{talk}", style))
        now = max(self._clock(), self._projection.now_ms) if is_working else self._projection.now_ms
        box.border_subtitle = Content(agent_facts(agent, now))
        others = " · n/p other agents" if len(self._projection.agents) > 1 else ""
        keys = f"q back · esc stop it{others}" if is_working else f"esc back{others}"
        self.query_one(KeyLine).update(f"{keys} · ↑↓ choose · enter open")
        if self._ticker is not None:
            (self._ticker.resume if is_working else self._ticker.pause)()

    # --- keys --------------------------------------------------------------------------------------------------------

    def action_close(self) -> None:
        """Go back."""
        self.dismiss(None)

    def action_leave_or_stop(self) -> None:
        """Stop the agent as an interrupt would; one that has ended is left."""
        agent = self.agent
        if agent is None or agent.outcome:
            self.dismiss(None)
        else:
            self.action_stop()

    def action_stop(self) -> None:
        """Stop the agent, if the user means it."""
        agent = self.agent
        if agent is None or agent.outcome:
            return

        def stop(is_wanted: bool | None) -> None:
            if is_wanted:
                self._stop(self._agent_id)

        question = Confirm("Stop this agent?", agent_name(agent), yes="Yes, stop it", no="No, let it work")
        self.app.push_screen(question, stop)

    def action_other(self, step: int) -> None:
        """Show another agent."""
        known = list(self._projection.agents)
        if self._agent_id in known and len(known) > 1:
            self._agent_id = known[(known.index(self._agent_id) + step) % len(known)]
            self._show_agent()
