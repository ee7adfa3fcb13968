"""Events → what the screen shows: the one translator between the engine and the panes. Pure; knows no widget.

`Projection.apply` takes what waits on the bus and says by a `Dirty` what changed, so that each pane touches only that. Work is
in proportion to the events, never to the conversation. The same events give the same projection, live or replayed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

from tui_agent import events
from tui_agent.changes import FileChange
from tui_agent.events import Event
from tui_agent.ui.projection.activity_reducer import ActivityReducer
from tui_agent.ui.projection.agents import AgentReducer, AgentThread, use_key
from tui_agent.ui.projection.block_reducer import MarkdownFeed, markdown_feed
from tui_agent.ui.projection.cost_reducer import CostReducer
from tui_agent.ui.projection.hook_reducer import HookReducer
from tui_agent.ui.projection.job_reducer import JobReducer, ended_words
from tui_agent.ui.projection.request_reducer import RequestReducer
from tui_agent.ui.projection.state import Dirty, Retry, Status, TurnInfo
from tui_agent.ui.projection.thread import Thread
from tui_agent.ui.projection.tool_reducer import ToolReducer
from tui_agent.ui.projection.undone_text import undone_words

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Mapping

    from tui_agent.ui.projection.blocks import Block
    from tui_agent.ui.projection.state import Request
    from tui_agent.viewkit.tool_use import ToolUse

__all__ = ["ChangeKey", "Dirty", "Projection", "Retry", "Status", "TurnInfo"]


# A change is known by the tool use that makes it and the file it is of.
ChangeKey = tuple[str, str]

# The steps of a tool use, most of all events in a recording: only the tool use itself changes with them.
_STEPS: Final = frozenset(
    {
        events.ToolStageStarted,
        events.ToolStageEnded,
        events.ToolStateChanged,
        events.ToolProgressed,
        events.ToolInputDelta,
    }
)


class Projection:
    """The view state of one session. Read its attributes freely; only `apply` changes them."""

    def __init__(self, markdown: Callable[[], MarkdownFeed] = markdown_feed) -> None:
        self.status = Status()
        self.queue: list[tuple[str, str]] = []
        self.changes: list[ChangeKey] = []
        self._change_places: dict[ChangeKey, int] = {}
        self.tasks: tuple[dict[str, Any], ...] = ()  # the model's plan; keys are those of `tools.task_list.Task`
        self.now_ms = 0.0  # the newest event's time
        self._main = Thread(markdown)
        self._agents = AgentReducer(markdown)
        self._track = ToolReducer()
        self._jobs = JobReducer()
        self._asked = RequestReducer()
        self.hooks = HookReducer()
        self.cost = CostReducer()
        self._activity = ActivityReducer(self.status, self._main, self._track, self._asked, self.hooks)
        self._dirty = Dirty()

    @property
    def blocks(self) -> list[Block]:
        """The conversation, oldest first. The same list as long as nothing is cleared."""
        return self._main.blocks.all

    @property
    def turns(self) -> list[TurnInfo]:
        """The turns of the conversation, oldest first."""
        return self._main.turns

    @property
    def agents(self) -> Mapping[str, AgentThread]:
        """The other agents by id, oldest first."""
        return self._agents.all

    def agents_of(self, key: str) -> Sequence[str]:
        """Return the agents that a tool use has started, the oldest first."""
        use = self.tools.get(key)
        block = self._block_of(use.agent_id, key) if use is not None else None
        return [agent.id for agent in block.agents] if block is not None else ()

    def change_place(self, key: ChangeKey) -> int | None:
        """Return where in `changes` a change is."""
        return self._change_places.get(key)

    @property
    def tools(self) -> dict[str, ToolUse]:
        """All tool uses, of agents too, by their keys (`agents.use_key`), in order of appearance."""
        return self._track.uses

    def use_of(self, request: Request) -> ToolUse | None:
        """Return the tool use that a question is about."""
        return self._track.uses.get(use_key(request.agent_id, request.tool_use_id))

    @property
    def unfinished_tools(self) -> Mapping[str, ToolUse]:
        """The tool uses that have no result yet, by id: there are never many."""
        return self._track.unfinished

    @property
    def tallies(self) -> Mapping[str, Counter[str]]:
        """How each tool's uses ended, over the whole session: `ok` or the kind of error, and how often."""
        return self._track.tallies

    @property
    def jobs(self) -> dict[str, ToolUse]:
        """The background jobs that run, by id."""
        return self._jobs.running

    @property
    def requests(self) -> list[Request]:
        """The questions that wait for the user, the oldest first."""
        return self._asked.open

    def on_disk(self, request_id: str) -> Mapping[str, str]:
        """Return which files a question's changes no longer fit, each with its `ProposedFileChanged.standing`."""
        return self._asked.on_disk(request_id)

    @property
    def turn(self) -> TurnInfo | None:
        """The turn that runs, or ran last."""
        return self._main.turn

    def position(self, block_id: str) -> int | None:
        """Return where in `blocks` the block is. A tool use's block has the tool use's id."""
        return self._main.blocks.position(block_id)

    def shown_at(self, key: str) -> int | None:
        """Return where in `blocks` a tool use is seen: an agent's in the one that the agent works for."""
        known: set[str | None] = set()
        name: str | None = key
        while name is not None and name not in known:
            position = self.position(name)
            if position is not None:
                return position
            known.add(name)
            use = self.tools.get(name)
            name = use.parent_id if use is not None else None
        return None

    def apply(self, new: Iterable[Event]) -> Dirty:
        """Take in events, in the order they were published, and say what they changed."""
        dirty = self._dirty = Dirty()
        self._main.begin(dirty)
        for event in new:
            if event.monotonic_ms:
                self.now_ms = event.monotonic_ms
            self._apply(event)
            # For each: since when something goes on must not depend on how events came together.
            if self._activity.settle(self.now_ms):
                dirty.status = True
        self._track.settle_inputs()
        dirty.agents.update(self._agents.changed)
        for tool_id in self._agents.take_changed():
            self._track.touch(tool_id)
        for tool_id in self._track.take_changed():
            dirty.tools = True
            dirty.tool_ids.add(tool_id)
            self._main.blocks.touch(tool_id)
        self._main.blocks.settle()
        return dirty

    # --- one event ---------------------------------------------------------------------------------------------------

    def _apply(self, event: Event) -> None:
        thread = self._agents.thread(event.agent_id) if event.agent_id else self._main
        if type(event) in _STEPS:
            self._track.apply(event)
            return
        match event:
            case events.TextDelta(block_id=block_id, text=text):
                thread.write(block_id, text)
            case events.TextFinished(block_id=block_id):
                thread.blocks.finish(block_id)
            case events.ThinkingDelta(block_id=block_id, text=text):
                thread.think(block_id, text)
            case events.ThinkingFinished(block_id=block_id, duration_ms=duration):
                thread.end_thought(block_id, duration)
            case (
                events.PermissionRequested() | events.PermissionResolved()
                | events.FormRequested() | events.FormAnswered() | events.ProposedFileChanged()
            ):  # fmt: skip
                self._asked.apply(event)
                self._dirty.requests = True
                self._track.apply(event)
            case events.ToolUseStarted() | events.ToolUseCompleted():
                self._tool_appeared(event, thread)
            case events.EditProposed(tool_use_id=tool_id) | events.EditApplied(tool_use_id=tool_id):
                self._track.apply(event)
                self._changed(use_key(event.agent_id, tool_id), event.change)
            case events.AgentStarted():
                self.cost.apply(event)
                self._agents.start(event, self._block_of)
            case events.AgentEnded():
                self._agents.end(event)
            case _:
                if self._track.apply(event):
                    return
                if thread is self._main:
                    self._apply_main(event)
                elif not thread.apply(event):
                    self._apply_beside(event, thread)

    def _apply_main(self, event: Event) -> None:
        """Take in an event of the main conversation that is about none of its blocks and tool uses."""
        match event:
            case events.MessageQueued(message_id=message_id, text=text):
                self.queue.append((message_id, event.shown or text))
                self._dirty.queue = True
            case events.MessageUnqueued(message_id=message_id):
                self._unqueue(message_id)
            case _ if self._main.apply(event):
                self._count_asked(event)
                self.cost.apply(event)
                self.status.retry = self._main.retry
                if isinstance(event, events.UserMessageSent):
                    self._unqueue(event.message_id)
            case _:
                if not self._apply_beside(event, self._main):
                    self._apply_session(event)

    def _count_asked(self, event: Event) -> None:
        """Keep the user's own time of a turn apart."""
        if isinstance(event, events.TurnStarted):
            self._activity.begin_turn()
        elif isinstance(event, events.TurnFinished) and (block := self._main.blocks.block(f"turn:{event.turn_id}")):
            block.asked_ms = min(self._activity.asked_ms(self.now_ms), block.duration_ms)

    def _apply_beside(self, event: Event, thread: Thread) -> bool:
        """Take in an event of any agent that is not about its turn; False where only the main conversation's would count."""
        match event:
            case events.UsageReported():
                self._take_usage(event)
            case events.Notice():
                thread.notice(event)
            case events.EditUndone():
                self._dirty.changes = True
                words = undone_words(event, self._track.base)
                thread.blocks.add("notice", f"undone:{event.seq}", text=words, level="info")
            case events.JobStarted() | events.JobProgressed() | events.JobEnded():
                self._job(event, thread)
            case events.HookStarted() | events.HookEnded():
                self.hooks.apply(event)
            case events.HistoryCleared() if thread is not self._main:
                thread.clear()
            case _:
                return False
        return True

    def _set_status(self, event: events.Event) -> None:
        match event:
            case events.ModeChanged(mode=mode):
                self.status.mode = mode
            case events.MaskingChanged(is_on=is_on):
                self.status.shows_secrets = not is_on
            case events.ModelChanged(model=model):
                self.status.model = model
            case events.ThinkingChanged(is_on=is_on):
                self.status.is_thinking = is_on
        self._dirty.status = True

    def _apply_session(self, event: Event) -> None:
        status = self.status
        match event:
            case events.SessionStarted():
                self._abandon(event.monotonic_ms)
                status.cwd, status.model, status.mode = event.cwd, event.model, event.mode
                status.is_trusted, self._track.base = event.trusted, event.cwd
                status.shows_secrets = False
                status.sandbox, status.is_thinking = event.sandbox, event.is_thinking is not False
                self._dirty.status = True
            case events.ModeChanged() | events.MaskingChanged() | events.ModelChanged() | events.ThinkingChanged():
                self._set_status(event)
            case events.SpendingLimitChanged(limit_usd=limit):
                self.cost.apply(event)
                status.limit_usd = limit
                self._dirty.status = True
            case events.BranchChanged(branch=branch, changed_files=changed):
                status.branch, status.changed_files = branch, changed
                self._dirty.status = True
            case events.SettingsReloaded():
                self._settings(event)
            case events.SessionRenamed(title=title):
                status.title, self._dirty.status = title, True
            case events.TasksChanged(tasks=tasks):
                self._plan(tasks)
            case events.HistoryCleared():
                self._clear()
            case events.SessionEnded():
                self._abandon(event.monotonic_ms)

    def _settings(self, event: events.SettingsReloaded) -> None:
        self.status.settings_version += 1
        if event.sandbox:
            self.status.sandbox = event.sandbox
            self._dirty.status = True
        if event.changes:
            text = "Settings changed: " + "; ".join(event.changes)
            self._main.blocks.add("notice", f"settings:{event.seq}", text=text, level="info")
        for number, problem in enumerate(event.problems):
            self._main.blocks.add("notice", f"settings:{event.seq}:{number}", text=problem, level="warning")

    def _job(self, event: events.JobStarted | events.JobProgressed | events.JobEnded, thread: Thread) -> None:
        """Take in what became of a background job; its end is told in the conversation."""
        match event:
            case events.JobStarted():
                key = use_key(event.agent_id, event.tool_use_id)
                self._jobs.start(event, key, self.tools.get(key), self._track.base)
            case events.JobProgressed():
                self._jobs.progress(event)
            case events.JobEnded():
                job = self._jobs.end(event)
                if job is not None:
                    level = "info" if event.outcome in ("done", "stopped") else "warning"
                    thread.blocks.add("notice", f"job:{event.job_id}", text=ended_words(job, event), level=level)
        self._dirty.tools = True
        self._count_jobs()

    def _count_jobs(self) -> None:
        if self.status.jobs != len(self.jobs):
            self.status.jobs = len(self.jobs)
            self._dirty.status = True

    # --- tools -------------------------------------------------------------------------------------------------------

    def _block_of(self, agent_id: str, key: str) -> Block | None:
        thread = self._agents.all.get(agent_id) if agent_id else self._main
        return thread.blocks.block(key) if thread is not None else None

    def _tool_appeared(self, event: events.ToolUseStarted | events.ToolUseCompleted, thread: Thread) -> None:
        key = use_key(event.agent_id, event.tool_use_id)
        parent = thread.use if isinstance(thread, AgentThread) else None
        if isinstance(event, events.ToolUseStarted) and event.parent_tool_use_id is not None:
            parent = use_key(event.agent_id, event.parent_tool_use_id)
        use = self._track.appear(event, key, parent or None)
        thread.hear_of_use(event, key)
        if use is None:
            return
        self._agents.shown(thread.add_use(use))
        for turn in {id(turn): turn for turn in (self._main.turn, thread.turn) if turn is not None}.values():
            turn.tool_ids.append(key)
        if isinstance(thread, AgentThread):
            thread.use_count += 1

    def _changed(self, tool_id: str, change: FileChange) -> None:
        self._dirty.changes = True
        key = (tool_id, change.path)
        if tool_id in self.tools and change.hunks and key not in self._change_places:
            self._change_places[key] = len(self.changes)
            self.changes.append(key)

    # --- turn --------------------------------------------------------------------------------------------------------

    def _unqueue(self, message_id: str) -> None:
        if any(waiting == message_id for waiting, _ in self.queue):
            self.queue = [entry for entry in self.queue if entry[0] != message_id]
            self._dirty.queue = True

    def _take_usage(self, event: events.UsageReported) -> None:
        status = self.status
        self.cost.apply(event)
        if event.cost_usd is not None:
            status.cost_usd = (status.cost_usd or 0.0) + event.cost_usd
        if event.agent_id:
            self._agents.thread(event.agent_id).spend(event)
        if event.context_tokens and not event.agent_id:
            status.context_tokens, status.context_size = event.context_tokens, event.context_size
        self._dirty.status = True

    def _abandon(self, now_ms: float) -> None:
        """Close what a process that was killed left open: nobody is going to finish it."""
        self._main.rest(now_ms)
        self._agents.abandon(now_ms)
        self._track.abandon(now_ms)
        self.jobs.clear()
        self._count_jobs()
        if self.requests:
            self._asked.clear()
            self._dirty.requests = True
        if self.queue:
            self.queue = []
            self._dirty.queue = True
        self.hooks.abandon()
        self.status.retry = None

    def _plan(self, tasks: tuple[dict[str, Any], ...]) -> None:
        self.tasks, self._dirty.tasks = tasks, True

    def _clear(self) -> None:
        self._plan(())
        self._main.clear()
        self._agents.clear()
        self.changes = []
        self._change_places.clear()
        self._track.clear()
        self.status.context_tokens = 0
        dirty = self._dirty
        dirty.tools = dirty.changes = dirty.status = True
