"""Finds files for what is being typed: keeps an index of the workspace, makes it anew when it may have changed.

Lists are made and searched in threads; keys never wait for them. Of several searches that are asked for meanwhile, only the
last is made.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tui_agent.ui.prompting import file_lists
from tui_agent.ui.prompting.file_index import FileIndex, FileMatch, Narrowed

if TYPE_CHECKING:
    from tui_agent.viewkit.tool_use import ToolUse

__all__ = ["FileFinder", "worked_on"]

_FRESH_S: Final = 15.0  # files may also be made by programs that tell nobody
_MOST_USES: Final = 300  # tool uses that are looked at for files that were worked on
_MOST_RECENT: Final = 20
_MANY: Final = 20_000  # files from which on those that git knows are offered before the others are found


def worked_on(uses: dict[str, ToolUse]) -> list[str]:
    """Return the files that the newest of these tool uses were about, the newest first."""
    fields = ("file_path", "notebook_path")
    names = islice(reversed(uses), _MOST_USES)
    newest = (uses[name].input.get(field) for name in names for field in fields)
    return list(dict.fromkeys(path for path in newest if isinstance(path, str)))[:_MOST_RECENT]


class FileFinder:
    """The files in the folder `root`.

    `recent` gives paths that were worked on, the newest first; `on_change`: there are others now. `is_trusted` is whether the
    user trusts the folder, which git depends on.
    """

    def __init__(
        self,
        root: Path,
        home: Path,
        *,
        is_trusted: Callable[[], bool],
        respects_ignore: Callable[[], bool],
        recent: Callable[[], Sequence[str]],
        on_change: Callable[[], object],
    ) -> None:
        self._root, self._home = root, home
        self._is_trusted = is_trusted
        self._respects_ignore = respects_ignore
        self._recent = recent
        self._on_change = on_change
        self._index: FileIndex | None = None
        self._narrowed: Narrowed | None = None
        self._building: asyncio.Task[None] | None = None
        self._built_at = 0.0
        self._stamp = 0
        self._is_touched = False

    @property
    def is_listing(self) -> bool:
        """Whether there is nothing to search yet."""
        return self._index is None

    def touch(self) -> None:
        """Files may have changed."""
        self._is_touched = True

    def refresh(self) -> None:
        """See to it that the list is, or soon will be, what there is."""
        if self._building is None and (
            self._index is None or self._is_touched or time.monotonic() - self._built_at > _FRESH_S
        ):
            self._building = asyncio.create_task(self._build())

    async def _build(self) -> None:
        try:
            stamp = await asyncio.to_thread(file_lists.git_stamp, self._root)
            is_same = bool(stamp) and stamp == self._stamp and not self._is_touched
            self._is_touched = False
            trusted = self._is_trusted()
            known = await asyncio.to_thread(file_lists.git_files, self._root, is_trusted=trusted)
            if known is None:
                found, is_cut = await asyncio.to_thread(
                    file_lists.find_files, self._root, respects_ignore=self._respects_ignore()
                )
            else:
                if len(known) > _MANY and not is_same:
                    self._take(await asyncio.to_thread(FileIndex, known))
                ignores = self._respects_ignore()
                others = await asyncio.to_thread(
                    file_lists.untracked_files, self._root, is_trusted=trusted, respects_ignore=ignores
                )
                found, is_cut = [*known, *others], False
            index = await asyncio.to_thread(FileIndex, found, is_cut=is_cut)
            self._stamp, self._built_at = stamp, time.monotonic()
            self._take(index)
        except OSError:  # the folder is gone, or not to be read: there is nothing to offer
            self._take(FileIndex())
        finally:
            self._building = None

    def _take(self, index: FileIndex) -> None:
        is_other = self._index is None or not self._index.is_same(index)
        self._index = index
        if is_other:
            self._on_change()

    async def search(self, typed: str, limit: int) -> list[FileMatch]:
        """Return what a path that is being typed may mean, the likeliest first; nothing as long as nothing is known."""
        if file_lists.is_on_disk(typed):
            return await asyncio.to_thread(file_lists.in_folder, self._root, self._home, typed, limit)
        index = self._index
        if index is None:
            return []
        recent = self._known_recent()
        found, self._narrowed = await asyncio.to_thread(_search, index, typed, limit, recent, self._narrowed)
        return found

    def _known_recent(self) -> list[str]:
        """Return the paths that were worked on, relative to the workspace; those elsewhere do not stand in its list."""
        root = f"{self._root}/"
        paths = (path.removeprefix(root) for path in self._recent())
        return [path for path in dict.fromkeys(paths) if path and not Path(path).is_absolute()]

    async def settle(self) -> None:
        """Return when no list is being made."""
        if self._building is not None:
            await asyncio.wait({self._building})

    def close(self) -> None:
        """Stop."""
        if self._building is not None:
            self._building.cancel()


def _search(
    index: FileIndex, typed: str, limit: int, recent: Sequence[str], within: Narrowed | None
) -> tuple[list[FileMatch], Narrowed | None]:
    found, narrowed = index.search(typed, limit, recent=recent, within=within)
    if not typed.endswith("/"):
        return found, narrowed
    inside = index.inside(typed, limit)
    seen = {typed, *(one.path for one in inside)}
    return [*inside, *(one for one in found if one.path not in seen)][:limit], narrowed
