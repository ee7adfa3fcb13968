"""What is decided about one proposed file change: hunk by hunk, with what the user rewrote in it. Knows no widget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from tui_agent.changes import ApprovedChange, FileChange
from tui_agent.hunk_edit import with_added_text
from tui_agent.line_diff import changed_lines, split_lines
from tui_agent.review_comments import LineComment

if TYPE_CHECKING:
    from tui_agent.viewkit.diff import DiffLocation

__all__ = ["FileReview"]

Standing = Literal["undecided", "partly", "accepted", "refused", "mixed"]


class FileReview:
    """One file's part of a review. Hunks nobody decided on are taken, so that a proposal left alone is taken whole.

    `cursor` is the line the user looks at, `marked` the other end of the lines they chose; None before they choose any.
    `opened` says how far stretches of unchanged lines are unfolded.
    """

    def __init__(self, proposal: FileChange) -> None:
        self.proposal = proposal
        self.change = proposal  # the proposal, with what the user edited in it
        self.decisions: dict[int, bool] = {}
        self.current = 0  # the hunk the user looks at
        self.is_seen = False  # whether it was on the screen
        self.comments: list[LineComment] = []
        self.cursor: DiffLocation | None = None
        self.marked: int | None = None
        self.opened: dict[int, tuple[int, int]] = {}
        self._is_rewritten = False  # its hunks are no longer those of the proposal

    @property
    def taken(self) -> list[int]:
        """The hunks that are written."""
        return [number for number in range(len(self.change.hunks)) if self.decisions.get(number, True)]

    @property
    def standing(self) -> Standing:
        """How far its hunks are decided, and how."""
        answers = set(self.decisions.values())
        if not answers:
            return "undecided"
        if len(self.decisions) < len(self.change.hunks):
            return "partly"
        if len(answers) > 1:
            return "mixed"
        return "accepted" if True in answers else "refused"

    @property
    def writes_something(self) -> bool:
        """Whether the file will differ; a new file without a line is something too."""
        return bool(self.taken) or (not self.change.hunks and (self.change.is_new or not self._is_rewritten))

    @property
    def is_edited(self) -> bool:
        """Whether the user changed the proposal itself."""
        return self.change is not self.proposal

    @property
    def is_applicable(self) -> bool:
        """Whether there is a text to write: a recording has none."""
        return self.change.after is not None

    @property
    def next_open(self) -> int | None:
        """The next hunk after the current one that is not decided, round to the first."""
        following = [*range(self.current + 1, len(self.change.hunks)), *range(self.current + 1)]
        return next((number for number in following if number not in self.decisions), None)

    def decide(self, *, is_accepted: bool) -> None:
        """Take or refuse the current hunk."""
        if self.change.hunks:
            self.decisions[self.current] = is_accepted

    def decide_all(self, *, is_accepted: bool) -> None:
        """Take or refuse every hunk."""
        self.decisions = dict.fromkeys(range(len(self.change.hunks)), is_accepted)

    def go(self, hunk: int) -> None:
        """Look at another hunk, or at the nearest there is."""
        self.current = min(max(hunk, 0), max(len(self.change.hunks) - 1, 0))

    # --- comments ----------------------------------------------------------------------------------------------------

    def comment_at(self, spot: DiffLocation) -> LineComment | None:
        """Return the comment on a line, or on lines of which it is one."""
        return next((one for one in self.comments if one.side == spot.side and spot.line in one.lines), None)

    def comment(self, first: DiffLocation, last: int, quote: Sequence[str], text: str) -> None:
        """Write a comment on the lines from `first` to `last`, in the place of the one that stood on the first of them.

        Without any text, that one is only removed.
        """
        known = self.comment_at(first)
        if known is not None:
            self.remove(known)
        if text.strip():
            self.comments.append(
                LineComment(
                    path=self.proposal.path,
                    line=first.line,
                    side=first.side,
                    quote="\n".join(quote),
                    text=text.strip(),
                    last=last if last > first.line else 0,
                )
            )

    def rewrite_comment(self, known: LineComment, text: str) -> None:
        """Give a comment another text; without any it goes."""
        at = self.comments.index(known)
        if text.strip():
            self.comments[at] = replace(known, text=text.strip())
        else:
            del self.comments[at]

    def remove(self, comment: LineComment) -> None:
        """Take a comment away."""
        self.comments.remove(comment)

    # --- edits -------------------------------------------------------------------------------------------------------

    def edit(self, text: str) -> None:
        """Let the current hunk add `text` instead, and take it."""
        self._take(with_added_text(self.change, self.current, text))
        self.decisions[self.current] = True

    def selected(self) -> str:
        """Return the file's text as it would be written."""
        return self.change.select(self.taken)

    def rewrite(self, text: str) -> None:
        """Go on with the whole text as the user wrote it: its hunks are new ones, and all of them are taken."""
        old = self.proposal
        self._take(
            FileChange.between(
                old.path, old.before, text, before_hash=old.before_hash, encoding=old.encoding, has_bom=old.has_bom
            )
        )
        self._is_rewritten = True
        self.decisions = {}
        self.opened = {}
        self.current = 0

    def _take(self, change: FileChange) -> None:
        """Go on with another text; comments on lines of the one so far go where those lines have gone."""
        if any(comment.side == "new" for comment in self.comments):
            places = _Places(self.change.after or "", change.after or "")
            self.comments = [_moved(comment, places) for comment in self.comments]
        self.change = change
        self.cursor = self.marked = None

    def approve(self) -> ApprovedChange:
        """Return what the decisions come to."""
        if not self.writes_something:
            return self.proposal.approve([])
        edited = self.selected() if self.is_edited else None
        return self.proposal.approve(None if self._is_rewritten else self.taken, edited)


class _Places:
    """Where the lines of a text, counted from 1, are in another; what stands there now for those that are gone."""

    def __init__(self, old: str, new: str) -> None:
        self._changed = changed_lines(split_lines(old), split_lines(new))

    def __getitem__(self, line: int) -> int:
        shift = 0
        for start, stop, new_start, new_stop in self._changed:
            if line <= start:
                break
            if line <= stop:
                return max(1, min(new_start + line - start, new_stop))
            shift = new_stop - stop
        return line + shift


def _moved(comment: LineComment, places: _Places) -> LineComment:
    if comment.side == "old":
        return comment
    return replace(comment, line=places[comment.line], last=places[comment.last] if comment.last else 0)
