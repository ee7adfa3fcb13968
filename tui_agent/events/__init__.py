"""Every fact of a session, one frozen dataclass each: what the engine says and the only thing a screen is drawn from.

Facts are named in the past tense and never changed. The bus stamps the header when an event is published; whoever makes an
event gives only what it says. `event_json` writes and reads them.

Each module here holds the events about one thing, and says in which order they come where subscribers may rely on it.
Everybody else imports them from the package, which imports all modules: a journal can only be read when every event is known.

Imports `changes` and the standard library.
"""

from __future__ import annotations

from tui_agent.events.agents import AgentEnded, AgentOutcome, AgentStarted
from tui_agent.events.conversation import (
    HistoryCleared,
    MessageQueued,
    MessageUnqueued,
    MessageWithdrawn,
    ReminderSent,
    ToolPoolChanged,
    ToolResultShrunk,
    ToolsActivated,
    UserMessageSent,
)
from tui_agent.events.edits import EditApplied, EditProposed, EditReviewed, EditUndone, ProposedFileChanged
from tui_agent.events.event import Event
from tui_agent.events.hooks import HookEnded, HookStarted
from tui_agent.events.jobs import JobEnded, JobProgressed, JobStarted
from tui_agent.events.mcp import McpServerChanged
from tui_agent.events.questions import FormAnswered, FormRequested, PermissionRequested, PermissionResolved
from tui_agent.events.reply import (
    AssistantMessageCompleted,
    ResponseStarted,
    TextDelta,
    TextFinished,
    ThinkingDelta,
    ThinkingFinished,
)
from tui_agent.events.session import (
    BranchChanged,
    MaskingChanged,
    ModeChanged,
    ModelChanged,
    Notice,
    SessionEnded,
    SessionRenamed,
    SessionStarted,
    SettingsReloaded,
    SpendingLimitChanged,
    TasksChanged,
    ThinkingChanged,
)
from tui_agent.events.tool_use import (
    ToolInputChanged,
    ToolInputDelta,
    ToolProgressed,
    ToolResultReady,
    ToolStageEnded,
    ToolStageStarted,
    ToolState,
    ToolStateChanged,
    ToolUseCompleted,
    ToolUseDropped,
    ToolUseStarted,
)
from tui_agent.events.turn import (
    RequestSent,
    RetryScheduled,
    TurnFailed,
    TurnFinished,
    TurnOutcome,
    TurnStarted,
    UsageReported,
)

__all__ = [
    "AgentEnded", "AgentOutcome", "AgentStarted", "AssistantMessageCompleted", "BranchChanged", "EditApplied",
    "EditProposed", "EditReviewed", "EditUndone", "Event", "FormAnswered", "FormRequested", "HistoryCleared",
    "HookEnded", "HookStarted", "JobEnded", "JobProgressed", "JobStarted", "MaskingChanged", "McpServerChanged",
    "MessageQueued", "MessageUnqueued", "MessageWithdrawn", "ModeChanged", "ModelChanged", "Notice",
    "PermissionRequested", "PermissionResolved", "ProposedFileChanged", "ReminderSent", "RequestSent",
    "ResponseStarted", "RetryScheduled", "SessionEnded", "SessionRenamed", "SessionStarted", "SettingsReloaded",
    "SpendingLimitChanged", "TasksChanged", "TextDelta", "TextFinished", "ThinkingChanged", "ThinkingDelta",
    "ThinkingFinished", "ToolInputChanged", "ToolInputDelta", "ToolPoolChanged", "ToolProgressed", "ToolResultReady",
    "ToolResultShrunk", "ToolStageEnded", "ToolStageStarted", "ToolState", "ToolStateChanged", "ToolUseCompleted",
    "ToolUseDropped", "ToolUseStarted", "ToolsActivated", "TurnFailed", "TurnFinished", "TurnOutcome", "TurnStarted",
    "UsageReported", "UserMessageSent",
]  # fmt: skip
