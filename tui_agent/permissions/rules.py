"""All permission rules in force, by list: which of them are about a tool, a path or a host.

When which list counts stands in `decide`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final

from tui_agent.permissions.path_context import PathContext
from tui_agent.permissions.paths import PathPattern
from tui_agent.permissions.rule import (
    SESSION,
    Behavior,
    Operation,
    Rule,
    RuleError,
    RuleProblem,
    RuleSource,
    SourceKind,
    parse_rule,
    rule_problem,
)
from tui_agent.permissions.shell.match import CommandRules
from tui_agent.permissions.shell.pattern import CommandPattern
from tui_agent.permissions.specifiers import DomainPattern
from tui_agent.permissions.tool_names import EDIT_TOOLS, READ_TOOLS, SHELL_TOOLS

if TYPE_CHECKING:
    from tui_agent.settings.load import RuleEntry

__all__ = [
    "EDIT_TOOLS", "READ_TOOLS", "SHELL_TOOLS", "Behavior", "Operation", "Rule", "RuleError", "RuleProblem", "RuleSet",
    "RuleSource", "SourceKind", "ToolRules", "parse_rule", "rule_problem",
]  # fmt: skip

_MOST_TOOLS: Final = 200


@dataclass(frozen=True, slots=True)
class ToolRules:
    """The rules of one list that count for one tool: by its name or its input, and by the command it runs."""

    by_input: tuple[Rule, ...]
    by_command: CommandRules


class PathRules:
    """Rules on paths, in their order. That none of hundreds matches, which is usual, is found out at once."""

    def __init__(self, rows: Iterable[tuple[Rule, PathPattern | None]]) -> None:
        self._rows = tuple(rows)
        self._is_open = any(pattern is None for _rule, pattern in self._rows)
        grouped: dict[tuple[str, str | None, int], list[PathPattern]] = {}
        for _rule, pattern in self._rows:
            if pattern is not None:
                grouped.setdefault((pattern.anchor, pattern.base, pattern.ups), []).append(pattern)
        self._groups = [
            (patterns[0], re.compile("|".join(one.regex.pattern for one in patterns), re.DOTALL | re.IGNORECASE))
            for patterns in grouped.values()
        ]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[tuple[Rule, PathPattern | None]]:
        return iter(self._rows)

    def may_match(self, path: str, where: PathContext) -> bool:
        """Whether it is worth looking for a rule that matches; rather once too often."""
        if self._is_open:
            return True
        for first, regex in self._groups:
            for base in where.bases(first.start(where)):
                prefix = base.rstrip("/") + "/"
                if path == base or (
                    path[: len(prefix)].casefold() == prefix.casefold() and regex.fullmatch(path[len(prefix) :])
                ):
                    return True
        return False


@dataclass(frozen=True)
class RuleSet:
    """All rules in force, strongest source first in each list."""

    allow: tuple[Rule, ...] = ()
    ask: tuple[Rule, ...] = ()
    deny: tuple[Rule, ...] = ()
    problems: tuple[RuleProblem, ...] = ()
    _tools: dict[tuple[Behavior, str, bool], ToolRules] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )

    @classmethod
    def from_lists(
        cls,
        *,
        allow: Iterable[str] = (),
        ask: Iterable[str] = (),
        deny: Iterable[str] = (),
        source: RuleSource = SESSION,
    ) -> RuleSet:
        """Compile lists of one source; a rule that cannot be used becomes a problem, the others hold."""
        problems: list[RuleProblem] = []
        return cls(
            allow=tuple(_parsed(((text, source, 0) for text in allow), "allow", problems)),
            ask=tuple(_parsed(((text, source, 0) for text in ask), "ask", problems)),
            deny=tuple(_parsed(((text, source, 0) for text in deny), "deny", problems)),
            problems=tuple(problems),
        )

    @classmethod
    def from_entries(cls, entries: Iterable[RuleEntry]) -> RuleSet:
        """Compile the rules of the settings. Those that an untrusted folder's files hold back take no part."""
        rows: dict[str, list[tuple[str, RuleSource, int]]] = {"allow": [], "ask": [], "deny": []}
        for entry in entries:
            if not entry.is_held_back:
                source = RuleSource(entry.kind, entry.file, str(entry.base))
                rows[entry.behavior].append((entry.text, source, entry.line))
        problems: list[RuleProblem] = []
        return cls(
            allow=_ranked(_parsed(rows["allow"], "allow", problems)),
            ask=_ranked(_parsed(rows["ask"], "ask", problems)),
            deny=_ranked(_parsed(rows["deny"], "deny", problems)),
            problems=tuple(problems),
        )

    @classmethod
    def merged(cls, *sets: RuleSet) -> RuleSet:
        """Join sets; within a list, the strongest source comes first and so is the one that is named."""
        return cls(
            allow=_ranked(rule for one in sets for rule in one.allow),
            ask=_ranked(rule for one in sets for rule in one.ask),
            deny=_ranked(rule for one in sets for rule in one.deny),
            problems=tuple(problem for one in sets for problem in one.problems),
        )

    @property
    def all(self) -> tuple[Rule, ...]:
        """All rules: those that deny first, then those that ask, then those that allow."""
        return (*self.deny, *self.ask, *self.allow)

    @classmethod
    def of(cls, rules: Iterable[Rule]) -> RuleSet:
        """Return a set of rules that are compiled already."""
        rules = tuple(rules)
        lists = {kind: _ranked(rule for rule in rules if rule.behavior == kind) for kind in ("allow", "ask", "deny")}
        return cls(lists["allow"], lists["ask"], lists["deny"])

    def denied_tools(self) -> frozenset[str]:
        """Return the names, or globs over names, of tools that are denied as a whole."""
        return frozenset(rule.tool for rule in self.deny if rule.specifier is None and not rule.is_inert)

    def denies_path(self, path: str, operation: Operation, where: PathContext) -> str | None:
        """Return why a rule forbids reading or editing an absolute path, or None where none does."""
        rule = self.path_rule("deny", path, operation, where)
        return None if rule is None else f"`{rule.text}` in {rule.source.name} denies it"

    def path_rule(self, behavior: Behavior, path: str, operation: Operation, where: PathContext) -> Rule | None:
        """Return the first rule of a list that covers an operation on a path, or on what the path leads to.

        That either of the two suffices is right for rules that forbid or ask; for allowing see `allows_path`.
        """
        rules = self._path_rules[behavior, operation]
        # links are followed on the disk, which a search does not want to wait for with every file it finds
        faces = where.faces(path) if rules else ()
        if not any(rules.may_match(face, where) for face in faces):
            return None
        for rule, pattern in rules:
            if pattern is None or any(pattern.matches(face, where) for face in faces):
                return rule
        return None

    def allows_path(self, face: str, operation: Operation, where: PathContext) -> Rule | None:
        """Return the rule that allows an operation on exactly this path; a link and its target each need one."""
        rules = self._path_rules["allow", operation]
        if not rules or not rules.may_match(face, where):
            return None
        for rule, pattern in rules:
            if rule.counts(is_trusted=where.is_trusted) and (pattern is None or pattern.matches(face, where)):
                return rule
        return None

    def permits_host(self, host: str, *, is_trusted: bool) -> bool:
        """Whether an allow rule names this canonical host; one for all hosts, or for the whole tool, names none."""
        return any(
            rule.specifier.names_hosts and rule.specifier.matches_host(host)
            for rule in self.allow
            if isinstance(rule.specifier, DomainPattern) and rule.counts(is_trusted=is_trusted)
        )

    def guards_host(self, host: str) -> bool:
        """Whether a rule denies or asks about fetching from this canonical host in particular."""
        return any(
            isinstance(rule.specifier, DomainPattern) and rule.specifier.matches_host(host)
            for rule in (*self.deny, *self.ask)
        )

    def has_denials(self, operation: Operation) -> bool:
        """Whether any rule forbids reading, or editing, some path."""
        return bool(self._path_rules["deny", operation])

    def guards(self, operation: Operation) -> bool:
        """Whether any rule forbids, or asks about, reading or editing some path."""
        return self.has_denials(operation) or bool(self._path_rules["ask", operation])

    def path_rules(self, behavior: Behavior, operation: Operation) -> PathRules:
        """Return the rules of a list on reading, or editing, paths."""
        return self._path_rules[behavior, operation]

    def for_tool(self, behavior: Behavior, tool: str, *, is_trusted: bool = True) -> ToolRules:
        """Return the rules of a list that count for a tool. Allow rules of a project that is not trusted do not."""
        key = (behavior, tool, is_trusted)
        found = self._tools.get(key)
        if found is None:
            listed = {"allow": self.allow, "ask": self.ask, "deny": self.deny}[behavior]
            counts = [rule for rule in listed if behavior != "allow" or rule.counts(is_trusted=is_trusted)]
            own = [rule for rule in counts if not rule.is_inert and rule.is_about_tool(tool)]
            found = ToolRules(
                by_input=tuple(rule for rule in own if not isinstance(rule.specifier, CommandPattern | PathPattern)),
                by_command=CommandRules(own),
            )
            if len(self._tools) < _MOST_TOOLS:  # a name comes from the model
                self._tools[key] = found
        return found

    @cached_property
    def _path_rules(self) -> dict[tuple[Behavior, Operation], PathRules]:
        """Path rules by list and operation. Who may edit may read; who may not read may not edit."""
        lists: tuple[tuple[Behavior, tuple[Rule, ...]], ...] = (
            ("allow", self.allow),
            ("ask", self.ask),
            ("deny", self.deny),
        )
        table: dict[tuple[Behavior, Operation], PathRules] = {}
        for behavior, rules in lists:
            readers = {"Read", "Edit"} if behavior == "allow" else {"Read"}
            editors = {"Read", "Edit"} if behavior == "deny" else {"Edit"}
            table[behavior, "read"] = PathRules(_governing(rules, readers))
            table[behavior, "edit"] = PathRules(_governing(rules, editors))
        return table


def _governing(rules: Iterable[Rule], names: set[str]) -> Iterator[tuple[Rule, PathPattern | None]]:
    for rule in rules:
        if rule.is_inert or not any(rule.is_for(name) for name in names):
            continue
        if rule.specifier is None or isinstance(rule.specifier, PathPattern):
            yield rule, rule.specifier


def _parsed(
    rows: Iterable[tuple[str, RuleSource, int]], behavior: Behavior, problems: list[RuleProblem]
) -> Iterator[Rule]:
    for text, source, line in rows:
        try:
            rule = parse_rule(text, behavior, source, line)
        except RuleError as error:
            problems.append(RuleProblem(text, source.name, f"{error}; ignored", line))
        else:
            if rule.warning:
                problems.append(RuleProblem(text, source.name, rule.warning, line))
            yield rule


def _ranked(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    return tuple(sorted(rules, key=lambda rule: rule.source.rank))
