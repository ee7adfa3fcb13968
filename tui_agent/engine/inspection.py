"""What commands without a session may look at in the engine: one tool's run, one call's verdict, the state of the set-up."""

from __future__ import annotations

from tui_agent.engine.agents.types import agent_catalog
from tui_agent.engine.gate.permission_broker import PermissionBroker
from tui_agent.engine.gate.permission_service import call_to_try
from tui_agent.engine.gate.sandbox_rules import unheld_rules
from tui_agent.engine.gate.sandbox_status import no_sandbox, sandbox_terms
from tui_agent.engine.hooks.conditions import if_problem
from tui_agent.engine.mcp.browser import open_address
from tui_agent.engine.mcp.standalone import StandaloneServers
from tui_agent.engine.session.config import SessionConfig, SessionConfigError, SessionOptions, prepare
from tui_agent.engine.session.core import SessionCore
from tui_agent.engine.session.tool_runtime import ToolRuntime
from tui_agent.engine.skills.loading import catalog_for
from tui_agent.engine.skills.skill_answers import skill_notes

__all__ = [
    "PermissionBroker",
    "SessionConfig",
    "SessionConfigError",
    "SessionCore",
    "SessionOptions",
    "StandaloneServers",
    "ToolRuntime",
    "agent_catalog",
    "call_to_try",
    "catalog_for",
    "if_problem",
    "no_sandbox",
    "open_address",
    "prepare",
    "sandbox_terms",
    "skill_notes",
    "unheld_rules",
]
