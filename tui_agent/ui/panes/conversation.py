"""The conversation pane: the painted transcript, what goes on, and the prompt."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.getters import query_one
from textual.widgets import Static

from tui_agent.ui.history import PromptHistory
from tui_agent.ui.looks import muted, render_state
from tui_agent.ui.widgets.prompt import Prompt
from tui_agent.ui.widgets.statusbar import ActivityLine
from tui_agent.ui.widgets.transcript import Transcript

if TYPE_CHECKING:
    from tui_agent.ui.projection import Dirty, Projection

__all__ = ["ConversationPane"]

_TIPS = (
    ("enter", "sends"),
    ("^j", "new line"),
    ("/", "commands"),
    ("↑", "what you sent before"),
    ("⇧⇥", "what needs your permission"),
    ("F1", "all keys"),
)


class ConversationPane(Vertical):
    """Shows the blocks of the projection and takes what the person writes."""

    transcript = query_one(Transcript)
    activity = query_one(ActivityLine)
    prompt = query_one(Prompt)
    empty = query_one("#empty", Static)

    def __init__(
        self,
        history: PromptHistory,
        *,
        clock: Callable[[], float] | None = None,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(id=id, classes=classes)
        self._history = history
        self._clock = clock

    def compose(self) -> ComposeResult:
        yield Static(_welcome(muted(self.app)), id="empty", markup=False)
        yield Transcript(render_state(self.app).palette, id="transcript")
        yield ActivityLine(clock=self._clock, id="activity")
        yield Prompt(self._history, id="prompt")

    def on_mount(self) -> None:
        """Begin empty."""
        self.border_title = Content("Conversation")
        self.transcript.display = False

    def refresh_from(self, projection: Projection, dirty: Dirty) -> None:
        """Show what changed."""
        if dirty.blocks_from is not None or dirty.is_reset:
            has_blocks = bool(projection.blocks)
            if self.transcript.display != has_blocks:
                self.transcript.display, self.empty.display = has_blocks, not has_blocks
        self.transcript.refresh_from(projection, dirty)
        if dirty.queue:
            self.prompt.show_queue(projection.queue)
        if dirty.status or dirty.tools or dirty.requests:
            self.activity.refresh_from(projection)

    def recolour(self) -> None:
        """Paint in the theme's colours."""
        self.transcript.recolour(render_state(self.app).palette)
        self.empty.update(_welcome(muted(self.app)))


def _welcome(quiet: str) -> Content:
    widest = max(len(key) for key, _ in _TIPS)
    tips = [Content.assemble((key.rjust(widest), "bold"), "  ", (words.ljust(28), quiet)) for key, words in _TIPS]
    return Content("\n").join(
        [Content.styled("tui-agent", "bold $text-primary"), Content("What shall we do?"), Content(""), *tips]
    )
