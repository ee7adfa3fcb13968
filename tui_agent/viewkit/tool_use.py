"""Everything that is known of one tool use, as views get it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from tui_agent.changes import FileChange
    from tui_agent.review_comments import LineComment

__all__ = ["Phase", "Review", "ToolUse"]

Phase = Literal["streaming", "queued", "executing", "waiting", "completed", "yielded", "dropped"]


class Review(NamedTuple):
    """What the user took of one file's hunks, and what not: their numbers."""

    accepted: tuple[int, ...]
    refused: tuple[int, ...]


@dataclass(slots=True, kw_only=True)
class ToolUse:
    """Everything known of one tool use; kept up to date by the projection of the events, read by views.

    `id` and `parent_id` are unique over all agents. `input` is what is known of the arguments: while they stream, what the
    fragment read so far says. Times are milliseconds on the events' monotonic clock, None where it has not happened. `run_ms`
    leaves out waiting for a user.
    """

    id: str
    name: str
    input: dict[str, Any] = field(default_factory=dict)
    input_text: str = ""  # the raw argument text while it streams
    is_input_whole: bool = False
    phase: Phase = "streaming"
    stage: str = ""
    stages: list[tuple[str, str, float]] = field(default_factory=list)  # those that ended: name, outcome, milliseconds
    parent_id: str | None = None
    agent_id: str = ""  # whose it is; empty for the main conversation
    is_by_person: bool = False  # run by hand
    progress: dict[str, Any] | None = None
    content: list[dict[str, Any]] | str = ""
    data: dict[str, Any] | None = None
    is_error: bool = False
    error_kind: str | None = None
    is_rejected: bool = False  # refused by the user, a rule or a mode
    words: str = ""  # what the user said when refusing
    comments: tuple[LineComment, ...] = ()  # what the user wrote on lines of the changes
    changes: tuple[FileChange, ...] = ()  # one for each file: proposed, later as it was applied
    is_applied: bool = False
    reviews: dict[str, Review] = field(default_factory=dict)  # by file, where the user chose hunks
    started_ms: float = 0.0
    queued_ms: float | None = None
    executing_ms: float | None = None
    completed_ms: float | None = None
    yielded_ms: float | None = None
    waited_ms: float = 0.0
    waiting_since_ms: float | None = None
    run_ms: float = 0.0
    runs: list[tuple[float, float]] = field(default_factory=list)  # when it really ran, without waiting for a user
    running_since_ms: float | None = None  # start of the run span that is still open
    base: str = ""  # the folder that paths are shown relative to
    cwd: str = ""  # the folder a command would run in, where a user is asked about one
    version: int = 0  # goes up with every change, so that hosts know what to draw again

    @property
    def refused_hunks(self) -> int:
        """How many hunks of the proposal the user refused, over all files."""
        return sum(len(review.refused) for review in self.reviews.values())

    @property
    def change(self) -> FileChange | None:
        """The change of a tool that changes one file; of several the first."""
        return self.changes[0] if self.changes else None

    def take_change(self, change: FileChange) -> None:
        """Take in a change: of a file that is known already in the place of what was known."""
        if any(known.path == change.path for known in self.changes):
            self.changes = tuple(change if known.path == change.path else known for known in self.changes)
        else:
            self.changes = (*self.changes, change)

    @property
    def text(self) -> str:
        """The result's text as the model gets it."""
        if isinstance(self.content, str):
            return self.content
        return "\n".join(str(block.get("text", "")) for block in self.content if block.get("type") == "text")
