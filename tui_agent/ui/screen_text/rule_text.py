"""How rules, their lists and the places they come from are called on the screen."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from tui_agent.viewkit.tool_text import one_line

if TYPE_CHECKING:
    from tui_agent.permissions.verdict import Behavior, Scope
    from tui_agent.queries import RuleRow

__all__ = ["LISTS", "near", "scope_of", "source_words", "why_fixed"]

LISTS: Final[dict[Behavior, str]] = {"deny": "deny", "ask": "ask", "allow": "allow"}
"""The lists of rules, in the order in which they count."""


def near(path: str, cwd: str, home: str) -> str:
    """Return a file's name as people read it: from the folder of the session, or from home."""
    for folder, sign in ((cwd, ""), (home, "~/")):
        if folder and PurePath(path).is_relative_to(folder):
            return one_line(f"{sign}{PurePath(path).relative_to(folder)}")
    return one_line(path)


def source_words(row: RuleRow, cwd: str, home: str) -> str:
    """Return where a rule comes from: the file and the line, or what else gave it."""
    if row.kind == "session":
        return "this session"
    if row.kind == "cli" and not row.source.startswith("/"):
        return "command line"
    place = near(row.source, cwd, home)
    return f"{place}:{row.line}" if row.line else place


def why_fixed(row: RuleRow) -> str:
    """Return why a rule cannot be changed here; empty where it can."""
    if row.is_removable:
        return ""
    match row.kind:
        case "cli":
            return "it was given on the command line, for this run only"
        case "policy":
            return "it is set by the policy of this machine; only an administrator can change it"
        case _:
            return f"it is in {one_line(row.source)}, a file of another program; change it there, or add your own"


def scope_of(row: RuleRow) -> Scope:
    """Return where a rule that takes the place of this one would be kept, unless the user says otherwise."""
    match row.kind:
        case "local" | "project" | "user":
            return row.kind
        case _:
            return "session"
