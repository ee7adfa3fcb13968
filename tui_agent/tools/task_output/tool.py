"""TaskOutput: how a background job stands, and what it has printed since the model last looked."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final, Literal

from pydantic import Field

from tui_agent.regular_files import open_regular
from tui_agent.tools.base import Allow, Invalid, Progress, Result, Tool, ToolContext, ToolInput, Valid, Validity
from tui_agent.tools.jobs import Job, ended_text, unknown_job

__all__ = ["TOOL", "TaskOutputInput", "TaskOutputTool"]

_MOST_WAIT_MS: Final = 600_000
_MOST_BYTES: Final = 200_000  # of a long output only the end is read
_NOTE_ROOM: Final = 1000  # characters of a result kept free for what is said about the output
_FRAME_S: Final = 0.5


class TaskOutputInput(ToolInput):
    """Which job, and whether to wait for it."""

    task_id: str = Field(description="The job's id, as the result that started it gives it.")
    block: bool = Field(True, description="Wait until the job ends, or `timeout` is over.")
    timeout: int = Field(30_000, ge=0, description="How many milliseconds to wait at most; no more than 600000.")
    filter: str | None = Field(
        None,
        description="A regular expression: only lines it is found in are shown. The others are passed over for good.",
    )


@dataclass(frozen=True, slots=True)
class TaskOutput:
    """What was found: `text` is the new output, `left_out` how many bytes of it before that are not shown."""

    job: Job
    text: str
    left_out: int
    problem: str = ""
    most_chars: int = 30_000


@dataclass(frozen=True, slots=True)
class OutputPlan:
    """The job to look at, and which lines are wanted (None: all)."""

    job: Job
    filter: re.Pattern[str] | None


class TaskOutputTool(Tool[TaskOutputInput, OutputPlan, TaskOutput]):
    """Looks at one job. Waiting ends early when the user interrupts."""

    name = "TaskOutput"
    aliases = ("BashOutput",)
    search_hint = "background job output poll wait shell command"
    Input = TaskOutputInput
    interrupt_behavior: ClassVar[Literal["block", "cancel"]] = "cancel"

    def description(self) -> str:
        return (
            "Returns how a background job stands and what it has printed since you last looked.\n"
            "- Waits for the job's end, at most `timeout` milliseconds (30000 when left out); with `block: false` it returns "
            "at once.\n"
            "- All of the output is in the job's file, which Read and Grep can look at any time."
        )

    def from_alias(self, alias: str, raw: dict[str, Any]) -> dict[str, Any]:
        if alias == "BashOutput":
            if "bash_id" in raw and "task_id" not in raw:
                raw["task_id"] = raw.pop("bash_id")
            raw.setdefault("block", False)
        return raw

    def is_concurrency_safe(self, input: TaskOutputInput) -> bool:
        return True

    def is_read_only(self, input: TaskOutputInput) -> bool:
        return True

    async def validate(self, input: TaskOutputInput, ctx: ToolContext) -> Validity[OutputPlan]:
        job = ctx.services.jobs.get(input.task_id) if ctx.services.jobs else None
        if job is None:
            return Invalid(unknown_job(ctx.services.jobs, input.task_id), "unknown_job")
        try:
            return Valid(OutputPlan(job, re.compile(input.filter) if input.filter else None))
        except re.error as error:
            return Invalid(f"filter is not a regular expression: {error}", "bad_filter")

    async def check_permissions(self, input: TaskOutputInput, ctx: ToolContext) -> Allow:
        return Allow()  # a job was permitted when it began, and what it prints is the session's own

    async def call(
        self, input: TaskOutputInput, plan: OutputPlan, ctx: ToolContext
    ) -> AsyncIterator[Progress | Result[TaskOutput]]:
        job = plan.job
        if input.block:
            async with aclosing(_wait(job, min(input.timeout, _MOST_WAIT_MS) / 1000)) as waiting:
                async for progress in waiting:
                    yield progress
        text, seen, left_out, problem = await asyncio.to_thread(_read, job.output_path, job.seen_bytes)
        job.seen_bytes = seen
        if plan.filter:
            text = "".join(line for line in text.splitlines(keepends=True) if plan.filter.search(line))
        yield Result(TaskOutput(job, text, left_out, problem, ctx.limits.result_chars - _NOTE_ROOM))

    def to_result(self, output: TaskOutput) -> str:
        job = output.job
        how = f"runs since {job.seconds:.0f} s" if job.end is None else ended_text(job.end.outcome, job.end.exit_code)
        parts = [f"Job {job.id} {how}."]
        if output.problem:
            parts.append(f"Its output cannot be read: {output.problem}.")
        else:
            text = output.text.strip("\n")
            hidden = max(0, len(text) - output.most_chars)
            if hidden or output.left_out:
                parts.append(f"[There is more before this; all of it is in {job.output_path}]")
            parts.append(text[hidden:] or "(no new output)")
        return "\n".join(parts)

    def to_data(self, output: TaskOutput) -> dict[str, Any]:
        job = output.job
        return {
            "task_id": job.id,
            "task_type": job.kind,
            "command": job.command,
            "status": "running" if job.end is None else job.end.outcome,
            "exitCode": job.end.exit_code if job.end else None,
            "output": output.text,
            "outputPath": str(job.output_path),
        }


async def _wait(job: Job, timeout_s: float) -> AsyncGenerator[Progress]:
    """Wait for a job's end and say meanwhile for how long."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    while (left := began + timeout_s - loop.time()) > 0 and not await job.wait(min(_FRAME_S, left)):
        yield Progress(message=f"waits for {job.id}, {loop.time() - began:.0f} s")


def _read(path: Path, seen: int) -> tuple[str, int, int, str]:
    """Return what is new in a file, up to where that goes, how many bytes of it were passed over, and any problem; blocks."""
    try:
        with open(open_regular(path), "rb") as file:  # noqa: PTH123 - commands can put there what they like
            size = file.seek(0, 2)
            start = max(seen, size - _MOST_BYTES)
            file.seek(start)
            data = file.read(size - start)
    except OSError as error:
        return "", seen, 0, error.strerror or str(error)
    return data.decode("utf-8", "replace"), start + len(data), start - seen, ""


TOOL = TaskOutputTool
