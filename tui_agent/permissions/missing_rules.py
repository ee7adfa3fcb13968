"""Whether rules give a call what it lacks: for the preview of a rule, and to prove that what is offered is enough."""

from __future__ import annotations

from tui_agent.permissions.path_context import PathContext
from tui_agent.permissions.paths import PathPattern
from tui_agent.permissions.rules import Behavior, Operation, RuleSet, ToolRules
from tui_agent.permissions.shell.match import allowing_rule, find_rule
from tui_agent.permissions.shell.parse import parse
from tui_agent.permissions.verdict import Need, PathNeed, ToolCall, Verdict

__all__ = ["covers"]


def covers(rules: RuleSet, behavior: Behavior, call: ToolCall, verdict: Verdict, where: PathContext) -> bool:
    """Whether these rules are about a call that was asked: to let it through where they allow, to catch it where they do not.

    It costs some microseconds. Nothing of the call is judged again; what it lacks is what its verdict said then.
    """
    if behavior != "allow":
        return _is_caught(rules, behavior, call, verdict, where)
    if not verdict.is_open:
        return False
    own = rules.for_tool("allow", call.tool)
    is_whole = any(rule.is_about(call.input) for rule in own.by_input)
    return all(_is_met(need, own, rules, call, where, is_whole=is_whole) for need in verdict.needs)


def _is_met(need: Need, own: ToolRules, rules: RuleSet, call: ToolCall, where: PathContext, *, is_whole: bool) -> bool:
    if is_whole and (call.command is None or need.commands):
        return True
    if need.commands and allowing_rule(own.by_command, need.commands) is not None:
        return True
    return bool(need.paths) and all(_is_open(path, rules, where) for path in need.paths)


def _is_open(path: PathNeed, rules: RuleSet, where: PathContext) -> bool:
    return all(rules.allows_path(face, path.operation, where) is not None for face in path.faces)


def _is_caught(rules: RuleSet, behavior: Behavior, call: ToolCall, verdict: Verdict, where: PathContext) -> bool:
    listed = rules.deny if behavior == "deny" else rules.ask
    own = rules.for_tool(behavior, call.tool)
    if any(rule.is_about(call.input) for rule in own.by_input):
        return True
    hit = None if call.command is None else find_rule(own.by_command, parse(call.command))
    if hit is not None and hit.kind == "surely":
        return True
    if not any(isinstance(rule.specifier, PathPattern) or rule.specifier is None for rule in listed):
        return False
    touched: set[tuple[Operation, str]] = {("edit", path) for path in call.writes} | {
        ("read", path) for path in call.reads
    }
    touched |= {(path.operation, path.path) for need in verdict.needs for path in need.paths}
    return any(rules.path_rule(behavior, path, operation, where) for operation, path in touched)
