"""Settings files must stay good: a change that would break one is refused before it is written.

The change is made in memory and its result judged as the program itself would read it. What was wrong before is no reason
to refuse a change that leaves it so; everything that would be newly wrong is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import PurePath
from typing import Any, Final, Literal

from tui_agent.settings import standard_paths
from tui_agent.settings.problems import Problem
from tui_agent.settings.schema import prune
from tui_agent.settings.source_text import MalformedJson, SourceText, parse
from tui_agent.tools.services import RuleCheck, no_rule_problem

__all__ = ["settings_problem"]

_FOLDERS: Final = frozenset({".tui-agent", ".claude"})
_RULE: Final = re.compile(r"\s*[^\s()]+\s*(?:\(.*\S.*\)\s*)?", re.DOTALL)
_LISTS: Final[tuple[Literal["allow", "ask", "deny"], ...]] = ("allow", "ask", "deny")
_NAME: Final = re.compile(r"settings(\.[\w-]+)*\.json")


def settings_problem(
    path: str, text: str, before: Callable[[], str] = str, rule_problem: RuleCheck = no_rule_problem
) -> str | None:
    """Return what would be wrong with `text` as the settings file `path`, with its line; None where nothing would.

    `before` gives the text that the file has now; `rule_problem` judges permission rules that look like rules.

    Other files of the settings folders need only be JSON where their name says so; all others are not looked at.
    """
    place = PurePath(path)
    is_settings = _is_settings(place)
    if place.suffix != ".json" or not (is_settings or _FOLDERS.intersection(place.parent.parts)):
        return None
    if is_settings and not text.strip():
        return None  # says nothing, which is allowed
    try:
        found = _problems(text, rule_problem) if is_settings else _none(text)
    except MalformedJson as error:
        return f"it would no longer be JSON: {error}"
    known = {problem.text for problem in _problems_before(before(), rule_problem)} if found else set()
    new = [f"line {problem.line}: {_told(problem)}" for problem in found if problem.text not in known]
    return "; ".join(new) or None


def _is_settings(place: PurePath) -> bool:
    """Whether a file is one that settings are read from, here or in any other project: ours or one of Claude Code's."""
    if place.parent.name in _FOLDERS and _NAME.fullmatch(place.name):
        return True
    if place.parent in (
        standard_paths.CLAUDE_POLICY_FOLDER / "managed-settings.d",
        standard_paths.POLICY_FOLDER / "settings.d",
    ):
        return place.suffix == ".json"
    return place in (
        standard_paths.user_settings_file(),
        standard_paths.claude_dir() / "settings.json",
        standard_paths.POLICY_FOLDER / "settings.json",
        standard_paths.CLAUDE_POLICY_FOLDER / "managed-settings.json",
    )


def _problems(text: str, rule_problem: RuleCheck) -> tuple[Problem, ...]:
    source = parse(text)
    value, problems = prune(source, "")
    return (*problems, *_bad_rules(value, source, rule_problem))


def _bad_rules(value: dict[str, Any], source: SourceText, rule_problem: RuleCheck) -> Iterator[Problem]:
    """Yield what stands among the rules and is none, or one that would be left out or never match."""
    for kind in _LISTS:
        for rule in value.get("permissions", {}).get(kind, ()):
            line = source.line(("permissions", kind))
            if not _RULE.fullmatch(rule):
                yield Problem(
                    "", line, f"`permissions.{kind}` holds {rule!r:.80}, which is no `Tool` or `Tool(specifier)`"
                )
            elif problem := rule_problem(rule, kind):
                yield Problem("", line, f"`permissions.{kind}` holds {rule!r:.80}: {problem}")


def _none(text: str) -> tuple[Problem, ...]:
    parse(text)
    return ()


def _problems_before(text: str, rule_problem: RuleCheck) -> tuple[Problem, ...]:
    try:
        return _problems(text, rule_problem) if text.strip() else ()
    except MalformedJson:
        return ()


def _told(problem: Problem) -> str:
    return problem.text.removesuffix("; left out")
