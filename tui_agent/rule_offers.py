"""Whether "always" may be offered for a call, for all front ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui_agent.homoglyphs import find_homoglyphs
from tui_agent.text import is_odd

if TYPE_CHECKING:
    from tui_agent.events import PermissionRequested

__all__ = ["why_not_always"]


def why_not_always(request: PermissionRequested) -> str | None:
    """Return why "always" must not be offered for this call, None when it may be."""
    if request.is_destructive:
        return "cannot be undone, so it always asks"
    if not request.offers:
        return "no rule matches exactly this"
    rules = [rule for offer in request.offers for rule in offer]
    if any(is_odd(rule) or "\t" in rule or "\n" in rule for rule in rules):
        return "its rule has odd characters"
    if any(find_homoglyphs(rule) for rule in rules):
        return "its rule has look-alike characters"
    return None
