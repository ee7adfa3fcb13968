"""Reading text files: from the cache where the file has not changed, whole where it can be loaded, else piece by piece."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from threading import Event

from tui_agent.tools.file_state import FileRecord
from tui_agent.tools.files import FileProblem, open_regular
from tui_agent.tools.read.pages import TextPage, page_of
from tui_agent.tools.read.streaming import stream_page
from tui_agent.tools.resolved_path import ResolvedPath
from tui_agent.tools.shared_read.cached_files import load_cached
from tui_agent.tools.shared_read.content_cache import ContentCache

__all__ = ["Bytes", "read_bytes", "read_text"]


def read_text(
    path: ResolvedPath, offset: int, limit: int | None, budget: int, cache: ContentCache, stopped: Event
) -> tuple[TextPage, FileRecord]:
    """Return a page of a text file (`pages.page_of`), and what is to be remembered of having seen it.

    A file too large to load has no hash in its record: it is never edited.

    Raises:
        FileProblem: it cannot be read as text.
    """
    try:
        file = load_cached(path, cache)
    except FileProblem as problem:
        if problem.kind != "too_large":
            raise
        page, status = stream_page(path, offset, limit, budget, stopped)
        return page, FileRecord(
            path=path.path, hash="", mtime_ns=status.st_mtime_ns, size=status.st_size, real=path.real
        )
    page = page_of(file.text, offset, limit, budget)
    first = offset - 1
    return page, FileRecord(
        path=path.path,
        real=file.real,
        hash=file.hash,
        mtime_ns=file.mtime_ns,
        size=file.size,
        is_partial=not page.is_whole,
        seen=((first, first + len(page.lines)),) if page.lines else (),
        total_lines=page.total or 0,
        is_cut=page.is_cut,
    )


@dataclass(frozen=True, slots=True)
class Bytes:
    """Some bytes of a file as Base64. `start` is the 1-based number of the first, `total` the size of the file."""

    base64: str
    start: int
    count: int
    total: int


def read_bytes(path: ResolvedPath, offset: int, limit: int | None, budget: int) -> Bytes:
    """Return the bytes from number `offset` (1-based) on: `limit` of them, or all, but no more than `budget` characters hold.

    Raises:
        FileProblem: it cannot be read.
    """
    most = budget // 4 * 3
    handle, status = open_regular(path)
    with open(handle, "rb", buffering=0) as file:  # noqa: PTH123
        try:
            file.seek(offset - 1)
            data = file.read(min(most, limit or most)) or b""
        except (OSError, OverflowError) as error:
            raise FileProblem("unreadable", f"it cannot be read there ({getattr(error, 'strerror', error)})") from error
    return Bytes(b64encode(data).decode("ascii"), offset, len(data), max(status.st_size, offset - 1 + len(data)))
