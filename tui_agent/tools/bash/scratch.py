"""The folder that goes with one command: what bash reads first, notes for us, and temporary files."""

from __future__ import annotations

import asyncio
import os
import shlex
import tempfile
from pathlib import Path
from typing import Final

from tui_agent.regular_files import read_regular

__all__ = ["Scratch", "outgrown"]

_START: Final = "start"
_FOLDER: Final = "folder"
_STARTED: Final = "started"
_LOOK_S: Final = 0.1
_MOST_NOTE: Final = 8192  # bytes; no path is longer
_MOST_ENTRIES: Final = 100_000


class Scratch:
    """The folder of one command. A sandbox may let the command write nothing in it but the two notes."""

    def __init__(self) -> None:
        self.path: Final = tempfile.mkdtemp(prefix="tui-agent-shell-")
        for name in (_FOLDER, _STARTED):
            Path(self.path, name).touch(0o600)
        begun = f"echo > {shlex.quote(str(Path(self.path, _STARTED)))}"
        note = f"builtin pwd > {shlex.quote(str(Path(self.path, _FOLDER)))} 2> /dev/null"
        start = f"unset BASH_ENV\n{begun}\ntrap {shlex.quote(note)} EXIT\n"
        Path(self.start_file).write_text(start, encoding="utf-8")

    @property
    def start_file(self) -> str:
        """What bash is to read before the command (`BASH_ENV`): it notes that bash runs, and where the command ends."""
        return str(Path(self.path, _START))

    def has_started(self) -> bool:
        """Whether bash itself came to run."""
        try:
            return Path(self.path, _STARTED).lstat().st_size > 0
        except OSError:
            return False

    def last_folder(self) -> str | None:
        """Return the folder in which the command ended; None when it did not say."""
        try:
            text = read_regular(Path(self.path, _FOLDER), _MOST_NOTE)  # the command may have put anything there
        except OSError:
            return None
        return os.fsdecode(text.removesuffix(b"\n")) or None


async def outgrown(folder: str, most_bytes: int) -> None:
    """Wait until all that is in a folder takes more than this; returns only then. For sandboxes that cannot bound it."""
    while True:
        if await asyncio.to_thread(_holds_more, folder, most_bytes):
            return
        await asyncio.sleep(_LOOK_S)


def _holds_more(folder: str, most_bytes: int) -> bool:
    total = entries = 0
    for place, _, files in os.walk(folder):
        for name in files:
            try:
                total += os.lstat(os.path.join(place, name)).st_blocks * 512  # noqa: PTH118
            except OSError:
                continue
        entries += 1 + len(files)
        if total > most_bytes or entries > _MOST_ENTRIES:
            return True
    return False
