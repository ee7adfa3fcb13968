"""Reading files for the model: texts from the cache where they have not changed, beginnings and bytes of other kinds."""

from __future__ import annotations

import sys

from tui_agent.changes import content_hash
from tui_agent.tools.files import FileProblem, TextFile, load, open_regular, read_up_to
from tui_agent.tools.resolved_path import ResolvedPath
from tui_agent.tools.shared_read.content_cache import ContentCache, Stamp

__all__ = ["load_cached", "read_head", "read_whole", "stamp_of"]


def load_cached(path: ResolvedPath, cache: ContentCache) -> TextFile:
    """Return a whole text file, without opening it where it is known to be what it was.

    Raises:
        FileProblem: it cannot be read as text.
    """
    stamp = stamp_of(path)
    known = cache.find(path.path, "text", stamp=stamp)
    if isinstance(known, TextFile):
        return known
    file = load(path)
    unmoved = stamp if stamp_of(path) == stamp else None
    cache.keep(path.path, "text", file, sys.getsizeof(file.text) + 500, stamp=unmoved, hash=file.hash)
    return file


def stamp_of(path: ResolvedPath) -> Stamp | None:
    """Return the stamp of the file that a path led to; None where it cannot be had, which opening it will explain."""
    try:
        return Stamp.of(path.status())
    except (OSError, ValueError):
        return None


def read_head(path: ResolvedPath, size: int = 4096) -> bytes:
    """Return the first bytes of a file, by which its kind is told.

    Raises:
        FileProblem: it is no regular file that can be read.
    """
    handle, _ = open_regular(path)
    with open(handle, "rb", buffering=0) as file:  # noqa: PTH123 - opened with care above
        try:
            return file.read(size) or b""
        except OSError as error:
            raise FileProblem("unreadable", f"it cannot be read ({error.strerror})") from error


def read_whole(path: ResolvedPath, limit: int) -> tuple[bytes, str]:
    """Return all bytes of a file and their hash.

    Raises:
        FileProblem: it cannot be read, or has more than `limit` bytes.
    """
    handle, status = open_regular(path)
    with open(handle, "rb") as file:  # noqa: PTH123
        if status.st_size > limit:
            raise FileProblem("too_large", f"it has {status.st_size:,} bytes; up to {limit:,} are read of its kind")
        try:
            data = read_up_to(file, limit + 1, status.st_size)
        except OSError as error:
            raise FileProblem("unreadable", f"it cannot be read ({error.strerror})") from error
    if len(data) > limit:
        raise FileProblem("too_large", f"it has more than the {limit:,} bytes that are read of its kind")
    return data, content_hash(data)
