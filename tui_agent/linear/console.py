"""The terminal as linear mode has it: lines out, lines in, and Ctrl+C.

Output is text and line breaks. Input is what the terminal's own line editing gives, so that Backspace, Ctrl+U and Ctrl+W work
without this program moving a cursor. Lines that arrive together, as pasted ones do, are one entry.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import sys
import termios
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, Protocol, TextIO

from tui_agent.text import clean, clean_line

__all__ = ["Console", "ConsoleLike", "Entry"]

_TOGETHER_S: Final = 0.03  # between lines of one paste
_CHUNK: Final = 65_536
_WIDEST: Final = 110  # columns of text that read well


@dataclass(frozen=True, slots=True)
class Entry:
    """What was typed up to Enter, or pasted; None is the end of input (Ctrl+D). `at` is the loop's time when it came."""

    text: str | None
    at: float = 0.0


class ConsoleLike(Protocol):
    """What the rest of linear mode needs of a terminal."""

    @property
    def width(self) -> int:
        """The columns to break lines at; 0: do not."""
        ...

    def line(self, text: str = "") -> None:
        """Write lines. The text may be foreign: it is cleaned here."""
        ...

    def prompt(self, text: str) -> None:
        """Say that input is expected, on a line that the input continues."""
        ...

    def end_prompt(self) -> None:
        """Say that input is no longer expected: what is written next begins a line."""
        ...

    async def entry(self) -> Entry:
        """Wait for what is typed next. May be cancelled without losing anything."""
        ...

    def ring(self) -> None:
        """Ring the terminal's bell."""
        ...

    def hidden(self) -> contextlib.AbstractContextManager[None]:
        """Show nothing of what is typed meanwhile."""
        ...

    def lent(self) -> contextlib.AbstractContextManager[None]:
        """Lend the terminal to another program meanwhile."""
        ...


class Console:
    """Standard input and output. `open` it within the event loop."""

    def __init__(self, source: int | None = None, out: TextIO | None = None) -> None:
        self._source = sys.stdin.fileno() if source is None else source
        self._out = out or sys.stdout
        if hasattr(self._out, "reconfigure"):
            self._out.reconfigure(encoding="utf-8", errors="backslashreplace")
        self._is_terminal = os.isatty(self._source)
        self._entries: deque[Entry] = deque()
        self._arrived = asyncio.Event()
        self._partial = b""  # bytes without a line break yet; a terminal gives none, a pipe may
        self._lines: list[str] = []  # lines of an entry that may go on
        self._flush: asyncio.TimerHandle | None = None
        self._prompt = ""  # what says that input is expected
        self._is_shown = False  # whether it stands on the last line, which has no break yet
        self._is_over = False  # whether nothing more can come
        self.is_gone = False
        """Whether nobody reads any more: the terminal has gone, or the pipe is closed."""

    def open(self) -> Callable[[], None]:
        """Begin to read; return what ends that."""
        try:
            self._listen()
        except PermissionError:  # a file: all of it is there
            self._read_file()
        return self._stop

    @property
    def width(self) -> int:
        if not self._out.isatty():
            return 0
        return max(20, min(_WIDEST, shutil.get_terminal_size((80, 24)).columns - 1))

    # --- output ------------------------------------------------------------------------------------------------------

    def line(self, text: str = "") -> None:
        if self._is_shown:  # something happened while input is expected: it does not stand behind the prompt
            self._put("\n")
            self._is_shown = False
            asyncio.get_running_loop().call_soon(self._show_prompt)
        self._put(f"{clean(text)}\n")

    def prompt(self, text: str) -> None:
        self.end_prompt()
        self._prompt = clean(text)
        self._show_prompt()

    def end_prompt(self) -> None:
        if self._is_shown:
            self._put("\n")
        self._prompt, self._is_shown = "", False

    def _show_prompt(self) -> None:
        if self._prompt and not self._is_shown:
            self._is_shown = True
            self._put(self._prompt)

    def ring(self) -> None:
        if self._out.isatty():
            self._put("\a")

    def _put(self, text: str) -> None:
        if self.is_gone:
            return
        try:
            self._out.write(text)
            self._out.flush()
        except (OSError, ValueError):
            self.is_gone = True

    # --- input -------------------------------------------------------------------------------------------------------

    async def entry(self) -> Entry:
        while not self._entries:
            if self._is_over:
                return Entry(None, asyncio.get_running_loop().time())
            self._arrived.clear()
            await self._arrived.wait()
        entry = self._entries.popleft()
        if not self._is_terminal and self._is_shown:  # nothing else shows what came: a log is to hold it
            self._put(clean_line(entry.text or "", 500))
        self.end_prompt()
        return entry

    def drop(self) -> None:
        """Forget what was typed and not taken yet."""
        self._entries.clear()

    @contextlib.contextmanager
    def hidden(self) -> Iterator[None]:
        if not self._is_terminal:
            yield
            return
        before = termios.tcgetattr(self._source)
        without = termios.tcgetattr(self._source)
        without[3] &= ~termios.ECHO
        without[3] |= termios.ECHONL
        termios.tcsetattr(self._source, termios.TCSADRAIN, without)
        try:
            yield
        finally:
            termios.tcsetattr(self._source, termios.TCSADRAIN, before)

    @contextlib.contextmanager
    def lent(self) -> Iterator[None]:
        before = termios.tcgetattr(self._source) if self._is_terminal else None
        self._stop()
        try:
            yield
        finally:
            if before is not None:
                termios.tcsetattr(self._source, termios.TCSADRAIN, before)
            self._listen()

    def _listen(self) -> None:
        asyncio.get_running_loop().add_reader(self._source, self._read)

    def _stop(self) -> None:
        with contextlib.suppress(ValueError, OSError, RuntimeError):
            asyncio.get_running_loop().remove_reader(self._source)

    def _read(self) -> None:
        try:
            data = os.read(self._source, _CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
            self.is_gone = True
        if not data:
            self._end_of_input()
            return
        *whole, self._partial = (self._partial + data).split(b"\n")
        if self._is_terminal and self._partial:  # Ctrl+D in the middle of a line gives it without its end
            whole, self._partial = [*whole, self._partial], b""
        self._take(whole)

    def _read_file(self) -> None:
        with open(self._source, "rb", closefd=False) as file:
            self._take(file.read().splitlines())
        self._end_of_input()

    def _take(self, whole: list[bytes]) -> None:
        lines = [line.decode("utf-8", "replace").removesuffix("\r") for line in whole]
        if not lines:
            return
        if not self._is_terminal:
            for line in lines:
                self._add(line)
            return
        self._prompt, self._is_shown = "", False  # what was typed, and is seen, ends the prompt's line
        self._lines += lines
        if self._flush is not None:
            self._flush.cancel()
        self._flush = asyncio.get_running_loop().call_later(_TOGETHER_S, self._end_entry)

    def _end_entry(self) -> None:
        lines, self._lines, self._flush = self._lines, [], None
        if lines:
            self._add("\n".join(lines))

    def _add(self, text: str | None) -> None:
        self._entries.append(Entry(text, asyncio.get_running_loop().time()))
        self._arrived.set()

    def _end_of_input(self) -> None:
        self._end_entry()
        if self._partial:
            self._add(self._partial.decode("utf-8", "replace"))
            self._partial = b""
        if not self._is_terminal or self.is_gone:
            self._is_over = True
            self._arrived.set()
            self._stop()
        else:
            self._add(None)  # Ctrl+D; a terminal goes on after it
