"""Removing one file, and only if it still holds what it is removed for."""

from __future__ import annotations

import contextlib
import os

from tui_agent.nofollow import Folders
from tui_agent.tools.file_changes import atomic
from tui_agent.tools.file_changes.intent_steps import MovedError, hash_of
from tui_agent.tools.resolved_path import ResolvedPath

__all__ = ["remove_file"]


def remove_file(place: ResolvedPath, content: str) -> None:
    """Remove the file at `place` if it holds what has the hash `content`; blocks.

    It takes another name first, so that what is looked at is what goes.

    Raises:
        MovedError: it holds something else; it is where it was.
        MovedPath: the path leads elsewhere now.
        OSError: it cannot be removed.
    """
    place.check()
    path = place.real
    with Folders() as folders:
        if hash_of(folders, path) != content:
            raise MovedError(path)
        aside = atomic.name_beside(path, "gone")
        folders.replace(path, aside)
        if hash_of(folders, aside) != content:
            with contextlib.suppress(FileExistsError):  # somebody has made another one meanwhile
                folders.link(aside, path)
                folders.unlink(aside)
            raise MovedError(path)
        folders.unlink(aside)
        atomic.sync_folder(folders, os.path.dirname(path))  # noqa: PTH120
