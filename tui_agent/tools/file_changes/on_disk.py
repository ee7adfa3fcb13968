"""Whether files still are what their proposed changes were made for; asked again and again while a user looks at these.

What is told here is what `tools.changing.apply` would find, so that nobody need press a key to hear of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal

from tui_agent import nofollow
from tui_agent.changes import FileChange, content_hash
from tui_agent.tools.files import WHOLE_FILE_LIMIT, FileProblem, load_bytes
from tui_agent.tools.resolved_path import ResolvedPath, ResolvedPaths

__all__ = ["OnDisk", "Stamp", "Standing", "stamp_of"]

Standing = Literal["as_read", "changed", "gone", "made"]
"""How a file stands to the change that is proposed for it; `made`: it was to be a new one, and is there by now."""

Stamp = tuple[int, int, int, int] | None


class OnDisk:
    """Looks at the files of `proposals`, at the places that `paths` says.

    A file that the file system says is untouched since the last look is not read again.
    """

    def __init__(self, proposals: Iterable[FileChange], paths: ResolvedPaths) -> None:
        self._proposals: Final = tuple(proposals)
        self._paths: Final = paths
        self._stamps: dict[str, Stamp] = {}
        self._told: dict[str, Standing] = {}

    def news(self) -> list[tuple[str, Standing]]:
        """Return the files that stand otherwise than at the last look, and at the first those that are not as read. Blocks."""
        found: list[tuple[str, Standing]] = []
        for change in self._proposals:
            before = self._told.get(change.path, "as_read")
            now = self._check(change, before)
            if now != before:
                self._told[change.path] = now
                found.append((change.path, now))
        return found

    def _check(self, change: FileChange, before: Standing) -> Standing:
        path = self._paths[change.path]
        if not change.before_hash:
            return _check_new(path)
        stamp = stamp_of(path)
        if change.path in self._stamps and self._stamps[change.path] == stamp:
            return before
        self._stamps[change.path] = stamp
        try:
            data, _ = load_bytes(path, WHOLE_FILE_LIMIT)
        except FileProblem as problem:
            return "gone" if problem.kind == "missing" else "changed"
        return "as_read" if content_hash(data) == change.before_hash else "changed"


def _check_new(path: ResolvedPath) -> Standing:
    try:
        path.check()
        nofollow.status(path.real)
    except FileNotFoundError:
        return "made" if path.is_link else "as_read"
    except NotADirectoryError:
        return "as_read"
    except OSError:  # what the path leads through has changed
        return "changed"
    return "made"


def stamp_of(path: ResolvedPath) -> Stamp:
    """Return what tells a file's present state from another without reading it; None where there is none."""
    try:
        status = path.status()
    except (OSError, ValueError):
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
