"""Where the local sockets of this machine are, so that a command can be given one of them and no other."""

from __future__ import annotations

import os
import stat
from pathlib import Path

__all__ = ["listening"]


def listening() -> frozenset[str]:
    """Return the real paths of the local sockets that programs listen on. Those without a path are not among them."""
    found: set[str] = set()
    for line in Path("/proc/net/unix").read_bytes().splitlines()[1:]:
        fields = line.split(maxsplit=7)
        if len(fields) < 8 or not fields[7].startswith(b"/"):
            continue
        path = os.path.realpath(os.fsdecode(fields[7]))
        try:
            if stat.S_ISSOCK(os.lstat(path).st_mode):
                found.add(path)
        except OSError:
            continue
    return frozenset(found)
