"""How a command without a screen ends when it is told to: in order, whatever signal says so.

Ctrl+C is the runner's: it cancels the main task. SIGTERM (`kill`, `timeout`) and SIGHUP (the terminal or connection has gone)
would end the program where it stands and leave the commands it runs behind; here they cancel the task, too.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
from typing import Final

__all__ = ["TerminationSignals"]

_SIGNALS: Final = (signal.SIGTERM, signal.SIGHUP)


class TerminationSignals:
    """Watches for signals on behalf of the task that makes it, from then on until its loop closes."""

    def __init__(self) -> None:
        self.code: int | None = None
        """What to exit with when a signal ended the task (128 and its number); None while none came."""
        task = asyncio.current_task()
        assert task is not None
        self._task = task
        with contextlib.suppress(NotImplementedError, RuntimeError):  # no signals on this platform or in this thread
            for number in _SIGNALS:
                if signal.getsignal(number) is signal.SIG_IGN:
                    continue  # `nohup`
                asyncio.get_running_loop().add_signal_handler(number, self._end, 128 + number)

    def _end(self, code: int) -> None:
        if self.code is None:  # once: `timeout` sends its signal twice, and what is ending must not be cut short
            self.code = code
            self._task.cancel()
