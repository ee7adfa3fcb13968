"""Command rules against a script: which rule forbids or asks about something in it, and which allows all of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from tui_agent.permissions.shell.parse import Script
from tui_agent.permissions.shell.pattern import CommandPattern, normalise
from tui_agent.permissions.shell.reach import (
    Reached,
    base_name,
    known_beginning,
    plain_text,
    reached,
    whole_text,
    without_safe_wrappers,
)

if TYPE_CHECKING:
    from tui_agent.permissions.rules import Rule

__all__ = ["Hit", "covering_rule", "find_rule"]

# Never let through by a pattern with `*`: what they run, or whether they only look, hangs on their arguments.
_EXACT_ONLY: Final = frozenset({"watch", "setsid", "ionice", "flock"})
_FIND_ACTIONS: Final = frozenset(
    {"-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fprintf", "-fls", "-fprint0"}
)
_BEFORE_WORD: Final = " \t\n;&|(){}<>`=!$/"
_AFTER_COMMAND: Final = re.compile(r"[\n;&|)}`]")


@dataclass(frozen=True, slots=True)
class Hit:
    """A rule that matches a command, or (`might`) could match once what is unknown becomes known."""

    rule: Rule
    kind: Literal["surely", "maybe"]
    command: str


def find_rule(rules: Sequence[Rule], script: Script) -> Hit | None:
    """Return the first of these rules (which forbid or ask) that something anywhere in the script falls under.

    A sure match is preferred to a possible one. Where the script is not understood its text is searched as well.
    """
    patterns = [(rule, rule.specifier) for rule in rules if isinstance(rule.specifier, CommandPattern)]
    if not patterns:
        return None
    found = reached(script)
    texts = [_texts(one) for one in found]
    for rule, pattern in patterns:
        for variants in texts:
            for text in variants:
                if pattern.matches(text):
                    return Hit(rule, "surely", text)
    if not script.is_understood:
        for rule, pattern in patterns:
            stretch = _in_text(pattern, script.source)
            if stretch is not None:
                return Hit(rule, "surely", stretch)
        return Hit(patterns[0][0], "maybe", script.source)
    if script.may_run_hidden_code:
        return Hit(patterns[0][0], "maybe", script.source)
    for one in found:
        beginning = "" if one.is_opaque else known_beginning(one.words)
        if beginning is None:
            continue
        for rule, pattern in patterns:
            if pattern.might_match(normalise(beginning) if beginning else ""):
                return Hit(rule, "maybe", whole_text(one.words))
    return None


def _texts(one: Reached) -> tuple[str, ...]:
    """Return the ways a rule may name this command: as written, quotes off, and by the program without its folder."""
    plain = plain_text(one.words)
    name = one.words[0].value
    short = base_name(one.words[0]) + plain[len(name) :]
    return tuple(dict.fromkeys((whole_text(one.words), plain, short)))


def _in_text(pattern: CommandPattern, source: str) -> str | None:
    """Return a stretch of a text that is not understood which the pattern would match if a command began there."""
    cleaned = normalise(re.sub(r"\\\n|['\"\\]", "", source))
    fixed = pattern.parts[0]
    at = cleaned.find(fixed)
    while at >= 0:
        if at == 0 or cleaned[at - 1] in _BEFORE_WORD:
            end = _AFTER_COMMAND.search(cleaned, at + len(fixed))
            for stop in {len(cleaned), end.start() if end else len(cleaned)}:
                text = cleaned[at:stop].rstrip()
                if pattern.matches(text):
                    return text
        at = cleaned.find(fixed, at + max(len(fixed), 1))
    return None


def covering_rule(rules: Sequence[Rule], script: Script) -> Rule | None:
    """Return the rule that allows the script, which must be one simple command that is understood to the last character.

    What it writes by redirection is not covered; the caller judges that as an edit.
    """
    command = script.single
    if command is None:
        return None
    for words in without_safe_wrappers(command):
        text = whole_text(words)
        is_exact_only = words[0].value in _EXACT_ONLY or (
            words[0].value == "find" and any(word.value in _FIND_ACTIONS for word in words)
        )
        for rule in rules:
            pattern = rule.specifier
            if (
                isinstance(pattern, CommandPattern)
                and pattern.matches(text)
                and (pattern.is_exact or not is_exact_only)
            ):
                return rule
    return None
