"""Permission rules: `Tool`, `Tool(*)` or `Tool(specifier)`, parsed and compiled once, with where each one comes from.

This file knows the grammar and the lists. What a command pattern means stands in `shell`, what a path pattern means in
`paths`, and when which list counts in `decide`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final, Literal

from tui_agent.permissions.paths import BadPattern, PathPattern
from tui_agent.permissions.shell.pattern import CommandPattern
from tui_agent.permissions.specifiers import DomainPattern, ExactPattern, ParameterPattern
from tui_agent.permissions.surroundings import Surroundings

if TYPE_CHECKING:
    from tui_agent.settings.load import RuleEntry

__all__ = [
    "EDIT_TOOLS",
    "READ_TOOLS",
    "Behavior",
    "Operation",
    "Rule",
    "RuleError",
    "RuleProblem",
    "RuleSet",
    "RuleSource",
    "parse_rule",
    "rule_problem",
]

Behavior = Literal["allow", "ask", "deny"]
Operation = Literal["read", "edit"]
SourceKind = Literal["session", "cli", "local", "project", "policy", "user"]
_RANKS: Final[tuple[SourceKind, ...]] = ("session", "cli", "local", "project", "policy", "user")

READ_TOOLS: Final = frozenset({"Read", "Grep", "Glob", "LS", "NotebookRead", "LSP"})
EDIT_TOOLS: Final = frozenset({"Edit", "Write", "MultiEdit", "NotebookEdit"})
_SHELL_TOOLS: Final = frozenset({"Bash", "Monitor"})
_ALIASES: Final = {"Task": "Agent", "KillShell": "TaskStop", "BashOutput": "TaskOutput"}
_NAME: Final = re.compile(r"[^\s()]+")
_SHAPE: Final = re.compile(r"\s*([^\s()]+)\s*(?:\((.*)\)\s*)?", re.DOTALL)
_MCP_GLOB: Final = re.compile(r"mcp__[^*]+?__.*\*.*")
_PARAMETER: Final = re.compile(r"\s*([A-Za-z_]\w*)\s*:\s*(.*?)\s*", re.DOTALL)
# Fields with a language of their own; a rule on one of them by name would look like protection and be none.
_PRIMARY: Final = frozenset({"command", "file_path", "path", "notebook_path", "url"})
# Which `name:value` is a field and not a command or a path has to be known for the tools that take those.
_FIELDS: Final = {
    "Bash": frozenset({"run_in_background", "timeout", "description", "dangerouslyDisableSandbox", "cwd"}),
    "Monitor": frozenset({"timeout_ms", "description"}),
    "Edit": frozenset({"replace_all"}),
    "Read": frozenset({"offset", "limit", "pages", "encoding"}),
}

Specifier = CommandPattern | PathPattern | ParameterPattern | DomainPattern | ExactPattern


class RuleError(ValueError):
    """A rule that cannot be used; the message says why, in words for the person who wrote it."""


@dataclass(frozen=True, slots=True)
class RuleSource:
    """Where rules come from: the kind (which decides who is named first), a name people know, and where `/path` starts."""

    kind: SourceKind
    name: str
    base: str | None = None

    @property
    def rank(self) -> int:
        """The place in the order of sources, strongest first."""
        return _RANKS.index(self.kind)


SESSION: Final = RuleSource("session", "session")
_ANYWHERE: Final = RuleSource("session", "session", "/")


@dataclass(frozen=True, slots=True)
class RuleProblem:
    """A rule that was left out or will never match, and why."""

    rule: str
    source: str
    text: str
    line: int = 0

    def __str__(self) -> str:
        place = f"{self.source}:{self.line}" if self.line else self.source
        return f"{place}: {self.text}"


@dataclass(frozen=True)
class Rule:
    """One rule. `specifier` is None where it is about the tool as a whole; `is_inert` marks one that never matches."""

    text: str
    tool: str
    behavior: Behavior
    source: RuleSource
    specifier: Specifier | None = None
    warning: str = ""
    is_inert: bool = False
    _name: re.Pattern[str] | None = field(default=None, repr=False)

    def is_for(self, tool: str) -> bool:
        """Whether the rule names this tool: literally, by a glob, or, for MCP, by its server."""
        if self._name is not None:
            return self._name.fullmatch(tool) is not None
        return tool == self.tool or (self.tool.startswith("mcp__") and tool.startswith(self.tool + "__"))


def parse_rule(text: str, behavior: Behavior, source: RuleSource = SESSION) -> Rule:
    """Parse one rule.

    Raises:
        RuleError: it is not a rule, or would allow more than a rule may.
    """
    match = _SHAPE.fullmatch(text)
    if match is None or not _NAME.fullmatch(match[1]):
        raise RuleError(f"`{text}` is not a rule; write `Tool` or `Tool(specifier)`")
    name = _ALIASES.get(match[1], match[1])
    body = match[2]
    if body is not None and not body.strip():
        raise RuleError(f"`{text}` has nothing between its brackets; write `{name}` for the whole tool")
    glob = None
    if "*" in name:
        if behavior == "allow" and not _MCP_GLOB.fullmatch(name):
            raise RuleError(f"`{text}` would allow too much; `*` may stand in a tool's name only after `mcp__server__`")
        glob = re.compile(".*".join(re.escape(part) for part in name.split("*")), re.DOTALL)
    if body is None or body.strip() == "*":
        return Rule(text.strip(), name, behavior, source, _name=glob)
    try:
        specifier, warning = _specifier(name, body.strip(), behavior, source)
    except BadPattern as error:
        raise RuleError(f"`{text}`: {error}") from None
    return Rule(text.strip(), name, behavior, source, specifier, warning, bool(warning), glob)


def rule_problem(text: str, behavior: Behavior) -> str:
    """Return why a rule could not be used, or would never match; empty where it is good."""
    try:
        return parse_rule(text, behavior, _ANYWHERE).warning
    except RuleError as error:
        return str(error)


def _specifier(name: str, body: str, behavior: Behavior, source: RuleSource) -> tuple[Specifier | None, str]:
    """Return what the brackets mean for this tool, and a warning if that is nothing."""
    parameter = _PARAMETER.fullmatch(body)
    if parameter and name != "WebFetch":
        if parameter[1] in _PRIMARY:
            return (
                None,
                f"`{name}({body})` never matches: `{parameter[1]}` has rules of its own, without a field's name",
            )
        fields = _FIELDS.get(name)
        if parameter[1] in fields if fields is not None else name not in READ_TOOLS | EDIT_TOOLS:
            if behavior == "allow":
                return None, f"`{name}({body})` never matches: a field can be asked about or denied, not allowed"
            return ParameterPattern(parameter[1], parameter[2]), ""
    if name in _SHELL_TOOLS:
        return CommandPattern.parse(body), ""
    if name in {"Read", "Edit"}:
        return PathPattern.parse(body, base=source.base, is_allow=behavior == "allow"), ""
    if name in READ_TOOLS | EDIT_TOOLS:
        governing = "Read" if name in READ_TOOLS else "Edit"
        return None, f"`{name}({body})` never matches: use `{governing}({body})`, which covers {name}"
    if name == "WebFetch":
        if not body.startswith("domain:"):
            return None, f"`{name}({body})` never matches: write `WebFetch(domain:host)`"
        return DomainPattern.parse(body.removeprefix("domain:").strip()), ""
    return ExactPattern(body), ""


@dataclass(frozen=True)
class RuleSet:
    """All rules in force, strongest source first in each list."""

    allow: tuple[Rule, ...] = ()
    ask: tuple[Rule, ...] = ()
    deny: tuple[Rule, ...] = ()
    problems: tuple[RuleProblem, ...] = ()

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

    def with_session_rule(self, text: str, behavior: Behavior = "allow") -> RuleSet:
        """Return the set with one more rule that holds until the session ends.

        Raises:
            RuleError: the rule cannot be used.
        """
        rule = parse_rule(text, behavior, SESSION)
        if rule.is_inert:
            raise RuleError(rule.warning)
        none: tuple[Rule, ...] = ()
        added = {"allow": none, "ask": none, "deny": none, behavior: (rule,)}
        return RuleSet.merged(RuleSet(added["allow"], added["ask"], added["deny"]), self)

    def denied_tools(self) -> frozenset[str]:
        """Return the names, or globs over names, of tools that are denied as a whole."""
        return frozenset(rule.tool for rule in self.deny if rule.specifier is None and not rule.is_inert)

    def denies_path(self, path: str, operation: Operation, where: Surroundings) -> str | None:
        """Return why a rule forbids reading or editing an absolute path, or None where none does."""
        rule = self.path_rule("deny", path, operation, where)
        return None if rule is None else f"`{rule.text}` in {rule.source.name} denies it"

    def path_rule(self, behavior: Behavior, path: str, operation: Operation, where: Surroundings) -> Rule | None:
        """Return the first rule of a list that covers an operation on a path, or on what the path leads to.

        That either of the two suffices is right for rules that forbid or ask; for allowing see `allows_path`.
        """
        rules = self._path_rules[behavior, operation]
        # links are followed on the disk, which a search does not want to wait for with every file it finds
        faces = where.faces(path) if rules else ()
        for rule, pattern in rules:
            if pattern is None or any(pattern.matches(face, where) for face in faces):
                return rule
        return None

    def allows_path(self, face: str, operation: Operation, where: Surroundings) -> Rule | None:
        """Return the rule that allows an operation on exactly this path; a link and its target each need one."""
        for rule, pattern in self._path_rules["allow", operation]:
            counts = where.is_trusted or rule.source.kind not in {"project", "local"}
            if counts and (pattern is None or pattern.matches(face, where)):
                return rule
        return None

    def permits_host(self, host: str, *, is_trusted: bool) -> bool:
        """Whether an allow rule names this canonical host; one for all hosts, or for the whole tool, names none."""
        return any(
            rule.specifier.names_hosts and rule.specifier.matches_host(host)
            for rule in self.allow
            if isinstance(rule.specifier, DomainPattern)
            and (is_trusted or rule.source.kind not in {"project", "local"})
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

    @cached_property
    def _path_rules(self) -> dict[tuple[Behavior, Operation], tuple[tuple[Rule, PathPattern | None], ...]]:
        """Path rules by list and operation. Who may edit may read; who may not read may not edit."""
        lists: tuple[tuple[Behavior, tuple[Rule, ...]], ...] = (
            ("allow", self.allow),
            ("ask", self.ask),
            ("deny", self.deny),
        )
        table: dict[tuple[Behavior, Operation], tuple[tuple[Rule, PathPattern | None], ...]] = {}
        for behavior, rules in lists:
            readers = {"Read", "Edit"} if behavior == "allow" else {"Read"}
            editors = {"Read", "Edit"} if behavior == "deny" else {"Edit"}
            table[behavior, "read"] = tuple(_governing(rules, readers))
            table[behavior, "edit"] = tuple(_governing(rules, editors))
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
            rule = parse_rule(text, behavior, source)
        except RuleError as error:
            problems.append(RuleProblem(text, source.name, f"{error}; left out", line))
        else:
            if rule.warning:
                problems.append(RuleProblem(text, source.name, rule.warning, line))
            yield rule


def _ranked(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    return tuple(sorted(rules, key=lambda rule: rule.source.rank))
