"""What tools that change files share on the way from an input to a written file.

A change is worked out when the input is checked, shown when permission is asked, and reported when it is written. `once` keeps
it from one of these stages to the next, so that a large file is read and compared once and not three times.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, TypeVar

from tui_agent.changes import ApprovedChange, FileChange
from tui_agent.tools.base import ToolContext, ToolInput
from tui_agent.tools.file_changes.apply import Applied
from tui_agent.tools.file_changes.checks import RefusedChange, changed_on_disk
from tui_agent.tools.file_changes.on_disk import stamp_of

__all__ = ["approvals", "once", "remember", "since_shown"]

DoneT = TypeVar("DoneT")
_BY_DISK: Final = frozenset({
    "not_read", "partial_view", "missing", "exists", "too_large", "binary", "unreadable", "not_found", "not_unique",
    "no_change", "bad_range", "overlap",
})  # fmt: skip


async def once(ctx: ToolContext, name: str, input: ToolInput, paths: Sequence[str], work: Callable[[], DoneT]) -> DoneT:
    """Return what `work` gives, done in a thread; or what it gave before in this tool use, under this name.

    It is done again for another input, and when one of the files at `paths` is not the same any more; but not once the
    change has been approved, as then it stands, and what has come of the files is seen when it is written.

    Raises:
        Exception: whatever the work raises; that is not kept.
    """

    def look_or_do() -> DoneT:
        of, old_stamps, found = ctx.kept.get(name, (None, [], None))
        is_known = of == input
        stamps = [] if is_known and ctx.approved else [stamp_of(ctx.paths[path]) for path in paths]
        if is_known and (ctx.approved or old_stamps == stamps):
            known: DoneT = found
            return known
        done = work()
        ctx.kept[name] = (input, stamps, done)
        return done

    return await asyncio.to_thread(look_or_do)


def approvals(ctx: ToolContext, proposals: Sequence[FileChange]) -> tuple[ApprovedChange, ...]:
    """Return what was let through of each proposal: all of it where the call was not asked about.

    Raises:
        RefusedChange: what was approved is the change of other files.
    """
    approved = ctx.approved or tuple(change.approve() for change in proposals)
    paths = [change.path for change in proposals]
    if paths != [change.path for change in approved]:
        raise RefusedChange("bad_path", f"{', '.join(paths)}: what was approved is the change of another file.")
    return approved


def since_shown(refused: RefusedChange, ctx: ToolContext) -> RefusedChange:
    """Return the refusal that a call gives: once a change was approved, what the disk now says against it is news."""
    if ctx.approved and refused.code in _BY_DISK:
        return changed_on_disk(", ".join(change.path for change in ctx.approved))
    return refused


def remember(ctx: ToolContext, applied: Sequence[Applied], text: str) -> None:
    """Let written files count as read, so that the next change of them needs no new look.

    `text` is what the model gets. What a user wrote into a proposal counts only where the model is shown all of it.
    """
    ctx.kept.clear()  # the use is over; what it worked out may be large
    is_short = len(text) > ctx.limits.result_chars
    for one in applied:
        if one.record is not None:
            known = ctx.files.get(one.record.path)  # lines that were shown cut are not known any better now
            is_cut = known is not None and known.is_cut
            ctx.files.record(replace(one.record, is_partial=is_short and one.approved.is_edited, is_cut=is_cut))
