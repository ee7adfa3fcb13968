"""One permission rule: `Tool`, `Tool(*)` or `Tool(specifier)`, parsed and compiled once, with where it comes from.

This file knows the grammar. What a command pattern means stands in `shell`, what a path pattern means in `paths`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from tui_agent.permissions.paths import BadPattern, PathPattern
from tui_agent.permissions.shell.pattern import CommandPattern
from tui_agent.permissions.specifiers import DomainPattern, ExactPattern, ParameterPattern
from tui_agent.permissions.tool_names import EDIT_TOOLS, READ_TOOLS, SHELL_TOOLS, canonical
from tui_agent.permissions.verdict import Behavior, SourceKind

__all__ = [
    "SESSION", "Behavior", "Operation", "Rule", "RuleError", "RuleProblem", "RuleSource", "SourceKind", "Specifier",
    "parse_rule", "rule_problem",
]  # fmt: skip

Operation = Literal["read", "edit"]
_RANKS: Final[tuple[SourceKind, ...]] = ("session", "cli", "local", "project", "policy", "user")

_NAME: Final = re.compile(r"[^\s()]+")
_SHAPE: Final = re.compile(r"\s*([^\s()]+)\s*(?:\((.*)\)\s*)?", re.DOTALL)
_MCP_GLOB: Final = re.compile(r"mcp__[^*]+?__.*\*.*")
_PARAMETER: Final = re.compile(r"\s*([A-Za-z_]\w*)\s*:\s*(.*?)\s*", re.DOTALL)
# Fields with a language of their own; a rule on one of them by name would look like protection and be none.
_PRIMARY: Final = frozenset({"command", "file_path", "path", "notebook_path", "url"})
_PROGRAMS: Final = frozenset(
    {"timeout"}
)  # fields that are programs too: `timeout:*` is an old way to write `timeout *`
# Which `name:value` is a field and not a command or a path has to be known for the tools that take those.
_FIELDS: Final = {
    "Bash": frozenset({"run_in_background", "timeout", "description", "dangerouslyDisableSandbox", "cwd"}),
    "Monitor": frozenset({"timeout_ms", "description"}),
    "Edit": frozenset({"replace_all"}),
    "Read": frozenset({"offset", "limit", "pages", "encoding"}),
    "Skill": frozenset({"skill", "args"}),
    "Agent": frozenset({"description", "prompt", "subagent_type", "model", "run_in_background", "name", "isolation"}),
    "Cd": frozenset(),
}

Specifier = CommandPattern | PathPattern | ParameterPattern | DomainPattern | ExactPattern


class RuleError(ValueError):
    """A rule that cannot be used; the message says why, in words for the user who wrote it."""


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
    """A rule that was left out or will never match, and why. `behavior` is the list it stands in, where that is known."""

    rule: str
    source: str
    text: str
    line: int = 0
    behavior: Behavior | None = None

    def __str__(self) -> str:
        place = f"{self.source}:{self.line}" if self.line else self.source
        return f"{place}: {self.text}"


@dataclass(frozen=True)
class Rule:
    """One rule. `specifier` is None where it is about the tool as a whole; `is_inert` marks one that never matches.

    `line` is where it stands in its file, from one; 0 where it stands in none.
    """

    text: str
    tool: str
    behavior: Behavior
    source: RuleSource
    specifier: Specifier | None = None
    warning: str = ""
    is_inert: bool = False
    line: int = 0
    _name: re.Pattern[str] | None = field(default=None, repr=False)

    def is_for(self, tool: str) -> bool:
        """Whether the rule names this tool: literally, by a glob, or, for MCP, by its server."""
        if self._name is not None:
            return self._name.fullmatch(tool) is not None
        return tool == self.tool or (self.tool.startswith("mcp__") and tool.startswith(self.tool + "__"))

    def counts(self, *, is_trusted: bool) -> bool:
        """Whether the rule may allow something: files that came with a folder which is not trusted can only tighten things.

        Local rules that came with it are left out when settings are read.
        """
        return is_trusted or self.source.kind != "project"

    def is_about_tool(self, tool: str) -> bool:
        """Whether the rule counts for calls of this tool: one on Bash does for all tools that run commands."""
        return self.is_for(tool) or (tool in SHELL_TOOLS and self.is_for("Bash"))

    def is_about(self, input: Mapping[str, Any]) -> bool:
        """Whether a rule on this tool matches by its name alone, or by the input, without a look at paths or commands."""
        match self.specifier:
            case None:
                return not self.is_inert
            case ParameterPattern() | ExactPattern() as pattern:
                return pattern.matches(input)
            case DomainPattern() as pattern:
                url = input.get("url")
                return isinstance(url, str) and pattern.matches(url)
            case _:
                return False


def parse_rule(text: str, behavior: Behavior, source: RuleSource = SESSION, line: int = 0) -> Rule:
    """Parse one rule.

    Raises:
        RuleError: it is not a rule, or would allow more than a rule may.
    """
    match = _SHAPE.fullmatch(text)
    if match is None or not _NAME.fullmatch(match[1]):
        raise RuleError(f"`{text}` is not a rule; write `Tool` or `Tool(specifier)`")
    name = canonical(match[1])
    body = match[2]
    if body is not None and not body.strip():
        raise RuleError(f"`{text}` has empty brackets; write `{name}` for the whole tool")
    glob = None
    if "*" in name:
        if behavior == "allow" and not _MCP_GLOB.fullmatch(name):
            raise RuleError(f"`{text}` would allow too much; `*` may stand in a tool's name only after `mcp__server__`")
        glob = re.compile(".*".join(re.escape(part) for part in name.split("*")), re.DOTALL)
    if body is None or body.strip() == "*":
        return Rule(text.strip(), name, behavior, source, line=line, _name=glob)
    try:
        specifier, warning = _specifier(name, body.strip(), behavior, source)
    except BadPattern as error:
        raise RuleError(f"`{text}`: {error}") from None
    return Rule(text.strip(), name, behavior, source, specifier, warning, bool(warning), line, glob)


def rule_problem(text: str, behavior: Behavior) -> str:
    """Return why a rule could not be used, or would never match; empty where it is good."""
    try:
        return parse_rule(text, behavior, _ANYWHERE).warning
    except RuleError as error:
        return str(error)


def _specifier(name: str, body: str, behavior: Behavior, source: RuleSource) -> tuple[Specifier | None, str]:
    """Return what the brackets mean for this tool, and a warning if that is nothing."""
    parameter = _parameter(name, body)
    if isinstance(parameter, str):
        return None, parameter
    if parameter is not None:
        if behavior == "allow":
            return None, f"`{name}({body})` never matches: a field can be asked about or denied, not allowed"
        return parameter, ""
    match name:
        case "Bash" | "Monitor":
            return CommandPattern.parse(body), ""
        case "Read" | "Edit" | "Cd":
            return PathPattern.parse(body, base=source.base, is_allow=behavior == "allow"), ""
        case _ if name in READ_TOOLS | EDIT_TOOLS:
            governing = "Read" if name in READ_TOOLS else "Edit"
            return None, f"`{name}({body})` never matches: use `{governing}({body})`, which covers {name}"
        case "WebFetch":
            if not body.startswith("domain:"):
                return None, f"`{name}({body})` never matches: write `WebFetch(domain:host)`"
            return DomainPattern.parse(body.removeprefix("domain:").strip()), ""
        case "Agent":
            return ExactPattern(body, "subagent_type", default="general-purpose"), ""
        case "Skill":
            # Whoever forbids a skill means it with whatever arguments.
            return ExactPattern(body, "skill", arguments="args", is_loose=behavior != "allow"), ""
        case "WebSearch":
            return None, f"`{name}({body})` never matches: write `{name}`, which takes nothing in brackets"
        case _ if name.startswith("mcp__"):
            return None, f"`{name}({body})` never matches: write `{name}`, or `{name}(field:value)` to ask or to deny"
        case _:
            return ExactPattern(body, "name"), ""


def _parameter(name: str, body: str) -> ParameterPattern | str | None:
    """Return the field and the value that the brackets mean, why they can mean nothing, or None where they mean no field."""
    match = _PARAMETER.fullmatch(body)
    if match is None or name == "WebFetch":
        return None
    field_name, value = match.groups()
    fields = _FIELDS.get(name)
    is_field = field_name in fields if fields is not None else name not in READ_TOOLS | EDIT_TOOLS
    if field_name in _PRIMARY:
        return f"`{name}({body})` never matches: `{field_name}` has rules of its own, without a field's name"
    if not is_field or (field_name in _PROGRAMS and value == "*"):
        return None
    return ParameterPattern(field_name, value)
