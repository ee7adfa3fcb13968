"""Running a command: in the foreground until it ends, or as a job in the background from the start."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from tui_agent.tools.base import ErrorKind, Progress, Result, ToolContext, ToolError
from tui_agent.tools.bash.background import KIND, may_go_on, to_background
from tui_agent.tools.bash.input import BashInput
from tui_agent.tools.bash.read_tracking import SeenFile, seen_file
from tui_agent.tools.bash.report import (
    Moved,
    OtherOutcome,
    Outcome,
    ShellOutcome,
    job_note,
    keep_partial,
    partial,
    text_budget,
)
from tui_agent.tools.bash.rough_parse import is_answer
from tui_agent.tools.bash.run import CommandRun, Ended, new_output
from tui_agent.tools.bash.working_folder import existing_folder, follow
from tui_agent.tools.jobs import Jobs

__all__ = ["jobs_of", "run_in_foreground", "start_job"]


async def run_in_foreground(input: BashInput, ctx: ToolContext) -> AsyncGenerator[Progress | Result[Outcome]]:
    """Run a command in the foreground, until it ends, or has to, or goes on in the background."""
    limits, workspace = ctx.limits, ctx.workspace
    timeout_s = min(input.timeout or limits.command_timeout_ms, limits.command_timeout_max_ms) / 1000
    notes: list[str] = []
    folder = await asyncio.to_thread(existing_folder, input, workspace, notes)
    # With other variables a program's name may mean another program.
    seen = None if input.env else await asyncio.to_thread(seen_file, input.command, folder)
    output = new_output(ctx)
    ctx.partial = lambda: partial(output)
    run = await CommandRun.start(input.command, folder, dict(input.env or {}), ctx, output)
    ended: Ended = "exit"
    moved: Moved | None = None
    has_left_over = False
    try:
        try:
            async with aclosing(run.watch(timeout_s, is_wanted=_is_wanted(ctx))) as items:
                async for item in items:
                    if isinstance(item, Progress):
                        yield item
                    else:
                        ended = item
            ran_ms = timeout_s * 1000 if ended == "timeout" else run.seconds * 1000
            if ended in ("timeout", "wanted"):
                moved = _move(run, input, ctx, is_wanted=ended == "wanted")
        finally:
            if moved is None:
                has_left_over = await run.end()
        if not run.has_started:
            raise ToolError(run.told_of_sandbox())
        if ended == "exit":
            if input.cwd is None and not limits.keeps_folder:
                follow(workspace, folder, run.last_folder, notes)
            left = (
                "Processes that the command left running in the background were ended with it." if has_left_over else ""
            )
            notes += filter(None, (left, run.told_of_sandbox()))
        outcome = ShellOutcome(
            output=output,
            exit_code=run.exit_code,
            budget=text_budget(limits.command_output_chars),
            is_answer=run.exit_code is not None
            and is_answer(input.command, run.exit_code, has_stderr=output.stderr.total > 0),
            is_late=ended == "timeout",
            ran_ms=ran_ms,
            most_bytes=limits.output_file_bytes if ended == "too_much_output" else None,
            moved=moved,
            notes=tuple(notes),
        )
        if outcome.is_cut:
            output.spool.keep()
        elif seen is not None and run.exit_code == 0:
            await _remember(seen, ctx)
        kind: ErrorKind | None = "timeout" if ended == "timeout" and moved is None else None
        if outcome.is_failure and kind is None:
            kind = "execution"
        yield Result(outcome, is_error=outcome.is_failure, error_kind=kind)
    except (asyncio.CancelledError, GeneratorExit):
        keep_partial(output)
        raise
    finally:
        if moved is None:
            output.spool.close()


async def _remember(seen: SeenFile, ctx: ToolContext) -> None:
    """Let a file count as read that a command has shown."""
    if ctx.denied(seen.path, "read") is None and (record := await asyncio.to_thread(seen.record)) is not None:
        ctx.files.record(record)


def jobs_of(ctx: ToolContext) -> Jobs | None:
    """Return the session's background jobs, if commands may become such."""
    return ctx.services.jobs if ctx.limits.has_background else None


def _is_wanted(ctx: ToolContext) -> Callable[[], bool]:
    jobs = jobs_of(ctx)
    return (lambda: False) if jobs is None else (lambda: jobs.is_wanted(ctx.tool_use_id))


def _move(run: CommandRun, input: BashInput, ctx: ToolContext, *, is_wanted: bool) -> Moved | None:
    """Let a command go on in the background; None where it must not, or where its output cannot be kept."""
    jobs = jobs_of(ctx)
    if jobs is None or not (is_wanted or (jobs.takes_late_commands and may_go_on(input.command))):
        return None
    path = run.to_file()
    if path is None:
        return None
    return to_background(
        run,
        jobs,
        ctx,
        path,
        command=input.command,
        description=input.description or "",
        timeout_s=ctx.limits.job_timeout_ms / 1000,
    )


async def start_job(input: BashInput, ctx: ToolContext) -> Result[Outcome]:
    """Start a command in the background and say where to look for it."""
    jobs, limits = ctx.services.jobs, ctx.limits
    assert jobs is not None
    notes: list[str] = []
    folder = await asyncio.to_thread(existing_folder, input, ctx.workspace, notes)
    job_id = jobs.new_id(KIND)
    output = new_output(ctx, job_id)
    run = await CommandRun.start(input.command, folder, dict(input.env or {}), ctx, output)
    path = run.to_file()
    if path is None:
        await run.end()
        run.output.spool.close()
        raise ToolError(f"The command was not run: its output cannot be kept ({output.spool.problem}).")
    try:
        moved = to_background(
            run,
            jobs,
            ctx,
            path,
            command=input.command,
            description=input.description or "",
            timeout_s=min(input.timeout or limits.job_timeout_ms, limits.job_timeout_max_ms) / 1000,
            job_id=job_id,
        )
    except BaseException:
        await run.end()
        run.output.spool.close()
        raise
    text = "\n".join(
        [f"Started in the background as job {job_id}. {job_note(moved)}", *(f"[{note}]" for note in notes)]
    )
    data = {
        "stdout": "",
        "stderr": "",
        "interrupted": False,
        "isImage": False,
        "backgroundTaskId": job_id,
        "persistedOutputPath": str(path),
    }
    return Result(OtherOutcome(text, data))
