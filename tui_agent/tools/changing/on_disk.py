"""Whether files still are what their proposed changes were made for; asked again and again while a person looks at these.

What is told here is what `tools.changing.apply` would find, so that nobody need press a key to hear of it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Final, Literal

from tui_agent.changes import FileChange, content_hash
from tui_agent.tools.files import WHOLE_FILE_LIMIT, FileProblem, load_bytes

__all__ = ["OnDisk", "Stamp", "Standing", "stamp_of"]

Standing = Literal["as_read", "changed", "gone", "made"]
"""How a file stands to the change that is proposed for it; `made`: it was to be a new one, and is there by now."""

Stamp = tuple[int, int, int, int] | None


class OnDisk:
    """Looks at the files of `proposals`. One that the file system says is untouched since the last look is not read again."""

    def __init__(self, proposals: Iterable[FileChange]) -> None:
        self._proposals: Final = tuple(proposals)
        self._stamps: dict[str, Stamp] = {}
        self._told: dict[str, Standing] = {}

    def news(self) -> list[tuple[str, Standing]]:
        """Return the files that stand otherwise than at the last look, and at the first those that are not as read. Blocks."""
        found: list[tuple[str, Standing]] = []
        for change in self._proposals:
            before = self._told.get(change.path, "as_read")
            now = self._look(change, before)
            if now != before:
                self._told[change.path] = now
                found.append((change.path, now))
        return found

    def _look(self, change: FileChange, before: Standing) -> Standing:
        if not change.before_hash:
            return "made" if os.path.lexists(change.path) else "as_read"
        stamp = stamp_of(change.path)
        if change.path in self._stamps and self._stamps[change.path] == stamp:
            return before
        self._stamps[change.path] = stamp
        try:
            data, _ = load_bytes(change.path, WHOLE_FILE_LIMIT)
        except FileProblem as problem:
            return "gone" if problem.kind == "missing" else "changed"
        return "as_read" if content_hash(data) == change.before_hash else "changed"


def stamp_of(path: str) -> Stamp:
    """Return what tells a file's present state from another without reading it; None where there is none."""
    try:
        status = os.stat(path)  # noqa: PTH116
    except (OSError, ValueError):
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
