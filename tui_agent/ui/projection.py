"""Events → what the screen shows: the one translator between the engine and the panes. Pure; knows no widget.

`Projection.apply` takes what waits on the bus and says by a `Dirty` what changed, so that each pane touches only that. Work is
in proportion to the events, never to the conversation. The same events give the same projection, live or replayed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from tui_agent import events
from tui_agent.changes import FileChange
from tui_agent.events import Event
from tui_agent.ui.blocks import Block, BlockKind
from tui_agent.ui.job_track import JobTrack, ended_words
from tui_agent.ui.state import Dirty, Retry, Status, TurnInfo
from tui_agent.ui.tool_track import ToolTrack

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Mapping, Sequence

    from tui_agent.events import RetryScheduled
    from tui_agent.ui.state import Request
    from tui_agent.viewkit.tool_view import ToolUse
    from tui_agent.viewkit.view import View

__all__ = ["ChangeKey", "Dirty", "MarkdownFeed", "Projection", "Retry", "Status", "TurnInfo"]


# A change is known by the tool use that makes it and the file it is of.
ChangeKey = tuple[str, str]


class MarkdownFeed(Protocol):
    """What the projection needs of `viewkit.markdown.MarkdownStream`."""

    @property
    def parts(self) -> Sequence[View]:
        """The closed top-level parts; only ever grows."""
        ...

    @property
    def tail(self) -> View | None:
        """The part that is still open."""
        ...

    def feed(self, text: str) -> None:
        """Take more of the text."""
        ...

    def finish(self) -> None:
        """Close what is open."""
        ...


def _markdown() -> MarkdownFeed:
    from tui_agent.viewkit.markdown import MarkdownStream  # the parser waits for the first reply

    return MarkdownStream()


@dataclass(slots=True)
class _TextStream:
    """A text block of a reply that is being written, and the screen blocks made of it so far."""

    feed: MarkdownFeed
    group: str
    shown: int = 0  # closed parts that have their final view


class Projection:
    """The view state of one session. Read its attributes freely; only `apply` changes them."""

    def __init__(self, markdown: Callable[[], MarkdownFeed] = _markdown) -> None:
        self.blocks: list[Block] = []
        self.requests: list[Request] = []
        self.turns: list[TurnInfo] = []
        self.status = Status()
        self.queue: list[tuple[str, str]] = []
        self.changes: list[ChangeKey] = []
        self._change_places: dict[ChangeKey, int] = {}
        self.tasks: tuple[dict[str, Any], ...] = ()  # the model's plan; keys are those of `tools.task_list.Task`
        self.now_ms = 0.0  # the newest event's time
        self._track = ToolTrack()
        self._jobs = JobTrack()
        self._markdown = markdown
        self._positions: dict[str, int] = {}
        self._texts: dict[str, _TextStream] = {}
        self._message = ""
        self._talk = ""
        self._dirty = Dirty()

    def change_place(self, key: ChangeKey) -> int | None:
        """Return where in `changes` a change is."""
        return self._change_places.get(key)

    @property
    def tools(self) -> dict[str, ToolUse]:
        """All tool uses by id, in order of appearance."""
        return self._track.uses

    @property
    def tallies(self) -> Mapping[str, Counter[str]]:
        """How each tool's uses ended, over the whole session: `ok` or the kind of error, and how often."""
        return self._track.tallies

    @property
    def jobs(self) -> dict[str, ToolUse]:
        """The background jobs that run, by id."""
        return self._jobs.running

    @property
    def turn(self) -> TurnInfo | None:
        """The turn that runs, or ran last."""
        return self.turns[-1] if self.turns else None

    def position(self, block_id: str) -> int | None:
        """Return where in `blocks` the block is. A tool use's block has the tool use's id."""
        return self._positions.get(block_id)

    def apply(self, new: Iterable[Event]) -> Dirty:
        """Take in events, in the order they were published, and say what they changed."""
        dirty = self._dirty = Dirty()
        for event in new:
            if event.monotonic_ms:
                self.now_ms = event.monotonic_ms
            self._apply(event)
        self._track.settle_inputs()
        for tool_id in self._track.take_changed():
            dirty.tools = True
            dirty.tool_ids.add(tool_id)
            self._touch(tool_id)
        self._set_activity()
        if dirty.blocks_from is not None:
            first = dirty.blocks_from
            dirty.block_ids = {name for name in dirty.block_ids if self._positions.get(name, first) < first}
        return dirty

    # --- one event ---------------------------------------------------------------------------------------------------

    def _apply(self, event: Event) -> None:
        match event:
            case events.TextDelta(block_id=block_id, text=text):
                self._text(block_id).feed.feed(text)
                self._show_text(block_id)
                self._talk = "writing"
            case events.TextFinished(block_id=block_id):
                self._finish_text(block_id)
            case events.ThinkingDelta(block_id=block_id, text=text):
                self._thinking(block_id).append(text)
                self._talk = "thinking"
            case events.ThinkingFinished(block_id=block_id, duration_ms=duration):
                block = self._thinking(block_id)
                block.is_live, block.duration_ms = False, duration
            case events.PermissionRequested() | events.FormRequested():
                self.requests.append(event)
                self._dirty.requests = True
                self._track.apply(event)
            case events.PermissionResolved(request_id=request_id) | events.FormAnswered(request_id=request_id):
                self.requests = [request for request in self.requests if request.request_id != request_id]
                self._dirty.requests = True
                self._track.apply(event)
            case events.ToolUseStarted() | events.ToolUseCompleted():
                self._tool_appeared(event)
            case events.EditProposed(tool_use_id=tool_id) | events.EditApplied(tool_use_id=tool_id):
                self._track.apply(event)
                self._changed(tool_id, event.change)
            case _:
                if not self._track.apply(event) and not self._apply_turn(event):
                    self._apply_session(event)

    def _apply_turn(self, event: Event) -> bool:
        """Take in an event about the turn and its requests; False when it is not one."""
        match event:
            case events.MessageQueued(message_id=message_id, text=text):
                self.queue.append((message_id, text))
                self._dirty.queue = True
            case events.MessageUnqueued(message_id=message_id):
                self._unqueue(message_id)
            case events.UserMessageSent(message_id=message_id, text=text):
                self._unqueue(message_id)
                self._add("user", message_id, group=message_id, text=text)
            case events.TurnStarted(turn_id=turn_id):
                self.turns.append(TurnInfo(turn_id, event.monotonic_ms))
                self.status.is_busy, self._talk = True, "starting"
                self._dirty.tools = True
            case events.RequestSent():
                self._end_stream(event.monotonic_ms)
                self.status.retry, self._talk = None, "waiting for the model"
            case events.ResponseStarted(message_id=message_id):
                self._message, self._talk = message_id, "thinking"
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
                self._add("error", f"failed:{event.seq}", text=message, hint=hint, level="error")
            case events.TurnFinished():
                self._finish_turn(event)
            case _:
                return False
        return True

    def _apply_session(self, event: Event) -> None:
        status = self.status
        match event:
            case events.SessionStarted():
                self._abandon(event.monotonic_ms)
                status.cwd, status.model, status.mode = event.cwd, event.model, event.mode
                status.is_trusted, self._track.base = event.trusted, event.cwd
                self._dirty.status = True
            case events.ModeChanged(mode=mode):
                status.mode = mode
                self._dirty.status = True
            case events.ModelChanged(model=model):
                status.model = model
                self._dirty.status = True
            case events.BranchChanged(branch=branch, changed_files=changed):
                status.branch, status.changed_files = branch, changed
                self._dirty.status = True
            case events.SettingsReloaded(problems=problems):
                for number, problem in enumerate(problems):
                    self._add("notice", f"settings:{event.seq}:{number}", text=problem, level="warning")
            case events.TasksChanged(tasks=tasks):
                self._plan(tasks)
            case events.Notice(level=level, text=text, hint=hint):
                self._add("notice", f"notice:{event.seq}", text=text, hint=hint, level=level)
            case events.JobStarted() | events.JobProgressed() | events.JobEnded():
                self._job(event)
            case events.HistoryCleared():
                self._clear()
            case events.SessionEnded():
                self._abandon(event.monotonic_ms)

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
                    self._add("notice", f"job:{event.job_id}", text=ended_words(job, event), level=level)
        self._dirty.tools = True
        self._count_jobs()

    def _count_jobs(self) -> None:
        if self.status.jobs != len(self.jobs):
            self.status.jobs = len(self.jobs)
            self._dirty.status = True

    # --- text --------------------------------------------------------------------------------------------------------

    def _text(self, block_id: str) -> _TextStream:
        stream = self._texts.get(block_id)
        if stream is None:
            stream = self._texts[block_id] = _TextStream(self._markdown(), self._message or block_id)
        return stream

    def _show_text(self, block_id: str) -> None:
        """Give each closed part its block for good and the open tail the block behind them."""
        stream = self._texts[block_id]
        parts = stream.feed.parts
        for number in range(stream.shown, len(parts)):
            self._part(block_id, stream, number, parts[number], is_live=False)
        stream.shown = len(parts)
        tail = stream.feed.tail
        if tail is not None or f"{block_id}:{stream.shown}" in self._positions:
            self._part(block_id, stream, stream.shown, tail, is_live=tail is not None)

    def _part(self, block_id: str, stream: _TextStream, number: int, view: View | None, *, is_live: bool) -> None:
        name = f"{block_id}:{number}"
        position = self._positions.get(name)
        block = self.blocks[position] if position is not None else self._add("text", name, group=stream.group)
        block.view, block.is_live = view, is_live
        self._touch(name)

    def _finish_text(self, block_id: str) -> None:
        if block_id in self._texts:
            self._texts[block_id].feed.finish()
            self._show_text(block_id)
            del self._texts[block_id]

    def _thinking(self, block_id: str) -> Block:
        position = self._positions.get(block_id)
        if position is None:
            return self._add("thinking", block_id, group=self._message or block_id, is_live=True)
        self._touch(block_id)
        return self.blocks[position]

    # --- tools -------------------------------------------------------------------------------------------------------

    def _tool_appeared(self, event: events.ToolUseStarted | events.ToolUseCompleted) -> None:
        tool_id = event.tool_use_id
        is_new = tool_id not in self.tools
        self._track.apply(event)
        if not is_new:
            return
        use = self.tools[tool_id]
        self._add("tool", tool_id, group="", tool=use)
        if self.turn is not None:
            self.turn.tool_ids.append(tool_id)
        self._talk = f"preparing {use.name}"

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
        self._end_stream(event.monotonic_ms)
        for block_id in list(self._texts):
            self._finish_text(block_id)
        turn = self.turn
        if turn is not None and turn.id == event.turn_id:
            turn.ended_ms, turn.outcome = event.monotonic_ms, event.outcome
        self.status.is_busy, self.status.retry, self._talk = False, None, ""
        block = self._add("turn", f"turn:{event.turn_id}", text=event.detail)
        block.outcome, block.duration_ms = event.outcome, event.duration_ms
        self._dirty.status = self._dirty.tools = True

    def _abandon(self, now_ms: float) -> None:
        """Close what a process that was killed left open: nobody is going to finish it."""
        self._end_stream(now_ms)
        for block_id in list(self._texts):
            self._finish_text(block_id)
        self._track.abandon(now_ms)
        self.jobs.clear()
        self._count_jobs()
        if self.requests:
            self.requests = []
            self._dirty.requests = True
        if self.queue:
            self.queue = []
            self._dirty.queue = True
        self.status.is_busy, self.status.retry, self._talk = False, None, ""

    def _plan(self, tasks: tuple[dict[str, Any], ...]) -> None:
        self.tasks, self._dirty.tasks = tasks, True

    def _clear(self) -> None:
        self._plan(())
        self.blocks, self.turns, self.changes = [], [], []
        self._change_places.clear()
        self._positions.clear()
        self._texts.clear()
        self._track.clear()
        self._message = self._talk = ""
        self.status.context_tokens = 0
        dirty = self._dirty
        dirty.block_ids.clear()
        dirty.blocks_from, dirty.is_reset = 0, True
        dirty.tools = dirty.changes = dirty.status = True

    def _set_activity(self) -> None:
        """Put into one or two words what goes on: a question to the person first, then what the model does, then tools."""
        status = self.status
        if not status.is_busy:
            activity = ""
        elif self.requests:
            activity = "waits for you"
        elif self._talk:
            activity = self._talk
        else:
            running = [self.tools[name].name for name in self._track.running]
            if len(running) > 1:
                activity = f"running {len(running)} tools"
            else:
                activity = f"running {running[0]}" if running else "working"
        if activity != status.activity:
            status.activity, status.activity_since_ms = activity, self.now_ms
            self._dirty.status = True

    # --- blocks ------------------------------------------------------------------------------------------------------

    def _add(
        self,
        kind: BlockKind,
        name: str,
        *,
        group: str = "",
        text: str = "",
        hint: str = "",
        level: str = "info",
        tool: ToolUse | None = None,
        is_live: bool = False,
    ) -> Block:
        while name in self._positions:  # a resumed journal may count from 1 again
            name += "'"
        block = Block(id=name, kind=kind, group=group, hint=hint, tool=tool, is_live=is_live)
        block.level = "error" if level == "error" else "warning" if level == "warning" else "info"
        if text:
            block.append(text)
        if self._dirty.blocks_from is None:
            self._dirty.blocks_from = len(self.blocks)
        self._positions[name] = len(self.blocks)
        self.blocks.append(block)
        return block

    def _touch(self, name: str) -> None:
        position = self._positions.get(name)
        if position is not None:
            self.blocks[position].version += 1
            self._dirty.block_ids.add(name)
