"""Rules that do nothing: outweighed by a stronger one, there twice, about no tool that exists, or never matching.

A rule is dead only where that can be shown; whether one pattern covers another is judged by what a `*` of the other could
be, a character that no pattern can name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from tui_agent.permissions.path_context import PathContext
from tui_agent.permissions.paths import PathPattern
from tui_agent.permissions.rule import Rule, RuleProblem
from tui_agent.permissions.rules import RuleSet
from tui_agent.permissions.shell.pattern import CommandPattern
from tui_agent.permissions.specifiers import DomainPattern, ExactPattern, ParameterPattern
from tui_agent.permissions.tool_names import EDIT_TOOLS, READ_TOOLS, SHELL_TOOLS, name_problem

__all__ = ["dead_rules", "unknown_tools"]

_ANYTHING = "\0"


def dead_rules(rules: RuleSet, where: PathContext, *, known: Collection[str] = ()) -> tuple[RuleProblem, ...]:
    """Return each rule that does nothing, with its file, its line and the reason: rules that allow first, then ask, then deny.

    Args:
        rules: all rules in force.
        where: what paths in them start from.
        known: names of tools there are, besides those that are known anyway.
    """
    found: list[RuleProblem] = []
    seen: dict[tuple[object, ...], Rule] = {}
    for rule in (*rules.allow, *rules.ask, *rules.deny):
        stronger = {"allow": (*rules.deny, *rules.ask), "ask": rules.deny, "deny": ()}[rule.behavior]
        text = _why_dead(rule, stronger, seen, where, known)
        if text:
            found.append(RuleProblem(rule.text, rule.source.name, f"`{rule.text}` {text}", rule.line, rule.behavior))
        seen.setdefault(_identity(rule), rule)
    return tuple(found)


def unknown_tools(rules: RuleSet, known: Collection[str] = ()) -> tuple[RuleProblem, ...]:
    """Return the rules that deny or ask about a tool of a name that nothing has: they look like protection and are none."""
    return tuple(
        RuleProblem(rule.text, rule.source.name, f"`{rule.text}`: {problem}", rule.line)
        for rule in (*rules.deny, *rules.ask)
        if (problem := name_problem(rule.tool, known))
    )


def _why_dead(
    rule: Rule,
    stronger: Iterable[Rule],
    seen: dict[tuple[object, ...], Rule],
    where: PathContext,
    known: Collection[str],
) -> str:
    if rule.is_inert:
        return f"has no effect: {rule.warning}"
    problem = name_problem(rule.tool, known)
    if problem:
        return f"has no effect: {problem}"
    same = seen.get(_identity(rule))
    if same is not None:
        return f"is a duplicate of the one in {_place(same)}"
    for other in stronger:
        if not other.is_inert and _covers(other, rule, where):
            does = "denies" if other.behavior == "deny" else "asks about"
            return f"has no effect: `{other.text}` in {_place(other)} {does} all that it is about"
    return ""


def _identity(rule: Rule) -> tuple[object, ...]:
    specifier = rule.specifier
    base = specifier.base if isinstance(specifier, PathPattern) and specifier.anchor == "source" else None
    return rule.behavior, rule.tool, None if specifier is None else specifier.text, base


def _place(rule: Rule) -> str:
    return f"{rule.source.name}:{rule.line}" if rule.line else rule.source.name


def _covers(strong: Rule, weak: Rule, where: PathContext) -> bool:
    """Whether a rule that forbids or asks is surely about all that another rule is about."""
    if not _covers_tool(strong, weak):
        return False
    match strong.specifier, weak.specifier:
        case None, _:
            return True
        case CommandPattern() as one, CommandPattern() as other:
            return all(one.matches(text) for text in _commands(other))
        case PathPattern() as one, PathPattern() as other:
            return all(one.matches(path, where) for path in _paths(other, where))
        case DomainPattern() as one, DomainPattern() as other:
            return one.matches_host(
                other.text.replace("*", f"{_ANYTHING}.{_ANYTHING}" if other.text == "*" else _ANYTHING)
            )
        case ExactPattern() as one, ExactPattern() as other:
            return one.text in {other.text, f"{other.text} *"}
        case ParameterPattern(), _:
            return False
        case _:
            return False


def _covers_tool(strong: Rule, weak: Rule) -> bool:
    if strong.is_for(weak.tool):
        return True
    if weak.tool in SHELL_TOOLS:
        return strong.is_about_tool(weak.tool)
    if not isinstance(weak.specifier, PathPattern):
        return False
    # Who may not read may not edit; asking about reading asks about no edit.
    governing = (
        READ_TOOLS | EDIT_TOOLS if strong.behavior == "deny" and weak.tool in EDIT_TOOLS else frozenset({weak.tool})
    )
    return any(strong.is_for(tool) for tool in ("Read", "Edit") if tool in governing)


def _commands(pattern: CommandPattern) -> Iterator[str]:
    """Yield commands that stand for all that a pattern covers."""
    fixed = _ANYTHING.join(pattern.parts)
    yield fixed
    if pattern.is_open:
        yield f"{fixed} {_ANYTHING}"


def _paths(pattern: PathPattern, where: PathContext) -> Iterator[str]:
    """Yield paths that stand for all that a pattern covers."""
    text = pattern.rest
    base = pattern.start(where)
    is_bare = pattern.anchor == "cwd" and "/" not in text.rstrip("/") and not pattern.text.startswith("./")
    if "[" in text or "\\" in text or "{" in text:
        yield _ANYTHING  # what these cover is not worked out; no pattern covers this
        return
    fixed = text.rstrip("/").replace("?", _ANYTHING)
    for deep in (_ANYTHING, f"{_ANYTHING}/{_ANYTHING}"):
        inner = fixed.replace("**", "\1").replace("*", _ANYTHING).replace("\1", deep)
        for start in ("", f"{_ANYTHING}/") if is_bare else ("",):
            path = f"{base.rstrip('/')}/{start}{inner}"
            yield path
            yield f"{path}/{_ANYTHING}"
