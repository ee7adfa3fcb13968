"""A hook's command while it runs: a process group of its own, given its input, drained, limited in time, and gone afterwards.

Nothing here waits for a pipe to close, nor for a command to read: what it leaves running may hold the pipes for ever, and it
may never look at its input. Of what it prints only the beginning is kept; the rest is read and dropped, so that it neither
fills the memory nor stops the command.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

__all__ = ["KEPT_BYTES", "Finished", "ProcessGuard", "ProcessStartError", "end_left_over", "run_process"]

KEPT_BYTES: Final = 1_000_000  # of each of the two streams
_MOST_BYTES: Final = 256_000_000  # of both together; who prints more than that prints for ever
_TERM_GRACE_S: Final = 0.5  # how long a group may take to end by itself before it is killed
_DRAIN_S: Final = 0.1  # how long after its end its pipes are read for what is still on the way
_COLLECT_S: Final = 1.0
_POLL_S: Final = 0.01

_living: Final[set[int]] = set()
_left_over: Final[set[int]] = set()  # groups whose command has ended, but not all that it started


class ProcessStartError(Exception):
    """The command could not be started; the text says why."""


@dataclass(frozen=True, slots=True)
class ProcessGuard:
    """Who ends process groups when this program is killed: told of each that begins and that has ended."""

    start: Callable[[], None]
    watch: Callable[[int], None]
    forget: Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Finished:
    """How a command ended. `exit_code` is None where it was ended; `why` says for what."""

    exit_code: int | None
    stdout: bytes
    stderr: bytes
    why: Literal["exit", "timeout", "too_much_output"] = "exit"


class _Watcher(asyncio.SubprocessProtocol):
    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.kept: Final = {1: bytearray(), 2: bytearray()}
        self.total = 0
        self._open_pipes = {1, 2}
        self.exited: Final[asyncio.Future[None]] = loop.create_future()
        self.drained: Final[asyncio.Future[None]] = loop.create_future()
        self.flooded: Final[asyncio.Future[None]] = loop.create_future()

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        kept = self.kept[fd]
        kept += data[: KEPT_BYTES - len(kept)]
        self.total += len(data)
        if self.total > _MOST_BYTES and not self.flooded.done():
            self.flooded.set_result(None)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:  # noqa: ARG002
        self._open_pipes.discard(fd)
        if not self._open_pipes and not self.drained.done():
            self.drained.set_result(None)

    def process_exited(self) -> None:
        if not self.exited.done():
            self.exited.set_result(None)


async def run_process(
    argv: Sequence[str],
    *,
    stdin: bytes,
    folder: str,
    environment: Mapping[str, str],
    timeout_s: float,
    guard: ProcessGuard | None = None,
) -> Finished:
    """Run a command to its end and return what it said. Cancelled, or out of time, it is ended with all of its group.

    What a command that ended by itself leaves running goes on, until this program ends.

    Raises:
        ProcessStartError: it could not be started.
    """
    running = await _start(argv, folder, environment, guard)
    try:
        return await running.finish(stdin, timeout_s)
    finally:
        await running.end()


async def _start(
    argv: Sequence[str], folder: str, environment: Mapping[str, str], guard: ProcessGuard | None
) -> _Process:
    """Start it. Cancelled meanwhile, the start is waited for all the same: nobody else could end what it made."""
    starting = asyncio.ensure_future(_Process.start(argv, folder, environment, guard))
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        while not starting.done():
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait([starting])
        if not starting.cancelled() and starting.exception() is None:
            await starting.result().end()
        raise


class _Process:
    def __init__(self, transport: asyncio.SubprocessTransport, watcher: _Watcher, guard: ProcessGuard | None) -> None:
        self._transport = transport
        self._watcher = watcher
        self._guard = guard
        self._group = transport.get_pid()
        self._is_over = False
        _living.add(self._group)
        if guard is not None:
            guard.watch(self._group)

    @classmethod
    async def start(
        cls, argv: Sequence[str], folder: str, environment: Mapping[str, str], guard: ProcessGuard | None
    ) -> _Process:
        if guard is not None:
            await asyncio.to_thread(guard.start)
        try:
            transport, watcher = await asyncio.get_running_loop().subprocess_exec(
                _Watcher,
                *argv,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                cwd=folder,
                env=environment,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise ProcessStartError(f"{argv[0]} could not be started in {folder}: {reason}") from error
        return cls(transport, watcher, guard)

    async def finish(self, stdin: bytes, timeout_s: float) -> Finished:
        watcher = self._watcher
        pipe = self._transport.get_pipe_transport(0)
        assert isinstance(pipe, asyncio.WriteTransport)
        pipe.write(stdin)  # what it does not read waits in memory; that it has closed the pipe is no fault
        pipe.write_eof()
        await asyncio.wait([watcher.exited, watcher.flooded], timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)
        if not watcher.exited.done():
            why: Literal["timeout", "too_much_output"] = "too_much_output" if watcher.flooded.done() else "timeout"
            await self.end()
            return Finished(None, bytes(watcher.kept[1]), bytes(watcher.kept[2]), why)
        await asyncio.wait([watcher.drained], timeout=_DRAIN_S)
        self._is_over = True
        code = self._transport.get_returncode()
        code = code if code is None or code >= 0 else 128 - code
        return Finished(code, bytes(watcher.kept[1]), bytes(watcher.kept[2]))

    async def end(self) -> None:
        """End whatever still runs, unless it ended by itself; and release everything. May be called again."""
        if self._group not in _living:
            return
        try:
            if not self._is_over and _signal(self._group, signal.SIGTERM):
                await self._gone()
        finally:
            _living.discard(self._group)
            if self._is_over and _signal(self._group, 0):
                end_left_over(only_gone=True)
                _left_over.add(self._group)  # its guard goes on watching it
            else:
                _signal(self._group, signal.SIGKILL)
                if self._guard is not None:
                    self._guard.forget(self._group)
            collecting = asyncio.ensure_future(asyncio.wait([self._watcher.exited], timeout=_COLLECT_S))
            try:
                await asyncio.shield(collecting)
            finally:
                self._transport.close()

    async def _gone(self) -> None:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + _TERM_GRACE_S
        while loop.time() < deadline and _signal(self._group, 0):  # noqa: ASYNC110 - nobody is told when a group has emptied
            await asyncio.sleep(_POLL_S)


def _signal(group: int, number: int) -> bool:
    """Signal a whole group; False when nothing of it is left."""
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return False
    except PermissionError:  # macOS: nothing but processes that have ended and were not collected yet
        return False
    return True


def end_left_over(*, only_gone: bool = False) -> None:
    """Kill what commands that have ended left running; `only_gone` just forgets the groups that are empty by now."""
    for group in tuple(_left_over):
        if not only_gone:
            _signal(group, signal.SIGKILL)
        if not only_gone or not _signal(group, 0):
            _left_over.discard(group)


def _kill_the_living() -> None:
    for group in _living:
        with contextlib.suppress(OSError):
            os.killpg(group, signal.SIGKILL)
    end_left_over()


atexit.register(_kill_the_living)
