"""The conversation pane: the painted transcript, what goes on, and the prompt."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.getters import query_one
from textual.widgets import Static

from tui_agent.ui.panes.tool_strip import ToolStrip
from tui_agent.ui.prompting.history import PromptHistory
from tui_agent.ui.render_style import muted, render_state
from tui_agent.ui.terminal.shown_keys import named_key
from tui_agent.ui.widgets.activity_line import ActivityLine
from tui_agent.ui.widgets.prompt import Prompt
from tui_agent.ui.widgets.search_bar import SearchBar
from tui_agent.ui.widgets.transcript import Transcript

if TYPE_CHECKING:
    from textual.widget import Widget

    from tui_agent.ui.panes.tool_turn import TurnRows
    from tui_agent.ui.projection.projection import Dirty, Projection

__all__ = ["ConversationPane"]

_TIPS = (
    ("enter", "sends"),
    ("^j", "new line"),
    ("/", "commands"),
    ("↑", "prompt history"),
    ("⇧⇥", "permission mode"),
    ("F1", "all keys"),
)


class ConversationPane(Vertical):
    """Shows the blocks of the projection and takes what the user writes."""

    transcript = query_one(Transcript)
    strip = query_one(ToolStrip)
    activity = query_one(ActivityLine)
    prompt = query_one(Prompt)
    search = query_one(SearchBar)
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
        self._before_search: Widget | None = None  # what had the focus
        self._shows_tools = False
        self._welcome: Content | None = None  # as it is shown

    def compose(self) -> ComposeResult:
        self._welcome = self._tips()
        yield Static(self._welcome, id="empty", markup=False)
        yield Transcript(render_state(self.app).palette, id="transcript")
        yield SearchBar(id="search")
        yield ToolStrip(clock=self._clock, id="tool-strip")
        yield ActivityLine(clock=self._clock, id="activity")
        yield Prompt(self._history, id="prompt")

    def on_mount(self) -> None:
        """Begin empty."""
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

    # --- tools -------------------------------------------------------------------------------------------------------

    def show_tools(self, how: Literal["strip", "line"] | None) -> None:
        """Show the turn's tools in a strip, or in one line; not at all where they stand beside the conversation."""
        self._shows_tools = how is not None
        self.activity.names_tools = how == "line"
        self.strip.want(how == "strip")
        self._show_summary()

    def refresh_tools(self, projection: Projection, turn: TurnRows | None) -> None:
        """Show the tools of this turn as they are now."""
        self.strip.refresh_from(projection, turn)
        self._show_summary()

    def _show_summary(self) -> None:
        self.activity.show_summary(self.strip.summary if self._shows_tools else None)

    # --- search ------------------------------------------------------------------------------------------------------

    @property
    def is_searching(self) -> bool:
        """Whether a search is open."""
        return self.transcript.is_searching

    def open_search(self) -> None:
        """Open the search at the foot of the conversation, or go back to its words."""
        if not self.transcript.display:
            return
        if not self.is_searching:
            self._before_search = self.screen.focused
            self.transcript.begin_search()
        self.search.open()

    def close_search(self) -> None:
        """Close the search; the focus goes back to where it was."""
        if not self.is_searching:
            return
        self.transcript.end_search()
        self.search.close()
        before, self._before_search = self._before_search, None
        is_there = before is not None and before.is_attached and before.is_on_screen
        self.screen.set_focus(before if is_there else self.prompt.text)

    @on(SearchBar.Changed)
    def _search_for(self, event: SearchBar.Changed) -> None:
        self.transcript.search(event.words)

    @on(SearchBar.StepWanted)
    def _step(self, event: SearchBar.StepWanted) -> None:
        self.transcript.step_search(event.direction)
        if self._before_search is self.transcript:
            self.screen.set_focus(self.transcript)  # whose keys lead on

    @on(SearchBar.ConversationWanted)
    def _to_conversation(self) -> None:
        self.screen.set_focus(self.transcript)

    @on(SearchBar.Closed)
    def _close(self) -> None:
        self.close_search()

    @on(Transcript.Found)
    def _found(self, event: Transcript.Found) -> None:
        self.search.show(event.number, event.total, is_done=event.is_done)

    def recolour(self) -> None:
        """Paint in the theme's colours."""
        self.transcript.recolour(render_state(self.app).palette)
        self.name_keys()

    def name_keys(self) -> None:
        """Name the keys of the first hints as they are bound now, in the theme's colours."""
        if self.empty.display and (welcome := self._tips()) != self._welcome:
            self._welcome = welcome
            self.empty.update(welcome)

    def _tips(self) -> Content:
        quiet = muted(self.app)
        named = [(named_key(self.app, "Chat", key), words) for key, words in _TIPS]
        widest = max(len(key) for key, _ in named)
        tips = [
            Content.assemble((key.rjust(widest), "bold"), "  ", (words.ljust(28), quiet)) for key, words in named if key
        ]
        return Content("\n").join(
            [Content.styled("tui-agent", "bold $text-primary"), Content("What should we work on?"), Content(""), *tips]
        )
