"""Whether files have changed since they were read, told by what the file system says of them, without reading them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

__all__ = ["Stamps", "stamps_of"]

Stamp = tuple[int, int, int]  # time of the last change (ns), size, inode
Stamps = Mapping[Path, Stamp | None]


def stamps_of(files: Iterable[Path]) -> Stamps:
    """Return what tells each file's or folder's present state from another; None where there is none.

    Two stamps of a file differ when it was written, replaced, made or removed in between. A link is looked through.
    """
    return {file: _stamp(file) for file in files}


def _stamp(file: Path) -> Stamp | None:
    try:
        found = file.stat()
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
