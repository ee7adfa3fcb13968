"""What modes, places for rules, answers to a plan and those who ask are called, in every front end. Imports nothing heavy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tui_agent.permissions.modes import Mode
    from tui_agent.permissions.verdict import Scope

__all__ = ["ASKED_BY", "MODE_DETAILS", "PLAN_ANSWERS", "SCOPES", "SCOPES_AT_LENGTH"]

MODE_DETAILS: Final[dict[Mode, str]] = {
    "default": "asks before any change or command",
    "acceptEdits": "edits files here without asking",
    "plan": "read-only, and makes a plan",
    "dontAsk": "denies whatever would ask",
    "bypassPermissions": "asks nothing, except where rules say so",
}
"""What each mode does, in a few words."""

PLAN_ANSWERS: Final[dict[Mode, str]] = {
    "acceptEdits": "Yes, and accept edits automatically",
    "default": "Yes, and approve edits one by one",
    "dontAsk": "Yes, and continue as before: nothing asks; what no rule allows is denied",
    "bypassPermissions": "Yes, and bypass permissions: nothing asks",
}
"""The ways to say yes to a plan: by the mode in which it is carried out."""

SCOPES: Final[dict[Scope, str]] = {
    "session": "this session",
    "local": "this project (me)",
    "project": "this project (team)",
    "user": "all my projects",
}
"""Where a rule is kept."""

SCOPES_AT_LENGTH: Final[dict[Scope, str]] = {
    "session": "for you, until this session ends",
    "local": "for you, in this project",
    "project": "for everyone who works on this project: the file goes with it",
    "user": "for you, in every project",
}
"""For whom a rule that is kept there counts, and for how long."""

ASKED_BY: Final = {
    "rule": "the rule",
    "mode": "the permission mode",
    "tool": "the tool",
    "classifier": "the shell check",
    "protected_path": "the protected-path check",
    "hook": "a hook",
    "sandbox": "the sandbox",
    "default": "",
}
"""Who asks about a call."""
