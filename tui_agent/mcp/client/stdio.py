"""A server as a program of ours: started in a group of its own, spoken to in lines of JSON, and gone with all that it started.

Written anew beside the SDK's own, which grows one string without bounds for a line without end, gives the program's errors
to our terminal, and leaves what the program has started behind.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import anyio
import mcp_types as types
from mcp.client._transport import TransportStreams
from mcp.shared.message import SessionMessage

from tui_agent.mcp.log_tail import LogTail
from tui_agent.mcp.servers import Stdio
from tui_agent.programs import find_program
from tui_agent.secrets.names import is_secret

__all__ = ["MOST_MESSAGE_BYTES", "LineSplitter", "StartError", "server_environment", "stdio_transport"]

MOST_MESSAGE_BYTES: Final = 16 * 1024 * 1024
_CHUNK: Final = 65536
_ID: Final = re.compile(rb'"id"\s*:\s*(-?\d{1,18}|"(?:[^"\\]|\\.){0,200}")')
_GRACE_S: Final = 0.5  # for a program to end by itself, and again after it was told to
_LAST_WORDS_S: Final = 0.1
_STDERR_BURST: Final = 1024 * 1024  # bytes, after which a flood is slowed down
_STDERR_PAUSE_S: Final = 0.05
# What a shell or a loader would take from the environment is not a server's business, nor is our terminal.
_LEFT_OUT: Final = frozenset({"BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "PROMPT_COMMAND", "LS_COLORS"})


class StartError(Exception):
    """A server's program cannot be started; the text says why, in a sentence."""


def server_environment(
    base: Mapping[str, str], own: Mapping[str, str], project: Path, kept: frozenset[str] = frozenset()
) -> dict[str, str]:
    """Return the environment of a server's program: `base` without keys and tokens, and what its entry sets.

    `kept` are variables that the user wants programs to have, secret or not.
    """
    usual = {
        name: value
        for name, value in base.items()
        if (name in kept or not is_secret(name)) and name not in _LEFT_OUT and not name.startswith("BASH_FUNC_")
    }
    return {**usual, "CLAUDE_PROJECT_DIR": str(project), **own}


@contextlib.asynccontextmanager
async def stdio_transport(
    server: Stdio, *, cwd: Path, environment: Mapping[str, str], log: LogTail
) -> AsyncIterator[TransportStreams]:
    """Start a server's program and yield the streams that a session of the SDK reads and writes.

    Raises:
        StartError: it cannot be started.
    """
    program = await _start(server, cwd, environment)
    process = program.process
    incoming_writer, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outgoing, outgoing_reader = anyio.create_memory_object_stream[SessionMessage](0)
    tasks = [
        asyncio.create_task(_read(process, incoming_writer, log)),
        asyncio.create_task(_write(process, outgoing_reader, incoming_writer)),
        asyncio.create_task(_follow_errors(process, log)),
        asyncio.create_task(_close_at_end(program.exited, incoming_writer)),
    ]
    try:
        yield incoming, outgoing
    finally:
        with anyio.CancelScope(shield=True):
            incoming.close()
            outgoing.close()
            await _stop(program, tasks)
            for stream in (incoming_writer, outgoing_reader):
                stream.close()


class _Protocol(asyncio.subprocess.SubprocessStreamProtocol):
    """The program's pipes. Says that it has ended also where something that it started holds a pipe open."""

    def __init__(self) -> None:
        super().__init__(limit=_CHUNK, loop=asyncio.get_running_loop())
        self.exited = asyncio.Event()

    def process_exited(self) -> None:
        super().process_exited()
        self.exited.set()


@dataclass(frozen=True, slots=True)
class _Program:
    process: asyncio.subprocess.Process
    transport: asyncio.SubprocessTransport
    exited: asyncio.Event


