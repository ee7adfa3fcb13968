"""The guardian: a tiny process that ends the commands of a program which was killed before it could.

It holds the reading end of a pipe whose writing end only this program has. As long as the pipe is open it notes which process
groups live; when the pipe closes, however the program came to its end, it kills those that are left and ends itself. The
process groups of commands are ended by the program itself in all other cases.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import subprocess
import threading
from typing import Final

__all__ = ["forget", "start", "watch"]

# A shell of a few hundred kilobytes that takes a millisecond to start. It ends with the pipe and by no signal of a terminal.
_SCRIPT: Final = """
trap '' HUP INT TERM QUIT
living=' '
while read -r sign group; do
  case $sign in
    +) living="$living$group " ;;
    -) case $living in *" $group "*) living="${living%% "$group" *} ${living#* "$group" }" ;; esac ;;
  esac
done
for group in $living; do kill -s KILL -- "-$group"; done
"""

_lock: Final = threading.Lock()
_guardian: subprocess.Popen[bytes] | None = None
_is_missing = False


def start() -> None:
    """Start the guardian unless it is there already; blocks for a millisecond. Without a shell there is none."""
    global _guardian, _is_missing
    with _lock:
        if _is_missing or (_guardian is not None and _guardian.poll() is None):
            return
        try:
            _guardian = subprocess.Popen(
                ["/bin/sh", "-c", _SCRIPT],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                start_new_session=True,
                bufsize=0,
            )
        except OSError:
            _is_missing = True
        else:
            atexit.register(_end, _guardian)


def watch(group: int) -> None:
    """Have this process group killed when the program is gone."""
    _say(b"+ %d\n" % group)


def forget(group: int) -> None:
    """The group has ended; its number may come to mean another."""
    _say(b"- %d\n" % group)


def _say(line: bytes) -> None:
    with _lock:
        if _guardian is not None and _guardian.stdin is not None:
            with contextlib.suppress(OSError, ValueError):  # it was killed: then there is none
                os.write(_guardian.stdin.fileno(), line)


def _end(guardian: subprocess.Popen[bytes]) -> None:
    """Let it end whatever is left, and collect it."""
    if guardian.stdin is not None:
        with contextlib.suppress(OSError):
            guardian.stdin.close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        guardian.wait(1.0)
