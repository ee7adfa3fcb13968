"""Bash: run a command in a fresh shell; what it prints is seen as it comes, and all it starts is gone when it ends."""

from __future__ import annotations

import asyncio
import math
import os
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final, Literal

from pydantic import Field

from tui_agent.changes import FileChange
from tui_agent.tools.base import (
    ErrorKind,
    Invalid,
    Limits,
    Opinion,
    Progress,
    Result,
    Tool,
    ToolContext,
    ToolError,
    ToolInput,
    Valid,
    Validity,
)
from tui_agent.tools.bash.background import KIND, may_go_on, to_background
from tui_agent.tools.bash.destructive import is_destructive
from tui_agent.tools.bash.effective_input import as_judged, env_problem
from tui_agent.tools.bash.environment import variables_of
from tui_agent.tools.bash.interactive import interactive_problem
from tui_agent.tools.bash.report import (
    Moved,
    ShellOutcome,
    Told,
    job_note,
    keep_partial,
    partial,
    result_text,
    text_budget,
    to_data,
)
from tui_agent.tools.bash.run import CommandRun, Ended, new_output
from tui_agent.tools.bash.sed import Sed, read_sed
from tui_agent.tools.bash.sed_change import path_of, preview, write
from tui_agent.tools.bash.seen_file import SeenFile, seen_file
from tui_agent.tools.bash.words import is_answer
from tui_agent.tools.file_changes.guarded_files import ask_about_path
from tui_agent.tools.files import shown
from tui_agent.tools.jobs import Jobs
from tui_agent.tools.workspace import Workspace

__all__ = ["TOOL", "BashInput", "BashPlan", "BashTool"]

_RUN_SHELL_SECONDS: Final = 30
_MOST_COMMAND_CHARS: Final = 100_000  # an argument of a program has at most 128 KB on Linux

Outcome = ShellOutcome | Told


class BashInput(ToolInput):
    """A command, how long it may take, and where and with what it runs."""

    command: str = Field(description="The command, as bash reads it.")
    timeout: int | None = Field(
        None,
        ge=1,
        description="Milliseconds after which it is stopped; 120000 when left out, at most 600000. In the background 1800000 "
        "and 7200000.",
    )
    description: str | None = Field(
        None, description="What the command does, in five to ten words, for the person who is asked for permission."
    )
    run_in_background: bool = Field(
        False,
        description="Return at once with a job's id and the file that all output goes to; for servers, watchers, long builds.",
    )
    cwd: str | None = Field(
        None, description="The folder to run this one command in; it must lie in the workspace. The shell's own stays."
    )
    env: dict[str, str] | None = Field(
        None,
        description="Variables for this one command. They count as if they stood before the command: `NAME=value …`.",
    )
    dangerouslyDisableSandbox: bool = Field(  # noqa: N815 - the name that models know
        False,
        description="Run outside of the sandbox. Only after the command has failed because of the sandbox: the person is asked "
        "then, unless a rule allows it. It changes nothing where the person's settings do not let commands leave.",
    )


@dataclass(frozen=True, slots=True)
class BashPlan:
    """What a command was found to be: `sed` is a substitution in one file, which is shown and written as a change."""

    sed: Sed | None = None


