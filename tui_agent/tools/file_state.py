"""What a session has read of which files: the ground on which edits are allowed or refused.

A file may be edited when it was read and is still what it was. "Still" is decided by content: the same bytes under a new
modification time pass, other bytes do not, even where the text to replace is still there once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

__all__ = ["FileRecord", "FileState"]


@dataclass(frozen=True, slots=True)
class FileRecord:
    """A file as it was last read or written here. `mtime_ns` and `size` spare hashing a file that has not moved.

    `seen` are the ranges of lines (first, after last; 0-based) that partial reads showed, of `total_lines`.
    """

    path: str
    hash: str
    mtime_ns: int
    size: int
    is_partial: bool = False
    seen: tuple[tuple[int, int], ...] = ()
    total_lines: int = 0


class FileState:
    """The records of one conversation, by absolute path."""

    def __init__(self) -> None:
        self._records: dict[str, FileRecord] = {}

    def get(self, path: str) -> FileRecord | None:
        """Return the record of a file that was read, or None."""
        return self._records.get(path)

    def record(self, record: FileRecord) -> None:
        """Remember a read or a write. Partial reads of the same content add up, and never take a whole one away."""
        known = self._records.get(record.path)
        if known and record.is_partial and known.hash == record.hash:
            record = replace(known, mtime_ns=record.mtime_ns) if not known.is_partial else _joined(known, record)
        self._records[record.path] = record

    def forget(self, path: str) -> None:
        """Drop a record: the file must be read again."""
        self._records.pop(path, None)

    def clear(self) -> None:
        """Drop all records."""
        self._records.clear()


def _joined(known: FileRecord, new: FileRecord) -> FileRecord:
    """Put what two partial reads showed together; pages that cover every line are as good as one whole read."""
    ranges: list[tuple[int, int]] = []
    for start, stop in sorted((*known.seen, *new.seen)):
        if ranges and start <= ranges[-1][1]:
            ranges[-1] = (ranges[-1][0], max(stop, ranges[-1][1]))
        else:
            ranges.append((start, stop))
    is_whole = bool(ranges) and new.total_lines > 0 and ranges[0][0] <= 0 and ranges[0][1] >= new.total_lines
    return replace(new, seen=tuple(ranges), is_partial=not is_whole)
