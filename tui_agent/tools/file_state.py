"""What a session has read of which files: the ground on which edits are allowed or refused.

A file may be edited when it was read and is still what it was. "Still" is decided by content: the same bytes under a new
modification time pass, other bytes do not, even where the text to replace is still there once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from tui_agent.media import Media

__all__ = ["FileRecord", "FileState"]

_KEPT_RESULTS: Final = 8  # of one file


@dataclass(frozen=True, slots=True)
class FileRecord:
    """A file as it was last read or written here. `mtime_ns` and `size` spare hashing a file that has not moved.

    `seen` are the ranges of lines (first, after last; 0-based) that partial reads showed, of `total_lines`; of a notebook,
    cells take the place of lines. With `is_cut` some lines were so long that only their beginning was shown: enough to edit
    what was seen, not to write the file anew. `real` is where the path led; empty where that is not known.
    """

    path: str
    hash: str
    mtime_ns: int
    size: int
    is_partial: bool = False
    seen: tuple[tuple[int, int], ...] = ()
    total_lines: int = 0
    is_cut: bool = False
    real: str = ""


class FileState:
    """The records of one conversation, by absolute path.

    `media` are the pictures and documents that tool uses, by id, have put into the conversation.
    """

    def __init__(self) -> None:
        self._records: dict[str, FileRecord] = {}
        self._results: dict[str, list[str]] = {}
        self.media: dict[str, Media] = {}

    def get(self, path: str) -> FileRecord | None:
        """Return the record of a file that was read, or None."""
        return self._records.get(path)

    def record(self, record: FileRecord) -> None:
        """Remember a read or a write. Partial reads of the same content add up, and never take a whole one away."""
        known = self._records.get(record.path)
        if known and known.hash != record.hash:
            self._results.pop(record.path, None)
        elif known and record.is_partial:
            record = replace(known, mtime_ns=record.mtime_ns) if not known.is_partial else _joined(known, record)
        self._records[record.path] = record

    def forget(self, path: str) -> None:
        """Drop a record: the file must be read again."""
        self._records.pop(path, None)
        self._results.pop(path, None)

    def clear(self) -> None:
        """Drop all records."""
        self._records.clear()
        self._results.clear()
        self.media.clear()

    def results(self, path: str) -> tuple[str, ...]:
        """Return the ids of the tool uses whose results showed the file as it is recorded, the oldest first."""
        return tuple(self._results.get(path, ()))

    def note_result(self, path: str, tool_use_id: str) -> None:
        """Remember that the result of a tool use shows the file as it is recorded; of many the newest are kept."""
        known = self._results.setdefault(path, [])
        known.append(tool_use_id)
        del known[:-_KEPT_RESULTS]


def _joined(known: FileRecord, new: FileRecord) -> FileRecord:
    """Put what two partial reads showed together; pages that cover every line are as good as one whole read."""
    ranges: list[tuple[int, int]] = []
    for start, stop in sorted((*known.seen, *new.seen)):
        if ranges and start <= ranges[-1][1]:
            ranges[-1] = (ranges[-1][0], max(stop, ranges[-1][1]))
        else:
            ranges.append((start, stop))
    is_whole = bool(ranges) and new.total_lines > 0 and ranges[0][0] <= 0 and ranges[0][1] >= new.total_lines
    return replace(new, seen=tuple(ranges), is_partial=not is_whole, is_cut=known.is_cut or new.is_cut)
