"""Notes to the model about finished background jobs: one each, sent with its next message or tool result."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tui_agent.context_marks import framed
from tui_agent.events import Event, HistoryCleared, JobEnded, JobStarted, ReminderSent, UserMessageSent
from tui_agent.text import clean_line
from tui_agent.tools.jobs import Job, JobOutcome, ended_text

__all__ = ["JobNotices", "missed_notices", "news_of", "news_text"]

_SHOWN_COMMAND = 200


@dataclass(frozen=True, slots=True)
class JobNotices:
    """One job that has ended."""

    job_id: str
    command: str
    output_path: str
    outcome: JobOutcome
    exit_code: int | None


def news_of(jobs: Iterable[Job]) -> list[JobNotices]:
    """Return what there is to tell of jobs that have ended."""
    return [
        JobNotices(job.id, job.command, str(job.output_path), job.end.outcome, job.end.exit_code)
        for job in jobs
        if job.end is not None
    ]


def missed_notices(events: Sequence[Event]) -> list[JobNotices]:
    """Return what the model was never told: the ends of jobs after the last thing that a recorded session said to it."""
    started: dict[tuple[str, str], JobStarted] = {}
    missed: list[JobNotices] = []
    for event in events:
        match event:
            case JobStarted(job_id=job_id):
                started[event.agent_id, job_id] = event
            case JobEnded(job_id=job_id) if (event.agent_id, job_id) in started:
                begun = started[event.agent_id, job_id]
                missed.append(JobNotices(job_id, begun.command, begun.output_path, event.outcome, event.exit_code))
            case UserMessageSent(agent_id="") | ReminderSent(agent_id="") | HistoryCleared(agent_id=""):
                missed.clear()
            case _:
                pass
    return missed


def news_text(news: Iterable[JobNotices]) -> str:
    """Return the reminder that tells the model; empty without news."""
    lines = [
        f"Background job {one.job_id} (`{clean_line(one.command, _SHOWN_COMMAND)}`) {ended_text(one.outcome, one.exit_code)}. "
        f"Its output is in {one.output_path}."
        for one in news
    ]
    return framed("\n".join(lines))
