"""TaskStop: end a background job and all it started."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from tui_agent.tools.base import Invalid, Progress, Result, Tool, ToolContext, ToolInput, Valid, Validity
from tui_agent.tools.jobs import Job, Jobs, ended_text, unknown_job

__all__ = ["TOOL", "TaskStopInput", "TaskStopTool"]


class TaskStopInput(ToolInput):
    """Which job."""

    task_id: str = Field(description="The job's id, as the result that started it gives it.")


@dataclass(frozen=True, slots=True)
class Stopped:
    """A job that is over now; `was_running` says whether this call ended it."""

    job: Job
    was_running: bool


@dataclass(frozen=True, slots=True)
class StopPlan:
    """The job to stop, and the list that it is on."""

    jobs: Jobs
    job: Job


class TaskStopTool(Tool[TaskStopInput, StopPlan, Stopped]):
    """Stops one job."""

    name = "TaskStop"
    aliases = ("KillShell",)
    search_hint = "stop kill end background job shell command agent"
    Input = TaskStopInput

    def description(self) -> str:
        return (
            "Ends a background job and all processes it started, and returns when they are gone.\n"
            "- `task_id` is the id from the result that started the job.\n"
            "- Its output file stays."
        )

    def from_alias(self, alias: str, raw: dict[str, Any]) -> dict[str, Any]:
        if alias == "KillShell" and "shell_id" in raw and "task_id" not in raw:
            raw["task_id"] = raw.pop("shell_id")
        return raw

    def is_concurrency_safe(self, input: TaskStopInput) -> bool:
        return True

    async def validate(self, input: TaskStopInput, ctx: ToolContext) -> Validity[StopPlan]:
        jobs = ctx.services.jobs
        job = jobs.get(input.task_id) if jobs else None
        if jobs is None or job is None:
            return Invalid(unknown_job(jobs, input.task_id), "unknown_job")
        return Valid(StopPlan(jobs, job))

    async def call(
        self, input: TaskStopInput, plan: StopPlan, ctx: ToolContext
    ) -> AsyncIterator[Progress | Result[Stopped]]:
        yield Result(Stopped(plan.job, await plan.jobs.stop(plan.job.id, is_told=True)))

    def to_result(self, output: Stopped) -> str:
        job = output.job
        if output.was_running:
            return f"Stopped job {job.id} after {job.seconds:.0f} s. What it printed is in {job.output_path}."
        assert job.end is not None
        how = ended_text(job.end.outcome, job.end.exit_code)
        return f"Job {job.id} {how} before; there was nothing to stop. What it printed is in {job.output_path}."

    def to_data(self, output: Stopped) -> dict[str, Any]:
        job = output.job
        return {
            "task_id": job.id,
            "task_type": job.kind,
            "command": job.command,
            "stopped": output.was_running,
            "outputPath": str(job.output_path),
        }


TOOL = TaskStopTool