class BashTool(Tool[BashInput, BashPlan, Outcome]):
    """Runs one command to its end. It may touch anything, so it runs alone unless it is known to only read."""

    name = "Bash"
    aliases = ("run_shell",)
    search_hint = "run execute shell command terminal test build git"
    Input = BashInput
    interrupt_behavior: ClassVar[Literal["block", "cancel"]] = "cancel"
    aborts_siblings = True

    def description(self) -> str:
        return (
            "Runs a command in bash and returns what it prints.\n"
            "- Each call is a new shell without aliases, functions or rc files. The working folder is kept for the next call "
            "if it lies in the workspace; variables are not kept.\n"
            "- Standard input is empty, and there is no terminal: interactive programs (editors, pagers, `git rebase -i` …) "
            "are refused.\n"
            "- Stopped after `timeout` milliseconds (120000 when left out, at most 600000), or moved to the background, which "
            "the result then says. What a command leaves running (`&`, daemons) ends with it.\n"
            "- `run_in_background` returns at once; read the output file it names, or call TaskOutput, to see how far it is, "
            "and end it with TaskStop. You are told when it ends: do not wait for it with `sleep`.\n"
            "- Output over about 30,000 characters is kept in a file, and shown by its beginning and end.\n"
            "- A failure is reported as `Exit code N` with standard output and standard error apart.\n"
            "- Where there is a sandbox, commands that only look run in it and can write nothing and reach no network; where "
            "the person has switched it on for all, others can write in the workspace and in $TMPDIR only. A result says so "
            "where that may be why a command failed."
        )

    def prompt(self) -> str:
        return (
            "Use Bash for what needs a shell: tests, builds, git, package managers. Read files with Read, search with Grep and "
            "change files with Edit. Quote paths with spaces. Join commands that depend on each other with `&&`; give "
            "independent ones to separate calls. Always say in `description` what a command does."
        )

    def from_alias(self, alias: str, raw: dict[str, Any]) -> dict[str, Any]:
        if alias != "run_shell":
            return raw
        seconds = raw.get("timeout", _RUN_SHELL_SECONDS)
        if isinstance(seconds, str):
            seconds = float(seconds) if seconds.replace(".", "", 1).isdigit() else seconds
        if isinstance(seconds, int | float) and not isinstance(seconds, bool) and math.isfinite(seconds):
            raw["timeout"] = round(seconds * 1000)
        return raw

    def is_read_only(self, input: BashInput) -> bool:
        return self.effect_of(as_judged(input.command, cwd=input.cwd, env=input.env)) != "changes"

    def is_concurrency_safe(self, input: BashInput) -> bool:
        # The folder is the session's: of commands that change it, the order decides where the next one starts.
        own = as_judged(input.command, env=input.env)
        return not input.run_in_background and self.is_read_only(input) and self.effect_of(own) == "looks"

    def is_destructive(self, input: BashInput) -> bool:
        return is_destructive(input.command)

    def shell_command(self, input: BashInput) -> str | None:
        return as_judged(input.command, cwd=input.cwd, env=input.env)

    def classifier_input(self, input: BashInput) -> str:
        return as_judged(input.command, cwd=input.cwd, env=input.env)

    async def validate(self, input: BashInput, ctx: ToolContext) -> Validity[BashPlan]:
        if not input.command.strip():
            return Invalid("The command is empty.", "empty")
        if "\0" in input.command:
            return Invalid("The command holds a NUL character, which no program can be given.", "bad_command")
        if len(input.command) > _MOST_COMMAND_CHARS:
            return Invalid(
                f"The command has {len(input.command):,} characters; write a script to a file and run that.", "too_long"
            )
        if problem := interactive_problem(input.command):
            return Invalid(problem, "interactive")
        if problem := env_problem(input.env or {}):
            return Invalid(problem, "bad_env")
        if input.cwd is not None and (problem := await asyncio.to_thread(_cwd_problem, input.cwd, ctx.workspace)):
            return Invalid(problem, "bad_cwd")
        if input.run_in_background and (_jobs_of(ctx) is None or ctx.results_dir is None):
            return Invalid("Nothing can run in the background here; leave out run_in_background.", "no_background")
        return Valid(BashPlan(_sed_of(input)))

    async def check_permissions(self, input: BashInput, ctx: ToolContext) -> Opinion:
        sed = _sed_of(input)
        if sed is None:
            return None
        return await ask_about_path(ctx, path_of(sed, _folder_of(input, ctx.workspace)))

    async def propose(self, input: BashInput, plan: BashPlan, ctx: ToolContext) -> tuple[FileChange, ...]:
        if plan.sed is None:
            return ()
        folder = _folder_of(input, ctx.workspace)
        change = await asyncio.to_thread(preview, plan.sed, folder, ctx.paths, variables_of(ctx, folder))
        return () if change is None else (change,)

    async def call(
        self, input: BashInput, plan: BashPlan, ctx: ToolContext
    ) -> AsyncIterator[Progress | Result[Outcome]]:
        if ctx.approved:
            yield await _write_previewed(input, plan, ctx)
        elif input.run_in_background:
            yield await _start_job(input, ctx)
        else:
            async with aclosing(_run(input, ctx)) as items:
                async for item in items:
                    yield item

    def result_limit(self, limits: Limits) -> int:
        return limits.command_output_chars

    def to_result(self, output: Outcome) -> str:
        return result_text(output) if isinstance(output, ShellOutcome) else output.text

    def to_data(self, output: Outcome) -> dict[str, Any]:
        return to_data(output) if isinstance(output, ShellOutcome) else output.data


