"""Standard input, read without ever holding up the event loop or the program's end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from typing import BinaryIO, Final, TypeVar

__all__ = ["MAX_LINE_BYTES", "MAX_PIPED_BYTES", "TooMuchInputError", "read_all", "read_limited", "read_lines"]

MAX_PIPED_BYTES: Final = 10_000_000
MAX_LINE_BYTES: Final = 32_000_000  # pictures come along with a message
_CHUNK: Final = 65_536
_AHEAD_LINES: Final = 16  # that are read before the work has taken them
_AHEAD_BYTES: Final = 1_000_000  # of these, where there is more than one
_PATIENCE_S: Final = 3.0


L = TypeVar("L", bytes, bytes | None)


class TooMuchInputError(Exception):
    """More came than may be sent."""


async def read_lines(stream: BinaryIO | None = None) -> AsyncIterator[str]:
    """Yield the lines of `stream` (standard input by default), without their ends; bytes that are no text become U+FFFD."""
    async for line in _as_they_come(stream or sys.stdin.buffer):
        text = line.decode("utf-8", "replace").strip()
        if text:
            yield text


async def read_limited(handle: int = 0, limit: int = MAX_LINE_BYTES) -> AsyncIterator[bytes | None]:
    """Yield the lines that come through a descriptor and are not blank; None in the place of one that is too long."""
    async for line in _as_they_come(_split(handle, limit)):
        if line is None or line.strip():
            yield line


async def _as_they_come(source: Iterable[L]) -> AsyncIterator[L]:
    """Yield lines without holding up the event loop.

    A daemon thread does the waiting: it can be left behind, while a thread of the loop's pool would keep the program alive.
    """
    loop = asyncio.get_running_loop()
    lines: asyncio.Queue[tuple[L] | None] = asyncio.Queue()
    ahead = _Ahead()

    def give(line: tuple[L] | None) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody listens any more
            loop.call_soon_threadsafe(lines.put_nowait, line)

    def read() -> None:
        with contextlib.suppress(OSError, ValueError):
            for line in source:
                ahead.add(len(line or b""))
                give((line,))
        give(None)

    threading.Thread(target=read, name="stdin", daemon=True).start()
    while (found := await lines.get()) is not None:
        ahead.remove(len(found[0] or b""))
        yield found[0]


class _Ahead:
    """How far a reader is ahead of the work. It waits while that is too far; one line may always be."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._lines = 0
        self._bytes = 0

    def add(self, size: int) -> None:
        """Count a line that was read, as soon as there is room for it."""
        with self._changed:
            self._changed.wait_for(lambda: not self._lines or self._has_room(size))
            self._lines += 1
            self._bytes += size

    def _has_room(self, size: int) -> bool:
        return self._lines < _AHEAD_LINES and self._bytes + size <= _AHEAD_BYTES

    def remove(self, size: int) -> None:
        """Count a line that the work has taken."""
        with self._changed:
            self._lines -= 1
            self._bytes -= size
            self._changed.notify()


def _split(handle: int, limit: int) -> Iterator[bytes | None]:
    """Yield the lines that come through a descriptor, None for one of more than `limit` bytes, which is never held whole.

    There is no buffer of Python's between: the interpreter cannot end while a thread waits in one.
    """
    pieces: list[bytes] = []
    size = 0
    while chunk := os.read(handle, _CHUNK):
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            yield b"".join((*pieces, end)) if size + len(end) <= limit else None
            pieces, size = [], 0
        size += len(rest)
        if size <= limit:
            pieces.append(rest)
        else:
            pieces.clear()
    if size:
        yield b"".join(pieces) if size <= limit else None


def read_all(on_wait: Callable[[], None], stream: BinaryIO | None = None) -> str:
    """Return all that is piped in; `on_wait` is called once when that takes long.

    Raises:
        TooMuchInputError: it is more than `MAX_PIPED_BYTES`.
        UnicodeDecodeError: it is not UTF-8.
    """
    source = stream or sys.stdin.buffer
    timer = threading.Timer(_PATIENCE_S, on_wait)
    timer.daemon = True
    timer.start()
    try:
        data = source.read(MAX_PIPED_BYTES + 1)
    finally:
        timer.cancel()
    if len(data) > MAX_PIPED_BYTES:
        raise TooMuchInputError
    return data.decode("utf-8-sig")
