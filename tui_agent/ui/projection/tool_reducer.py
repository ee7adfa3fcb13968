"""The part of the projection that is about tool uses: events in, `ToolUse` objects kept up to date."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from tui_agent import events
from tui_agent.events import Event
from tui_agent.review_comments import read_comments
from tui_agent.ui.projection.agents import use_key
from tui_agent.viewkit.partial_json import read_partial
from tui_agent.viewkit.tool_use import Review, ToolUse

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["ToolReducer"]

READ_LIMIT: Final = 4000  # characters of arguments that are read while they stream: enough for all that a title names
_ABOUT_USES: Final = (
    events.ToolStageStarted, events.ToolStageEnded, events.ToolStateChanged, events.ToolProgressed, events.ToolResultReady,
    events.ToolUseDropped, events.ToolInputChanged, events.PermissionRequested, events.PermissionResolved,
    events.FormRequested, events.FormAnswered, events.EditProposed, events.EditReviewed, events.EditApplied,
)  # fmt: skip


@dataclass(slots=True)
class _Arguments:
    """Argument text that streams in. It is joined when it has grown by an eighth, so that joining stays linear."""

    pieces: list[str] = field(default_factory=list)
    waiting: int = 0

    def add(self, text: str) -> None:
        self.pieces.append(text)
        self.waiting += len(text)


class ToolReducer:
    """All tool uses of a session, by their keys (`agents.use_key`), the oldest first.

    `running` are those of the main conversation that execute now; `unfinished` have no result yet.
    """

    def __init__(self) -> None:
        self.uses: dict[str, ToolUse] = {}
        self.base = ""  # the folder that paths are shown relative to
        self.running: dict[str, None] = {}
        self.unfinished: dict[str, ToolUse] = {}
        self.tallies: dict[str, Counter[str]] = {}  # by tool, how its uses ended: `ok` or the kind of error
        self._arguments: dict[str, _Arguments] = {}
        self._changed: dict[str, None] = {}

    def clear(self) -> None:
        """Forget everything."""
        self.uses.clear()
        self.running.clear()
        self.unfinished.clear()
        self._arguments.clear()
        self._changed.clear()

    def take_changed(self) -> Iterable[str]:
        """Return the ids of the tool uses that changed since the last call; their versions have gone up."""
        changed, self._changed = self._changed, {}
        for name in changed:
            self.uses[name].version += 1
        return changed

    def settle_inputs(self) -> None:
        """Bring the argument text of tool uses that are still being written up to date. Called once a frame."""
        for name, arguments in self._arguments.items():
            use = self.uses[name]
            known = len(use.input_text)
            if not arguments.waiting or (known > READ_LIMIT and arguments.waiting < known / 8):
                continue
            use.input_text += "".join(arguments.pieces)
            arguments.pieces.clear()
            arguments.waiting = 0
            if known < READ_LIMIT:
                use.input = read_partial(use.input_text, READ_LIMIT)
            self._changed[name] = None

    def abandon(self, now_ms: float) -> None:
        """Close tool uses that nobody is going to finish."""
        for use in self.uses.values():
            if use.phase not in ("yielded", "dropped"):
                self._end_run(use, now_ms)
                use.phase, use.waiting_since_ms = "dropped", None
                self._changed[use.id] = None
        self.running.clear()
        self.unfinished.clear()
        self._arguments.clear()

    def appear(
        self, event: events.ToolUseStarted | events.ToolUseCompleted, key: str, parent: str | None
    ) -> ToolUse | None:
        """Take in that a tool use is written; return it where it is new. `parent` is the key of the one that it is part of."""
        use = self.uses.get(key)
        fresh = None
        if use is None:
            use = fresh = self.uses[key] = self.unfinished[key] = ToolUse(
                id=key,
                name=event.name,
                agent_id=event.agent_id,
                parent_id=parent,
                started_ms=event.monotonic_ms,
                base=self.base,
            )
            self._changed[key] = None
        if isinstance(event, events.ToolUseCompleted):
            self._arguments.pop(key, None)
            use.name, use.input, use.input_text, use.is_input_whole = event.name, event.input, "", True
            self._changed[key] = None
        elif fresh is not None:
            use.is_by_person = event.by == "person"
            self._arguments[key] = _Arguments()
        return fresh

    def touch(self, key: str) -> None:
        """Something that is shown with a tool use changed."""
        if key in self.uses:
            self._changed[key] = None

    def apply(self, event: Event) -> bool:
        """Take in one event about a tool use that has appeared; False when it is about something else."""
        if isinstance(event, events.ToolInputDelta):
            name = use_key(event.agent_id, event.tool_use_id)
            if name in self._arguments:
                self._arguments[name].add(event.partial_json)
            return True
        if not isinstance(event, _ABOUT_USES):
            return False
        use = self.uses.get(use_key(event.agent_id, event.tool_use_id))
        if use is not None:
            self._changed[use.id] = None
            self._update(use, event)
        return True

    def _update(self, use: ToolUse, event: Event) -> None:
        match event:
            case events.ToolStateChanged():
                self._move(use, event)
            case events.ToolStageStarted(stage=stage):
                use.stage = stage
            case events.ToolStageEnded():
                use.stages.append((event.stage, event.outcome, event.ms))
            case events.ToolInputChanged(name=name, input=input):
                use.name, use.input = name, input
            case events.ToolProgressed(data=data):
                use.progress = data
            case events.ToolResultReady():
                use.content, use.data = event.content, event.data
                use.is_error, use.error_kind = event.is_error, event.error_kind
                use.is_rejected = use.is_rejected or event.error_kind in ("denied", "hook")
                use.run_ms = event.duration_ms
                self.tallies.setdefault(event.name, Counter())[event.error_kind or "ok"] += 1
            case events.PermissionRequested() | events.FormRequested():
                self._end_run(use, event.monotonic_ms)
                use.phase, use.waiting_since_ms = "waiting", event.monotonic_ms
            case events.PermissionResolved(behavior=behavior, message=message, comments=comments):
                self._resume(use, event.monotonic_ms)
                use.is_rejected, use.words = behavior == "deny", message or ""
                use.comments = read_comments(comments)
            case events.FormAnswered():
                self._resume(use, event.monotonic_ms)
            case events.EditProposed(change=change):
                use.take_change(change)
            case events.EditReviewed(path=path, accepted=accepted, refused=refused):
                use.reviews[path] = Review(accepted, refused)
            case events.EditApplied(change=change):
                use.take_change(change)
                use.is_applied = True
            case events.ToolUseDropped():
                use.phase = "dropped"
                self.unfinished.pop(use.id, None)
                self._arguments.pop(use.id, None)

    def _move(self, use: ToolUse, event: events.ToolStateChanged) -> None:
        now = event.monotonic_ms
        match event.to_state:
            case "queued":
                use.phase, use.queued_ms = "queued", now
            case "executing":
                use.phase, use.executing_ms, use.running_since_ms = "executing", now, now
                if not use.agent_id:
                    self.running[use.id] = None
            case "completed":
                self._resume(use, now)
                self._end_run(use, now)
                use.phase, use.completed_ms = "completed", now
                use.run_ms = use.run_ms or sum(stop - start for start, stop in use.runs)
                self.running.pop(use.id, None)
                self.unfinished.pop(use.id, None)
            case "yielded":
                use.phase, use.yielded_ms = "yielded", now

    @staticmethod
    def _end_run(use: ToolUse, now_ms: float) -> None:
        if use.running_since_ms is not None:
            use.runs.append((use.running_since_ms, now_ms))
            use.running_since_ms = None

    @staticmethod
    def _resume(use: ToolUse, now_ms: float) -> None:
        """End a wait for the user; what follows counts as work again."""
        if use.waiting_since_ms is not None:
            use.waited_ms += now_ms - use.waiting_since_ms
            use.waiting_since_ms, use.running_since_ms, use.phase = None, now_ms, "executing"
