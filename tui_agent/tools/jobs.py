"""Background jobs: work that goes on after the tool use that started it has ended, until its end or the session's.

A tool hands over a coroutine; everything else is the same for all jobs: a name, an end that is told once to the user (as an
event) and once to the model (as news for its next step), a limit of time, stopping, and waiting.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from tui_agent.events import Event, JobEnded, JobProgressed, JobStarted

if TYPE_CHECKING:
    from tui_agent.tools.progress import Progress

__all__ = ["Job", "JobEnd", "JobOutcome", "Jobs", "ended_text", "unknown_job"]

JobOutcome = Literal["done", "failed", "stopped", "timeout", "too_much_output"]

_PROGRESS_S: Final = 1.0
_SHOWN_LINES: Final = 5
_SHOWN_CHARS: Final = 300


@dataclass(frozen=True, slots=True)
class JobEnd:
    """How a job ended. `exit_code` is None where there is none, or it was stopped before."""

    outcome: JobOutcome
    exit_code: int | None = None


class Job:
    """One job. `command` says what runs, for people and model; `output_path` is the file that all it prints goes to."""

    def __init__(self, id: str, kind: str, tool_use_id: str, command: str, description: str, output_path: Path) -> None:
        self.id: Final = id
        self.kind: Final = kind
        self.tool_use_id: Final = tool_use_id
        self.command: Final = command
        self.description: Final = description
        self.output_path: Final = output_path
        self.end: JobEnd | None = None
        self.seen_bytes = 0  # how much of its output the model has been given
        self._began = time.monotonic()
        self._ended: float | None = None
        self._has_ended = asyncio.Event()

    @property
    def is_running(self) -> bool:
        """Whether it goes on."""
        return self.end is None

    @property
    def seconds(self) -> float:
        """How long it has run, or ran."""
        return (time.monotonic() if self._ended is None else self._ended) - self._began

    async def wait(self, timeout_s: float) -> bool:
        """Wait for its end, at most so long; say whether it has ended."""
        try:
            async with asyncio.timeout(timeout_s):
                await self._has_ended.wait()
        except TimeoutError:
            return False
        return True

    async def ended(self) -> None:
        """Wait for its end."""
        await self._has_ended.wait()

    def finish(self, end: JobEnd) -> None:
        """It is over."""
        self.end = end
        self._ended = time.monotonic()
        self._has_ended.set()


class Jobs:
    """The background jobs of one session. `publish` takes events; `close` ends every job, and must be called.

    `takes_late_commands` says whether a command that has run out of time may go on here: not where nobody would be left
    to look after it.
    """

    def __init__(self, publish: Callable[[Event], object], *, takes_late_commands: bool = True) -> None:
        self.takes_late_commands: Final = takes_late_commands
        self._publish = publish
        self._jobs: dict[str, Job] = {}
        self._tasks: dict[str, asyncio.Task[JobEnd]] = {}
        self._untold: set[str] = set()
        self._stopping: set[asyncio.Task[bool]] = set()
        self._news: list[Job] = []
        self._wanted: set[str] = set()
        self._waiting: dict[str, asyncio.Event] = {}  # calls that go on in the background as soon as the user wants it
        self._is_closed = False

    @property
    def all(self) -> tuple[Job, ...]:
        """Every job of the session, the oldest first."""
        return tuple(self._jobs.values())

    @property
    def running(self) -> tuple[Job, ...]:
        """Those that go on."""
        return tuple(job for job in self._jobs.values() if job.is_running)

    def get(self, job_id: str) -> Job | None:
        """Return the job of this id."""
        return self._jobs.get(job_id)

    @staticmethod
    def new_id(kind: str) -> str:
        """Return an id that no job of this or an earlier part of the session has."""
        return f"{kind}_{secrets.token_hex(4)}"

    def start(
        self,
        work: Callable[[], Awaitable[JobEnd]],
        *,
        job_id: str,
        kind: str,
        tool_use_id: str,
        command: str,
        output_path: Path,
        description: str = "",
        timeout_s: float | None = None,
        progress: Callable[[], Progress] | None = None,
        tell: Callable[[Job], None] | None = None,
    ) -> Job:
        """Let `work` run until its end, as a job from now on.

        Args:
            work: does it and says how it ended. It is cancelled to stop it, and has to be gone when it returns.
            job_id: from `new_id`.
            kind: a word for what it is (`bash`, `agent`).
            tool_use_id: the tool use that started it.
            command: what runs.
            output_path: the file that all it prints goes to.
            description: what it is for, in a few words.
            timeout_s: how long it may take; None for no limit.
            progress: what there is to show now; asked about once a second.
            tell: takes the job when it has ended, and tells the model; without it the end is news, see `take_news`.
        """
        if self._is_closed:
            raise RuntimeError("the session has ended: no job can begin")
        job = self._jobs[job_id] = Job(job_id, kind, tool_use_id, command, description, output_path)
        self._publish(
            JobStarted(
                job_id=job_id,
                tool_use_id=tool_use_id,
                command=command,
                output_path=str(output_path),
                description=description,
            )
        )
        task = self._tasks[job_id] = asyncio.create_task(
            self._run(job, work, timeout_s, progress), name=f"job {job_id}"
        )
        task.add_done_callback(lambda done: self._ended(job, done, tell or self._news.append))
        return job

    async def wait_for(self, kind: str) -> bool:
        """Wait until no job of this kind runs any more; False when none did."""
        running = [job for job in self.running if job.kind == kind]
        for job in running:
            await job.ended()
        return bool(running)

    async def stop(self, job_id: str, *, is_told: bool = False) -> bool:
        """End a job and wait until it is gone; False when it was over already, or is unknown.

        `is_told` says that the model knows, since it is the one that wants it.
        """
        task = self._tasks.get(job_id)
        if task is None:
            return False
        if is_told:
            self._untold.add(job_id)
        await asyncio.sleep(0)  # cancelled before its first step it would never begin, and so never end what it runs
        task.cancel()
        await asyncio.wait([task])
        return True

    def stop_soon(self, job_id: str) -> None:
        """End a job without waiting for it."""
        stopping = asyncio.create_task(self.stop(job_id))
        self._stopping.add(stopping)
        stopping.add_done_callback(self._stopping.discard)

    async def close(self) -> None:
        """End all jobs and wait until they are gone. No other can begin."""
        self._is_closed = True
        await self.stop_all()

    async def stop_all(self) -> None:
        """End all jobs and wait until they are gone."""
        await asyncio.gather(*(self.stop(job_id) for job_id in tuple(self._tasks)))

    def take_news(self) -> list[Job]:
        """Return the jobs that ended since this was last called, for the model to be told of."""
        news, self._news = self._news, []
        return news

    def want(self, tool_use_id: str) -> None:
        """The user wants this running call to go on in the background."""
        self._wanted.add(tool_use_id)
        if (waiting := self._waiting.get(tool_use_id)) is not None:
            waiting.set()

    async def wait_wanted(self, tool_use_id: str) -> None:
        """Wait until the user wants this call to go on in the background."""
        if tool_use_id not in self._wanted:
            try:
                await self._waiting.setdefault(tool_use_id, asyncio.Event()).wait()
            finally:
                self._waiting.pop(tool_use_id, None)

    def is_wanted(self, tool_use_id: str) -> bool:
        """Whether the user wants this call to go on in the background."""
        return tool_use_id in self._wanted

    async def _run(
        self,
        job: Job,
        work: Callable[[], Awaitable[JobEnd]],
        timeout_s: float | None,
        progress: Callable[[], Progress] | None,
    ) -> JobEnd:
        showing = asyncio.create_task(self._show(job, progress)) if progress is not None else None
        try:
            async with asyncio.timeout(timeout_s):
                return await work()
        except TimeoutError:
            return JobEnd("timeout")
        finally:
            if showing is not None:
                showing.cancel()

    async def _show(self, job: Job, progress: Callable[[], Progress]) -> None:
        """Publish what there is to show whenever it has changed, once a second at most."""
        last: dict[str, Any] = {}
        while True:
            now = progress()
            tail = [line[-_SHOWN_CHARS:] for line in now.tail[-_SHOWN_LINES:]]
            data = {**asdict(now), "message": "", "tail": tail}
            if data != last:
                last = data
                self._publish(JobProgressed(job_id=job.id, data=data))
            await asyncio.sleep(_PROGRESS_S)

    def _ended(self, job: Job, task: asyncio.Task[JobEnd], tell: Callable[[Job], None]) -> None:
        self._tasks.pop(job.id, None)
        if task.cancelled():
            end = JobEnd("stopped")
        elif task.exception() is not None:
            end = JobEnd("failed")
        else:
            end = task.result()
        job.finish(end)
        self._publish(JobEnded(job_id=job.id, outcome=end.outcome, exit_code=end.exit_code))
        if job.id not in self._untold:
            tell(job)
        self._untold.discard(job.id)


def ended_text(outcome: JobOutcome, exit_code: int | None) -> str:
    """Return in a few words how a job ended."""
    match outcome:
        case "done":
            return "ended" if exit_code is None else f"ended with exit code {exit_code}"
        case "failed":
            return "failed" if exit_code is None else f"failed with exit code {exit_code}"
        case "stopped":
            return "was stopped"
        case "timeout":
            return "was stopped because its time was up"
        case "too_much_output":
            return "was killed because it printed too much"


def unknown_job(jobs: Jobs | None, job_id: str) -> str:
    """Say that there is no such job, and which there are."""
    known = jobs.all if jobs is not None else ()
    there = ", ".join(job.id for job in known) if known else "none"
    return f"There is no background job {job_id!r}. Jobs of this session: {there}."
