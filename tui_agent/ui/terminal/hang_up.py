"""A terminal that goes away while the app has it: its window is closed, its connection lost.

Textual writes in a thread, through a short queue. Writing to a terminal that has gone fails, which would end the thread; the
queue would fill, and the app would wait for ever for room in it: also when it is told to end, before it has ended anything.
"""

from __future__ import annotations

import contextlib
import io
import os
from typing import TYPE_CHECKING, Any, TextIO

from tui_agent.ui.textual_patches.drivers import writing_driver

if TYPE_CHECKING:
    from textual.driver import Driver

__all__ = ["TerminalOutput", "surviving"]


class TerminalOutput:
    """A file for a terminal; once the terminal has gone, what is written goes nowhere, and nobody hears of an error."""

    def __init__(self, file: TextIO | io.TextIOBase) -> None:
        self._file = file

    def write(self, text: str) -> int:
        """Write text; returns how many characters."""
        try:
            return self._file.write(text)
        except OSError:
            self._give_up()
            return len(text)

    def flush(self) -> None:
        """Send what was written."""
        try:
            self._file.flush()
        except OSError:
            self._give_up()

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever else a file has
        return getattr(self._file, name)

    def _give_up(self) -> None:
        """Put the device that takes everything in the terminal's place, for all that is still in buffers, too."""
        with contextlib.suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            try:
                os.dup2(nowhere, self._file.fileno())
            finally:
                os.close(nowhere)
            self._file.flush()


def surviving(base: type[Driver]) -> type[Driver]:
    """Return a driver whose output outlives its terminal."""
    return writing_driver(base, TerminalOutput)
