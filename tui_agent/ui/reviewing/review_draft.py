"""A review while it goes on: plain data that outlives the screen, which closes when the user looks at another question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tui_agent.changes import FileChange
from tui_agent.ui.reviewing.file_review import FileReview

__all__ = ["ReviewDraft"]


class ReviewDraft:
    """What is decided, edited and written about `changes` so far. `number` is the file that is looked at."""

    def __init__(self, changes: Sequence[FileChange]) -> None:
        self.files: Final = [FileReview(change) for change in changes]
        self.number = 0

    @property
    def is_touched(self) -> bool:
        """Whether there is anything to lose."""
        return any(file.decisions or file.comments or file.is_edited for file in self.files)
