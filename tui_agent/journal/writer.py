"""Append a session's events to its journal.

What is written when: every event but deltas and progress is handed to the operating system before the event loop runs
anything that was not already waiting, so before a screen can show it; a killed program has recorded all that was shown. Text,
thinking and progress are left in the bus's queue, which joins them, until the next other event or for a quarter of a second.
Argument fragments are left out: the whole input follows in `ToolUseCompleted`. At the end of each turn the file is synced to
the disk, in a thread, against loss of power.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
from pathlib import Path
from typing import Final

from tui_agent.bus import Bus, Subscription
from tui_agent.event_json import to_text
from tui_agent.events import Event, Notice, ToolInputDelta, TurnFinished
from tui_agent.journal.load import JournalError

__all__ = ["JournalWriter"]

_JOIN_SECONDS: Final = 0.25
_LONG: Final = 1_000_000


class JournalWriter:
    """The one writer of a journal. Open it before the first event is published; `close` writes what is held back.

    Raises:
        JournalError: the file cannot be written, or another process has the session open.
    """

    def __init__(self, path: Path, bus: Bus, *, keep_bytes: int | None = None) -> None:
        """Open `path` for appending; `keep_bytes` cuts a torn end off first."""
        self._bus = bus
        self._timer: asyncio.TimerHandle | None = None
        self._is_scheduled = False
        self._sync: asyncio.Future[None] | None = None
        self._failed = False
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise JournalError(f"cannot write {path}: {error.strerror or error}") from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._file)
            raise JournalError("this session is open in another window; close it there, or start a new one") from error
        if keep_bytes is not None:
            os.ftruncate(self._file, keep_bytes)
        self._subscription: Subscription = bus.subscribe("the journal", self._schedule, is_live_only=True)

    def _schedule(self) -> None:
        """Arrange for a drain: at once where a fact waits, later where pieces of text and progress may still be joined."""
        if self._is_scheduled:
            return
        loop = asyncio.get_running_loop()
        if self._subscription.has_facts:
            self._is_scheduled = True
            loop.call_soon(self._drain)
        elif self._timer is None:
            self._timer = loop.call_later(_JOIN_SECONDS, self._drain)

    def _drain(self) -> None:
        self._is_scheduled = False
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        events = [event for event in self._subscription.take() if not isinstance(event, ToolInputDelta)]
        self._write([_line(event) for event in events])
        if any(isinstance(event, TurnFinished) for event in events):
            self._start_sync()

    def _write(self, lines: list[bytes]) -> None:
        if not lines or self._failed:
            return
        # A long line goes as it is: to copy it once more takes as long as to write it.
        pieces = lines if sum(map(len, lines)) > _LONG else [b"".join(lines)]
        try:
            for piece in pieces:
                data = memoryview(piece)
                while data:
                    data = data[os.write(self._file, data) :]
        except OSError as error:
            # The conversation matters more than its record: say it once and go on without.
            self._failed = True
            self._bus.publish(
                Notice(
                    level="error",
                    text=f"The session is no longer recorded: {error.strerror or error}.",
                    hint="Free some disk space, then start anew with --continue; what happens until then is not kept.",
                )
            )

    def _start_sync(self) -> None:
        if self._sync is None or self._sync.done():
            self._sync = asyncio.get_running_loop().run_in_executor(None, self._fsync)

    def _fsync(self) -> None:
        with contextlib.suppress(OSError):  # a file system that cannot sync has nothing more to give
            os.fsync(self._file)

    async def close(self) -> None:
        """Write everything that waits, sync, and let the file go."""
        self._subscription.close()
        self._drain()
        if self._sync is not None:
            await self._sync
        await asyncio.to_thread(self._fsync)
        os.close(self._file)


def _line(event: Event) -> bytes:
    # Lone surrogates can come out of broken file names; they must not make the line unreadable.
    text = to_text(event)
    return text.encode("utf-8", "backslashreplace") + b"\n"
