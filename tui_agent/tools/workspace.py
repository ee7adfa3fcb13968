"""Where a session works: the folder it was started in, added folders, and where the shell stands just now."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["Workspace"]


class Workspace:
    """Folders that belong to the work, and paths as tools, rules and people name them.

    `root` is the folder the session was started in; `cwd` follows `cd` in commands, within the workspace. It begins in `root`,
    or where it is told to.
    """

    def __init__(
        self, root: Path, additional: tuple[Path, ...] = (), *, home: Path | None = None, cwd: Path | None = None
    ) -> None:
        self.root = Path(os.path.abspath(root))  # noqa: PTH100 - `resolve` would follow links
        self.set_additional(additional)
        self.home = home or Path.home()
        self.cwd = cwd or self.root

    def set_additional(self, folders: tuple[Path, ...]) -> None:
        """Let these be the added folders from now on."""
        self.additional = tuple(Path(os.path.abspath(folder)) for folder in folders)  # noqa: PTH100

    @property
    def folders(self) -> tuple[Path, ...]:
        """The root and the added folders."""
        return (self.root, *self.additional)

    def absolute(self, path: str) -> str:
        """Return `path` absolute and without `.` and `..`, links not followed; relative ones start at `cwd`, `~` is home."""
        if path == "~" or path.startswith("~/"):
            path = str(self.home) + path[1:]
        return os.path.normpath(os.path.join(self.cwd, path))  # noqa: PTH118 - lexical on purpose

    def contains(self, path: str) -> bool:
        """Whether both the path and what it leads to lie in one of the folders."""
        lexical = self.absolute(path)
        real = os.path.realpath(lexical)
        return self._has(lexical, real=False) and self._has(real, real=True)

    def display(self, path: str) -> str:
        """Return the path as people read it: relative inside the root, with `~` for home, else absolute."""
        lexical = self.absolute(path)
        for base, prefix in ((str(self.root), ""), (str(self.home), "~/")):
            if lexical == base:
                return prefix.rstrip("/") or "."
            if lexical.startswith(base.rstrip("/") + "/"):
                return prefix + lexical[len(base.rstrip("/")) + 1 :]
        return lexical

    def _has(self, path: str, *, real: bool) -> bool:
        for folder in self.folders:
            base = os.path.realpath(folder) if real else str(folder)
            if path == base or path.startswith(base.rstrip("/") + "/"):
                return True
        return False
