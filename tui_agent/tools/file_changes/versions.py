"""What files held, by the hash of it: as they were before a session first changed them, and as it left them; where others
changed a file in between, before and after each of the session's own changes, too.

They are the user's own files, unmasked, so the folder and all in it can be read by its owner alone. Whatever cannot be kept
(too large, a full disk) is not; then the change is made all the same and cannot be undone from here.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path
from typing import Final

from tui_agent.changes import content_hash

__all__ = ["LARGEST_KEPT", "Versions"]

LARGEST_KEPT: Final = 10 * 1024 * 1024  # bytes of one file


class Versions:
    """The folder of kept contents. Everything here blocks; nothing raises."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, data: bytes) -> bool:
        """Keep a content; False where that cannot be."""
        if len(data) > LARGEST_KEPT:
            return False
        path = self._folder / content_hash(data)
        if path.exists():
            return True
        temporary = path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            with open(handle, "wb") as file:  # noqa: PTH123 - a descriptor
                file.write(data)
            temporary.replace(path)
        except OSError:
            with contextlib.suppress(OSError):
                temporary.unlink()
            return False
        return True

    def keep_change(self, _path: str, before: bytes | None, after: bytes) -> None:
        """Keep what a file holds before it is changed, and what it is to hold; for tools, in a thread."""
        if before is not None:
            self.keep(before)
        self.keep(after)

    def load(self, name: str) -> bytes | None:
        """Return the content with this hash; None where it is not kept, or is not what it was."""
        try:
            data = (self._folder / name).read_bytes()
        except (OSError, ValueError):
            return None
        return data if content_hash(data) == name else None

    def drop(self, name: str) -> None:
        """Forget a content that nothing needs any more."""
        with contextlib.suppress(OSError):
            (self._folder / name).unlink()
