"""What the tools that change files share: from an input to a written file.

A change is worked out when the input is checked, shown when permission is asked, and reported when it is written. `ChangePlan`
carries it from one of these stages to the next, so that a large file is read and compared once and not three times.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Generic, TypeVar

from tui_agent.changes import ApprovedChange, FileChange
from tui_agent.tools.base import ToolContext
from tui_agent.tools.file_changes.apply import Applied
from tui_agent.tools.file_changes.checks import RefusedChange, changed_on_disk
from tui_agent.tools.file_changes.on_disk import Stamp, stamp_of

__all__ = ["ChangePlan", "Work", "approvals", "remember", "since_shown"]

PreparedT = TypeVar("PreparedT")
_BY_DISK: Final = frozenset({
    "not_read", "partial_view", "missing", "exists", "too_large", "binary", "unreadable", "not_found", "not_unique",
    "no_change", "bad_range", "overlap",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Work(Generic[PreparedT]):
    """Work that is still to be done: `prepare` reads the files at `paths` and works the change out. It blocks.

    Raises, when done:
        RefusedChange: the files do not allow the change.
    """

    paths: tuple[str, ...]
    prepare: Callable[[], PreparedT]


@dataclass(frozen=True, slots=True)
class _Prepared(Generic[PreparedT]):
    paths: tuple[str, ...]
    stamps: list[Stamp]
    result: PreparedT


class ChangePlan(Generic[PreparedT]):
    """The plan of a tool that changes files: the change is worked out once, and again only when a file has changed since.

    `start` makes the checks that need no disk, each time it is asked, and returns the work that does. `to_changes` turns the
    result of that work into the proposal; it runs in a thread.
    """

    def __init__(
        self,
        start: Callable[[ToolContext], Work[PreparedT]],
        to_changes: Callable[[PreparedT], tuple[FileChange, ...]],
    ) -> None:
        self._start = start
        self._to_changes = to_changes
        self._prepared: _Prepared[PreparedT] | None = None
        self._changes: tuple[FileChange, ...] | None = None

    async def prepare(self, ctx: ToolContext) -> PreparedT:
        """Return what was worked out for the files as they are now.

        Once the change has been approved it stands: what has become of the files since is found when they are written.

        Raises:
            RefusedChange: a check says no.
        """
        work = self._start(ctx)
        return await asyncio.to_thread(self._up_to_date, work, ctx)

    async def propose(self, ctx: ToolContext) -> tuple[PreparedT, tuple[FileChange, ...]]:
        """Return what `prepare` returns, and the changes that it makes, one for each file.

        Raises:
            RefusedChange: a check says no.
        """
        prepared = await self.prepare(ctx)
        if self._changes is None:
            self._changes = await asyncio.to_thread(self._to_changes, prepared)
        return prepared, self._changes

    def _up_to_date(self, work: Work[PreparedT], ctx: ToolContext) -> PreparedT:
        known = self._prepared
        if known is not None and ctx.approved:
            return known.result
        stamps = [stamp_of(ctx.paths[path]) for path in work.paths]
        if known is None or (known.paths, known.stamps) != (work.paths, stamps):
            known = self._prepared = _Prepared(work.paths, stamps, work.prepare())
            self._changes = None
        return known.result


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
    """Return the refusal of a call: if the change was approved, it says that the file has changed since."""
    if ctx.approved and refused.code in _BY_DISK:
        return changed_on_disk(", ".join(change.path for change in ctx.approved))
    return refused


def remember(ctx: ToolContext, applied: Sequence[Applied], text: str) -> None:
    """Let written files count as read, so that the next change of them needs no new look.

    `text` is what the model gets. What a user wrote into a proposal counts only where the model is shown all of it.
    """
    is_short = len(text) > ctx.limits.result_chars
    for one in applied:
        if one.record is not None:
            known = ctx.files.get(one.record.path)  # lines that were shown cut are not known any better now
            is_cut = known is not None and known.is_cut
            ctx.files.record(replace(one.record, is_partial=is_short and one.approved.is_edited, is_cut=is_cut))
