"""Standard input, read without ever holding up the event loop or the program's end."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import threading
from collections.abc import AsyncIterator, Callable
from typing import BinaryIO, Final

__all__ = ["MAX_PIPED_BYTES", "TooMuchInputError", "read_all", "read_lines"]

MAX_PIPED_BYTES: Final = 10_000_000
_PATIENCE_S: Final = 3.0


class TooMuchInputError(Exception):
    """More came than may be sent."""


async def read_lines(stream: BinaryIO | None = None) -> AsyncIterator[str]:
    """Yield the lines of `stream` (standard input by default), without their ends; bytes that are no text become U+FFFD.

    A daemon thread does the waiting: it can be left behind, while a thread of the loop's pool would keep the program alive.
    """
    source = stream or sys.stdin.buffer
    loop = asyncio.get_running_loop()
    lines: asyncio.Queue[bytes | None] = asyncio.Queue()
    taken = threading.Semaphore(16)  # how far the reader may run ahead of the work

    def give(line: bytes | None) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody listens any more
            loop.call_soon_threadsafe(lines.put_nowait, line)

    def read() -> None:
        try:
            for line in source:
                taken.acquire()
                give(line)
        except (OSError, ValueError):
            pass
        give(None)

    threading.Thread(target=read, name="stdin", daemon=True).start()
    while (line := await lines.get()) is not None:
        taken.release()
        text = line.decode("utf-8", "replace").strip()
        if text:
            yield text


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
