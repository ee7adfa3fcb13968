"""Everything a front end may ask the engine, and the answers: frozen dataclasses that hold plain data and nothing alive.

A query's name ends in `Query`; asking changes nothing. Each module here holds the queries about one thing; `boundary_json`
writes and reads them. Only plain data is imported here, never the engine.
"""

from __future__ import annotations

from tui_agent.queries.agents import AgentRow, AgentsQuery, AgentsReport, AgentTypeRow
from tui_agent.queries.changes import ChangesQuery, ChangesReport, NetChange, Patch, PatchQuery, UndoPlan, UndoPlanQuery
from tui_agent.queries.mcp import (
    McpPromptRow,
    McpQuery,
    McpReport,
    McpResourceRow,
    McpServerRow,
    McpSettled,
    McpSettledQuery,
    McpToolRow,
)
from tui_agent.queries.memory import MemoryPlace, MemoryQuery, MemoryReport, MemoryRow
from tui_agent.queries.permissions import (
    Coverage,
    CoverageQuery,
    CoveredCall,
    Denial,
    JudgeQuery,
    PermissionsQuery,
    PermissionsReport,
    PlanOffer,
    PlanQuery,
    Proposals,
    ProposalsQuery,
    RuleCheckQuery,
    RuleFiles,
    RuleNotes,
    RuleRow,
    TrialQuery,
)
from tui_agent.queries.query import Query
from tui_agent.queries.recorded import (
    ExportQuery,
    MarkdownExport,
    RecordedSession,
    SessionList,
    SessionPreview,
    SessionPreviewQuery,
    SessionQuery,
    SessionsQuery,
)
from tui_agent.queries.session import (
    ContextPart,
    ContextQuery,
    ContextReport,
    CostQuery,
    CostReport,
    Idle,
    IdleQuery,
    Masking,
    ModelList,
    ModelName,
    ModelsQuery,
    SessionState,
    StateQuery,
    ToolList,
    ToolName,
    ToolsQuery,
)
from tui_agent.queries.settings import (
    HookRow,
    HooksQuery,
    HooksReport,
    Preferences,
    PreferencesQuery,
    SettingRow,
    SettingSaid,
    SettingsQuery,
    SettingsReport,
    StatusLineCommand,
    WithheldQuery,
    WithheldReport,
)
from tui_agent.queries.skills import SkillList, SkillRow, SkillsQuery

__all__ = [
    "AgentRow", "AgentTypeRow", "AgentsQuery", "AgentsReport", "ChangesQuery", "ChangesReport", "ContextPart",
    "ContextQuery", "ContextReport", "CostQuery", "CostReport", "Coverage", "CoverageQuery", "CoveredCall", "Denial",
    "ExportQuery", "HookRow", "HooksQuery", "HooksReport", "Idle", "IdleQuery", "JudgeQuery", "MarkdownExport",
    "Masking", "McpPromptRow", "McpQuery", "McpReport", "McpResourceRow", "McpServerRow", "McpSettled",
    "McpSettledQuery", "McpToolRow", "MemoryPlace", "MemoryQuery", "MemoryReport", "MemoryRow", "ModelList",
    "ModelName", "ModelsQuery", "NetChange", "Patch", "PatchQuery", "PermissionsQuery", "PermissionsReport",
    "PlanOffer", "PlanQuery", "Preferences", "PreferencesQuery", "Proposals", "ProposalsQuery", "Query",
    "RecordedSession", "RuleCheckQuery", "RuleFiles", "RuleNotes", "RuleRow", "SessionList", "SessionPreview",
    "SessionPreviewQuery", "SessionQuery", "SessionState", "SessionsQuery", "SettingRow", "SettingSaid",
    "SettingsQuery", "SettingsReport", "SkillList", "SkillRow", "SkillsQuery", "StateQuery", "StatusLineCommand",
    "ToolList", "ToolName", "ToolsQuery", "TrialQuery", "UndoPlan", "UndoPlanQuery", "WithheldQuery",
    "WithheldReport",
]  # fmt: skip
