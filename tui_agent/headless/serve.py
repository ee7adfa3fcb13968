"""`serve --stdio`: the engine over pipes, for a front end in another process. One JSON object a line, each way.

In come `{"command": {…}, "id": 1}` and `{"query": {…}, "id": 2}`. Out go `{"id": 1, "ok": {…}}`, `{"id": 2, "answer": …}`, or
`{"id": 1, "error": {"message": …}}` in their place, and `{"event": {…}}` as the journal has them. An answer comes after the
events that were published before it. A line that cannot be read is answered with an error, and changes nothing. The end of
the input closes the session in order. `clear` begins a new session in the same process: the events of the one that ends come
first, then those of the new one, and then the answer.

Who reads slowly holds nothing up but itself: while a line waits to be read, texts join in the queue of events, and when many
answers wait, or large ones, no more input is read. What waits therefore never grows faster than the conversation itself.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import select
import sys
from collections import Counter, deque
from collections.abc import Awaitable
from typing import TYPE_CHECKING, Any, Final

from tui_agent.boundary_json import command_from_json, query_from_json
from tui_agent.codec import FormatError, encode
from tui_agent.commands import Clear, Close, Done, EndReason, Reply, RunShell, RunTool, Start, Submit
from tui_agent.event_json import to_text
from tui_agent.headless.signals import TerminationSignals
from tui_agent.headless.stdin import MAX_LINE_BYTES, read_limited
from tui_agent.renewal import settle
from tui_agent.text import sound_json

if TYPE_CHECKING:
    import argparse
    from collections.abc import AsyncIterator, Callable

    from tui_agent.boundary import Engine, Pending
    from tui_agent.events import Event
    from tui_agent.model.demo.demo import Demo
    from tui_agent.queries import SessionState

    Renew = Callable[[SessionState, "float | None"], Awaitable[Engine]]

__all__ = ["Server", "serve"]

_MOST_UNREAD: Final = 256  # answers that wait to be read before no more input is taken
_MOST_UNREAD_CHARS: Final = 8_000_000  # of these answers together
_MOST_RUNNING: Final = 64  # commands and queries that are not answered yet
_PIECE: Final = 4096  # bytes that a pipe takes whole once it takes any
_LOOK_EVERY_MS: Final = 200  # whether to go on waiting for the reader
_GRACE_S: Final = 3.0  # that the reader gets to take the rest, when the program is told to end
_KEYS: Final = frozenset({"id", "command", "query"})
_ENCODE: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class _BadLineError(ValueError):
    """A line is not a command or a query; the text says why. `id` is the line's own, where it could be read."""

    def __init__(self, text: str, id: str | int | None = None) -> None:
        super().__init__(text)
        self.id = id


def serve(options: argparse.Namespace, demo: Demo | None) -> int:
    """Open a session, serve it on standard input and output until either ends, and return the exit code.

    Raises:
        UsageError: there is no key, or the session cannot start as asked.
    """
    from tui_agent.engine.opening import JournalError, SessionConfigError, open_engine, options_after_clear
    from tui_agent.headless.answer import model_clients
    from tui_agent.headless.options import session_options
    from tui_agent.headless.parsers import UsageError

    if options.resume == "":
        raise UsageError("--resume needs an ID with serve", "`tui-agent sessions list` names the sessions.")
    wanted = session_options(options, demo.folder if demo else None)
    models = model_clients(demo, wanted)
    out = _take_standard_output()

    async def renew(state: SessionState, limit_usd: float | None) -> Engine:
        after = options_after_clear(wanted, state, limit_usd)
        return await open_engine(after, await asyncio.to_thread(model_clients, demo, after))

    async def main() -> int:
        try:
            engine = await open_engine(wanted, models)
        except (SessionConfigError, JournalError) as error:
            raise UsageError(str(error), "") from error
        return await Server(engine, out, renew).run(read_limited())

    return asyncio.run(main())


def _take_standard_output() -> int:
    """Return a descriptor of standard output, and have whatever else is written there go to standard error."""
    sys.stdout.flush()
    out = os.dup(1)
    os.dup2(2, 1)
    return out


