"""What is said of a permission rule while somebody writes it."""

from __future__ import annotations

from tui_agent.permissions.overbroad_rules import breadth_warning
from tui_agent.permissions.rules import Behavior, RuleError, parse_rule

__all__ = ["rule_notes"]


def rule_notes(text: str, behavior: Behavior = "allow") -> tuple[str, str]:
    """Return why a rule could not be used, and what it lets through that its writer may not have meant; empty where nothing."""
    try:
        rule = parse_rule(text, behavior)
    except RuleError as error:
        return str(error), ""
    if rule.warning:
        return rule.warning, ""
    return "", breadth_warning(rule) if behavior == "allow" else ""
