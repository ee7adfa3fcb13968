"""What was made of files that were read, kept for the next read: texts, pictures made smaller, pages cut out of documents.

An entry counts while the file is the one it was made of. That is told by the file's stamp (inode, size, times), without
opening it; and where the stamp has moved, by the hash of its bytes. A file that changed within the last moments before it was
read could change once more within the same tick of the file system's clock, unseen: its stamp is not trusted.
"""

from __future__ import annotations

import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple

__all__ = ["CACHE_BYTES", "ContentCache", "Stamp"]

CACHE_BYTES: Final = 64 * 1024 * 1024
_UNSETTLED_NS: Final = 2_000_000_000  # the coarsest clock of a file system in use counts in steps of two seconds


class Stamp(NamedTuple):
    """What tells a file from another, and from itself before a change, as far as its directory entry knows. Times are ns."""

    device: int
    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int

    @classmethod
    def of(cls, status: os.stat_result) -> Stamp:
        """Return the stamp of a file with this status."""
        return cls(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


@dataclass(slots=True)
class _Entry:
    stamp: Stamp | None
    hash: str
    value: object
    cost: int


class ContentCache:
    """At most `limit` bytes; what was not used for longest goes first. May be used from several threads."""

    def __init__(self, limit: int = CACHE_BYTES, clock: Callable[[], int] = time.time_ns) -> None:
        self._limit = limit
        self._clock = clock
        self._entries: OrderedDict[tuple[str, str], _Entry] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    @property
    def size(self) -> int:
        """How many bytes are kept."""
        return self._size

    def find(self, path: str, variant: str, *, stamp: Stamp | None = None, hash: str = "") -> object | None:
        """Return what was made of a file that still has this stamp or, where the stamp is not known, this hash."""
        with self._lock:
            entry = self._entries.get((path, variant))
            if entry is None or not ((stamp and entry.stamp == stamp) or (hash and entry.hash == hash)):
                return None
            self._entries.move_to_end((path, variant))
            return entry.value

    def keep(self, path: str, variant: str, value: object, cost: int, *, stamp: Stamp | None, hash: str) -> None:
        """Keep `value`, which takes `cost` bytes and was made in the way `variant` names; `stamp` is the file's before it was
        read, None where it moved meanwhile. What is larger than the whole cache is not kept."""
        if stamp and self._clock() - max(stamp.mtime_ns, stamp.ctime_ns) < _UNSETTLED_NS:
            stamp = None
        with self._lock:
            self._drop((path, variant))
            if cost > self._limit:
                return
            self._entries[path, variant] = _Entry(stamp, hash, value, cost)
            self._size += cost
            while self._size > self._limit:
                self._drop(next(iter(self._entries)))

    def clear(self) -> None:
        """Let everything go."""
        with self._lock:
            self._entries.clear()
            self._size = 0

    def _drop(self, key: tuple[str, str]) -> None:
        entry = self._entries.pop(key, None)
        if entry is not None:
            self._size -= entry.cost