class Server:
    """One engine for one front end at the other end of a pipe. `out` is the descriptor of its writing end.

    `renew` opens the session that takes this one's place after `clear`, as this one stands and with its spending limit.
    """

    def __init__(self, engine: Engine, out: int, renew: Renew | None = None) -> None:
        self._engine = engine
        self._out = out
        self._renew = renew
        self._was_used = False  # something was said, or done, in this session
        self._last_events: list[Event] = []  # of the session before
        self._wake = asyncio.Event()
        self._room = asyncio.Event()
        self._room.set()
        self._answers: deque[str] = deque()
        self._unread_chars = 0
        self._running: set[asyncio.Task[None]] = set()
        self._subscription = engine.subscribe("standard output", self._wake.set)
        self._is_ending = False
        self._is_abandoned = False  # what is not read by now never will be

    async def run(self, lines: AsyncIterator[bytes | None]) -> int:
        """Serve until the input ends, `close` comes, or nobody reads any more. Return the exit code.

        Whoever is told to end (by SIGTERM, SIGHUP or Ctrl+C) closes the session in order, too, at whatever moment that comes,
        but does not wait long for a reader.
        """
        ending = TerminationSignals()
        writing = asyncio.create_task(self._write_all())
        reading = asyncio.create_task(self._read_all(lines))
        is_told = False
        try:
            self._engine.send(Start())
            await asyncio.wait({reading, writing}, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            is_told = True
        finally:
            is_unread = writing.done()
            reading.cancel()
            closing = asyncio.create_task(self._close("interrupted" if is_told else "exit"))
            is_told = await _outlast(closing, is_told=is_told)
            is_told = await _outlast(writing, is_told=is_told, patience_s=_GRACE_S)
            self._is_abandoned = True
        if is_told:
            if ending.code is None:
                raise asyncio.CancelledError  # Ctrl+C; the runner makes it a KeyboardInterrupt
            return ending.code
        closing.result()
        if reading.done() and not reading.cancelled() and (error := reading.exception()) is not None:
            raise error
        return 1 if is_unread else 0

    async def _close(self, reason: EndReason) -> None:
        """Close the session; then nothing more is to be written than what there is."""
        try:
            await self._engine.send(Close(reason))
            await self._settle()
        finally:
            self._is_ending = True
            self._wake.set()

    # --- input -------------------------------------------------------------------------------------------------------

    async def _read_all(self, lines: AsyncIterator[bytes | None]) -> None:
        async for line in lines:
            await self._room.wait()
            try:
                is_end = await self._take(line)
            except _BadLineError as error:
                self._say(error.id, "error", {"message": str(error)})
                continue
            if is_end:
                return

    async def _take(self, line: bytes | None) -> bool:
        """Do what a line says; whether it is the last one."""
        if line is None:
            raise _BadLineError(f"the line is longer than {MAX_LINE_BYTES:,} bytes")
        id, key, data = _read(line)
        if len(self._running) >= _MOST_RUNNING and not _is_urgent(data):
            raise _BadLineError(f"{_MOST_RUNNING} commands and queries are not answered yet; wait for one of them", id)
        try:
            if key == "query":
                self._answer(id, self._engine.query(query_from_json(data)))
                return False
            command = command_from_json(data)
            if isinstance(command, Clear) and self._renew is not None and self._was_used:
                self._give(id, await self._begin_anew(self._renew, command.title))
                return False
            self._was_used = self._was_used or isinstance(command, Submit | RunTool | RunShell)
            pending = self._engine.send(command)
        except FormatError as error:
            raise _BadLineError(str(error), id) from error
        except Exception as error:
            raise _BadLineError(f"{type(error).__name__}: {error}", id) from error
        if isinstance(command, Close):
            await self._reply(id, pending)
            return True
        self._answer(id, pending)
        return False

    async def _begin_anew(self, renew: Renew, title: str) -> Reply[Done]:
        """Put a new session in the place of this one; where none can be opened, this one stays."""
        before = self._engine
        settled = await settle(before, title)
        try:
            engine = await renew(settled.state, settled.limit_usd)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is told, and the session goes on
            return Reply(error=f"a new session cannot start: {error}")
        await before.send(Close("clear"))
        await self._settle()
        self._last_events += self._subscription.take()
        self._subscription.close()
        self._engine, self._was_used = engine, False
        self._subscription = engine.subscribe("standard output", self._wake.set)
        engine.send(Start())
        return Reply(error=f"the session has no name: {settled.problem}") if settled.problem else Reply(Done())

    def _answer(self, id: str | int | None, pending: Pending[Any]) -> None:
        """Answer now, or when there is something to answer."""
        if pending.is_done:
            self._give(id, pending.result())
            return
        task = asyncio.create_task(self._reply(id, pending))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def _reply(self, id: str | int | None, pending: Awaitable[Any]) -> None:
        try:
            self._give(id, await pending)
        except Exception as error:  # noqa: BLE001 - one command that fails is told to who gave it; the session goes on
            self._say(id, "error", {"message": f"{type(error).__name__}: {error}"})

    def _give(self, id: str | int | None, found: object) -> None:
        if not isinstance(found, Reply):
            self._say(id, "answer", encode(found))
        elif found.error:
            self._say(id, "error", {"message": found.error})
        else:
            self._say(id, "ok", encode(found.ok))

    async def _settle(self) -> None:
        """Let what was begun come to its end with the session; what waits for more is given up."""
        if self._running:
            await asyncio.wait(tuple(self._running), timeout=1)
        for task in tuple(self._running):
            task.cancel()

    # --- output ------------------------------------------------------------------------------------------------------

    def _say(self, id: str | int | None, key: str, value: object) -> None:
        line = _ENCODE({"id": id, key: value})
        self._answers.append(line)
        self._unread_chars += len(line)
        if len(self._answers) >= _MOST_UNREAD or self._unread_chars >= _MOST_UNREAD_CHARS:
            self._room.clear()
        self._wake.set()

    async def _write_all(self) -> None:
        """Write what there is, as fast as it is read; ends when nobody reads any more, or all is written at the end."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            last, self._last_events = self._last_events, []
            events = [*last, *self._subscription.take()]  # first: an answer comes after what was published before it
            answers, self._answers = self._answers, deque()
            self._unread_chars = 0
            self._room.set()
            lines = [f'{{"event":{to_text(event)}}}' for event in events]
            lines += answers
            if lines:
                data = "".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace")
                try:
                    await asyncio.to_thread(self._write, data)
                except OSError:
                    self._subscription.close()
                    return
            elif self._is_ending:
                return
            if self._is_abandoned:
                return
            if self._is_ending:
                self._wake.set()

    def _write(self, data: bytes) -> None:
        """Write in pieces that never block, in a thread: one that waits for a reader for ever could not be ended."""
        poll = select.poll()
        poll.register(self._out, select.POLLOUT)
        rest = memoryview(data)
        while rest and not self._is_abandoned:
            if poll.poll(_LOOK_EVERY_MS):
                rest = rest[os.write(self._out, rest[:_PIECE]) :]


async def _outlast(work: asyncio.Task[None], *, is_told: bool, patience_s: float | None = None) -> bool:
    """Wait for work to be done, whatever tells this task to end, and return whether something has.

    Where it is told to, it waits for `patience_s` seconds at most.
    """
    while not work.done():
        try:
            await asyncio.wait({work}, timeout=patience_s if is_told else None)
        except asyncio.CancelledError:
            is_told = True
        else:
            break
    return is_told


def _read(line: bytes) -> tuple[str | int | None, str, object]:
    """Return a line's id, whether it holds a command or a query, and that.

    Raises:
        _BadLineError: it has another shape.
    """
    try:
        data = sound_json(_DECODE(line.decode("utf-8")))
    except UnicodeDecodeError as error:
        raise _BadLineError(f"not UTF-8: {error.reason} at byte {error.start}") from error
    except (ValueError, RecursionError) as error:
        raise _BadLineError(f"not JSON: {error}") from error
    if not isinstance(data, dict):
        raise _BadLineError(f"a line is a JSON object, not {type(data).__name__}")
    id = data.get("id")
    if isinstance(id, bool) or not isinstance(id, str | int | None):
        raise _BadLineError("`id` is a string or a whole number")
    keys = [key for key in ("command", "query") if key in data]
    if len(keys) != 1:
        raise _BadLineError("a line has one of `command` and `query`", id)
    if unknown := sorted(data.keys() - _KEYS):
        raise _BadLineError(f"a line has no {unknown[0]!r:.80}", id)
    return id, keys[0], data[keys[0]]


def _is_urgent(data: object) -> bool:
    """Whether a command stops what runs: it is taken however much waits, as what waits may wait for just that."""
    return isinstance(data, dict) and data.get("type") in {"interrupt", "answer", "answer_form", "stop_tool", "close"}


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is no JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(f"{digits:.40} is too large a number")
    return number


def _with_each_key_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        ((twice, _),) = Counter(name for name, _ in pairs).most_common(1)
        raise ValueError(f"{twice!r:.80} stands in one object twice")
    return found


_DECODE: Final = json.JSONDecoder(
    parse_constant=_refuse_constant, parse_float=_finite, object_pairs_hook=_with_each_key_once
).decode
