"""What a command prints: drained as fast as it comes, without secrets, bounded in memory, whole on disk when it is too much.

Nothing is kept or shown before it has gone through the masker. Bytes that are no text come through it as they are.
"""

from __future__ import annotations

import codecs
import os
import re
from collections import deque
from pathlib import Path
from typing import BinaryIO, Final

from tui_agent.secrets.masker import Masker
from tui_agent.secrets.stream import MaskStream
from tui_agent.tools.base import Progress

__all__ = ["MOST_KEPT_BYTES", "BoundedText", "CommandOutput", "Spool"]

_HEAD_CHARS: Final = 75_000  # with the tail the most that a result may be asked to hold
_TAIL_CHARS: Final = 75_000
_MOST_PIECES: Final = 500  # before they are joined: a piece of one character takes fifty bytes
_SHOWN_LINES: Final = 20
_SHOWN_CHARS: Final = 8000
_SHOWN_LINE_CHARS: Final = 500
MOST_KEPT_BYTES: Final = 64 << 20
"""How much of a command's output is kept on disk, unless it runs in the background."""
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9_-]")


class BoundedText:
    """The beginning and the end of a text of any length."""

    def __init__(self) -> None:
        self.total = 0  # characters, kept or not
        self._head: list[str] = []
        self._head_size = 0
        self._tail: deque[str] = deque()
        self._tail_size = 0

    def add(self, text: str) -> None:
        """Append text; what no longer fits between beginning and end is forgotten."""
        self.total += len(text)
        if room := _HEAD_CHARS - self._head_size:
            taken = text[:room]
            self._head.append(taken)
            self._head_size += len(taken)
            text = text[room:]
            if len(self._head) > _MOST_PIECES:
                self._head = ["".join(self._head)]
        if text:
            self._tail.append(text[-_TAIL_CHARS:])
            self._tail_size += len(self._tail[-1])
            while self._tail_size - len(self._tail[0]) >= _TAIL_CHARS:
                self._tail_size -= len(self._tail.popleft())
            if len(self._tail) > _MOST_PIECES:
                joined = "".join(self._tail)[-_TAIL_CHARS:]
                self._tail = deque([joined])
                self._tail_size = len(joined)

    def end(self, size: int) -> str:
        """Return up to `size` last characters, at most what is kept of the end."""
        text = "".join(self._tail)
        return (text if len(text) >= size else "".join(self._head) + text)[-size:]

    def cut(self, limit: int, where: str = "") -> str:
        """Return the text within about `limit` characters: whole, or equal head and tail with a mark between them.

        `where` says in the mark where the rest is. At most what is kept can be returned.
        """
        if self.total <= min(limit, self._head_size + self._tail_size):
            return "".join(self._head) + "".join(self._tail)
        half = max(0, min(limit // 2, _HEAD_CHARS, _TAIL_CHARS))
        head = ("".join(self._head))[:half]
        tail = self.end(half) if half else ""
        left_out = self.total - len(head) - len(tail)
        mark = f"… [{left_out:,} of {self.total:,} characters left out{'; ' + where if where else ''}] …"
        return f"{head}\n\n{mark}\n\n{tail}"


class Spool:
    """Keeps the bytes of an output: in memory up to `threshold`, in a file of `folder` beyond. None keeps nothing.

    The file takes the first `most_bytes` alone, as long as nobody has asked by `open_now` for all that is to come.
    """

    def __init__(self, folder: Path | None, name: str, threshold: int, *, most_bytes: int = MOST_KEPT_BYTES) -> None:
        self._folder = folder
        self._name = _UNSAFE.sub("_", name)[:100] or "output"
        self._threshold = threshold
        self._waiting: list[bytes] = []
        self._size = 0
        self._file: BinaryIO | None = None
        self._is_kept = False
        self._left = most_bytes
        self._is_bounded = True
        self.is_full = False
        self.path: Path | None = None
        self.problem = ""

    def add(self, data: bytes) -> None:
        """Keep more bytes. A disk that takes no more is remembered in `problem`, and the command goes on."""
        if self._folder is None or self.problem:
            return
        try:
            if self._file is None:
                self._waiting.append(data)
                self._size += len(data)
                if self._size <= self._threshold:
                    return
                self._file = self._open(self._folder)
                data = b"".join(self._waiting)
                self._waiting.clear()
            self._write(self._file, data)
        except OSError as error:
            self.problem = error.strerror or str(error)
            self._waiting.clear()
            self._drop()

    def open_now(self) -> Path | None:
        """Keep everything in a file from now on, what came before included, and return it; None where that cannot be."""
        if self._folder is None or self.problem:
            return None
        try:
            if self._file is None:
                self._file = self._open(self._folder)
                self._file.write(b"".join(self._waiting))
                self._waiting.clear()
        except OSError as error:
            self.problem = error.strerror or str(error)
            self._waiting.clear()
            self._drop()
        self._is_kept = True
        self._is_bounded = False
        return self.path

    def keep(self) -> None:
        """The output is complete and its file is needed: `close` will leave it."""
        self._is_kept = True

    def close(self) -> None:
        """Close the file, and remove it unless it was asked to be kept and is whole."""
        self._waiting.clear()
        try:
            if self._file is not None:
                self._file.close()
        except OSError as error:
            self.problem = error.strerror or str(error)
        self._file = None
        if not self._is_kept or self.problem:
            self._drop()

    def _write(self, file: BinaryIO, data: bytes) -> None:
        if self._is_bounded and self.is_full:
            return
        taken = data[: self._left] if self._is_bounded else data
        file.write(taken)
        self._left = max(0, self._left - len(taken))
        if len(taken) < len(data):
            self.is_full = True
            file.write(b"\n[What it printed after this was not kept: it was too much]\n")

    def _open(self, folder: Path) -> BinaryIO:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        number = 1
        while True:
            path = folder / (f"{self._name}.txt" if number == 1 else f"{self._name}-{number}.txt")
            try:
                handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            except FileExistsError:
                number += 1
                continue
            self.path = path
            return open(handle, "wb", buffering=0)  # noqa: PTH123 - closed by `close`

    def _drop(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
        if self.path is not None:
            self.path.unlink(missing_ok=True)
            self.path = None


class CommandOutput:
    """Both streams of one command: each for itself, and merged in the order in which they came; secrets in them are hidden."""

    def __init__(self, spool: Spool, masker: Masker | None = None) -> None:
        hiding = masker or Masker()
        self.stdout: Final = BoundedText()
        self.stderr: Final = BoundedText()
        self.merged: Final = BoundedText()
        self.spool: Final = spool
        self.total_bytes = 0
        self._line_ends = 0
        self._is_open_line = False
        self._decoders: Final = {fd: codecs.getincrementaldecoder("utf-8")("surrogateescape") for fd in (1, 2)}
        self._masks: Final = {fd: MaskStream(hiding) for fd in (1, 2)}

    def add(self, fd: int, data: bytes) -> None:
        """Take in bytes of standard output (1) or standard error (2)."""
        self.total_bytes += len(data)
        self._take(fd, self._masks[fd].feed(self._decoders[fd].decode(data)))

    def finish(self) -> None:
        """No more will come: a character that was cut off at the end is shown as one that cannot be read."""
        for fd, decoder in self._decoders.items():
            self._take(fd, self._masks[fd].feed(decoder.decode(b"", final=True)) + self._masks[fd].finish())

    def progress(self, message: str) -> Progress:
        """Return what there is to show now."""
        lines = self.merged.end(_SHOWN_CHARS).split("\n")
        if not lines[-1]:
            lines.pop()
        return Progress(
            message=message,
            tail=tuple(line[-_SHOWN_LINE_CHARS:] for line in lines[-_SHOWN_LINES:]),
            total_lines=self._line_ends + self._is_open_line,
            total_bytes=self.total_bytes,
            is_incomplete=self._is_open_line,
        )

    def _take(self, fd: int, text: str) -> None:
        if text:
            data = text.encode("utf-8", "surrogateescape")
            self.spool.add(data)
            text = data.decode("utf-8", "replace")
            (self.stdout if fd == 1 else self.stderr).add(text)
            self.merged.add(text)
            self._line_ends += text.count("\n")
            self._is_open_line = not text.endswith("\n")
