"""Starts a command under a subreaper (`subreaper_program`), ends it, and reads what the subreaper reports.

Only Linux has what a subreaper needs. Elsewhere, and where a sandbox holds the processes of its command itself, there is none.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tui_agent.lone_programs import is_startable, lone_argv, lone_order

__all__ = ["Report", "Subreaper"]

_PROGRAM: Final = "tui_agent.tools.bash.subreaper_program"
_NEEDED: Final = ("LD_LIBRARY_PATH",)
_MOST_REPORTED: Final = 65_536


@dataclass(frozen=True, slots=True)
class Report:
    """What a subreaper found at the end: whether the command left anything running, and what could not be ended.

    `stuck` are pairs of a process' number and name. `is_weak` says that the system did not let the process become a subreaper.
    """

    has_left_over: bool = False
    stuck: tuple[tuple[int, str], ...] = ()
    is_weak: bool = False


class Subreaper:
    """The descriptors to one subreaper. `argv` starts it, with `fds` to inherit and with `environment`; the command's own goes
    with its order. `started` must be called afterwards, and `close` at the end.
    """

    def __init__(self, argv: Sequence[str], environment: Mapping[str, str]) -> None:
        order = os.memfd_create("tui-agent-subreaper", os.MFD_CLOEXEC)
        try:
            with open(order, "wb", closefd=False) as file:
                file.write(lone_order(_PROGRAM, (tuple(argv), dict(environment))))
            os.lseek(order, 0, os.SEEK_SET)
            leash, self._leash = os.pipe()
            self._report, report = os.pipe()
        except BaseException:
            os.close(order)
            raise
        os.set_blocking(self._report, False)
        self.fds: Final = (order, leash, report)
        # Commands can read the environment of what runs beside them, so there are no secrets in this one.
        self.environment: Final = {name: os.environ[name] for name in _NEEDED if name in os.environ}
        self.argv: Final = lone_argv("subreaper", *self.fds)

    @staticmethod
    def is_possible() -> bool:
        """Whether a subreaper can be had on this system."""
        return sys.platform == "linux" and is_startable(_PROGRAM)

    def started(self) -> None:
        """The subreaper has its descriptors, or will never get them: close them on this side."""
        for fd in self.fds:
            os.close(fd)

    def end(self) -> None:
        """Have everything ended that runs."""
        self._pull(b"e")

    def kill(self) -> None:
        """Have everything killed at once."""
        self._pull(b"k")

    def _pull(self, how: bytes) -> None:
        with contextlib.suppress(OSError):  # it has ended already
            os.write(self._leash, how)

    def close(self) -> Report:
        """Release the descriptors and return what the subreaper has reported; one that still runs ends everything now."""
        leash, self._leash = self._leash, -1
        if leash >= 0:
            os.close(leash)
        report, self._report = self._report, -1
        data = b""
        if report >= 0:
            with contextlib.suppress(OSError):
                data = os.read(report, _MOST_REPORTED)
            os.close(report)
        lines = [line.split(" ", 2) for line in data.decode("utf-8", "replace").splitlines()]
        stuck = tuple((int(words[1]), words[2]) for words in lines if words[0] == "stuck" and len(words) == 3)
        return Report(["left"] in lines, stuck, ["weak"] in lines)
