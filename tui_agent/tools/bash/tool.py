"""Bash: run a command in a fresh shell; what it prints is seen as it comes, and all it starts is gone when it ends."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal

from tui_agent.changes import FileChange
from tui_agent.tools.base import (
    Invalid,
    Limits,
    Opinion,
    Progress,
    Result,
    Tool,
    ToolContext,
    ToolError,
    Valid,
    Validity,
)
from tui_agent.tools.bash.effective_input import as_judged, env_problem
from tui_agent.tools.bash.environment import variables_of
from tui_agent.tools.bash.execute import jobs_of, run_in_foreground, start_job
from tui_agent.tools.bash.input import BashInput
from tui_agent.tools.bash.interactive import interactive_problem
from tui_agent.tools.bash.report import (
    Outcome,
    ShellOutcome,
    result_text,
    to_data,
)
from tui_agent.tools.bash.sed import Sed, read_sed
from tui_agent.tools.bash.sed_change import path_of, preview, write
from tui_agent.tools.bash.working_folder import cwd_problem, folder_of
from tui_agent.tools.file_changes.guarded_files import ask_about_path

__all__ = ["TOOL", "BashInput", "BashPlan", "BashTool"]

_RUN_SHELL_SECONDS: Final = 30
_MOST_COMMAND_CHARS: Final = 100_000  # an argument of a program has at most 128 KB on Linux


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
            "the user has switched it on for all, others can write in the workspace and in $TMPDIR only. A result says so "
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
        return not input.run_in_background and self.is_read_only(input) and self.effect_of(own) == "reads"

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
        if input.cwd is not None and (problem := await asyncio.to_thread(cwd_problem, input.cwd, ctx.workspace)):
            return Invalid(problem, "bad_cwd")
        if input.run_in_background and (jobs_of(ctx) is None or ctx.results_dir is None):
            return Invalid("Nothing can run in the background here; leave out run_in_background.", "no_background")
        return Valid(BashPlan(_sed_of(input)))

    async def check_permissions(self, input: BashInput, ctx: ToolContext) -> Opinion:
        sed = _sed_of(input)
        if sed is None:
            return None
        return await ask_about_path(ctx, path_of(sed, folder_of(input, ctx.workspace)))

    async def propose(self, input: BashInput, plan: BashPlan, ctx: ToolContext) -> tuple[FileChange, ...]:
        if plan.sed is None:
            return ()
        folder = folder_of(input, ctx.workspace)
        change = await asyncio.to_thread(preview, plan.sed, folder, ctx.paths, variables_of(ctx, folder))
        return () if change is None else (change,)

    async def call(
        self, input: BashInput, plan: BashPlan, ctx: ToolContext
    ) -> AsyncIterator[Progress | Result[Outcome]]:
        if ctx.approved:
            yield await _write_previewed(input, plan, ctx)
        elif input.run_in_background:
            yield await start_job(input, ctx)
        else:
            async with aclosing(run_in_foreground(input, ctx)) as items:
                async for item in items:
                    yield item

    def result_limit(self, limits: Limits) -> int:
        return limits.command_output_chars

    def to_result(self, output: Outcome) -> str:
        return result_text(output) if isinstance(output, ShellOutcome) else output.text

    def to_data(self, output: Outcome) -> dict[str, Any]:
        return to_data(output) if isinstance(output, ShellOutcome) else output.data


async def _write_previewed(input: BashInput, plan: BashPlan, ctx: ToolContext) -> Result[Outcome]:
    """Write what was approved of the change that sed would make."""
    if plan.sed is None:
        raise ToolError("The change that was approved is not this command's.")
    return Result(await write(plan.sed, folder_of(input, ctx.workspace), ctx))


def _sed_of(input: BashInput) -> Sed | None:
    """Return the substitution that the command is, where all of it is understood and nothing else has a say in it."""
    return None if input.env or input.run_in_background else read_sed(input.command)


TOOL = BashTool
