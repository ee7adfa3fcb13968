"""The change that a `sed -i` would make to its file: shown before, and then written as it was approved, without sed."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from tui_agent.changes import FileChange
from tui_agent.tools.base import ToolContext, ToolError
from tui_agent.tools.bash.environment import variables_of
from tui_agent.tools.bash.report import OtherOutcome
from tui_agent.tools.bash.sed import Sed
from tui_agent.tools.file_changes.apply import write_approved
from tui_agent.tools.file_changes.reporting import about_links, about_partial, change_data
from tui_agent.tools.files import FileProblem, load
from tui_agent.tools.resolved_path import ResolvedPaths

__all__ = ["path_of", "preview", "write"]

_MOST_BYTES: Final = 4_000_000


def path_of(sed: Sed, folder: str) -> str:
    """Return the absolute path of the file that the command changes, run in `folder`."""
    return os.path.normpath(os.path.join(folder, sed.path))  # noqa: PTH118


def preview(sed: Sed, folder: str, paths: ResolvedPaths, environment: Mapping[str, str]) -> FileChange | None:
    """Return the change that the command would make; None where that is not certain, or where it makes none. Blocks.

    `environment` is that of the command.

    Raises:
        ToolError: the path leads elsewhere than when it was first looked at.
    """
    path = path_of(sed, folder)
    try:
        place = paths[path]
        if place.is_link:  # sed would put a file in its place
            return None
        file = load(place, _MOST_BYTES)
    except FileProblem as problem:
        if problem.kind == "moved":  # sed itself would follow it
            raise ToolError(f"{problem.message}. Nothing was written.", kind="validation") from problem
        return None
    except (OSError, ValueError):
        return None
    if file.encoding != "utf-8" or file.has_bom:
        return None
    made = sed.apply(file.text.encode(), environment, _MOST_BYTES)
    try:
        after = (made or b"").decode()
    except UnicodeDecodeError:  # in some locales it takes characters apart
        return None
    if made is None or after == file.text:
        return None
    return FileChange.between(path, file.text, after, before_hash=file.hash)


async def write(sed: Sed, folder: str, ctx: ToolContext) -> OtherOutcome:
    """Write what was approved and say what came of it.

    Raises:
        ToolError: the file is no longer the one that was shown, or cannot be written.
    """
    (approved,) = ctx.approved
    proposal = await asyncio.to_thread(preview, sed, folder, ctx.paths, variables_of(ctx, folder))
    if proposal is None or proposal.path != approved.path:
        raise ToolError(f"{approved.path} is no longer what it was when this change was shown. Nothing was written.")
    (applied,) = await write_approved(ctx.approved, ctx)
    change = proposal.narrowed(approved)
    known = ctx.files.get(change.path)
    if applied.record is not None and known is not None:
        if known.hash == approved.before_hash:
            fresh = applied.record
            ctx.files.record(replace(known, hash=fresh.hash, mtime_ns=fresh.mtime_ns, size=fresh.size))
        else:
            ctx.files.forget(change.path)
    about = [*about_links(applied), *about_partial(proposal, applied)]
    if approved.is_partial:
        about.append(change.to_unified().rstrip("\n") or "Nothing was written.")
    else:
        about.append(f"[{change.path} was changed as it was shown before: +{change.added} -{change.removed} lines]")
    data = {"stdout": "", "stderr": "", "interrupted": False, "isImage": False, "exitCode": 0}
    return OtherOutcome("\n".join(["(no output)", *about]), data | change_data(change, applied))
