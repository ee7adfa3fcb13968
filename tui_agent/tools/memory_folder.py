"""The one folder of the model's own notes: reading, listing and writing files in it, and nothing outside of it.

Names are relative, without `..`, and no part of one is a link: a file is opened at its very place, whatever somebody puts there
meanwhile.
"""

from __future__ import annotations

import os
import re
import stat
import uuid
from pathlib import Path
from typing import Final

from tui_agent import nofollow

__all__ = ["MOST_BYTES", "MemoryFolder", "MemoryNameError"]

MOST_BYTES: Final = 100_000  # of one file
_MOST_FILES: Final = 500
_MOST_DEPTH: Final = 4
_PART: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._ -]{0,99}")


class MemoryNameError(ValueError):
    """The name cannot be one of a file in the folder; the text says why."""


class MemoryFolder:
    """Files below `path`. All methods block; besides what they name they raise OSError."""

    def __init__(self, path: Path) -> None:
        self.path: Final = path

    def check(self, name: str) -> None:
        """Check a name.

        Raises:
            MemoryNameError: it leads elsewhere, or is no plain name.
        """
        parts = name.split("/")
        if name.startswith(("/", "~")) or ".." in parts:
            raise MemoryNameError(f"{name!r} leads out of the folder of notes; names are relative, without `..`.")
        if len(parts) > _MOST_DEPTH or not all(map(_PART.fullmatch, parts)):
            raise MemoryNameError(
                f"{name!r} is no name for a note: letters, digits, `-`, `_`, blanks and dots, and `/` between folders."
            )

    def names(self) -> list[tuple[str, int]]:
        """Return the files there are with their sizes in bytes, by name. Links are left out."""
        found: list[tuple[str, int]] = []
        for folder, folders, files in os.walk(self.path):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(files):
                file = Path(folder, name)
                status = file.lstat()
                if stat.S_ISREG(status.st_mode) and not name.startswith("."):
                    found.append((file.relative_to(self.path).as_posix(), status.st_size))
            if len(found) >= _MOST_FILES:
                break
        return sorted(found)[:_MOST_FILES]

    def read(self, name: str) -> str:
        """Return the text of a file.

        Raises:
            MemoryNameError: see `check`, or it is too long or no text.
        """
        self.check(name)
        handle = nofollow.open_file(self._real(name), os.O_RDONLY | os.O_NONBLOCK)
        with os.fdopen(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise MemoryNameError(f"{name!r} is not a regular file.")
            data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise MemoryNameError(f"{name!r} is longer than {MOST_BYTES:,} bytes.")
        try:
            return data.decode()
        except UnicodeDecodeError:
            raise MemoryNameError(f"{name!r} is not UTF-8 text.") from None

    def write(self, name: str, text: str, *, appends: bool = False) -> int:
        """Write a file whole, or add to its end, and return its size in bytes. What is there is replaced in one step.

        Raises:
            MemoryNameError: see `check`, or it would be too long.
        """
        self.check(name)
        before = ""
        if appends:
            try:
                before = self.read(name)
            except FileNotFoundError:
                before = ""
            if before and not before.endswith("\n"):
                before += "\n"
        data = (before + text).encode()
        if len(data) > MOST_BYTES:
            raise MemoryNameError(
                f"{name!r} would be longer than {MOST_BYTES:,} bytes; keep notes short, or use several."
            )
        self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
        real = self._real(name)
        folder, _, last = real.rpartition("/")
        with nofollow.Folders() as folders:
            self._make(folder, folders)
            temporary = f"{folder}/.{last}.{uuid.uuid4().hex[:8]}"
            handle = folders.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
                folders.replace(temporary, real)
            except BaseException:
                folders.unlink(temporary)
                raise
        return len(data)

    def _real(self, name: str) -> str:
        """Return where a name is: the folder itself may be reached by links, what is in it may not."""
        return f"{os.path.realpath(self.path)}/{name}"

    def _make(self, folder: str, folders: nofollow.Folders) -> None:
        at = os.path.realpath(self.path)
        for part in folder.removeprefix(at).strip("/").split("/"):
            if not part:
                continue
            at = f"{at}/{part}"
            try:
                folders.make(at)
            except FileExistsError:
                continue
