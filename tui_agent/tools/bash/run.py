"""One command as it runs: its shell, what it has printed so far, and its end. It may change hands while it runs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Final, Literal

from tui_agent.text import clean_line
from tui_agent.tools.base import Progress, ToolContext, ToolError
from tui_agent.tools.bash.environment import variables_of
from tui_agent.tools.bash.output import CommandOutput, Spool
from tui_agent.tools.bash.process import Shell, ShellStartError
from tui_agent.tools.bash.report import text_budget
from tui_agent.tools.bash.sandbox_hint import not_started, sandbox_note
from tui_agent.tools.jobs import JobEnd

__all__ = ["CommandRun", "Ended", "new_output"]

_FRAME_S: Final = 0.1  # progress is passed on at most this often, and looked for this often
_HEARTBEAT_S: Final = 0.9  # and at least this often, so that it comes once a second
_JOB_FRAME_S: Final = 0.5  # how often a command in the background is looked at

Ended = Literal["exit", "timeout", "too_much_output", "wanted"]


def new_output(ctx: ToolContext, name: str = "") -> CommandOutput:
    """Return where a command's output goes; `name` is that of its file, should it need one."""
    spool = Spool(ctx.results_dir, name or ctx.tool_use_id, text_budget(ctx.limits.command_output_chars))
    return CommandOutput(spool, ctx.services.masker)


class CommandRun:
    """A running command. Whoever has it must call `end`, once, whatever happens."""

    def __init__(self, shell: Shell, command: str, output: CommandOutput, ctx: ToolContext) -> None:
        self.output: Final = output
        self.exit_code: int | None = None
        self.last_folder: str | None = None
        self.has_started = True  # false once it has ended without its shell having run at all
        self._shell = shell
        self._command = command
        self._confined = ctx.confined
        self._settled: tuple[str, ...] = ()
        self._limits = ctx.limits
        self._began = asyncio.get_running_loop().time()

    @classmethod
    async def start(
        cls, command: str, folder: str, env: dict[str, str], ctx: ToolContext, output: CommandOutput
    ) -> CommandRun:
        """Start a command in `folder`, with `env` besides the usual variables; what it prints goes to `output`.

        Raises:
            ToolError: the shell could not be started.
        """
        usual = variables_of(ctx, folder)
        try:
            shell = await Shell.start(
                command,
                folder=folder,
                environment={**usual, **env},
                on_output=output.add,
                confined=ctx.confined,
            )
        except BaseException as error:
            output.spool.close()
            if isinstance(error, ShellStartError):
                raise ToolError(f"The command was not run: {error}.") from error
            raise
        return cls(shell, command, output, ctx)

    @property
    def seconds(self) -> float:
        """How long it has run."""
        return asyncio.get_running_loop().time() - self._began

    def progress(self) -> Progress:
        """Return what there is to show now."""
        return self.output.progress(f"{self.seconds:.0f} s")

    async def watch(self, timeout_s: float, *, is_wanted: Callable[[], bool]) -> AsyncGenerator[Progress | Ended]:
        """Yield progress while it runs in the foreground, and last why that is over.

        `wanted` is that the user wants it in the background, which `is_wanted` tells.
        """
        loop = asyncio.get_running_loop()
        shown_at, shown_bytes = loop.time(), 0
        while not await self._shell.wait(min(_FRAME_S, max(0.0, timeout_s - self.seconds))):
            if self.output.total_bytes > self._limits.output_file_bytes:
                yield "too_much_output"
                return
            if self.seconds >= timeout_s:
                yield "timeout"
                return
            if is_wanted():
                yield "wanted"
                return
            now = loop.time()
            if self.output.total_bytes != shown_bytes or now - shown_at >= _HEARTBEAT_S:
                shown_at, shown_bytes = now, self.output.total_bytes
                yield self.progress()
        await self._collect()
        yield "exit"

    async def as_job(self) -> JobEnd:
        """Run on to its end in the background; cancelled, it is ended."""
        try:
            while not await self._shell.wait(_JOB_FRAME_S):
                if self.output.total_bytes > self._limits.output_file_bytes:
                    return JobEnd("too_much_output")
            await self._collect()
            self.output.finish()
            if said := self.told_of_sandbox():  # it has no other place: nobody waits for a job's result
                self.output.add(1, f"[{said}]\n".encode())
            return JobEnd("failed" if self.exit_code else "done", self.exit_code)
        finally:
            try:
                await self.end()
            finally:  # told a second time to stop, it is still all over
                self.output.spool.close()

    def told_of_sandbox(self) -> str:
        """Return what to say, when it has ended by itself, of the part that its sandbox had in that; empty for none."""
        if not self.has_started:
            return not_started(self._confined, self.output)
        note = sandbox_note(
            self._confined, self._command, self.output, self.exit_code, has_overrun=self._shell.has_overrun
        )
        return " ".join(filter(None, (*self._settled, note)))

    def to_file(self) -> Path | None:
        """Write all it prints, from its beginning on, to a file, and return that; None where it cannot be written."""
        return self.output.spool.open_now()

    async def end(self) -> bool:
        """End whatever of it still runs; say whether there was anything to end."""
        has_left_over = await self._shell.end()
        if self._shell.stuck:
            named = ", ".join(f"{pid} ({clean_line(name)})" for pid, name in self._shell.stuck)
            self.output.add(2, f"[Still running, and could not be ended: {named}]\n".encode())
        self.output.finish()
        return has_left_over

    async def _collect(self) -> None:
        """Take what it left behind by ending by itself."""
        self.exit_code = self._shell.exit_code
        await self._shell.drain()
        self.last_folder = await asyncio.to_thread(self._shell.last_folder)
        self.has_started = await asyncio.to_thread(self._shell.has_started)
        self._settled = await asyncio.to_thread(self._shell.settle)
