"""Whether what ripgrep found lies where it says: a folder below the searched one may have been a link for a moment.

ripgrep goes through folders by their paths. One that is exchanged for a link while it does leads it out of the place that was
judged. So each file that is shown is looked for once more, through no link; and where a folder on its way has changed since the
search began, its lines have to stand in it.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterable
from typing import Final

from tui_agent import nofollow
from tui_agent.tools.encodings import NotTextError, decode

__all__ = ["ResultCheck"]

_TICK_NS: Final = 20_000_000  # file systems stamp with a clock that is a few milliseconds late
_LARGEST: Final = 64 * 1024 * 1024  # bytes of a file in which lines are looked for
_OMITTED: Final = b" [... "  # what ripgrep says in the place of the rest of a long line


class ResultCheck:
    """Looks at files below the folder `real`; made before the search begins. Blocks."""

    def __init__(self, real: str) -> None:
        self._real: Final = real.rstrip("/")
        self._began: Final = time.time_ns() - _TICK_NS
        self._quiet: dict[str, bool] = {}

    def is_there(self, name: str) -> bool:
        """Whether there is a file of this relative path, behind no link."""
        try:
            return stat.S_ISREG(nofollow.status(f"{self._real}/{name}").st_mode)
        except (OSError, ValueError):
            return False

    def is_something(self, name: str) -> bool:
        """Whether there is anything of this relative path, behind no link."""
        try:
            nofollow.status(f"{self._real}/{name}")
        except (OSError, ValueError):
            return False
        return True

    def holds(self, name: str, lines: Iterable[bytes]) -> bool:
        """Whether a file is there, and these lines, as ripgrep prints them, are its own as far as that can be told."""
        if not self.is_there(name):
            return False
        if self._is_quiet(name.rpartition("/")[0]):
            return True
        contents = self._read(name)
        shown = (line.partition(_OMITTED)[0].strip(b"\r") for line in lines)
        return all(any(line in data for data in contents) for line in shown)

    def _is_quiet(self, folder: str) -> bool:
        """Whether nothing in a folder, or in those above it, has got or lost its name since the search began."""
        known = self._quiet.get(folder)
        if known is None:
            try:
                changed = nofollow.status(f"{self._real}/{folder}".rstrip("/") or "/").st_ctime_ns
            except OSError:
                return False
            known = changed < self._began and (not folder or self._is_quiet(folder.rpartition("/")[0]))
            self._quiet[folder] = known
        return known

    def _read(self, name: str) -> list[bytes]:
        """Return what a file holds: as it is and, where that is another encoding, in UTF-8; nothing where it cannot be read."""
        try:
            handle = nofollow.open_file(f"{self._real}/{name}", os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
        except OSError:
            return []
        with open(handle, "rb") as file:  # noqa: PTH123
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                return []
            data = file.read(_LARGEST)
        try:
            return [data] if data.isascii() else [data, decode(data).text.encode("utf-8", "replace")]
        except NotTextError:
            return [data]
