"""A shell and all it starts: watched while it lives, and gone when it is ended.

On Linux the shell runs under a subreaper (`subreaper`), which ends whatever the command started, wherever that went; or in
a sandbox that holds its processes. Otherwise the shell is one process group with a session of its own: what makes a group of
its own is found by the session, and what left that too by a variable that every command gets.

Nothing here waits for a pipe to close: what a command leaves running in the background may hold it for ever.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
import secrets
import shutil
import signal
from collections.abc import Callable, Mapping
from typing import Final

from tui_agent.programs import find_program
from tui_agent.sandbox.confined import Confined, Unconfined
from tui_agent.sandbox.launchers import ConfinedCommands
from tui_agent.sandbox.limits import Launch, SandboxStartError
from tui_agent.tools.bash import watchdog
from tui_agent.tools.bash.process_groups import has_ended, marked, strays
from tui_agent.tools.bash.scratch import Scratch, outgrown
from tui_agent.tools.bash.subreaper import Report, Subreaper
from tui_agent.tools.cancel_shield import unbroken

__all__ = ["Shell", "ShellStartError"]

_TERM_GRACE_S: Final = 0.5  # how long a group may take to end by itself before it is killed
_DRAIN_S: Final = 0.1  # how long after the shell's end its pipes are read for what is still on the way
_LATE_DRAIN_S: Final = 0.5
_POLL_S: Final = 0.01
_LOOK_S: Final = 0.04  # between two looks at what of a group has ended without being collected
_SUBREAPER_S: Final = 4.0  # how long a subreaper may take for all it does at the end
_MARK: Final = "TUI_AGENT_COMMAND"
_COLLECT_S: Final = 1.0  # how long a killed shell may take to be gone; one that hangs in the kernel is not waited for

_living: Final[set[int]] = set()


class ShellStartError(Exception):
    """The shell could not be started; the text says why."""


class _Watcher(asyncio.SubprocessProtocol):
    """Passes output on as it comes and says when the shell has ended and when both its pipes have closed."""

    def __init__(self, on_output: Callable[[int, bytes], None]) -> None:
        loop = asyncio.get_running_loop()
        self._on_output = on_output
        self._open_pipes = {1, 2}
        self.exited: Final[asyncio.Future[None]] = loop.create_future()
        self.drained: Final[asyncio.Future[None]] = loop.create_future()

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        self._on_output(fd, data)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        self._open_pipes.discard(fd)
        if not self._open_pipes and not self.drained.done():
            self.drained.set_result(None)

    def process_exited(self) -> None:
        if not self.exited.done():
            self.exited.set_result(None)


class Shell:
    """One running bash. Made by `start`; `end` must be called, whatever happens.

    `stuck` are the processes, as number and name, that could not be ended, once `end` has returned. `has_overrun` says that
    it was ended for the size of its temporary files.
    """

    def __init__(
        self,
        transport: asyncio.SubprocessTransport,
        watcher: _Watcher,
        scratch: Scratch,
        launch: Launch,
        *,
        mark: str,
        subreaper: Subreaper | None,
    ) -> None:
        self.stuck: tuple[tuple[int, str], ...] = ()
        self.has_overrun = False
        self._bounding: asyncio.Task[None] | None = None
        if launch.watched:
            self._bounding = asyncio.create_task(self._bound(launch.watched, launch.most_bytes))
        self._transport = transport
        self._watcher = watcher
        self._scratch = scratch
        self._launch = launch
        self._mark = mark
        self._subreaper = subreaper
        self._strays: frozenset[int] = frozenset()  # groups of the session besides the shell's own
        self._group = transport.get_pid()
        # A subreaper ends everything by itself when this program is gone; to kill it would not help.
        self._guarded = self._group if subreaper is None else None
        if self._guarded is not None:
            _living.add(self._guarded)
        watchdog.watch(self._guarded, self._launch.made)

    @classmethod
    async def start(
        cls,
        command: str,
        *,
        folder: str,
        environment: Mapping[str, str],
        on_output: Callable[[int, bytes], None],
        confined: Confined | ConfinedCommands | Unconfined | None = None,
    ) -> Shell:
        """Start bash on `command` in `folder`; `on_output` gets each piece of output with its descriptor, 1 or 2.

        The command reaches bash as it is. No profile and no rc file is read; `BASH_ENV`, which bash reads instead, names a
        file of ours that notes that bash has started, and the folder in which the command ends.

        Raises:
            ShellStartError: there is no bash, it cannot run here, or it cannot be confined as asked.
        """
        bash = find_program("bash", environment.get("PATH")) or find_program("bash")
        if bash is None:
            raise ShellStartError("bash was not found")
        start = cls._start(bash, command, folder, environment, on_output, confined)
        return await unbroken(start, undo=cls.end)

    @classmethod
    async def _start(
        cls,
        bash: str,
        command: str,
        folder: str,
        environment: Mapping[str, str],
        on_output: Callable[[int, bytes], None],
        confined: Confined | ConfinedCommands | Unconfined | None,
    ) -> Shell:
        scratch = await asyncio.to_thread(_make_ready)
        mark = secrets.token_hex(8)
        launch = Launch(())
        subreaper: Subreaper | None = None
        try:
            if isinstance(confined, Unconfined):
                environment = await asyncio.to_thread(confined.environment, folder, environment)
            variables = {**environment, _MARK: mark, "BASH_ENV": scratch.start_file}
            launch = await asyncio.to_thread(_prepared, bash, command, folder, scratch, variables, confined)
            run, given, own = launch.argv, launch.fds, variables if launch.environment is None else launch.environment
            if _wants_subreaper(launch, confined):
                subreaper = Subreaper(run, own)
                run, given, own = subreaper.argv, (*given, *subreaper.fds), subreaper.environment
            transport, watcher = await asyncio.get_running_loop().subprocess_exec(
                lambda: _Watcher(on_output),
                *run,
                pass_fds=given,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                cwd=folder,
                env=own,
                start_new_session=True,
            )
        except BaseException as error:
            if subreaper is not None:
                subreaper.close()
            launch.clean()
            shutil.rmtree(scratch.path, ignore_errors=True)
            if isinstance(error, SandboxStartError):
                raise ShellStartError(f"its sandbox cannot be set up: {error}") from error
            if isinstance(error, OSError | ValueError):
                reason = getattr(error, "strerror", None) or str(error)
                raise ShellStartError(f"the command could not be started in {folder}: {reason}") from error
            raise
        finally:
            launch.close()
            if subreaper is not None:
                subreaper.started()
        return cls(transport, watcher, scratch, launch, mark=mark, subreaper=subreaper)

    async def _bound(self, folder: str, most_bytes: int) -> None:
        """End the command once its temporary files take more than they may."""
        await outgrown(folder, most_bytes)
        self.has_overrun = True
        if self._subreaper is not None:
            self._subreaper.end()
        else:
            self._signal(signal.SIGKILL)

    @property
    def exit_code(self) -> int | None:
        """The exit code, as a shell counts it (128 and more for signals); None while it runs."""
        code = self._transport.get_returncode()
        return code if code is None or code >= 0 else 128 - code

    async def wait(self, timeout_s: float) -> bool:
        """Wait until the shell has ended, at most so long; say whether it has."""
        await asyncio.wait([self._watcher.exited], timeout=timeout_s)
        return self._watcher.exited.done()

    async def drain(self) -> None:
        """After the shell's end, read what is still on the way: to the end of the pipes, unless something holds them."""
        await asyncio.wait([self._watcher.drained], timeout=_DRAIN_S)
        if not self._watcher.drained.done() and not self._signal(0):
            # nothing of the group holds them, so the end is due; only a process that left the group could keep it away
            await asyncio.wait([self._watcher.drained], timeout=_LATE_DRAIN_S)

    def has_started(self) -> bool:
        """Whether bash itself came to run; with a sandbox around it that may have failed."""
        return self._scratch.has_started()

    def settle(self) -> tuple[str, ...]:
        """See `Launch.settle`."""
        return self._launch.settle()

    def last_folder(self) -> str | None:
        """Return the folder in which the command ended; None when it did not say."""
        return self._scratch.last_folder()

    async def end(self) -> bool:
        """End whatever of the group still runs, and release everything; say whether there was anything to end.

        Asks first (SIGTERM) and kills what is there after half a second. Cancelling it meanwhile kills at once.
        """
        if self._bounding is not None:
            self._bounding.cancel()
        if self._subreaper is not None:
            return await self._end_by_subreaper(self._subreaper)
        try:
            was_alive = self._signal(signal.SIGTERM)
            if not self._launch.holds_processes:
                await unbroken(self._find_strays())
                was_alive = self._signal_strays(signal.SIGTERM) or was_alive
            if was_alive:
                await self._gone(_TERM_GRACE_S)
                await asyncio.wait([self._watcher.drained], timeout=_POLL_S)  # the last words of what was ended
            return was_alive
        finally:
            self._signal(signal.SIGKILL)
            self._signal_strays(signal.SIGKILL)
            await unbroken(self._release())

    async def _end_by_subreaper(self, subreaper: Subreaper) -> bool:
        """Have the subreaper end whatever still runs, unless it has done so: it does by itself when the shell ends."""
        was_running = not self._watcher.exited.done()
        report = Report()
        try:
            subreaper.end()
            await asyncio.wait([self._watcher.exited], timeout=_SUBREAPER_S)
            await asyncio.wait([self._watcher.drained], timeout=_POLL_S)  # the last words of what was ended
        finally:
            subreaper.kill()
            report = await unbroken(self._release_subreaper(subreaper))
        self.stuck = report.stuck
        return was_running or report.has_left_over

    async def _release_subreaper(self, subreaper: Subreaper) -> Report:
        await asyncio.wait([self._watcher.exited], timeout=_SUBREAPER_S)
        code = self._transport.get_returncode()
        report = subreaper.close()
        if code is None or code < 0 or report.is_weak:  # it hangs, was itself killed, or could not see all
            await asyncio.to_thread(_kill_marked, self._mark)
            self._signal(signal.SIGKILL)
        await self._release()
        return report

    async def _release(self) -> None:
        # What was killed must be collected while the loop still runs: nobody could do it later.
        await asyncio.wait([self._watcher.exited], timeout=_COLLECT_S)
        if self._guarded is not None:
            await asyncio.to_thread(self._kill_what_left)
            _living.discard(self._guarded)
        watchdog.forget(self._guarded, self._launch.made)
        self._transport.close()
        await asyncio.to_thread(self._clean)

    def _kill_what_left(self) -> None:
        if not self._launch.holds_processes and not Subreaper.is_possible():
            _kill_marked(self._mark)

    def _clean(self) -> None:
        self._launch.settle()
        self._launch.clean()
        shutil.rmtree(self._scratch.path, ignore_errors=True)

    async def _gone(self, timeout_s: float) -> None:
        """Wait until nothing of it runs; what has ended counts as gone also where nobody collects it, as in many containers."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + timeout_s
        looked_at = loop.time()
        while loop.time() < deadline and (self._signal(0) or self._signal_strays(0)):
            await asyncio.sleep(_POLL_S)
            if loop.time() - looked_at >= _LOOK_S:
                groups = frozenset((self._group, *self._strays))
                if await asyncio.to_thread(has_ended, groups):
                    return
                looked_at = loop.time()

    def _signal(self, number: int) -> bool:
        """Signal the whole group; False when nothing of it is left."""
        return _signal_group(self._group, number)

    async def _find_strays(self) -> None:
        self._strays = await asyncio.to_thread(strays, self._group)

    def _signal_strays(self, number: int) -> bool:
        reached = [_signal_group(group, number) for group in self._strays]
        return any(reached)


def _signal_group(group: int, number: int) -> bool:
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return False
    except PermissionError:  # macOS: nothing but processes that have ended and were not collected yet
        return False
    return True


def _wants_subreaper(launch: Launch, confined: Confined | ConfinedCommands | Unconfined | None) -> bool:
    """Whether nothing else keeps the command's processes together; one that only looks cannot leave its session."""
    is_held = launch.holds_processes or (isinstance(confined, Confined) and confined.limits.is_read_only)
    return not is_held and Subreaper.is_possible()


