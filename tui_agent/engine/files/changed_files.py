"""Which files a session has changed, from what to what, and which contents that takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

__all__ = ["MOST_RUNS", "ChangedFile", "ChangedFiles"]

MOST_RUNS: Final = 32  # of one file: each takes two contents of it on the disk, and a comparison when it is undone


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file that the session changed. Hashes are those of contents; `first` is empty where the session made the file.

    `left` is what the session's last change left. `is_mixed` says that others changed the file between two of its changes.
    `is_undone` says that all was taken back that could be: what is still there stands where others have changed it too.
    `runs` are what the session itself did and can take back: what the file held before and after changes of its own between
    which nobody else changed anything, the oldest first; None where they were too many to be kept, as where a program formats
    the file after each change: then what others did cannot be told apart. `real` is where the path led at the last
    change; empty where that is not known.
    """

    path: str
    first: str
    left: str
    is_mixed: bool = False
    is_undone: bool = False
    runs: tuple[tuple[str, str], ...] | None = ()
    real: str = ""

    @property
    def contents(self) -> set[str]:
        """The contents that are needed to show and to undo it."""
        return {self.first, self.left, *(name for run in self.runs or () for name in run)} - {""}

    def changed(self, before: str, after: str, real: str = "") -> ChangedFile:
        """Return what it comes to when the session has made another change of the file."""
        runs = self.runs
        if runs and runs[-1][1] == before:
            runs = (*runs[:-1], (runs[-1][0], after))
        elif runs is not None:
            runs = (*runs, (before, after)) if len(runs) < MOST_RUNS else None
        is_mixed = self.is_mixed or self.left != before
        return replace(self, left=after, is_mixed=is_mixed, is_undone=False, runs=runs, real=real)


class ChangedFiles:
    """The files by path, and how many of them need each content: files may hold the same."""

    def __init__(self) -> None:
        self._files: dict[str, ChangedFile] = {}
        self._uses: Counter[str] = Counter()
        self._left: set[str] = set()  # what was needed, and may not be any more

    @property
    def all(self) -> Sequence[ChangedFile]:
        """The files, in the order in which they were first changed."""
        return tuple(self._files.values())

    def get(self, path: str) -> ChangedFile | None:
        """Return what is known of a file."""
        return self._files.get(path)

    def change(self, path: str, before: str, after: str, real: str = "") -> None:
        """Take in a change that the session has made of a file."""
        self.put((self._files.get(path) or ChangedFile(path, before, before)).changed(before, after, real))
        self._left.add(before)

    def put(self, touched: ChangedFile) -> None:
        """Put a file in the place of what was known of it."""
        old, self._files[touched.path] = self._files.get(touched.path), touched
        self._count(old.contents if old is not None else set(), touched.contents)

    def remove(self, touched: ChangedFile) -> None:
        """Know nothing of a file any more."""
        del self._files[touched.path]
        self._count(touched.contents, set())

    def take_unneeded(self) -> list[str]:
        """Return, once, the contents that no file needs any more."""
        left, self._left = self._left, set()
        return [name for name in left if name and not self._uses[name]]

    def _count(self, old: set[str], new: set[str]) -> None:
        self._uses.update(new - old)
        for name in old - new:
            self._uses[name] -= 1
            if not self._uses[name]:
                del self._uses[name]
        self._left |= old - new
