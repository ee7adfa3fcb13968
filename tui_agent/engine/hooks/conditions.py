"""Whether a hook's `if`, a permission rule, is about a tool use."""

from __future__ import annotations

from functools import lru_cache

from tui_agent.hooks.dispatch import HookedUse
from tui_agent.permissions.call_facts import call_from_input
from tui_agent.permissions.decide import decide
from tui_agent.permissions.path_context import PathContext
from tui_agent.permissions.paths import PathPattern
from tui_agent.permissions.rules import EDIT_TOOLS, READ_TOOLS, Rule, RuleError, RuleSet, RuleSource, parse_rule
from tui_agent.permissions.shell.match import CommandRules, find_rule
from tui_agent.permissions.shell.parse import parse
from tui_agent.permissions.shell.pattern import CommandPattern

__all__ = ["fits_rule", "if_problem"]


def if_problem(text: str) -> str:
    """Return why a rule cannot stand in an `if`; empty where it can."""
    try:
        return _rule(text, "/").warning
    except RuleError as error:
        return str(error)


def fits_rule(text: str, use: HookedUse, where: PathContext) -> bool:
    """Whether the rule is about this use. Of a command any part may be; one that is not understood might be, and so is.

    A pattern of a path starts at the folder of the session and not at any depth below it, as where a rule allows.
    """
    try:
        rule = _rule(text, where.cwd)
    except RuleError:
        return True
    call = call_from_input(use.name, use.input, where)
    match rule.specifier:
        case CommandPattern():
            if call.command is None or not rule.is_for(use.name):
                return False
            script = parse(call.command)
            return not script.is_understood or find_rule(CommandRules((rule,)), script) is not None
        case PathPattern() as pattern:
            governed = EDIT_TOOLS if rule.tool == "Edit" else READ_TOOLS
            paths = (*call.reads, *call.writes)
            return use.name in governed and any(
                pattern.matches(face, where) for path in paths for face in where.faces(path)
            )
        case None:
            return rule.is_for(use.name)
        case _:
            # as one that denies, it decides where it matches
            return decide(call, rules=RuleSet.of((rule,)), mode="default", where=where).by == "rule"


@lru_cache(maxsize=256)
def _rule(text: str, cwd: str) -> Rule:
    source = RuleSource("session", "hook", cwd)
    rule = parse_rule(text, "deny", source)
    return parse_rule(text, "allow", source) if isinstance(rule.specifier, PathPattern) else rule
