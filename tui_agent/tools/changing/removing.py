"""Removing one file, and only if it still holds what it is removed for."""

from __future__ import annotations

import contextlib
import os

from tui_agent.tools.changing import atomic
from tui_agent.tools.changing.intent_steps import MovedError, hash_of

__all__ = ["remove_file"]


def remove_file(path: str, content: str) -> None:
    """Remove the file `path` if it holds what has the hash `content`; blocks.

    It takes another name first, so that what is looked at is what goes.

    Raises:
        MovedError: it holds something else; it is where it was.
        OSError: it cannot be removed.
    """
    if hash_of(path) != content:
        raise MovedError(path)
    aside = atomic.name_beside(path, "gone")
    os.rename(path, aside)  # noqa: PTH104 - plain calls, as in `atomic`
    if hash_of(aside) != content:
        with contextlib.suppress(FileExistsError):  # somebody has made another one meanwhile
            os.link(aside, path)
            os.unlink(aside)  # noqa: PTH108
        raise MovedError(path)
    os.unlink(aside)  # noqa: PTH108
    atomic.sync_folder(path)
