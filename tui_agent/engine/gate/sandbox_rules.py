"""Rules as paths that a sandbox can hold: those that rules name, what matches their patterns, and rules it cannot hold."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator

from tui_agent.permissions.matching_files import MatchingFiles, PatternMatcher
from tui_agent.permissions.path_context import PathContext
from tui_agent.permissions.paths import PathPattern, is_wild
from tui_agent.permissions.rules import Behavior, Rule, RuleSet

__all__ = ["denied_files", "named_paths", "unheld_rules"]


def unheld_rules(rules: RuleSet) -> Iterator[str]:
    """Yield the rules that forbid paths in a way that no sandbox can hold altogether, and what of them is held.

    What matches a pattern is looked for in the working folders before each command.
    """
    for rule in rules.deny:
        if not isinstance(rule.specifier, PathPattern) or rule.is_inert or _is_held(rule.specifier):
            continue
        if rule.is_for("Edit"):
            yield f"`{rule.text}` (only what is there before the command)"
        elif rule.specifier.anchor in ("root", "home"):
            yield f"`{rule.text}` (only in the working folders)"


def denied_files(
    files: MatchingFiles, rules: RuleSet, tool: str, roots: Iterable[str], where: PathContext
) -> tuple[str, ...]:
    """Return what is forbidden to a tool by rules that name no single place, below these folders.

    Raises:
        TooManyFilesError: there is too much to look through.
    """
    about = (rule.specifier for rule in rules.deny if not rule.is_inert and rule.is_for(tool))
    patterns = [one for one in about if isinstance(one, PathPattern) and not _is_held(one)]
    return files.find(PatternMatcher(patterns, where), roots) if patterns else ()


def named_paths(rules: RuleSet, behavior: Behavior, tool: str, where: PathContext) -> Iterator[str]:
    """Yield the folders and files that rules of a list name in so many words.

    A bare name, which is forbidden wherever it occurs, is taken for the one at its anchor.
    """
    for rule in rules.deny if behavior == "deny" else rules.allow:
        if not isinstance(rule.specifier, PathPattern) or rule.is_inert or not rule.is_for(tool):
            continue
        if behavior == "allow" and not _counts(rule, where):
            continue
        place = _place(rule.specifier, where, at_top=behavior == "deny")
        if place and (behavior == "deny" or _is_held(rule.specifier)):
            yield place


def _counts(rule: Rule, where: PathContext) -> bool:
    return where.is_trusted or rule.source.kind not in {"project", "local"}


def _is_held(pattern: PathPattern) -> bool:
    """Whether a pattern means one folder or file, and not whatever is called so anywhere below."""
    rest = _rest(pattern)
    if is_wild(rest):
        return False
    if pattern.anchor != "cwd" or pattern.ups or not rest or "/" in rest:
        return True
    return pattern.is_allow and (pattern.text.endswith("/**") or pattern.text.startswith("./"))


def _place(pattern: PathPattern, where: PathContext, *, at_top: bool) -> str:
    """Return the one path that a pattern names, if it does. `at_top` takes a bare name for the one at its anchor."""
    rest = _rest(pattern)
    if is_wild(rest) or not (at_top or _is_held(pattern)):
        return ""
    return os.path.normpath(os.path.join(pattern.start(where), re.sub(r"\\(.)", r"\1", rest)))  # noqa: PTH118


def _rest(pattern: PathPattern) -> str:
    """Return what follows the anchor, without an ending that means all that is in a folder."""
    rest = pattern.rest
    return "" if rest == "**" else rest.removesuffix("/**").strip("/")
