"""What the projection keeps besides blocks and tool uses: where things stand, turn by turn, and what changed just now."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tui_agent.events import FormRequested, PermissionRequested
    from tui_agent.ui.projection.timeline import Span

    Request = PermissionRequested | FormRequested

__all__ = ["Dirty", "Request", "Retry", "Status", "TurnInfo"]


@dataclass(slots=True)
class Dirty:
    """What one `apply` changed. Blocks from position `blocks_from` on are new; `block_ids` are older ones that changed.

    `is_reset` says that all blocks before are gone, as after `/clear`.
    """

    blocks_from: int | None = None
    block_ids: set[str] = field(default_factory=set)
    is_reset: bool = False
    tools: bool = False
    tool_ids: set[str] = field(default_factory=set)
    requests: bool = False
    status: bool = False
    changes: bool = False
    queue: bool = False
    tasks: bool = False
    agents: set[str] = field(default_factory=set)

    @classmethod
    def everything(cls) -> Dirty:
        """For a pane that starts from a projection that is already full."""
        return cls(0, set(), True, True, set(), True, True, True, True, True)


@dataclass(frozen=True, slots=True)
class Retry:
    """A request failed and is tried again at `due_ms` on the events' clock."""

    attempt: int
    max_attempts: int
    due_ms: float
    delay_s: float
    reason: str


@dataclass(slots=True)
class Status:
    """What the status lines say. Sizes are tokens; `cost_usd` is None as long as no request had a known price."""

    model: str = ""
    title: str = ""  # what the user calls the session
    is_thinking: bool = True  # as the user wants it
    mode: str = "default"
    cwd: str = ""
    branch: str = ""
    changed_files: int | None = 0
    context_tokens: int = 0
    context_size: int | None = None
    cost_usd: float | None = None
    limit_usd: float | None = None  # what the session may cost
    is_busy: bool = False
    activity: str = ""
    activity_tool: str = ""  # the id of the one tool use that `activity` is about, and which is named after it
    activity_since_ms: float = 0.0
    retry: Retry | None = None
    is_trusted: bool = True
    shows_secrets: bool = False
    jobs: int = 0  # commands that run in the background
    sandbox: str = ""  # as in `SessionStarted`
    settings_version: int = 0  # goes up by one each time the settings have changed


@dataclass(slots=True)
class TurnInfo:
    """One turn: when it ran, when the model was talking, and the tools it used, oldest first. Times are milliseconds."""

    id: str
    started_ms: float
    ended_ms: float | None = None
    outcome: str = ""
    stream: list[Span] = field(default_factory=list)
    stream_since_ms: float | None = None
    tool_ids: list[str] = field(default_factory=list)

    def stream_until(self, now_ms: float) -> list[Span]:
        """Return when the model was talking, up to now."""
        if self.stream_since_ms is None:
            return self.stream
        return [*self.stream, (self.stream_since_ms, now_ms)]
