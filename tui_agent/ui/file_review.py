"""What is decided about one proposed file change: hunk by hunk, with what the person rewrote in it. Knows no widget."""

from __future__ import annotations

from tui_agent.changes import ApprovedChange, FileChange
from tui_agent.ui.hunk_edit import with_added_text

__all__ = ["FileReview"]


class FileReview:
    """One file's part of a review. Hunks nobody decided on are taken, so that a proposal left alone is taken whole."""

    def __init__(self, proposal: FileChange) -> None:
        self.proposal = proposal
        self.change = proposal  # the proposal, with what the person edited in it
        self.decisions: dict[int, bool] = {}
        self.current = 0  # the hunk the person looks at
        self._is_rewritten = False  # its hunks are no longer those of the proposal

    @property
    def taken(self) -> list[int]:
        """The hunks that are written."""
        return [number for number in range(len(self.change.hunks)) if self.decisions.get(number, True)]

    @property
    def writes_something(self) -> bool:
        """Whether the file will differ; a new file without a line is something too."""
        return bool(self.taken) or (not self.change.hunks and (self.change.is_new or not self._is_rewritten))

    @property
    def is_edited(self) -> bool:
        """Whether the person changed the proposal itself."""
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

    def edit(self, text: str) -> None:
        """Let the current hunk add `text` instead, and take it."""
        self.change = with_added_text(self.change, self.current, text)
        self.decisions[self.current] = True

    def selected(self) -> str:
        """Return the file's text as it would be written."""
        return self.change.select(self.taken)

    def rewrite(self, text: str) -> None:
        """Go on with the whole text as the person wrote it: its hunks are new ones, and all of them are taken."""
        old = self.proposal
        self.change = FileChange.between(
            old.path, old.before, text, before_hash=old.before_hash, encoding=old.encoding, has_bom=old.has_bom
        )
        self._is_rewritten = True
        self.decisions = {}
        self.current = 0

    def approve(self) -> ApprovedChange:
        """Return what the decisions come to."""
        if not self.writes_something:
            return self.proposal.approve([])
        edited = self.selected() if self.is_edited else None
        return self.proposal.approve(None if self._is_rewritten else self.taken, edited)
