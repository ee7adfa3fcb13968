"""`permissions explain`: the decision about a call, the rule or check behind it, and each step."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from tui_agent.engine.inspection import SessionConfig, call_to_try, sandbox_terms
from tui_agent.headless.output import CliOutput
from tui_agent.permissions.decide import decide
from tui_agent.permissions.hard_links import RuledHardLinks
from tui_agent.permissions.modes import MODES, Mode, mode_from_setting
from tui_agent.permissions.path_context import PathContext, SandboxTerms
from tui_agent.permissions.rules import RuleSet, RuleSource
from tui_agent.permissions.verdict import ToolOpinion, Verdict, kind_of
from tui_agent.settings.schema import SandboxValues
from tui_agent.settings.standard_paths import project_root
from tui_agent.text import sound_json
from tui_agent.tools.base import ToolContext
from tui_agent.tools.file_state import FileState
from tui_agent.tools.registry import ToolPool
from tui_agent.tools.workspace import Workspace

__all__ = ["ExplainQuery", "Explainer", "QueryError"]


class QueryError(ValueError):
    """A line cannot be read; the text says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainQuery:
    """One question; None is "as in the session that would start here".

    Whoever brings rules of their own asks about a world in which there is a sandbox, unless `sandbox` says otherwise: it is as
    in settings, and `"available": false` in it is a machine without any. `hook` is what hooks said of the call before.
    `user_rules` are rules of the user's own settings, beside `rules`.
    """

    tool: str
    input: dict[str, Any]
    mode: Mode | None = None
    rules: Mapping[str, list[str]] | None = None
    user_rules: Mapping[str, list[str]] | None = None
    cwd: str | None = None
    home: str | None = None
    additional_dirs: tuple[str, ...] | None = None
    scope: str = "project"
    trusted: bool | None = None
    sandbox: dict[str, Any] | None = None
    hook: Literal["allow", "ask", "deny"] | None = None

    @classmethod
    def from_line(cls, line: str) -> ExplainQuery:
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
        if isinstance(mode := known.get("mode"), str):
            known["mode"] = mode_from_setting(mode) or mode
        checks: tuple[tuple[str, bool, str], ...] = (
            ("input", isinstance(known.setdefault("input", {}), dict), "an object"),
            ("mode", known.get("mode", "default") in MODES, f"one of {', '.join(MODES)}"),
            ("rules", _is_rules(known.get("rules", {})), 'an object of lists: "allow", "ask", "deny"'),
            ("user_rules", _is_rules(known.get("user_rules", {})), 'an object of lists: "allow", "ask", "deny"'),
            ("cwd", _is_absolute(known.get("cwd", "/")), "an absolute path"),
            ("home", _is_absolute(known.get("home", "/")), "an absolute path"),
            ("additional_dirs", _is_texts(known.get("additional_dirs", [])), "a list of paths"),
            ("scope", known.get("scope", "project") in ("project", "user"), "project or user"),
            ("trusted", isinstance(known.get("trusted", True), bool), "true or false"),
            ("sandbox", _is_sandbox(known.get("sandbox", {})), "as `sandbox` in settings"),
            ("hook", known.get("hook", "ask") in ("allow", "ask", "deny"), "allow, ask or deny"),
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

    opening: SessionConfig
    rules: RuleSet
    tried: RuleSet = field(default_factory=RuleSet)
    pool: ToolPool = field(init=False)

    def __post_init__(self) -> None:
        # With nothing left out: a tool that is denied as a whole is explained by the rule that denies it.
        features = (*self.opening.settings.values.features, *self.opening.runtime.features)
        self.pool = ToolPool.build(features=features)

    @classmethod
    def of(cls, opening: SessionConfig, *, tried: RuleSet | None = None) -> Explainer:
        """Return one with the rules that the session would have, and those that are tried out (which win)."""
        runtime = opening.runtime
        given = RuleSet.from_lists(
            allow=runtime.allowed, deny=runtime.disallowed, source=RuleSource("cli", "command line", str(runtime.cwd))
        )
        if opening.settings.values.allow_managed_permission_rules_only:
            given = replace(given, allow=())
        rules = RuleSet.merged(given, RuleSet.from_entries(opening.settings.rules))
        return cls(opening, rules, tried or RuleSet())

    async def explain(self, query: ExplainQuery) -> dict[str, Any]:
        """Return the answer in the shape that is printed."""
        return _shape(await self.verdict(query))

    async def explain_lines(self, lines: AsyncIterator[str], output: CliOutput) -> int:
        """Answer one line for each; 1 when one could not be read."""
        has_failed = False
        async for line in lines:
            try:
                output.json(await self.explain(ExplainQuery.from_line(line)))
            except QueryError as error:
                has_failed = True
                output.json({"error": str(error)})
        return int(has_failed)

    async def verdict(self, query: ExplainQuery) -> Verdict:
        """Return the verdict itself."""
        where = self._where(query)
        rules = self._rules(query, where)
        names, alone = RuledHardLinks(), where
        where = replace(where, other_names=lambda file: names.of(file, rules, alone))
        workspace = Workspace(Path(where.cwd), tuple(map(Path, where.additional_dirs)), home=Path(where.home))
        ctx = ToolContext(
            workspace=workspace,
            files=FileState(),
            denied=lambda path, operation: rules.denies_path(path, operation, where),
        )
        call = await call_to_try(self.pool, query.tool, query.input, ctx, where)
        hook = None if query.hook is None else ToolOpinion(query.hook)
        verdict = decide(call, rules=rules, mode=query.mode or self.opening.runtime.mode, where=where, hook=hook)
        is_policys_alone = query.rules is None and self.opening.settings.values.allow_managed_permission_rules_only
        return replace(verdict, offers=(), suggestions=()) if is_policys_alone else verdict

    def _where(self, query: ExplainQuery) -> PathContext:
        settings = self.opening.settings
        runtime = self.opening.runtime
        cwd = query.cwd or str(runtime.cwd)
        own = tuple(str(folder) for folder in (*runtime.additional_dirs, *settings.additional_directories))
        return PathContext(
            cwd=cwd,
            project_root=str(project_root(Path(cwd)) if query.cwd else settings.project_root),
            home=query.home or str(Path.home()),
            additional_dirs=own if query.additional_dirs is None else query.additional_dirs,
            is_trusted=query.trusted if query.trusted is not None else query.rules is not None or settings.is_trusted,
            sandbox=self._terms(query),
        )

    def _terms(self, query: ExplainQuery) -> SandboxTerms:
        if query.sandbox is None and query.rules is not None:
            return SandboxTerms()
        if query.sandbox is None:
            return sandbox_terms(self.opening.settings.values.sandbox)
        values = SandboxValues.model_validate(query.sandbox)
        is_there = query.sandbox.get("available", True) is not False
        return replace(
            sandbox_terms(values, lambda: None),
            is_there=is_there,
            is_enabled=values.enabled and is_there,
            auto_allow=values.auto_allow_bash_if_sandboxed and is_there,
        )

    def _rules(self, query: ExplainQuery, where: PathContext) -> RuleSet:
        if query.rules is None:
            return self.rules if not self.tried.all else RuleSet.merged(self.tried, self.rules)
        user = RuleSource("user", "user settings", f"{where.home.rstrip('/')}/.claude")
        project = RuleSource("project", "project settings", where.project_root)
        own = _compiled(query.rules, user if query.scope == "user" else project)
        return own if query.user_rules is None else RuleSet.merged(own, _compiled(query.user_rules, user))


def _compiled(rules: Mapping[str, list[str]], source: RuleSource) -> RuleSet:
    allow, ask, deny = (rules.get(behavior, ()) for behavior in ("allow", "ask", "deny"))
    return RuleSet.from_lists(allow=allow, ask=ask, deny=deny, source=source)


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
        "check": verdict.check or None,
        "confinement": None if verdict.confinement is None else kind_of(verdict.confinement),
        "offers": [list(offer) for offer in verdict.offers],
        "parts": [
            {
                "command": part.command,
                "verdict": part.behavior,
                "by": part.by,
                "check": part.check or None,
                "rule": part.rule,
                "reason": part.reason,
            }
            for part in verdict.parts
        ],
    }


def _is_sandbox(value: object) -> bool:
    try:
        SandboxValues.model_validate(value)
    except ValidationError:
        return False
    return isinstance(value, dict)


def _is_rules(value: object) -> bool:
    return isinstance(value, dict) and all(
        key in ("allow", "ask", "deny") and _is_texts(rules) for key, rules in value.items()
    )


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_absolute(value: object) -> bool:
    return isinstance(value, str) and value.startswith("/")
