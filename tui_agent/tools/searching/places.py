"""Where a search may begin: the folder or file that was named, as it is on the disk."""

from __future__ import annotations

import os
import stat

from tui_agent.tools.base import Invalid, ToolContext, ToolError
from tui_agent.tools.files import similar_paths

__all__ = ["check_path", "search_place"]


def check_path(path: str | None, ctx: ToolContext) -> Invalid | None:
    """Return what is wrong with a path to search, None meaning the working folder, before the disk is looked at."""
    if path is not None and (not path.strip() or "\0" in path):
        return Invalid(f"{path!r} is not a path.", "bad_path")
    absolute = ctx.workspace.absolute(path or ".")
    if reason := ctx.denied(absolute, "read"):
        return Invalid(f"Reading {absolute} is denied: {reason}", "denied_path")
    return None


def search_place(path: str, ctx: ToolContext, *, is_folder_needed: bool = False) -> tuple[str, str]:
    """Return the folder to search in, and what is searched, relative to it (`./` for all of it). Blocks.

    Raises:
        ToolError: there is no such thing, or it is nothing that can be searched, or reading it could hang.
    """
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116
    except (OSError, ValueError) as error:
        near = similar_paths(path, str(ctx.workspace.root), lambda other: ctx.denied(other, "read") is not None)
        hint = f" Did you mean {' or '.join(near)}?" if near else ""
        reason = getattr(error, "strerror", None) or str(error)
        raise ToolError(
            f"{path} cannot be searched: {reason}.{hint}", kind="validation", data={"code": "missing"}
        ) from error
    if stat.S_ISDIR(mode):
        return path, "./"
    if is_folder_needed:
        raise ToolError(f"{path} is not a folder.", kind="validation", data={"code": "not_folder"})
    if not stat.S_ISREG(mode):
        raise ToolError(
            f"{path} cannot be searched: it is neither a file nor a folder.",
            kind="validation",
            data={"code": "not_regular"},
        )
    folder, name = os.path.split(path)
    return folder, f"./{name}"
