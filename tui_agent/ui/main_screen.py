"""The one screen of a session: what stands where, in a wide terminal and in a narrow one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, Final, Literal

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.geometry import Size
from textual.getters import query_one
from textual.message import Message
from textual.widgets import Static

from tui_agent.ui.arrangement import LAYOUTS, Arrangement, Layout, arrangement, work_columns
from tui_agent.ui.layout_choice import LayoutChoice
from tui_agent.ui.panes.conversation import ConversationPane
from tui_agent.ui.panes.diff import DiffPane
from tui_agent.ui.panes.tools import ToolPane
from tui_agent.ui.projection.frame_pacing import FramePacer
from tui_agent.ui.prompting.history import PromptHistory
from tui_agent.ui.terminal.shown_keys import named_hints, named_key
from tui_agent.ui.textual_patches.screen import PacedScreen
from tui_agent.ui.widgets.key_hints import BACK, CLOSE_SEARCH, HELP, HINTS, INTERRUPT, SHOW_ALL, Hint
from tui_agent.ui.widgets.prompt_text import PromptText
from tui_agent.ui.widgets.status_line import StatusLine

if TYPE_CHECKING:
    from tui_agent.ui.panes.tasks import Extent, TaskPane
    from tui_agent.ui.projection.projection import Dirty, Projection
    from tui_agent.ui.widgets.view_widget import ViewWidget

__all__ = ["MainScreen"]

SMALLEST: Final = (20, 5)
Pane = Literal["tools", "diff"]


class MainScreen(PacedScreen):
    """Conversation and, beside or over it, tools and diff. Keys that are about what stands where are bound here."""

    AUTO_FOCUS = "#prompt-text"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "next_pane", "Next pane"),
        Binding("shift+tab", "app.cycle_mode", "Next permission mode"),
        Binding("escape", "back", "Interrupt, or close what is open"),
        Binding("ctrl+o", "details", "Expand or collapse all details"),
        Binding("ctrl+f", "search", "Search the conversation", priority=True),
        Binding("alt+up", "message(-1)", "Your previous message", priority=True),
        Binding("alt+down", "message(1)", "Your next message", priority=True),
        Binding("pageup", "page(-1)", "Scroll the conversation up"),
        Binding("pagedown", "page(1)", "Scroll the conversation down"),
        Binding("f2", "pane('tools')", "Tools"),
        Binding("f3", "pane('diff')", "Diff"),
        Binding("f4", "layout", "Layout: automatic, side by side, tools in a strip, conversation alone"),
        Binding("ctrl+b", "app.to_background", "Move the running command to the background"),
        Binding("ctrl+t", "tasks", "Tasks: some, all, none"),
        Binding("ctrl+r", "history", "Search the prompt history"),
        Binding("ctrl+l", "redraw", "Redraw the screen"),
        Binding("ctrl+z", "suspend", "Suspend to the shell; fg returns"),
        Binding("ctrl+p", "app.command_palette", "All commands, keys, models, themes, sessions", priority=True),
        Binding("alt+p", "app.choose_model", "Choose the model", priority=True),
        Binding("question_mark", "app.help", "Help, where no text is typed", show=False),
        Binding("ctrl+c", "app.stop_or_leave", "Copy, interrupt, clear; twice: quit"),
    ]

    class InterruptWanted(Message):
        """The user wants what runs to stop."""

    status_line = query_one(StatusLine)
    conversation = query_one(ConversationPane)
    tools = query_one(ToolPane)
    diff = query_one(DiffPane)

    def __init__(self, history: PromptHistory, pace: FramePacer, *, clock: Callable[[], float] | None = None) -> None:
        super().__init__(pace)
        self._history = history
        self._clock = clock
        self._is_busy = False
        self._layout = LayoutChoice()
        self._arrangement: Arrangement | None = None
        self._has_worked = False  # a tool has run: the column at the right has something to show
        self._panes_opened: set[Pane] = set()  # by key, beside a strip
        self._panes_closed: set[Pane] = set()  # by key, of the standing column
        self._task_panes: tuple[TaskPane, TaskPane] | None = None  # beside the conversation, and in it
        self._task_extent: Extent = "some"
        self._projection: Projection | None = None
        self._own_line: ViewWidget | None = None  # what the user's own status line says
        self.laid_out_for: Size | None = None  # the size of the window
        self._over: Pane | None = None  # the pane that lies over the conversation in a narrow terminal

    def compose(self) -> ComposeResult:
        with Horizontal(id="main"):
            yield ConversationPane(self._history, clock=self._clock, id="conversation")
            with Vertical(id="work"):
                yield ToolPane(clock=self._clock, id="tools")
                yield DiffPane(id="diff")
        yield StatusLine(id="status-line")
        yield Static("too small", id="too-small", markup=False)

    def refresh_from(self, projection: Projection, dirty: Dirty) -> None:
        """Pass on what changed to whom it concerns."""
        self.conversation.refresh_from(projection, dirty)
        self.tools.refresh_from(projection, dirty)
        if dirty.tools or dirty.status:
            self.conversation.refresh_tools(projection, self.tools.turn)
        self.diff.refresh_from(projection, dirty)
        if not self._has_worked and (projection.tools or projection.tasks):
            self._has_worked = True
            self._arrange()
        if dirty.tasks or (dirty.status and projection.tasks):
            self._projection = projection
            self._show_tasks()
        if dirty.status:
            if projection.status.is_busy != self._is_busy:
                self._is_busy = projection.status.is_busy
                self.name_keys()  # of those that leave a pane, one may interrupt
            self.status_line.show(projection.status)
            self.conversation.prompt.show_mode(projection.status.mode)

    def show_own_line(self, text: str, padding: int) -> None:
        """Show what the user's own status line says, above the status line; it is made with the first text."""
        from tui_agent.ui.render_style import render_state
        from tui_agent.ui.terminal.status_command import OutputView
        from tui_agent.ui.widgets.view_widget import ViewWidget

        if self._own_line is None:
            if not text:
                return
            self._own_line = ViewWidget(id="own-line")
            self._own_line.can_focus = False
            self.mount(self._own_line, before=self.status_line)
        self._own_line.show(OutputView(text, padding), render_state(self.app))

    def recolour(self, projection: Projection) -> None:
        """Draw in the theme's colours."""
        if self._own_line is not None:
            from tui_agent.ui.render_style import render_state

            self._own_line.show(self._own_line.view, render_state(self.app))
        from tui_agent.ui.projection.projection import Dirty

        self.conversation.recolour()
        self.diff.refresh_from(projection, Dirty(changes=True))
        self.tools.refresh()
        self._show_tasks()

    def _show_tasks(self) -> None:
        """Bring the checklist up to date; it is made with the first task."""
        projection = self._projection
        if projection is None:
            return
        if self._task_panes is None:
            from tui_agent.ui.panes.tasks import TaskPane

            self._task_panes = TaskPane(id="tasks"), TaskPane(is_line=True, id="task-line")
            self.query_one("#work").mount(self._task_panes[0], after=self.tools)
            self.conversation.mount(self._task_panes[1], before=self.conversation.activity)
        for pane in self._task_panes:
            pane.refresh_from(projection, self._task_extent)
        self._place_tasks()

    def _place_tasks(self) -> None:
        if self._task_panes is not None:
            beside, line = self._task_panes
            beside.display = beside.wants_place and self.tools.display
            line.display = line.wants_place and self._arrangement != "side"

    def action_tasks(self) -> None:
        """Show some of the tasks, all of them, or none."""
        if self._projection is None or not self._projection.tasks:
            self.status_line.show_briefly("no tasks")
            return
        from tui_agent.ui.panes.tasks import next_extent

        count = len(self._projection.tasks)
        self._task_extent = next_extent(self._task_extent, count, is_line=self._arrangement != "side")
        self._show_tasks()
        if self._task_extent == "none":
            key = named_key(self.app, "Global", "^t")
            self.status_line.show_briefly(f"tasks are hidden, {key} shows them" if key else "tasks are hidden")

    # --- keys --------------------------------------------------------------------------------------------------------

    def on_descendant_focus(self) -> None:
        """The status line names the keys of where the focus is."""
        self.name_keys()

    def on_descendant_blur(self) -> None:
        """Nowhere it is, too."""
        self.name_keys()

    def name_keys(self) -> None:
        """Name the keys that work now."""
        self.conversation.name_keys()
        escape = self._escape
        interrupt = named_hints(self, () if escape in (SHOW_ALL, CLOSE_SEARCH) else (INTERRUPT,))
        self.conversation.activity.name_interrupt(next(iter(interrupt), ("", "")))
        search = self.conversation.search
        if search.has_focus_within:
            self.status_line.name_keys(named_hints(self, (*search.HINTS, HELP)), is_in_pane=True)
            return
        panes = (self.conversation.transcript, self.tools, self.diff)
        pane = next((pane for pane in panes if pane.has_focus_within), None)
        if pane is None:
            self.status_line.name_keys(named_hints(self, HINTS))
            return
        hints = named_hints(self, (pane.HINTS[0], escape, *pane.HINTS[1:], HELP))
        self.status_line.name_keys(hints, is_in_pane=True)

    @property
    def _escape(self) -> Hint:
        """What Escape does where the focus is."""
        if self.tools.has_focus and self.tools.is_filtered:
            return SHOW_ALL
        if self._over is not None:
            return BACK
        if self.conversation.is_searching:
            return CLOSE_SEARCH
        return INTERRUPT if self._is_busy else BACK

    # --- what stands where -------------------------------------------------------------------------------------------

    def on_mount(self) -> None:
        """Arrange before the first frame, so that it need not move."""
        self._fit(self.app.size)
        self.watch(self.app, "app_focus", self._find_focus, init=False)
        self.watch(self.tools, "is_filtered", self.name_keys, init=False)

    def _find_focus(self, is_in_front: bool) -> None:
        """Have the focus somewhere again: a window that was not in front when the program started has none to go back to."""
        if is_in_front and self.is_current and self.focused is None:
            self.set_focus(self.query_one(self.AUTO_FOCUS), scroll_visible=False)

    def on_resize(self, event: events.Resize) -> None:
        """Arrange for the new size; most resizes change nothing."""
        self.paint_at_once()
        self._fit(event.size)

    def _fit(self, size: Size) -> None:
        self.laid_out_for = size
        fits = size.width >= SMALLEST[0] and size.height >= SMALLEST[1]
        small = self.query_one("#too-small")
        if small.display == fits:
            small.display = not fits
            for name in ("#main", "#status-line"):
                self.query_one(name).display = fits
        self._arrange()

    def _arrange(self) -> None:
        """Put each pane where the layout has it; what stands there already is left alone."""
        size = self.laid_out_for
        if size is None:
            return
        wanted = arrangement(size.width, self._layout.current)
        if wanted != self._arrangement:
            self._arrangement, self._over = wanted, None
            self._panes_opened.clear()
            self._panes_closed.clear()
            self.conversation.transcript.open_changes(wanted != "side")
        shown = self._shown_panes
        is_over = wanted == "one" and bool(shown)
        work = self.query_one("#work")
        self.conversation.display = not is_over
        work.display = bool(shown)
        self.tools.display, self.diff.display = "tools" in shown, "diff" in shown
        work.set_class(is_over, "-over")
        # Its place is kept from the start, so that no text is wrapped anew when the first tool runs.
        work.visible = is_over or wanted != "side" or self._has_worked or self._layout.current == "side"
        if not is_over and shown:
            work.styles.width = work_columns(size.width)
        elif is_over:
            work.styles.width = "1fr"
        has_tools = "tools" in shown and not is_over
        self.conversation.show_tools(None if has_tools else "strip" if wanted == "strip" else "line")
        self._place_tasks()

    @property
    def _shown_panes(self) -> set[Pane]:
        match self._arrangement:
            case "side":
                both: tuple[Pane, ...] = ("tools", "diff")
                return {pane for pane in both if pane not in self._panes_closed}
            case "strip":
                return self._panes_opened
            case _:
                return {self._over} if self._over is not None else set()

    def action_pane(self, pane: Pane) -> None:
        """Open a pane and go to it; from it, close it."""
        widget = self.tools if pane == "tools" else self.diff
        is_there = widget.has_focus_within
        match self._arrangement:
            case "side":
                self._has_worked = True
                (self._panes_closed.add if is_there else self._panes_closed.discard)(pane)
            case "strip":
                (self._panes_opened.discard if is_there else self._panes_opened.add)(pane)
            case _:
                is_there = self._over == pane
                self._over = None if is_there else pane
        self._arrange()
        if is_there:
            self.conversation.prompt.text.focus()
        else:
            self.set_focus(next((child for child in (widget, *widget.query("*")) if child.can_focus), None))

    def action_layout(self) -> None:
        """Go to the next layout, and keep it."""
        problem = self._layout.go_on()
        self._arrange()
        if self.focused is None or not self.focused.is_on_screen:
            self.conversation.prompt.text.focus()
        words = f"layout: {LAYOUTS[self._layout.current]}"
        if problem:
            words += f", for this run only: {problem}"
        self.status_line.show_briefly(words)

    def prefer_layout(self, layout: Layout) -> None:
        """Take in which layout the settings say."""
        if self._layout.read(layout):
            self._arrange()

    def show_jobs(self) -> None:
        """Go to the background jobs in the tool pane."""
        if not self.tools.has_focus_within:
            self.action_pane("tools")
        self.tools.choose_job()

    def action_next_pane(self) -> None:
        """Go round: prompt, conversation, tools, diff."""
        stops = [self.conversation.prompt.text, self.conversation.transcript, self.tools, *self.diff.query("*")]
        there = [stop for stop in stops if stop.can_focus and stop.is_on_screen and stop.visible]
        at = there.index(self.focused) if self.focused in there else -1
        self.set_focus(there[(at + 1) % len(there)] if there else None)

    def show_conversation(self) -> None:
        """Close what lies over the conversation."""
        if self._over is not None:
            self._over = None
            self._arrange()

    def action_back(self) -> None:
        """Close what lies over the conversation; else interrupt; else go back to the prompt."""
        transcript = self.conversation.transcript
        if self._over is not None:
            self.show_conversation()
            self.conversation.prompt.text.focus()
        elif self.conversation.is_searching:
            self.conversation.close_search()
        elif self._is_busy:
            self.post_message(self.InterruptWanted())
        else:
            transcript.clear_selection()
            self.conversation.prompt.text.focus()

    def action_search(self) -> None:
        """Search the conversation."""
        self.show_conversation()
        self.conversation.open_search()

    def action_message(self, direction: int) -> None:
        """Show the user's message before the one in sight, or the next."""
        self.show_conversation()
        self.conversation.transcript.action_message(direction)

    def action_page(self, direction: int) -> None:
        """Scroll the conversation by a page, wherever the focus is; from a prompt that is longer than its room, that one."""
        text = self.conversation.prompt.text
        if text.has_focus and text.is_longer_than_its_room:
            text.page(direction)
            return
        self.show_conversation()
        self.conversation.transcript.action_page(direction)

    @on(PromptText.EndWanted)
    def _follow_the_end(self) -> None:
        self.conversation.transcript.action_end()

    def action_history(self) -> None:
        """Search what was sent before."""
        self.show_conversation()
        self.conversation.prompt.open_history()

    def action_redraw(self) -> None:
        """Redraw the screen, whatever another program has written over it."""
        self.refresh(layout=True)

    def action_suspend(self) -> None:
        """Step back into the shell."""
        self.conversation.prompt.suspend()

    def action_details(self) -> None:
        """Open everything in the conversation that can be opened, or fold it again."""
        transcript = self.conversation.transcript
        transcript.show_details(not transcript.is_detailed)

    def on_key(self, event: events.Key) -> None:
        """What is typed in a pane and means nothing there is meant for the prompt."""
        panes = (self.conversation.transcript, self.tools, self.diff)
        if event.key in self.active_bindings or not any(pane.has_focus_within for pane in panes):
            return
        if event.is_printable and event.character:
            event.stop()
            self.show_conversation()
            self.conversation.prompt.type(event.character)

    def on_paste(self, event: events.Paste) -> None:
        """What is pasted too."""
        if self.focused is not self.conversation.prompt.text:
            event.stop()
            self.conversation.prompt.text.focus()
            self.conversation.prompt.text.post_message(events.Paste(event.text))