async def _run(input: BashInput, ctx: ToolContext) -> AsyncGenerator[Progress | Result[Outcome]]:
    """Run a command in the foreground, until it ends, or has to, or goes on in the background."""
    limits, workspace = ctx.limits, ctx.workspace
    timeout_s = min(input.timeout or limits.command_timeout_ms, limits.command_timeout_max_ms) / 1000
    notes: list[str] = []
    folder = await asyncio.to_thread(_existing_folder, input, workspace, notes)
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
            async with aclosing(run.watch(timeout_s, is_wanted=_wish(ctx))) as items:
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
                _follow(workspace, folder, run.last_folder, notes)
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


def _jobs_of(ctx: ToolContext) -> Jobs | None:
    """Return the session's background jobs, if commands may become such."""
    return ctx.services.jobs if ctx.limits.has_background else None


def _wish(ctx: ToolContext) -> Callable[[], bool]:
    jobs = _jobs_of(ctx)
    return (lambda: False) if jobs is None else (lambda: jobs.is_wanted(ctx.tool_use_id))


def _move(run: CommandRun, input: BashInput, ctx: ToolContext, *, is_wanted: bool) -> Moved | None:
    """Let a command go on in the background; None where it must not, or where its output cannot be kept."""
    jobs = _jobs_of(ctx)
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


async def _start_job(input: BashInput, ctx: ToolContext) -> Result[Outcome]:
    """Start a command in the background and say where to look for it."""
    jobs, limits = ctx.services.jobs, ctx.limits
    assert jobs is not None
    notes: list[str] = []
    folder = await asyncio.to_thread(_existing_folder, input, ctx.workspace, notes)
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
    return Result(Told(text, data))


async def _write_previewed(input: BashInput, plan: BashPlan, ctx: ToolContext) -> Result[Outcome]:
    """Write what was approved of the change that sed would make."""
    if plan.sed is None:
        raise ToolError("The change that was approved is not this command's.")
    return Result(await write(plan.sed, _folder_of(input, ctx.workspace), ctx))


def _sed_of(input: BashInput) -> Sed | None:
    """Return the substitution that the command is, where all of it is understood and nothing else has a say in it."""
    return None if input.env or input.run_in_background else read_sed(input.command)


def _folder_of(input: BashInput, workspace: Workspace) -> str:
    return str(workspace.cwd) if input.cwd is None else workspace.absolute(input.cwd)


def _cwd_problem(cwd: str, workspace: Workspace) -> str:
    try:
        is_name = b"\0" not in os.fsencode(cwd)
    except UnicodeEncodeError:
        is_name = False
    if not is_name:
        return f"{cwd!r} is not a folder."
    path = workspace.absolute(cwd)
    if not workspace.contains(cwd):
        return f"{shown(path)} lies outside the workspace; a command runs in {shown(str(workspace.cwd))} or a folder in it."
    return "" if os.path.isdir(path) else f"There is no folder {shown(path)}."  # noqa: PTH112


def _existing_folder(input: BashInput, workspace: Workspace, notes: list[str]) -> str:
    """Return the folder to start in: the one asked for, else where the last command ended, or the root where that is gone."""
    if input.cwd is not None:
        if problem := _cwd_problem(input.cwd, workspace):
            raise ToolError(f"The command was not run. {problem}")
        return workspace.absolute(input.cwd)
    if not workspace.cwd.is_dir():
        notes.append(f"{shown(str(workspace.cwd))} is gone. Shell cwd was reset to {shown(str(workspace.root))}")
        workspace.cwd = workspace.root
    return str(workspace.cwd)


def _follow(workspace: Workspace, started_in: str, ended_in: str | None, notes: list[str]) -> None:
    """Take over the folder in which a command ended, as long as it lies in the workspace."""
    if ended_in is None or ended_in == started_in:
        return
    if workspace.contains(ended_in):
        workspace.cwd = Path(ended_in)
    else:
        notes.append(f"Shell cwd was reset to {shown(str(workspace.cwd))}")


TOOL = BashTool
