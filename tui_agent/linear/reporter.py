"""Events of a session → lines of text, in the order in which things happen."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from tui_agent import events as ev
from tui_agent.conversation_fold import Agents
from tui_agent.linear.diff_words import change_summary, hunk_lines
from tui_agent.linear.event_words import event_lines
from tui_agent.linear.tool_words import outcome_words, result_text, use_title
from tui_agent.linear.wrapping import LineStream, wrapped
from tui_agent.text import clean, clean_line
from tui_agent.viewkit.tool_text import count, duration

if TYPE_CHECKING:
    from tui_agent.events import Event
    from tui_agent.linear.console import ConsoleLike

__all__ = ["Reporter", "Use"]

_SOON_S: Final = 1.0  # a tool use that ends before that is told of once, when it has ended
_QUIET_S: Final = 20.0  # without a line, while something runs
_KEPT_RESULTS: Final = 200
_LONGEST_DIFF: Final = 16
_LONGEST_RESULT: Final = 200_000  # characters that `/show` can show


@dataclass(slots=True)
class Use:
    """One tool use, as far as it is told: its number and id, what it is called, and its result once it has one."""

    number: int
    tool_use_id: str
    name: str
    agent_id: str
    by: str
    input: dict[str, Any] = field(default_factory=dict)
    is_running: bool = False
    is_reviewed: bool = False
    since: float = 0.0
    result: str | None = None


class Reporter:
    """Writes what happens. While a question is read (`hold`), lines wait, so that nothing comes between it and its answer.

    `remember` takes events of a recording: what they say counts, and is not told.
    """

    def __init__(self, console: ConsoleLike) -> None:
        self._console = console
        self._held: list[str] | None = None
        self._streams: dict[str, LineStream] = {}
        self._sources: dict[str, list[str]] = {}  # of the texts that are being written
        self._agents = Agents()
        self._uses: dict[tuple[str, str], Use] = {}
        self._numbered: dict[int, Use] = {}
        self._count = 0
        self._timers: dict[int, asyncio.TimerHandle] = {}
        self._last = 0.0
        self._turn_uses: list[Use] = []
        self._turn_failed = 0
        self._queued: set[str] = set()
        self._is_silent = False
        self.base = ""
        """The folder of the session: paths in it are told from there."""
        self.jobs: dict[str, str] = {}
        """The background jobs that run: their commands by id."""
        self.usage: list[ev.UsageReported] = []
        self.tasks: tuple[dict[str, Any], ...] = ()
        self.replies: list[str] = []
        """What the model has said, text by text, as it was written."""

    # --- lines -------------------------------------------------------------------------------------------------------

    def say(self, text: str = "") -> None:
        """Write a line, or several; text that is longer than the terminal is wide is broken at blanks."""
        for line in clean(text).split("\n"):
            for piece in wrapped(line, self._console.width):
                self._put(piece)

    def hold(self) -> None:
        """Keep lines from now on."""
        if self._held is None:
            self._held = []

    def release(self) -> None:
        """Write what was kept."""
        lines, self._held = self._held or [], None
        for line in lines:
            self._put(line)

    def _put(self, line: str) -> None:
        if self._is_silent:
            return
        self._last = _now()
        if self._held is not None:
            self._held.append(line)
        else:
            self._console.line(line)

    # --- events ------------------------------------------------------------------------------------------------------

    def remember(self, recorded: Iterable[Event]) -> None:
        """Take in what was recorded, and tell none of it."""
        self._is_silent = True
        try:
            for event in recorded:
                self.take(event)
        finally:
            self._is_silent = False
        self._end_timers()
        self.jobs.clear()

    def take(self, event: Event) -> None:
        """Tell what an event says."""
        self._agents.apply(event)
        match event:
            case ev.SessionStarted():
                self.base = event.cwd
            case ev.TextDelta(agent_id="") | ev.TextFinished(agent_id=""):
                self._text(event)
            case ev.ToolUseStarted() | ev.ToolUseCompleted() | ev.ToolInputChanged():
                self._use_told(event)
            case ev.ToolStageStarted(stage="call"):
                self._started(event)
            case ev.ToolResultReady():
                self._ended(event)
            case ev.ToolUseDropped():
                self._forget(event)
            case ev.EditReviewed() | ev.PermissionRequested(has_proposal=True):  # its lines have been shown
                if use := self._uses.get((event.agent_id, event.tool_use_id)):
                    use.is_reviewed = True
            case ev.EditApplied():
                self._edited(event)
            case ev.JobStarted() | ev.JobEnded():
                self._job(event)
            case ev.TurnStarted(agent_id=""):
                self._turn_uses, self._turn_failed, self._last = [], 0, _now()
            case ev.TurnFinished(agent_id=""):
                self._turn_over(event)
            case ev.UsageReported():
                self.usage.append(event)
            case _:
                self._other(event)

    def _other(self, event: Event) -> None:
        """Tell of what needs no more than its own words."""
        match event:
            case ev.MessageQueued():
                self._queued.add(event.message_id)
            case ev.MessageUnqueued():
                self._queued.discard(event.message_id)
            case ev.UserMessageSent() if event.message_id in self._queued:
                self._queued.discard(event.message_id)
                self.say(f"Sent: {clean_line(event.shown or event.text, 100)}")
            case ev.TasksChanged():
                self.tasks = event.tasks
            case _:
                pass
        who = f"Agent {clean_line(self._agents.name_of(event.agent_id), 60)}: " if event.agent_id else ""
        for line in event_lines(event, self.base):
            self.say(f"{who}{line}")

    def still(self) -> None:
        """Say what runs, if nothing was said for a while."""
        if self._held is not None or _now() - self._last < _QUIET_S:
            return
        running = [use for use in self._turn_uses if use.is_running]
        if running:
            for use in running[:3]:
                self.say(f"{self._title(use)}: still running, {duration((_now() - use.since) * 1000)}")
        else:
            self.say("Still working.")

    # --- text --------------------------------------------------------------------------------------------------------

    def _text(self, event: ev.TextDelta | ev.TextFinished) -> None:
        stream = self._streams.get(event.block_id)
        if isinstance(event, ev.TextFinished):
            if stream is not None:
                del self._streams[event.block_id]
                self.replies.append("".join(self._sources.pop(event.block_id)).strip())
                for line in stream.end():
                    self._put(line)
                self._put("")
            return
        text, label = event.text, ""
        if stream is None:
            text = text.lstrip("\n")
            if not text:
                return
            stream = self._streams[event.block_id] = LineStream(self._console.width)
            self._sources[event.block_id] = []
            self._put("")
            label = "Model: "
        self._sources[event.block_id].append(text)
        for line in stream.feed(f"{label}{text}"):
            self._put(line)

    # --- tools -------------------------------------------------------------------------------------------------------

    def use(self, number: int | None = None) -> Use | None:
        """Return the tool use with this number, or the last one that has a result."""
        if number is not None:
            return self._numbered.get(number)
        return next((use for use in reversed(self._numbered.values()) if use.result is not None), None)

    @property
    def running(self) -> list[Use]:
        """The tool uses that run."""
        return [use for use in self._uses.values() if use.is_running]

    def title(self, agent_id: str, tool_use_id: str) -> str:
        """Return what a tool use is called in lines about it; empty where it is not known."""
        use = self._uses.get((agent_id, tool_use_id))
        return self._title(use) if use is not None else ""

    def _title(self, use: Use) -> str:
        who = f"Agent {clean_line(self._agents.name_of(use.agent_id), 60)}, tool" if use.agent_id else "Tool"
        return f"{who} {use.number}, {use_title(use.name, use.input, self.base)}"

    def _use_told(self, event: ev.ToolUseStarted | ev.ToolUseCompleted | ev.ToolInputChanged) -> None:
        key = (event.agent_id, event.tool_use_id)
        use = self._uses.get(key)
        if use is None:
            self._count += 1
            by = event.by if isinstance(event, ev.ToolUseStarted) else "model"
            use = Use(self._count, event.tool_use_id, event.name, event.agent_id, by)
            self._uses[key] = self._numbered[self._count] = use
            self._turn_uses.append(use)
            if len(self._numbered) > _KEPT_RESULTS:
                del self._numbered[next(iter(self._numbered))]
        if not isinstance(event, ev.ToolUseStarted):
            use.name, use.input = event.name, event.input

    def _started(self, event: ev.ToolStageStarted) -> None:
        use = self._uses.get((event.agent_id, event.tool_use_id))
        if use is None or self._is_silent:
            return
        use.is_running, use.since = True, _now()

        def tell() -> None:
            self._timers.pop(use.number, None)
            if use.is_running:
                self.say(f"{self._title(use)}: running")

        self._timers[use.number] = asyncio.get_running_loop().call_later(_SOON_S, tell)

    def _ended(self, event: ev.ToolResultReady) -> None:
        use = self._uses.get((event.agent_id, event.tool_use_id))
        if use is None:
            return
        use.is_running = False
        self._stop_timer(use)
        use.result = result_text(event.content)[:_LONGEST_RESULT]
        self._turn_failed += event.is_error
        self.say(f"{self._title(use)}: {outcome_words(event)}")
        if use.by == "person":
            for line in clean(use.result).rstrip("\n").split("\n"):
                self._put(line)
        del self._uses[event.agent_id, event.tool_use_id]

    def _forget(self, event: ev.ToolUseDropped) -> None:
        use = self._uses.pop((event.agent_id, event.tool_use_id), None)
        if use is not None:
            self._stop_timer(use)
            self.say(f"{self._title(use)}: not run, {clean_line(event.reason, 200)}")

    def _edited(self, event: ev.EditApplied) -> None:
        """Tell what was written, with its lines where nobody has seen them before and they are few."""
        use = self._uses.get((event.agent_id, event.tool_use_id))
        self.say(f"Written: {change_summary(event.change, self.base)}")
        if use is not None and use.is_reviewed:
            return
        lines = [line for hunk in event.change.hunks for line in hunk_lines(hunk, has_context=False)]
        for line in lines[:_LONGEST_DIFF]:
            self._put(line)
        if len(lines) > _LONGEST_DIFF:
            self.say(f"… {count(len(lines) - _LONGEST_DIFF, 'more line')}; /diff shows all changes")

    def _stop_timer(self, use: Use) -> None:
        if timer := self._timers.pop(use.number, None):
            timer.cancel()

    def _end_timers(self) -> None:
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()

    # --- the rest ----------------------------------------------------------------------------------------------------

    def _job(self, event: ev.JobStarted | ev.JobEnded) -> None:
        if isinstance(event, ev.JobStarted):
            self.jobs[event.job_id] = event.command
            self.say(f"Background job {clean_line(event.job_id, 40)}: running, {clean_line(event.command, 100)}")
            return
        command = self.jobs.pop(event.job_id, "")
        words = {"too_much_output": "killed, it printed too much", "timeout": "timed out"}.get(
            event.outcome, event.outcome
        )
        code = f", exit code {event.exit_code}" if event.exit_code is not None else ""
        self.say(f"Background job {clean_line(event.job_id, 40)}: {words}{code}, {clean_line(command, 100)}")

    def _turn_over(self, event: ev.TurnFinished) -> None:
        self._end_timers()
        for stream in list(self._streams):
            self._text(ev.TextFinished(block_id=stream))
        words = {"done": "Done", "interrupted": "Interrupted", "failed": "Failed", "declined": "Stopped"}
        said = words.get(event.outcome, f"Ended ({event.outcome.replace('_', ' ')})")
        uses = [use for use in self._turn_uses if use.by == "model"]
        if (
            event.outcome == "done" and self._turn_uses and not uses
        ):  # the user has run a tool: its own line says it all
            said = ""
        tools = f", {count(len(uses), 'tool use')}" if uses else ""
        failed = f", {self._turn_failed} failed" if self._turn_failed else ""
        if said:
            self.say(f"{said}, {duration(event.duration_ms)}{tools}{failed}.")
        if event.detail:
            self.say(clean_line(event.detail, 1000))
        self._uses.clear()


def _now() -> float:
    return asyncio.get_running_loop().time()
