"""What a diff shows, and what is marked in it, before it is laid out at a width."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from tui_agent.changes import FileChange
from tui_agent.review_comments import LineComment
from tui_agent.viewkit.diff_rows import Opened

__all__ = ["DiffContent", "DiffLocation", "Layout"]

Layout = Literal["auto", "split", "unified"]


class DiffLocation(NamedTuple):
    """A line of one of the two texts of a change, from 1."""

    side: Literal["old", "new"]
    line: int


@dataclass(frozen=True, eq=False)
class DiffContent:
    """A change, and how it is shown.

    Args:
        change: what is shown; one read from a journal will do.
        layout: `auto` is two columns from 100 cells on, else one.
        decisions: taken (True) or refused hunks by position, missing ones undecided; None where nothing is being decided,
            which leaves the hunks' headers out.
        current: the hunk that the keys act on.
        opened: how far folded stretches are open; None where they cannot be opened.
        comments: what the user wrote on lines of this file.
        cursor: the line that the keys act on.
        marked: the other end of the lines that are marked together with the cursor's, on the same side.
        is_writable: whether hunks that are taken can be written; their headers say so where not.
    """

    change: FileChange
    layout: Layout = "auto"
    decisions: Mapping[int, bool] | None = None
    current: int | None = None
    opened: Opened | None = None
    comments: Sequence[LineComment] = ()
    cursor: DiffLocation | None = None
    marked: int | None = None
    is_writable: bool = True

    @property
    def can_open(self) -> bool:
        """Whether the text is known that folded stretches have."""
        return self.change.before is not None or self.change.is_new
