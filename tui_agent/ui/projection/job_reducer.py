"""The part of the projection that is about background jobs: events in, one `ToolUse` a running job, words for the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tui_agent import events
from tui_agent.text import clean_line
from tui_agent.viewkit.tool_text import duration
from tui_agent.viewkit.tool_use import ToolUse

if TYPE_CHECKING:
    from tui_agent.events import JobEnded, JobProgressed, JobStarted

__all__ = ["JobReducer", "ended_words"]

_SHOWN_COMMAND: Final = 100
_OUTCOMES: Final = {
    "done": "ended",
    "failed": "failed",
    "stopped": "was stopped",
    "timeout": "timed out",
    "too_much_output": "was killed: it printed too much",
}


class JobReducer:
    """The jobs that run, by id, the oldest first. Each is a `ToolUse` whose `parent_id` is the one that started it."""

    def __init__(self) -> None:
        self.running: dict[str, ToolUse] = {}

    def start(self, event: JobStarted, key: str, parent: ToolUse | None, base: str) -> None:
        """A job began; `key` names the tool use that started it, which is `parent` where it is known."""
        self.running[event.job_id] = ToolUse(
            id=event.job_id,
            name=parent.name if parent is not None else "Bash",
            input=_input(event, parent),
            is_input_whole=True,
            phase="executing",
            parent_id=key,
            started_ms=event.monotonic_ms,
            executing_ms=event.monotonic_ms,
            running_since_ms=event.monotonic_ms,
            base=base,
        )

    def progress(self, event: JobProgressed) -> None:
        """A job has something to show."""
        job = self.running.get(event.job_id)
        if job is not None:
            job.progress = event.data
            job.version += 1

    def end(self, event: JobEnded) -> ToolUse | None:
        """A job is over; return what it was, with `run_ms` set."""
        job = self.running.pop(event.job_id, None)
        if job is not None:
            job.run_ms = max(0.0, event.monotonic_ms - job.started_ms)
        return job


def _input(event: JobStarted, parent: ToolUse | None) -> dict[str, Any]:
    """Return what its line is drawn from: of an agent what its tool use was given."""
    own = {"command": event.command, "description": event.description}
    return own if parent is None or parent.name == "Bash" else {**parent.input, **own}


def ended_words(job: ToolUse, event: events.JobEnded) -> str:
    """Return the notice for the user that a job has ended."""
    command = clean_line(str(job.input["command"]), _SHOWN_COMMAND)
    what = "background command" if job.name == "Bash" else "background agent"
    code = f", exit {event.exit_code}" if event.exit_code is not None else ""
    took = f" · {duration(job.run_ms)}" if job.run_ms else ""
    return f"A {what} {_OUTCOMES[event.outcome]}{code}{took}: {command}"