def _kill_marked(mark: str) -> None:
    """Kill what carries the command's mark in its environment. Blocks."""
    for pid in marked(f"{_MARK}={mark}"):
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)


def _prepared(
    bash: str,
    command: str,
    folder: str,
    scratch: Scratch,
    variables: Mapping[str, str],
    confined: Confined | ConfinedCommands | Unconfined | None,
) -> Launch:
    """Return what runs bash on a command, confined as it is to be."""
    options = (bash, "--noprofile", "--norc", "-c", "--")
    if confined is None or isinstance(confined, Unconfined):
        return Launch((*options, command))
    if isinstance(confined, Confined):
        return confined.launch((*options, command), folder=folder, scratch=scratch.path, environment=variables)
    text, parts = confined.prepare(command, bash=bash, folder=folder, scratch=scratch.path, environment=variables)

    def clean() -> None:
        for part in parts:
            part.clean()

    def settle() -> tuple[str, ...]:
        return tuple(dict.fromkeys(said for part in parts for said in part.settle()))

    made = tuple(path for part in parts for path in part.made)
    bounded = [part.most_bytes for part in parts if part.watched]
    watched = scratch.path if bounded else ""
    return Launch((*options, text), on_clean=clean, made=made, watched=watched, most_bytes=sum(bounded))


def _make_ready() -> Scratch:
    watchdog.start()
    return Scratch()


def _kill_the_living() -> None:
    for group in _living:
        with contextlib.suppress(OSError):
            os.killpg(group, signal.SIGKILL)


atexit.register(_kill_the_living)
