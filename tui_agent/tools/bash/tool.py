"""Bash: run a command in a fresh shell; what it prints is seen as it comes, and all it starts is gone when it ends."""

from __future__ import annotations

import asyncio
import math
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, ClassVar, Final, Literal

from pydantic import Field

from tui_agent.tools.base import ErrorKind, Invalid, Progress, Result, Tool, ToolContext, ToolError, ToolInput, Validity
from tui_agent.tools.bash.destructive import is_destructive
from tui_agent.tools.bash.environment import command_environment
from tui_agent.tools.bash.interactive import interactive_problem
from tui_agent.tools.bash.output import Output, Spool
from tui_agent.tools.bash.process import Shell, ShellStartError
from tui_agent.tools.bash.report import ShellOutcome, result_text, text_budget, to_data
from tui_agent.tools.bash.words import is_answer
from tui_agent.tools.files import shown
from tui_agent.tools.workspace import Workspace

__all__ = ["TOOL", "BashInput", "BashTool"]

_FRAME_S: Final = 0.1  # progress is passed on at most this often, and looked for this often
_HEARTBEAT_S: Final = 0.9  # and at least this often, so that it comes once a second
_RUN_SHELL_SECONDS: Final = 30
_MOST_COMMAND_CHARS: Final = 100_000  # an argument of a program has at most 128 KB on Linux


class BashInput(ToolInput):
    """A command and how long it may take."""

    command: str = Field(description="The command, as bash reads it.")
    timeout: int | None = Field(
        None, ge=1, description="Milliseconds after which it is stopped; 120000 when left out, at most 600000."
    )
    description: str | None = Field(
        None, description="What the command does, in five to ten words, for the person who is asked for permission."
    )


class BashTool(Tool[BashInput, ShellOutcome]):
    """Runs one command to its end. Exclusive: it may touch anything."""

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
            "- Stopped after `timeout` milliseconds (120000 when left out, at most 600000). Background processes end with the "
            "command.\n"
            "- Output over about 30,000 characters is kept in a file, and shown by its beginning and end.\n"
            "- A failure is reported as `Exit code N` with standard output and standard error apart."
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

    def is_destructive(self, input: BashInput) -> bool:
        return is_destructive(input.command)

    def shell_command(self, input: BashInput) -> str | None:
        return input.command

    def classifier_input(self, input: BashInput) -> str:
        return input.command

    async def validate(self, input: BashInput, ctx: ToolContext) -> Validity:
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
        return None

    async def call(self, input: BashInput, ctx: ToolContext) -> AsyncIterator[Progress | Result[ShellOutcome]]:
        limits, workspace = ctx.limits, ctx.workspace
        timeout_ms = min(input.timeout or limits.command_timeout_ms, limits.command_timeout_max_ms)
        notes: list[str] = []
        folder = await asyncio.to_thread(_existing_folder, workspace, notes)
        budget = text_budget(limits.result_chars)
        output = Output(Spool(ctx.results_dir, ctx.tool_use_id, budget))
        loop = asyncio.get_running_loop()
        try:
            shell = await _start(input.command, folder, ctx, output)
            try:
                started = shown_at = loop.time()
                shown_bytes = 0
                while not await shell.wait(min(_FRAME_S, max(0.0, started + timeout_ms / 1000 - loop.time()))):
                    now = loop.time()
                    if now - started >= timeout_ms / 1000:
                        break
                    if output.total_bytes != shown_bytes or now - shown_at >= _HEARTBEAT_S:
                        shown_at, shown_bytes = now, output.total_bytes
                        yield output.progress(f"{now - started:.0f} s")
                exit_code = shell.exit_code
                if exit_code is not None:
                    await shell.drain()
                    _follow(workspace, folder, await asyncio.to_thread(shell.last_folder), notes)
            finally:
                has_left_over = await shell.end()
            if exit_code is not None and has_left_over:
                notes.append("Processes that the command left running in the background were ended with it.")
            output.finish()
            outcome = ShellOutcome(
                output=output,
                exit_code=exit_code,
                budget=budget,
                is_answer=exit_code is not None
                and is_answer(input.command, exit_code, has_stderr=output.stderr.total > 0),
                timed_out_after_ms=timeout_ms if exit_code is None else None,
                notes=tuple(notes),
            )
            if outcome.is_cut:
                output.spool.keep()
            kind: ErrorKind | None = "timeout" if exit_code is None else "execution" if outcome.is_failure else None
            yield Result(outcome, is_error=outcome.is_failure, error_kind=kind)
        finally:
            output.spool.close()

    def to_result(self, output: ShellOutcome) -> str:
        return result_text(output)

    def to_data(self, output: ShellOutcome) -> dict[str, Any]:
        return to_data(output)


async def _start(command: str, folder: str, ctx: ToolContext, output: Output) -> Shell:
    environment = command_environment({**os.environ, **ctx.environment}, folder)
    try:
        return await Shell.start(command, folder=folder, environment=environment, on_output=output.add)
    except ShellStartError as error:
        raise ToolError(f"The command was not run: {error}.") from error


def _existing_folder(workspace: Workspace, notes: list[str]) -> str:
    """Return the folder to start in: where the last command ended, or the root where that is gone."""
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
