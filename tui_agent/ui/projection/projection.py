"""Events → what the screen shows: the one translator between the engine and the panes. Pure; knows no widget.

`Projection.apply` takes what waits on the bus and says by a `Dirty` what changed, so that each pane touches only that. Work is
in proportion to the events, never to the conversation. The same events give the same projection, live or replayed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final

from tui_agent import events
from tui_agent.changes import FileChange
from tui_agent.events import Event
from tui_agent.ui.projection.block_reducer import BlockReducer, MarkdownFeed, markdown_feed
from tui_agent.ui.projection.cost_reducer import CostReducer
from tui_agent.ui.projection.hook_reducer import HookReducer
from tui_agent.ui.projection.job_reducer import JobReducer, ended_words
from tui_agent.ui.projection.request_reducer import RequestReducer
from tui_agent.ui.projection.state import Dirty, Retry, Status, TurnInfo
from tui_agent.ui.projection.tool_reducer import ToolReducer
from tui_agent.ui.projection.undone_text import undone_words

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Mapping

    from tui_agent.events import RetryScheduled
    from tui_agent.ui.projection.blocks import Block
    from tui_agent.ui.projection.state import Request
    from tui_agent.viewkit.tool_use import ToolUse

__all__ = ["ChangeKey", "Dirty", "Projection", "Retry", "Status", "TurnInfo"]


# A change is known by the tool use that makes it and the file it is of.
ChangeKey = tuple[str, str]

_PREPARING: Final = "preparing"  # a tool use whose input arrives


class Projection:
    """The view state of one session. Read its attributes freely; only `apply` changes them."""

    def __init__(self, markdown: Callable[[], MarkdownFeed] = markdown_feed) -> None:
        self.turns: list[TurnInfo] = []
        self.status = Status()
        self.queue: list[tuple[str, str]] = []
        self.changes: list[ChangeKey] = []
        self._change_places: dict[ChangeKey, int] = {}
        self.tasks: tuple[dict[str, Any], ...] = ()  # the model's plan; keys are those of `tools.task_list.Task`
        self.now_ms = 0.0  # the newest event's time
        self._blocks = BlockReducer(markdown)
        self._track = ToolReducer()
        self._jobs = JobReducer()
        self._asked = RequestReducer()
        self.hooks = HookReducer()
        self.cost = CostReducer()
        self._has_turn = False  # one runs now
        self._talk = ""
        self._prepared = ""  # the tool use that the model is writing
        self._dirty = Dirty()

    @property
    def blocks(self) -> list[Block]:
        """The conversation, oldest first. The same list as long as nothing is cleared."""
        return self._blocks.all

    def change_place(self, key: ChangeKey) -> int | None:
        """Return where in `changes` a change is."""
        return self._change_places.get(key)

    @property
    def tools(self) -> dict[str, ToolUse]:
        """All tool uses by id, in order of appearance."""
        return self._track.uses

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
        return self.turns[-1] if self.turns else None

    def position(self, block_id: str) -> int | None:
        """Return where in `blocks` the block is. A tool use's block has the tool use's id."""
        return self._blocks.position(block_id)

    def apply(self, new: Iterable[Event]) -> Dirty:
        """Take in events, in the order they were published, and say what they changed."""
        dirty = self._dirty = self._blocks.dirty = Dirty()
        for event in new:
            if event.monotonic_ms:
                self.now_ms = event.monotonic_ms
            self._apply(event)
            self._set_activity()  # for each: since when something goes on must not depend on how events came together
        self._track.settle_inputs()
        for tool_id in self._track.take_changed():
            dirty.tools = True
            dirty.tool_ids.add(tool_id)
            self._blocks.touch(tool_id)
        self._blocks.settle()
        return dirty

    # --- one event ---------------------------------------------------------------------------------------------------

    def _apply(self, event: Event) -> None:
        match event:
            case events.TextDelta(block_id=block_id, text=text):
                self._blocks.write(block_id, text)
                self._talk = "writing"
            case events.TextFinished(block_id=block_id):
                self._blocks.finish(block_id)
            case events.ThinkingDelta(block_id=block_id, text=text):
                self._blocks.thinking(block_id).append(text)
                self._talk = "thinking"
            case events.ThinkingFinished(block_id=block_id, duration_ms=duration):
                block = self._blocks.thinking(block_id)
                block.is_live, block.duration_ms = False, duration
            case (
                events.PermissionRequested() | events.PermissionResolved()
                | events.FormRequested() | events.FormAnswered() | events.ProposedFileChanged()
            ):  # fmt: skip
                self._asked.apply(event)
                self._dirty.requests = True
                self._track.apply(event)
            case events.ToolUseStarted() | events.ToolUseCompleted():
                self._tool_appeared(event)
            case events.EditProposed(tool_use_id=tool_id) | events.EditApplied(tool_use_id=tool_id):
                self._track.apply(event)
                self._changed(tool_id, event.change)
            case events.EditUndone():
                self._dirty.changes = True
                self._blocks.add(
                    "notice", f"undone:{event.seq}", text=undone_words(event, self._track.base), level="info"
                )
            case _:
                if not self._track.apply(event) and not self._apply_turn(event):
                    self._apply_session(event)

    def _apply_turn(self, event: Event) -> bool:
        """Take in an event about the turn and its requests; False when it is not one."""
        match event:
            case events.MessageQueued(message_id=message_id, text=text):
                self.queue.append((message_id, event.shown or text))
                self._dirty.queue = True
            case events.MessageUnqueued(message_id=message_id):
                self._unqueue(message_id)
            case events.UserMessageSent(message_id=message_id, text=text):
                self._unqueue(message_id)
                self.cost.apply(event)
                block = self._blocks.add("user", message_id, group=message_id, text=text)
                block.shown, block.attached = event.shown, event.attached
            case events.TurnStarted(turn_id=turn_id):
                self.turns.append(TurnInfo(turn_id, event.monotonic_ms))
                self.cost.apply(event)
                self._has_turn, self._talk = True, "starting"
                self._dirty.tools = True
            case events.RequestSent():
                self._end_stream(event.monotonic_ms)
                self.status.retry, self._talk = None, "waiting for the model"
            case events.ResponseStarted(message_id=message_id):
                self._blocks.message, self._talk = message_id, "thinking"
                if self.turn is not None:
                    self.turn.stream_since_ms = event.monotonic_ms
            case events.AssistantMessageCompleted():
                self._end_stream(event.monotonic_ms)
                self._talk = ""
            case events.UsageReported():
                self._take_usage(event)
            case events.RetryScheduled():
                self._retry(event)
            case events.TurnFailed(message=message, hint=hint):
                self._blocks.add("error", f"failed:{event.seq}", text=message, hint=hint, level="error")
            case events.TurnFinished():
                self._finish_turn(event)
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
            case events.TasksChanged(tasks=tasks):
                self._plan(tasks)
            case events.Notice(level=level, text=text, hint=hint):
                self._blocks.add("notice", f"notice:{event.seq}", text=text, hint=hint, level=level)
            case events.JobStarted() | events.JobProgressed() | events.JobEnded():
                self._job(event)
            case events.HookStarted() | events.HookEnded():
                self.hooks.apply(event)
            case events.HistoryCleared():
                self._clear()
            case events.SessionEnded():
                self._abandon(event.monotonic_ms)

    def _settings(self, event: events.SettingsReloaded) -> None:
        if event.sandbox:
            self.status.sandbox = event.sandbox
            self._dirty.status = True
        if event.changes:
            text = "Settings changed: " + "; ".join(event.changes)
            self._blocks.add("notice", f"settings:{event.seq}", text=text, level="info")
        for number, problem in enumerate(event.problems):
            self._blocks.add("notice", f"settings:{event.seq}:{number}", text=problem, level="warning")

    def _job(self, event: events.JobStarted | events.JobProgressed | events.JobEnded) -> None:
        """Take in what became of a background job; its end is told in the conversation."""
        match event:
            case events.JobStarted():
                self._jobs.start(event, self.tools.get(event.tool_use_id), self._track.base)
            case events.JobProgressed():
                self._jobs.progress(event)
            case events.JobEnded():
                job = self._jobs.end(event)
                if job is not None:
                    level = "info" if event.outcome in ("done", "stopped") else "warning"
                    self._blocks.add("notice", f"job:{event.job_id}", text=ended_words(job, event), level=level)
        self._dirty.tools = True
        self._count_jobs()

    def _count_jobs(self) -> None:
        if self.status.jobs != len(self.jobs):
            self.status.jobs = len(self.jobs)
            self._dirty.status = True

    # --- tools -------------------------------------------------------------------------------------------------------

    def _tool_appeared(self, event: events.ToolUseStarted | events.ToolUseCompleted) -> None:
        tool_id = event.tool_use_id
        is_new = tool_id not in self.tools
        self._track.apply(event)
        if isinstance(event, events.ToolUseStarted):
            self._talk, self._prepared = _PREPARING, tool_id
        elif self._talk == _PREPARING and self._prepared == tool_id:
            self._talk = ""  # it may run already, whatever the model says next
        if not is_new:
            return
        use = self.tools[tool_id]
        self._blocks.add("tool", tool_id, group="", tool=use)
        if self.turn is not None:
            self.turn.tool_ids.append(tool_id)

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

    def _end_stream(self, now_ms: float) -> None:
        turn = self.turn
        if turn is not None and turn.stream_since_ms is not None:
            turn.stream.append((turn.stream_since_ms, now_ms))
            turn.stream_since_ms = None
            self._dirty.tools = True

    def _take_usage(self, event: events.UsageReported) -> None:
        status = self.status
        self.cost.apply(event)
        if event.cost_usd is not None:
            status.cost_usd = (status.cost_usd or 0.0) + event.cost_usd
        if event.context_tokens:
            status.context_tokens, status.context_size = event.context_tokens, event.context_size
        self._dirty.status = True

    def _retry(self, event: RetryScheduled) -> None:
        self._end_stream(event.monotonic_ms)
        due = event.monotonic_ms + event.delay_s * 1000
        self.status.retry = Retry(event.attempt, event.max_attempts, due, event.delay_s, event.reason)
        self._dirty.status = True

    def _finish_turn(self, event: events.TurnFinished) -> None:
        self.cost.apply(event)
        self._end_stream(event.monotonic_ms)
        self._blocks.finish_all()
        turn = self.turn
        if turn is not None and turn.id == event.turn_id:
            turn.ended_ms, turn.outcome = event.monotonic_ms, event.outcome
        self._has_turn, self.status.retry, self._talk = False, None, ""
        block = self._blocks.add("turn", f"turn:{event.turn_id}", text=event.detail)
        block.outcome, block.duration_ms = event.outcome, event.duration_ms
        self._dirty.status = self._dirty.tools = True

    def _abandon(self, now_ms: float) -> None:
        """Close what a process that was killed left open: nobody is going to finish it."""
        self._end_stream(now_ms)
        self._blocks.finish_all()
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
        self._has_turn, self.status.retry, self._talk = False, None, ""

    def _plan(self, tasks: tuple[dict[str, Any], ...]) -> None:
        self.tasks, self._dirty.tasks = tasks, True

    def _clear(self) -> None:
        self._plan(())
        self._blocks.clear()
        self.turns, self.changes = [], []
        self._change_places.clear()
        self._track.clear()
        self._talk = ""
        self.status.context_tokens = 0
        dirty = self._dirty
        dirty.tools = dirty.changes = dirty.status = True

    def _set_activity(self) -> None:
        """Put into one or two words what goes on: a question to the user first, then what the model does, then tools."""
        status = self.status
        is_busy = self._has_turn or self.hooks.holds_up or bool(self.requests)
        if is_busy != status.is_busy:
            status.is_busy, self._dirty.status = is_busy, True
        tool_id = ""
        if not is_busy:
            activity = ""
        elif self.requests:
            activity = "waits for you"
        elif self.hooks.message:
            activity = self.hooks.message
        elif self._talk:
            activity, tool_id = self._talk, self._prepared if self._talk == _PREPARING else ""
        else:
            running = list(self._track.running)
            if len(running) > 1:
                activity = f"running {len(running)} tools"
            elif running:
                activity, tool_id = "running", running[0]
            else:
                activity = self.hooks.name or "working"
        if (activity, tool_id) != (status.activity, status.activity_tool):
            status.activity, status.activity_tool, status.activity_since_ms = activity, tool_id, self.now_ms
            self._dirty.status = True
