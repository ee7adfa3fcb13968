"""`permissions explain`: what would be decided about a call, by which rule or check, step by step. Nothing is run."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tui_agent.agent.opening import Opening
from tui_agent.execution.checking import look_up, parse
from tui_agent.execution.errors import ToolFailure
from tui_agent.execution.permission import describe, to_opinion
from tui_agent.headless.output import Output
from tui_agent.permissions.decide import decide
from tui_agent.permissions.facts import call_from_input
from tui_agent.permissions.modes import MODES, Mode
from tui_agent.permissions.rules import RuleSet, RuleSource
from tui_agent.permissions.surroundings import Surroundings
from tui_agent.permissions.verdict import Call, Verdict
from tui_agent.settings.places import project_root
from tui_agent.text import sound_json
from tui_agent.tools.base import ToolContext
from tui_agent.tools.file_state import FileState
from tui_agent.tools.registry import ToolPool
from tui_agent.tools.workspace import Workspace

__all__ = ["Explainer", "Query", "QueryError"]


class QueryError(ValueError):
    """A line cannot be read; the text says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """One question; None is "as in the session that would start here"."""

    tool: str
    input: dict[str, Any]
    mode: Mode | None = None
    rules: Mapping[str, list[str]] | None = None
    cwd: str | None = None
    home: str | None = None
    additional_dirs: tuple[str, ...] | None = None
    scope: str = "project"

    @classmethod
    def from_line(cls, line: str) -> Query:
        """Read one line of `--jsonl`.

        Raises:
            QueryError: it is not an object of the right form.
        """
        try:
            data = sound_json(json.loads(line))
        except (ValueError, RecursionError) as error:
            raise QueryError(f"not JSON: {error}") from error
        if not isinstance(data, dict) or not isinstance(data.get("tool"), str):
            raise QueryError('expected an object with "tool" and "input"')
        known = {key: value for key, value in data.items() if key in cls.__slots__ and value is not None}
        checks: tuple[tuple[str, bool, str], ...] = (
            ("input", isinstance(known.setdefault("input", {}), dict), "an object"),
            ("mode", known.get("mode", "default") in MODES, f"one of {', '.join(MODES)}"),
            ("rules", _is_rules(known.get("rules", {})), 'an object of lists: "allow", "ask", "deny"'),
            ("cwd", _is_absolute(known.get("cwd", "/")), "an absolute path"),
            ("home", _is_absolute(known.get("home", "/")), "an absolute path"),
            ("additional_dirs", _is_texts(known.get("additional_dirs", [])), "a list of paths"),
            ("scope", known.get("scope", "project") in ("project", "user"), "project or user"),
        )
        for name, holds, expected in checks:
            if not holds:
                raise QueryError(f'"{name}" must be {expected}')
        if "additional_dirs" in known:
            known["additional_dirs"] = tuple(known["additional_dirs"])
        return cls(**known)


@dataclass
class Explainer:
    """Answers questions about calls in the session that `opening` would start."""

    opening: Opening
    rules: RuleSet
    pool: ToolPool = field(init=False)

    def __post_init__(self) -> None:
        # With nothing left out: a tool that is denied as a whole is explained by the rule that denies it.
        features = (*self.opening.settings.values.features, *self.opening.bench.features)
        self.pool = ToolPool.build(features=features)

    @classmethod
    def of(cls, opening: Opening) -> Explainer:
        """Return one with the rules that the session would have."""
        bench = opening.bench
        given = RuleSet.from_lists(
            allow=bench.allowed, deny=bench.disallowed, source=RuleSource("cli", "command line", str(bench.cwd))
        )
        return cls(opening, RuleSet.merged(given, RuleSet.from_entries(opening.settings.rules)))

    async def explain(self, query: Query) -> dict[str, Any]:
        """Return the answer in the shape that is printed."""
        return _shape(await self._verdict(query))

    async def explain_lines(self, lines: AsyncIterator[str], output: Output) -> int:
        """Answer one line for each; 1 when one could not be read."""
        has_failed = False
        async for line in lines:
            try:
                output.json(await self.explain(Query.from_line(line)))
            except QueryError as error:
                has_failed = True
                output.json({"error": str(error)})
        return int(has_failed)

    async def _verdict(self, query: Query) -> Verdict:
        where = self._where(query)
        rules = self._rules(query, where)
        workspace = Workspace(Path(where.cwd), tuple(map(Path, where.additional_dirs)), home=Path(where.home))
        ctx = ToolContext(
            workspace=workspace,
            files=FileState(),
            denied=lambda path, operation: rules.denies_path(path, operation, where),
        )
        call = await self._call(query, ctx, where)
        return decide(call, rules=rules, mode=query.mode or self.opening.bench.mode, where=where)

    async def _call(self, query: Query, ctx: ToolContext, where: Surroundings) -> Call:
        """Return the call as its tool describes it; where there is no such tool, or the input is not whole, as its fields do.

        A question is often about a path or a command alone, and a rule may name a tool that only some sessions have.
        """
        try:
            tool, raw = look_up(self.pool, query.tool, query.input)
            parsed = parse(tool, raw)
        except ToolFailure:
            known = self.pool.get(query.tool)
            return call_from_input(known.name if known else query.tool, query.input, where)
        return describe(tool, parsed, raw, ctx, to_opinion(await tool.check_permissions(parsed, ctx)))

    def _where(self, query: Query) -> Surroundings:
        settings = self.opening.settings
        bench = self.opening.bench
        cwd = query.cwd or str(bench.cwd)
        own = tuple(str(folder) for folder in (*bench.additional_dirs, *settings.additional_directories))
        return Surroundings(
            cwd=cwd,
            project_root=str(project_root(Path(cwd)) if query.cwd else settings.project_root),
            home=query.home or str(Path.home()),
            additional_dirs=own if query.additional_dirs is None else query.additional_dirs,
            is_trusted=query.rules is not None or settings.is_trusted,
        )

    def _rules(self, query: Query, where: Surroundings) -> RuleSet:
        if query.rules is None:
            return self.rules
        if query.scope == "user":
            source = RuleSource("user", "user settings", f"{where.home.rstrip('/')}/.claude")
        else:
            source = RuleSource("project", "project settings", where.project_root)
        lists = {behavior: tuple(query.rules.get(behavior, ())) for behavior in ("allow", "ask", "deny")}
        return RuleSet.from_lists(**lists, source=source)


def _shape(verdict: Verdict) -> dict[str, Any]:
    return {
        "verdict": verdict.behavior,
        "by": verdict.by,
        "rule": verdict.rule,
        "source": verdict.source,
        "reason": verdict.reason,
        "steps": [{"check": step.check, "outcome": step.outcome} for step in verdict.steps],
        "suggestions": list(verdict.suggestions),
        "read_only": verdict.is_read_only,
    }


def _is_rules(value: object) -> bool:
    return isinstance(value, dict) and all(
        key in ("allow", "ask", "deny") and _is_texts(rules) for key, rules in value.items()
    )


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_absolute(value: object) -> bool:
    return isinstance(value, str) and value.startswith("/")
