"""A terminal for a program under test: a real pseudo-terminal, the screen as a user would see it, and every byte kept.

Nothing here sleeps for a fixed time: `wait_for` returns as soon as what was asked for is so, and fails with the screen in its
message when it does not become so.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any, Final, Protocol

import pyte
from quick_screen import QuickScreen

__all__ = ["KEYS", "Terminal"]

KEYS: Final = {
    "enter": "\r", "escape": "\x1b", "tab": "\t", "shift+tab": "\x1b[Z", "backspace": "\x7f", "up": "\x1b[A", "down": "\x1b[B",
    "right": "\x1b[C", "left": "\x1b[D", "home": "\x1b[H", "end": "\x1b[F", "pageup": "\x1b[5~", "pagedown": "\x1b[6~",
    "f1": "\x1bOP", "f2": "\x1bOQ", "f3": "\x1bOR", "space": " ",
    **{f"ctrl+{chr(96 + number)}": chr(number) for number in range(1, 27)},
}  # fmt: skip
_UNFINISHED: Final = re.compile(rb"\x1b(\[[0-?]*[ -/]*)?\Z")
# Becomes the session's leader with the terminal as its own, then the program: a shell would do the same.
_LEAD: Final = "import fcntl,os,sys,termios;fcntl.ioctl(0,termios.TIOCSCTTY,0);os.execvp(sys.argv[1],sys.argv[1:])"


class Start(Protocol):
    """Starts a command in a terminal; returns what `subprocess.Popen` would."""

    def __call__(self, command: Sequence[str], *, cwd: Path, env: Mapping[str, str], slave: int) -> Any: ...


class Terminal:
    """Runs `command` in a pseudo-terminal of `columns` by `rows`. Use as a context manager, or `close` it.

    `is_drawn=False` keeps the bytes only: drawing costs time that a measurement has no use for. `start` makes the process
    another way, in the terminal whose handle it is given.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        env: Mapping[str, str],
        cwd: Path,
        columns: int = 120,
        rows: int = 40,
        patience: float = 40.0,
        is_drawn: bool = True,
        start: Start | None = None,
    ) -> None:
        self.patience = patience
        self._is_drawn = is_drawn
        self._screen = QuickScreen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self._raw = bytearray()
        self._carry = b""
        self._shown: tuple[tuple[int, ...], str] = ((), "")
        self._arrivals: list[tuple[float, int]] = []
        self._changed = threading.Condition()
        self._is_hung_up = False
        self._master, slave = pty.openpty()
        _set_size(slave, columns, rows)
        _silence(slave)
        self.started = time.monotonic()
        self.process: Any = (start or _start)(command, cwd=cwd, env=env, slave=slave)
        os.close(slave)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- what a person sees --------------------------------------------------------------------------------------------

    def screen(self) -> str:
        """Return the screen's lines as they stand, trailing blanks removed."""
        with self._changed:
            state = (len(self._raw), self._screen.columns, self._screen.lines)
            if state != self._shown[0]:  # who waits asks 50 times a second, and joining all cells takes milliseconds
                self._shown = (state, "\n".join(line.rstrip() for line in self._screen.display))
            return self._shown[1]

    def cells(self) -> list[list[pyte.screens.Char]]:
        """Return the screen's cells, with their colours."""
        with self._changed:
            columns = range(self._screen.columns)
            return [[self._screen.buffer[row][column] for column in columns] for row in range(self._screen.lines)]

    @property
    def raw(self) -> bytes:
        """Every byte the program has written to the terminal."""
        with self._changed:
            return bytes(self._raw)

    @property
    def title(self) -> str:
        """The window's title as the program set it."""
        with self._changed:
            return self._screen.title

    @property
    def size(self) -> int:
        """How many bytes the program has written so far."""
        with self._changed:
            return len(self._raw)

    @property
    def last_arrival(self) -> float:
        """When (`time.monotonic`) the program wrote last."""
        with self._changed:
            return self._arrivals[-1][0]

    def wait_for_bytes(self, needle: bytes, start: int = 0, timeout: float | None = None) -> float:
        """Wait until `needle` is in what was written from byte `start` on; return when (`time.monotonic`) it came in whole."""
        found = -1

        def look() -> bool:
            nonlocal found
            with self._changed:
                found = self._raw.find(needle, start)
            return found >= 0

        self.wait_for(look, f"bytes {needle!r}", timeout)
        with self._changed:
            return self._arrivals[bisect_left(self._arrivals, found + len(needle), key=itemgetter(1))][0]

    def wait_for(self, fact: Callable[[], object], what: str, timeout: float | None = None) -> None:
        """Wait until `fact()` is true, looking whenever the screen changed and 50 times a second besides.

        Raises:
            AssertionError: it does not become true in time, or the program ended before; the message shows the screen.
        """
        end = time.monotonic() + (self.patience if timeout is None else timeout)
        while not fact():
            if time.monotonic() > end:
                raise AssertionError(
                    f"{what}: not within {self.patience if timeout is None else timeout} s\n{self._report()}"
                )
            if self.process.poll() is not None and not self._reader.is_alive() and not fact():
                raise AssertionError(f"{what}: the program ended with {self.process.returncode}\n{self._report()}")
            with self._changed:
                self._changed.wait(0.02)

    def wait_for_text(self, pattern: str, timeout: float | None = None) -> re.Match[str]:
        """Wait until the screen matches `pattern` (multi-line) and return the match."""
        found: list[re.Match[str]] = []

        def look() -> bool:
            match = re.search(pattern, self.screen(), re.MULTILINE)
            found[:] = [match] if match else []
            return match is not None

        self.wait_for(look, f"text /{pattern}/", timeout)
        return found[0]

    def wait_for_no_text(self, pattern: str, timeout: float | None = None) -> None:
        """Wait until the screen does not match `pattern`."""
        self.wait_for(lambda: not re.search(pattern, self.screen(), re.MULTILINE), f"no text /{pattern}/", timeout)

    def wait_for_exit(self, timeout: float | None = None) -> int:
        """Wait until the program has ended and all it wrote is read; return its exit code."""
        end = time.monotonic() + (self.patience if timeout is None else timeout)
        while self.process.poll() is None or self._reader.is_alive():
            if time.monotonic() > end:
                raise AssertionError(f"the program did not end\n{self._report()}")
            with self._changed:
                self._changed.wait(0.02)
        return self.process.returncode

    # --- what a person does --------------------------------------------------------------------------------------------

    def press(self, *keys: str) -> None:
        """Press keys by name (`enter`, `ctrl+c`, `shift+tab`, `a`), one after the other."""
        for key in keys:
            self.write(KEYS.get(key, key))

    def type(self, text: str) -> None:
        """Type text, as fast as a user never could."""
        self.write(text)

    def paste(self, text: str) -> None:
        """Paste text, bracketed as terminals do."""
        self.write(f"\x1b[200~{text}\x1b[201~")

    def write(self, text: str) -> None:
        """Send characters to the program; a lone surrogate stands for a byte that is no text."""
        os.write(self._master, text.encode(errors="surrogateescape"))

    def resize(self, columns: int, rows: int) -> None:
        """Change the terminal's size; the program is told by SIGWINCH."""
        with self._changed:
            self._screen.resize(rows, columns)
        _set_size(self._master, columns, rows)

    def kill(self) -> None:
        """End the program as the power going out does."""
        if self.process.poll() is None:
            with contextlib.suppress(ProcessLookupError):  # it has ended, and who looks after it has not been told yet
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(10)

    def hang_up(self) -> None:
        """Take the terminal away, as closing its window does; what the program writes from now on is lost."""
        self._is_hung_up = True
        self._reader.join(10)
        os.close(self._master)
        self._master = -1

    def close(self) -> None:
        """End the program whatever it is doing, and give the terminal back."""
        self.kill()
        self._reader.join(10)
        if self._master >= 0:
            os.close(self._master)
            self._master = -1

    # --- inside --------------------------------------------------------------------------------------------------------

    def _read(self) -> None:
        while True:
            try:
                ready, _, _ = select.select([self._master], [], [], 0.2)
                if self._is_hung_up or (not ready and self.process.poll() is not None):
                    break
                if not ready:
                    continue
                data = os.read(self._master, 65536)
            except OSError as error:
                if error.errno in (errno.EIO, errno.EBADF):  # the last one at the other end is gone
                    break
                raise
            if not data:
                break
            with self._changed:
                self._raw += data
                self._arrivals.append((time.monotonic(), len(self._raw)))
                self._changed.notify_all()
                if not self._is_drawn:
                    continue
                # A sequence that is not whole yet waits for its rest, so that `_plain` sees it in one piece.
                pending = self._carry + data
                cut = _UNFINISHED.search(pending)
                self._carry = pending[cut.start() :] if cut else b""
                self._stream.feed(_plain(pending[: cut.start()] if cut else pending))

    def _report(self) -> str:
        shown = self.screen()
        return f"--- screen ---\n{shown}\n--- last bytes ---\n{self.raw[-300:]!r}"


def _start(command: Sequence[str], *, cwd: Path, env: Mapping[str, str], slave: int) -> Any:
    return subprocess.Popen(
        [sys.executable, "-SE", "-c", _LEAD, *command],
        stdin=slave, stdout=slave, stderr=slave, env=dict(env), cwd=cwd, start_new_session=True,
    )  # fmt: skip


def _plain(data: bytes) -> bytes:
    """Leave out sequences that the screen model does not know and would print: keyboard protocol and mode queries."""
    return re.sub(rb"\x1b\[[<>=][0-9;]*[um]|\x1b\[\?\d+[sr]|\x1b\[\?\d+\$p|\x1b\[>\d*q|\x1b\[\?u", b"", data)


def _silence(handle: int) -> None:
    """Have the terminal echo nothing: a key pressed as the program starts or leaves would stand among what it wrote."""
    modes = termios.tcgetattr(handle)
    modes[3] &= ~(termios.ECHO | termios.ECHOCTL)
    termios.tcsetattr(handle, termios.TCSANOW, modes)


def _set_size(handle: int, columns: int, rows: int) -> None:
    fcntl.ioctl(handle, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
