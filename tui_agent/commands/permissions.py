"""Commands that change permission rules. A change settles the open questions that the rules now answer."""

from __future__ import annotations

from dataclasses import dataclass

from tui_agent.commands.command import Command, Done
from tui_agent.permissions.verdict import Behavior, Scope
from tui_agent.plain import Plain

__all__ = ["AddRule", "RemoveRule", "ReplaceRule", "RuleKept"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RuleKept(Plain):
    """The rule counts. `unsaved` is why it could not be saved: then it counts until the session ends.

    `old_kept` is why the rule that it was to replace is still there.
    """

    unsaved: str = ""
    old_kept: str = ""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AddRule(Command[RuleKept]):
    """Let a rule count from now on and keep it where `scope` says. Refused where it means nothing or may not be added."""

    text: str
    behavior: Behavior = "allow"
    scope: Scope = "session"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RemoveRule(Command[Done]):
    """Take a rule away, from the session and from the file it stands in. `source` is as in the list of rules."""

    text: str
    source: str
    behavior: Behavior


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ReplaceRule(Command[RuleKept]):
    """Put a rule in the place of another. It is kept before the old one is taken away: whatever fails, no rule is lost."""

    old: RemoveRule
    new: AddRule
