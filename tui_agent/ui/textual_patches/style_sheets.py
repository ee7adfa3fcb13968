"""A style sheet that does less for the same styles: for a widget whose classes change, and for all of a screen that appears.

Textual sets each rule of a node anew whenever its styles are looked up, and works out all styles twice, in case one of them is
to be animated. Here only rules that have changed are set, unless the node has transitions. Most rules fail to match at their
last selector, the one about the node itself, so that is looked at first.

Relies on `Stylesheet._check_rule` (which selectors of a rule match a node), `_check_selectors` (whether a whole selector does),
and `Styles._rules` (the rules of a node by name).
"""

from __future__ import annotations

from collections.abc import Iterable

from textual.css.match import _check_selectors
from textual.css.model import CombinatorType, RuleSet
from textual.css.styles import RulesMap
from textual.css.stylesheet import Stylesheet
from textual.css.types import Specificity3
from textual.dom import DOMNode

__all__ = ["ThriftyStylesheet"]


class ThriftyStylesheet(Stylesheet):
    """A style sheet that sets only what changes."""

    @classmethod
    def _check_rule(cls, rule_set: RuleSet, css_path_nodes: list[DOMNode]) -> Iterable[Specificity3]:
        node = css_path_nodes[-1]
        for selector_set in rule_set.selector_set:
            selectors = selector_set.selectors
            last = selectors[-1]
            if not last.check(node):
                continue
            is_alone = len(selectors) == 1 and last.combinator is CombinatorType.DESCENDENT
            if is_alone or _check_selectors(selectors, css_path_nodes):
                yield selector_set.specificity

    @classmethod
    def replace_rules(cls, node: DOMNode, rules: RulesMap, animate: bool = False) -> None:
        """Replace the rules of a node; what is the same is left alone."""
        base = node.styles.base
        old = base._rules
        if animate and (rules.get("transitions") or old.get("transitions")):
            super().replace_rules(node, rules, animate=animate)
            return
        new = rules.get
        for name in [name for name in old.keys() | rules.keys() if old.get(name) != new(name)]:
            setattr(base, name, new(name))
        node.notify_style_update()
