"""Where a search may begin: the folder or file that was named, as it is on the disk."""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from tui_agent.tools.base import Invalid, ToolContext, ToolError, Valid, Validity
from tui_agent.tools.cancel_shield import unbroken
from tui_agent.tools.files import similar_paths
from tui_agent.tools.resolved_path import MovedPath, ResolvedPath
from tui_agent.tools.shared_search.result_check import ResultCheck

__all__ = ["SearchRoot", "check_path", "open_search_root"]

# A folder need not be listed to be held; ripgrep lists it.
_FOLDER: Final = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY


def check_path(path: str | None, ctx: ToolContext) -> Validity[None]:
    """Check a path to search, None meaning the working folder, before the disk is looked at."""
    if path is not None and (not path.strip() or "\0" in path):
        return Invalid(f"{path!r} is not a path.", "bad_path")
    absolute = ctx.workspace.absolute(path or ".")
    if reason := ctx.denied(absolute, "read"):
        return Invalid(f"Reading {absolute} is denied: {reason}", "denied_path")
    return Valid(None)


class SearchRoot:
    """The folder or the file that a search looks at, held open until `close`: what was judged is what is searched.

    `folder` is the folder, or the one that the file lies in, as it is named: found paths are shown below it. `real` is where
    what was named leads, and `folder_real` where `folder` does. `target` is what ripgrep gets as its path, and `alias` the path
    that a file is found under, which ripgrep prints in its place. What is shown of a folder is looked at by `settled` once
    more.
    """

    def __init__(self, place: ResolvedPath, handle: int, *, is_file: bool) -> None:
        self.handle: Final = handle
        self.is_file: Final = is_file
        name = os.path.basename(place.path)  # noqa: PTH119
        self.folder: Final = os.path.dirname(place.path) if is_file else place.path  # noqa: PTH120
        self.real: Final = place.real
        self.folder_real: Final = os.path.dirname(place.real) if is_file else place.real  # noqa: PTH120
        self.target: Final = f"/dev/fd/{handle}" if is_file else "./"
        self.settled: Final = None if is_file else ResultCheck(place.real)
        self.alias: Final = {os.fsencode(self.target): os.fsencode(f"./{name}")} if is_file else {}

    def close(self) -> None:
        """Let go of it."""
        os.close(self.handle)


def _search_root(path: str, ctx: ToolContext, *, is_folder_needed: bool = False) -> SearchRoot:
    """Open what is to be searched. Blocks; whoever calls closes it.

    Raises:
        ToolError: there is no such thing, or it is nothing that can be searched, or reading it could hang.
    """
    place = ctx.paths[path]
    try:
        mode = place.status().st_mode
        if stat.S_ISDIR(mode):
            return SearchRoot(place, place.open(_FOLDER), is_file=False)
        if stat.S_ISREG(mode) and not is_folder_needed:
            return SearchRoot(place, place.open(os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY), is_file=True)
    except (OSError, ValueError) as error:
        raise _unsearchable(path, error, ctx) from error
    if is_folder_needed:
        raise ToolError(f"{path} is not a folder.", kind="validation", data={"code": "not_folder"})
    raise ToolError(
        f"{path} cannot be searched: it is neither a file nor a folder.",
        kind="validation",
        data={"code": "not_regular"},
    )


@asynccontextmanager
async def open_search_root(path: str, ctx: ToolContext, *, is_folder_needed: bool = False) -> AsyncIterator[SearchRoot]:
    """Hold what is to be searched open.

    Raises:
        ToolError: it cannot be searched.
    """

    async def let_go(place: SearchRoot) -> None:
        place.close()

    opening = asyncio.to_thread(_search_root, path, ctx, is_folder_needed=is_folder_needed)
    place = await unbroken(opening, undo=let_go)
    try:
        yield place
    finally:
        place.close()


def _unsearchable(path: str, error: OSError | ValueError, ctx: ToolContext) -> ToolError:
    if isinstance(error, MovedPath):
        return ToolError(f"{path} was not searched: {error.reason}.", kind="validation", data={"code": "moved"})
    near = similar_paths(path, str(ctx.workspace.root), lambda other: ctx.denied(other, "read") is not None)
    hint = f" Did you mean {' or '.join(near)}?" if near else ""
    reason = getattr(error, "strerror", None) or str(error)
    return ToolError(f"{path} cannot be searched: {reason}.{hint}", kind="validation", data={"code": "missing"})