async def _start(server: Stdio, cwd: Path, environment: Mapping[str, str]) -> _Program:
    program: str | None = server.command
    if os.sep not in server.command:
        program = find_program(server.command, environment.get("PATH"))
        if program is None:
            raise StartError(f"The program `{server.command}` was not found. Install it, or give its whole path.")
    assert program is not None
    loop = asyncio.get_running_loop()
    try:
        transport, protocol = await loop.subprocess_exec(
            _Protocol,
            program,
            *server.args,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            cwd=cwd,
            env=dict(environment),
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise StartError(f"The program `{server.command}` cannot be started: {reason}.") from error
    return _Program(asyncio.subprocess.Process(transport, protocol, loop), transport, protocol.exited)


class LineSplitter:
    """Cuts bytes into lines as they come. Of a line that is longer than `limit` only the beginning is kept."""

    def __init__(self, limit: int = MOST_MESSAGE_BYTES) -> None:
        self._limit = limit
        self._parts: list[bytes] = []
        self._size = 0
        self._head = b""

    def feed(self, data: bytes) -> Iterator[tuple[bytes, bool]]:
        """Yield each line that has ended, and whether it is whole."""
        *ended, rest = data.split(b"\n")
        for piece in ended:
            self._add(piece)
            is_whole = self._size <= self._limit
            yield (b"".join(self._parts) if is_whole else self._head), is_whole
            self._parts, self._size, self._head = [], 0, b""
        self._add(rest)

    def _add(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size <= self._limit:
            self._parts.append(piece)
        elif self._parts:
            self._head = b"".join(self._parts)[:4096]
            self._parts = []


async def _read(
    process: asyncio.subprocess.Process,
    incoming: anyio.abc.ObjectSendStream[SessionMessage | Exception],
    log: LogTail,
) -> None:
    """Pass on what the program says. What is no message of the protocol goes to the log."""
    assert process.stdout is not None
    splitter = LineSplitter()
    try:
        while data := await process.stdout.read(_CHUNK):
            for line, is_whole in splitter.feed(data):
                message = _message(line, log) if is_whole else _too_large(line, log)
                if message is not None:
                    await incoming.send(SessionMessage(message))
                elif not is_whole:
                    return  # somebody waits for it, and would wait on
    except (anyio.BrokenResourceError, anyio.ClosedResourceError):
        pass  # nobody reads any more
    finally:
        await incoming.aclose()
        with contextlib.suppress(OSError):
            while await process.stdout.read(_CHUNK):  # a program that cannot write may not end
                pass


def _message(line: bytes, log: LogTail) -> types.JSONRPCMessage | None:
    text = line.strip()
    if not text:
        return None
    try:
        message: types.JSONRPCMessage = types.jsonrpc_message_adapter.validate_json(text, by_name=False)
    except ValueError:
        log.line(f"not a message of the protocol: {text[:300].decode('utf-8', 'replace')}")
        return None
    return message


def _too_large(head: bytes, log: LogTail) -> types.JSONRPCMessage | None:
    """Answer in the server's place for a message that is too large to take, where it can be told which answer it was."""
    size = f"{MOST_MESSAGE_BYTES // 2**20} MiB"
    log.line(f"a message of more than {size} was left out")
    found = _ID.search(head[:200])
    if found is None:
        return None
    number = found[1].decode("utf-8", "replace")
    return types.JSONRPCError(
        jsonrpc="2.0",
        id=number[1:-1] if number.startswith('"') else int(number),
        error=types.ErrorData(code=types.INTERNAL_ERROR, message=f"the answer is larger than {size}"),
    )


async def _write(
    process: asyncio.subprocess.Process,
    outgoing: anyio.abc.ObjectReceiveStream[SessionMessage],
    incoming: anyio.abc.ObjectSendStream[SessionMessage | Exception],
) -> None:
    assert process.stdin is not None
    try:
        async for message in outgoing:
            text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
            process.stdin.write(text.encode() + b"\n")
            await process.stdin.drain()
    except (OSError, anyio.ClosedResourceError):
        await incoming.aclose()  # the session has to see that nothing more will come


async def _follow_errors(process: asyncio.subprocess.Process, log: LogTail) -> None:
    """Keep the end of what the program says besides; a flood is slowed down, so that it does not take this process's time."""
    assert process.stderr is not None
    burst = 0
    while data := await process.stderr.read(_CHUNK):
        log.write(data.decode("utf-8", "replace"))
        burst += len(data)
        if burst >= _STDERR_BURST:
            burst = 0
            await asyncio.sleep(_STDERR_PAUSE_S)


async def _close_at_end(
    exited: asyncio.Event, incoming: anyio.abc.ObjectSendStream[SessionMessage | Exception]
) -> None:
    """Let the session see that the program has ended, a little later, as what it has said last may still come."""
    await exited.wait()
    await asyncio.sleep(_LAST_WORDS_S)
    await incoming.aclose()


async def _stop(program: _Program, tasks: list[asyncio.Task[None]]) -> None:
    """End the program: its input ends, then it is told to, then it is made to; and with it all of its group."""
    assert program.process.stdin is not None
    with contextlib.suppress(OSError):
        program.process.stdin.close()
    if not await _has_ended(program):
        _signal_group(program.process.pid, signal.SIGTERM)
        await _has_ended(program)
    _signal_group(program.process.pid, signal.SIGKILL)
    await _has_ended(program)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    program.transport.close()  # what was started and got away may hold the pipes open


async def _has_ended(program: _Program) -> bool:
    """Wait a little; `Process.wait` would also wait for the pipes."""
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(program.exited.wait(), _GRACE_S)
    return program.exited.is_set()


def _signal_group(group: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
