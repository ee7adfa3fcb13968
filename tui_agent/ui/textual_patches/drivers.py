"""Drivers that survive their terminal, and that ask it for keys.

Relies on `LinuxDriver._file`: the file of the terminal, which everything is written to, on Linux and macOS; and on
`LinuxDriver._writer_thread`: the thread that writes, a new one each time the driver takes the terminal, None before that.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from textual.driver import Driver

__all__ = ["asking_driver", "writing_driver"]


def writing_driver(base: type[Driver], wrap: Callable[[TextIO | io.TextIOBase], object]) -> type[Driver]:
    """Return a driver that writes to what `wrap` makes of the terminal's file."""

    class WritingDriver(base):  # type: ignore[misc, valid-type]
        """Has the terminal, and writes to it through another file."""

        def __init__(self, *arguments: object, **options: object) -> None:
            super().__init__(*arguments, **options)
            file = getattr(self, "_file", None)
            if isinstance(file, io.TextIOBase):
                self._file = wrap(file)

    return WritingDriver


def asking_driver(base: type[Driver], begin: str, end: str) -> type[Driver]:
    """Return a driver that writes `begin` whenever it takes the terminal, and `end` before it gives it back."""

    class AskingDriver(base):  # type: ignore[misc, valid-type]
        """Has the terminal, and asks it for keys."""

        _writer_thread: Any = None
        _asked_through: Any = None  # the thread that has the terminal, or had it last

        def start_application_mode(self) -> None:
            """Take the terminal."""
            super().start_application_mode()
            # In the background it does not get the terminal; that it is in front again interrupts this very call, and what is
            # asked for twice cannot be taken back.
            if self._writer_thread is not self._asked_through:
                self._asked_through = self._writer_thread
                self.write(begin)
                self.flush()

        def stop_application_mode(self) -> None:
            """Give the terminal back."""
            if self._writer_thread is not None:
                self.write(end)
            super().stop_application_mode()

    return AskingDriver
