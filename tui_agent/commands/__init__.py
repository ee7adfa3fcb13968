"""Every wish of a front end, one frozen dataclass each: the mirror of `events`, and all that changes anything in the engine.

Commands are named in the imperative. Each says what its reply holds. Each module here holds the commands about one thing;
`boundary_json` writes and reads them. Only plain data is imported here, never the engine.
"""

from __future__ import annotations

from tui_agent.commands.changes import Undo, Undone
from tui_agent.commands.command import Command, Done, Reply
from tui_agent.commands.conversation import (
    Clear,
    DropResult,
    Interrupt,
    Interrupted,
    RunShell,
    RunTool,
    Submit,
    Submitted,
    TakeBack,
    TakenBack,
)
from tui_agent.commands.mcp import ManageMcpServer, McpAction
from tui_agent.commands.permissions import AddRule, RemoveRule, ReplaceRule, RuleKept
from tui_agent.commands.questions import Answer, AnswerForm, PlanEdited, ReviewedFile
from tui_agent.commands.session import (
    AddFolder,
    Close,
    ConfirmSettings,
    CycleMode,
    DeleteSession,
    EndReason,
    FolderAdded,
    Refresh,
    ReloadSettings,
    RenameSession,
    SessionDeleted,
    SetMasking,
    SetMode,
    SetModel,
    SetSpendingLimit,
    SetThinking,
    SignIn,
    Start,
)
from tui_agent.commands.tools import MoveToBackground, StopAgent, StopAgents, StopJob, StopTool

__all__ = [
    "AddFolder", "AddRule", "Answer", "AnswerForm", "Clear", "Close", "Command", "ConfirmSettings", "CycleMode",
    "DeleteSession", "Done", "DropResult", "EndReason", "FolderAdded", "Interrupt", "Interrupted", "ManageMcpServer",
    "McpAction", "MoveToBackground", "PlanEdited", "Refresh", "ReloadSettings", "RemoveRule", "RenameSession",
    "ReplaceRule", "Reply", "ReviewedFile", "RuleKept", "RunShell", "RunTool", "SessionDeleted", "SetMasking",
    "SetMode", "SetModel", "SetSpendingLimit", "SetThinking", "SignIn", "Start", "StopAgent", "StopAgents",
    "StopJob", "StopTool", "Submit", "Submitted", "TakeBack", "TakenBack", "Undo", "Undone",
]  # fmt: skip
