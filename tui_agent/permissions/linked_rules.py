"""Rules that forbid, or ask about, a place that is a link: they count for what it leads to as well.

`Read(z/**)` where `z` is a link to `x` forbids `x/plain.txt` by that name, too. Without this only a path that goes through the
link would be found.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace

from tui_agent.permissions.path_context import PathContext, is_within
from tui_agent.permissions.paths import PathPattern, escape
from tui_agent.permissions.rules import Rule, RuleSet

__all__ = ["LinkedRules"]


class LinkedRules:
    """Extends sets of rules by where their places lead now. Remembers the last, which is usually still right."""

    def __init__(self) -> None:
        self._rules: RuleSet | None = None
        self._added: tuple[tuple[Rule, ...], tuple[Rule, ...]] = (), ()
        self._extended = RuleSet()

    def of(self, rules: RuleSet, where: PathContext) -> RuleSet:
        """Return `rules`, extended. Follows the links of each rule's place: blocks for a moment."""
        added = tuple(_linked(rules.deny, where)), tuple(_linked(rules.ask, where))
        if not any(added):
            return rules
        if rules is not self._rules or added != self._added:
            deny, ask = added
            self._rules, self._added = rules, added
            self._extended = replace(rules, deny=(*rules.deny, *deny), ask=(*rules.ask, *ask))
        return self._extended


def _linked(rules: Iterable[Rule], where: PathContext) -> Iterator[Rule]:
    for rule in rules:
        if not isinstance(rule.specifier, PathPattern) or rule.is_inert:
            continue
        for fixed, rest in rule.specifier.fixed():
            if fixed and (real := _leads_to(rule.specifier, fixed, where)):
                text = "/".join(filter(None, ("/" + escape(real), rest)))
                yield replace(rule, specifier=PathPattern.parse(text, base=None, is_allow=False))


def _leads_to(pattern: PathPattern, fixed: str, where: PathContext) -> str:
    """Return where a pattern's place really is, if that is elsewhere; empty where it is not, or where all would be meant."""
    start = pattern.start(where)
    real = where.resolve(os.path.join(start, fixed))  # noqa: PTH118
    if real == os.path.join(start, fixed) or real == os.path.join(where.resolve(start), fixed):  # noqa: PTH118
        return ""
    # A link that came with the files could have a rule forbid all of the work, or of the user's home.
    if any(is_within(one, real) for one in (*map(where.resolve, where.folders), where.resolve(where.home))):
        return ""
    return real
