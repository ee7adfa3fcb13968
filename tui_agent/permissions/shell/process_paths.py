"""Paths that mean something else to each process: `/proc/self/cwd`, `/proc/PID/root`, a folder that is open as `/dev/fd/3`.

Whoever judges a command is another process than the one that opens the path, and cannot follow it.
"""

from __future__ import annotations

import os
import re
from typing import Final

__all__ = ["of_process"]

_MOST_LINKS: Final = 40  # as the kernel has it
# Each may also be spelled as a glob.
_PROC: Final = re.compile(r"proc|.*[*?\[].*", re.DOTALL)
_DEV: Final = re.compile(r"dev/fd|(?:dev|.*[*?\[].*)/(?:fd|.*[*?\[].*)", re.DOTALL)
_PROCESS: Final = re.compile(r"self|thread-self|[0-9]+|.*[*?\[].*", re.DOTALL)
_OWN_LINKS: Final = re.compile(r"cwd|root|fd|task|map_files|exe|.*[*?\[].*", re.DOTALL)
_HANDLE: Final = re.compile(r"[0-9]+")


def of_process(text: str, folder: str) -> str | None:
    """Return what a path may mean to a process in `folder` where it leads through such a place; None where it does not.

    That is the most likely meaning; which one it has in the end is unknown. Globs in the path are not followed. A single file
    that is open (`/dev/fd/3`) was judged when it was opened.
    """
    waiting = os.path.join(folder, text).split("/")[::-1]  # noqa: PTH118 - of texts
    here: list[str] = []
    links = 0
    is_special = False
    while waiting:
        name = waiting.pop()
        if name in {"", "."}:
            continue
        if name == "..":
            del here[-1:]
            continue
        here.append(name)
        if len(here) == 3 and _PROC.fullmatch(here[0]) and _PROCESS.fullmatch(here[1]) and _OWN_LINKS.fullmatch(name):
            if name == "fd" and _is_handle_alone(waiting):
                return "/" + "/".join(("proc", here[1], "fd", *waiting[::-1])) if is_special else None
            is_special = True
            if name == "root":
                here = []
            elif name == "cwd":
                here = [one for one in folder.split("/") if one]
            else:
                return "/" + "/".join((*here, *waiting[::-1]))
            continue
        if len(here) == 3 and _DEV.fullmatch("/".join(here[:2])) and any(one not in {"", "."} for one in waiting):
            return "/" + "/".join((*here, *waiting[::-1]))
        target = _link("/" + "/".join(here))
        if target and links < _MOST_LINKS and here[:1] not in (["proc"], ["dev"]):
            links += 1
            waiting += target.split("/")[::-1]
            here = [] if target.startswith("/") else here[:-1]
    return "/" + "/".join(here) if is_special else None


def _is_handle_alone(waiting: list[str]) -> bool:
    return len(waiting) == 1 and _HANDLE.fullmatch(waiting[0]) is not None


def _link(path: str) -> str:
    """Return what a link says; empty for what is none."""
    try:
        return os.readlink(path)  # noqa: PTH115
    except (OSError, ValueError):
        return ""
