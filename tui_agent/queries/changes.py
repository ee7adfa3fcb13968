"""What may be asked about what the session has changed in files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tui_agent.changes import FileChange
from tui_agent.plain import Plain
from tui_agent.queries.query import Query

__all__ = ["ChangesQuery", "ChangesReport", "NetChange", "Patch", "PatchQuery", "UndoKind", "UndoPlan", "UndoPlanQuery"]

# What undoing does: puts back what was there, makes the file again that is gone, removes the one that the session made, or
# takes back only the session's own places, where others have changed the file since.
UndoKind = Literal["restore", "recreate", "remove", "reverse", "nothing"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class NetChange(Plain):
    """All that a session has changed in one file, as it stands now.

    `change` is null where it cannot be shown, and then `problem` says why. `is_others` says that the file is not what the
    session left: somebody else has changed it since, and what they did is part of the change that is shown; `is_mixed` that
    others changed it between two of the session's changes.
    """

    path: str
    change: FileChange | None
    problem: str = ""
    is_gone: bool = False
    is_others: bool = False
    is_mixed: bool = False


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ChangesReport(Plain):
    """What each file comes to now; one that is again as it was is left out."""

    files: tuple[NetChange, ...] = ()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ChangesQuery(Query[ChangesReport | None]):
    """What has the session changed? Null where there are no files to compare, as in a recording."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class UndoPlan(Plain):
    """What undoing a file would do now. `change` is what it does to the file, from now on; `id` names the plan to `undo`.

    `clashes` is how many places stay because others have changed them too, `taken` how many are taken back; both only where
    somebody has changed the file since. `is_mixed` says that others changed it between two of the session's changes. `problem`
    says why nothing can be done (`kind` is `nothing`). `theirs` is what others have made of it since the session left it.
    """

    id: str
    path: str
    kind: UndoKind
    change: FileChange | None = None
    taken: int = 0
    clashes: int = 0
    is_mixed: bool = False
    problem: str = ""
    theirs: FileChange | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class UndoPlanQuery(Query[UndoPlan | None]):
    """What would undoing a file do now? Null where the session has not changed it."""

    path: str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Patch(Plain):
    """All changes of a session as one patch, for `git apply` in `root`. `left_out` names files and says why."""

    data: bytes
    root: str
    files: int
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PatchQuery(Query[Patch | None]):
    """What are all changes as one patch? Null where there is nothing to make one of, as in a recording."""
