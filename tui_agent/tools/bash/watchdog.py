"""The watchdog: a tiny process that ends the commands of a program which was killed before it could.

It holds the reading end of a pipe whose writing end only this program has. As long as the pipe is open it notes which process
groups live, and which empty folders were made for them; when the pipe closes, however the program came to its end, it kills
those that are left, takes the folders away and ends itself. The program itself does all that in all other cases.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import subprocess
import threading
from collections.abc import Iterable
from typing import Final

__all__ = ["forget", "start", "watch"]

# A shell of a few hundred kilobytes that takes a millisecond to start. It ends with the pipe and by no signal of a terminal.
_SCRIPT: Final = """
trap '' HUP INT TERM QUIT
living=' '
n='
'
folders=$n
while IFS= read -r line; do
  sign=${line%% *}
  what=${line#* }
  case $sign in
    +) living="$living$what " ;;
    -) case $living in *" $what "*) living="${living%% "$what" *} ${living#* "$what" }" ;; esac ;;
    m) folders="$folders$what$n" ;;
    r) case $folders in *"$n$what$n"*) folders="${folders%%"$n$what$n"*}$n${folders#*"$n$what$n"}" ;; esac ;;
  esac
done
for group in $living; do kill -s KILL -- "-$group"; done
for stat in /proc/[0-9]*/stat; do  # and what is in their sessions, in groups of its own
  [ "$living" != ' ' ] && read -r line < "$stat" || continue
  pid=${stat#/proc/}
  set -- ${line##*) }
  case $living in *" $4 "*) kill -s KILL "${pid%/stat}" ;; esac
done
printf %s "$folders" | while IFS= read -r what; do [ "$what" ] && rmdir -- "$what"; done
"""

_lock: Final = threading.Lock()
_watchdog: subprocess.Popen[bytes] | None = None
_is_missing = False


def start() -> None:
    """Start the watchdog unless it is there already; blocks for a millisecond. Without a shell there is none."""
    global _watchdog, _is_missing
    with _lock:
        if _is_missing or (_watchdog is not None and _watchdog.poll() is None):
            return
        try:
            _watchdog = subprocess.Popen(
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
            atexit.register(_end, _watchdog)


def watch(group: int | None, folders: Iterable[str] = ()) -> None:
    """Have this process group killed when the program is gone, and these folders removed if they are empty.

    None is for processes that somebody else ends.
    """
    if group is not None:
        _say(b"+ %d\n" % group)
    for folder in folders:
        _say(b"m %s\n" % os.fsencode(folder))


def forget(group: int | None, folders: Iterable[str] = ()) -> None:
    """The group has ended; its number may come to mean another."""
    if group is not None:
        _say(b"- %d\n" % group)
    for folder in folders:
        _say(b"r %s\n" % os.fsencode(folder))


def _say(line: bytes) -> None:
    with _lock:
        if _watchdog is not None and _watchdog.stdin is not None:
            with contextlib.suppress(OSError, ValueError):  # it was killed: then there is none
                os.write(_watchdog.stdin.fileno(), line)


def _end(watchdog: subprocess.Popen[bytes]) -> None:
    """Let it end whatever is left, and collect it."""
    if watchdog.stdin is not None:
        with contextlib.suppress(OSError):
            watchdog.stdin.close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        watchdog.wait(1.0)
