"""What all questions about a call have in common: why it asks, "always", and a no with words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tui_agent.commands import Answer
from tui_agent.homoglyphs import find_homoglyphs
from tui_agent.linear.asker import Choice
from tui_agent.permissions.words import ASKED_BY, SCOPES
from tui_agent.queries import CoverageQuery, RuleCheckQuery
from tui_agent.text import clean_line, reveal
from tui_agent.viewkit.tool_text import count, one_line

if TYPE_CHECKING:
    from tui_agent.boundary import Engine
    from tui_agent.events import PermissionRequested
    from tui_agent.linear.asker import Asker
    from tui_agent.permissions.verdict import Scope

__all__ = ["Settled", "always", "look_alikes", "refusal", "why_lines"]

_SCOPE_FILES: Final[dict[Scope, str]] = {
    "session": "until this session ends",
    "local": "in a file that stays with you",
    "project": "in a file that everyone on the project shares",
    "user": "in your own settings",
}


@dataclass(frozen=True, slots=True)
class Settled:
    """An answer, and the mode to go on in once it is given, where that is another."""

    answer: Answer
    mode: str = ""


def why_lines(request: PermissionRequested) -> list[str]:
    """Return why a call is asked about."""
    by = "" if request.check or request.effect else ASKED_BY.get(request.by, "")
    if request.rule:
        by = ASKED_BY["rule"]
    rule = f" {reveal(request.rule)}" if request.rule else ""
    source = f", from {one_line(request.source)}" if request.rule and request.source else ""
    who = f" ({by}{rule}{source})" if by else ""
    lines = [f"Why: {clean_line(request.reason, 1000)}{who}"]
    if request.is_destructive:
        lines.insert(0, "Warning: this cannot be undone.")
    return lines


def look_alikes(text: str) -> list[str]:
    """Return a warning for each character of a command or path that passes for another."""
    found = find_homoglyphs(text)
    return [f"Warning: {one.character} ({one.words}) looks like {one.like}." for one in found[:5]]


async def refusal(request: PermissionRequested, asker: Asker, words: str = "") -> Answer | None:
    """Return a no with words, asked for unless they were said already; None where the user thought better of it."""
    words = words or await asker.text("What to do instead (just Enter goes back): ")
    return Answer(request_id=request.request_id, decision="deny", message=words) if words else None


async def always(request: PermissionRequested, asker: Asker, engine: Engine) -> tuple[tuple[str, ...], Scope] | None:
    """Return the rules to keep and where; None where the user went back."""
    rules: list[str] = []
    for number, offer in enumerate(request.offers, 1):
        if len(request.offers) > 1:
            asker.say(f"Rule {number} of {len(request.offers)}:")
        rule = await _rule(offer, asker, engine, may_skip=len(request.offers) > 1)
        if rule is None:
            return None
        if rule:
            rules.append(rule)
    if not rules:
        return None
    found = await engine.query(CoverageQuery(tuple(rules)))
    others = len(found.covered) - 1 if found is not None and not found.problem else 0
    if others > 0:
        asker.say(f"This would also have allowed {count(others, 'other call')} of this session.")
    scopes = [Choice(scope, f"{words}, {_SCOPE_FILES[scope]}") for scope, words in SCOPES.items()]
    scope = await asker.choose([*scopes, Choice("back", "Go back", ("b",))], prompt="Keep it for")
    chosen = next((name for name in SCOPES if name == scope), None)
    return (tuple(dict.fromkeys(rules)), chosen) if chosen is not None else None


async def _rule(offer: tuple[str, ...], asker: Asker, engine: Engine, *, may_skip: bool) -> str | None:
    """Return the rule to keep, empty for none of these; None: the user goes back."""
    while True:
        choices = [Choice(rule, f"Always for {reveal(rule)}") for rule in offer]
        choices.append(Choice("edit", "Another rule: type it", ("e",)))
        if may_skip:
            choices.append(Choice("skip", "No rule for this part", ("s",)))
        choices.append(Choice("back", "Go back", ("b",)))
        rule = await asker.choose(choices, prompt="Rule")
        if rule == "back":
            return None
        if rule == "skip":
            return ""
        if rule == "edit":
            rule = await asker.text(f"Rule, such as {reveal(offer[0])} (just Enter goes back): ")
            if not rule:
                continue
        notes = await engine.query(RuleCheckQuery(rule))
        if notes.problem:
            asker.say(f"This rule cannot be used: {clean_line(notes.problem, 500)}")
            continue
        if notes.warning:
            asker.say(f"Warning: {clean_line(notes.warning, 500)}")
            if not await asker.confirm("Use it all the same?"):
                continue
        return rule
