"""One simple command of a script, as whoever decides on it needs it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

from tui_agent.permissions.shell.effective_command import EffectiveCommand, base_name, unfolded, whole_text
from tui_agent.permissions.shell.judgement import Judgement
from tui_agent.permissions.shell.match import namings
from tui_agent.permissions.shell.parse import ParsedCommand, Redirect
from tui_agent.permissions.shell.words import Word
from tui_agent.permissions.shell.wrappers import WRAPPERS
from tui_agent.permissions.verdict import Naming

__all__ = ["Part"]

_RUNNERS: Final = WRAPPERS | {"xargs", "find", "fd", "fdfind"}


@dataclass(frozen=True, kw_only=True)
class Part:
    """One simple command, in the order in which bash reads them.

    `command` is it as written; `words` are its words with what is known of variables put in, braces expanded. They are empty
    for assignments and redirections that stand alone or behind a group or loop: those are parts of their own. `folder` are the
    words of the `cd`s that surely or possibly came before it (empty: where the shell stands); `folders` says the same exactly:
    each is a chain of `cd`s, and one of them was gone through. `is_certain` says that each of its words was read completely,
    so that an allow rule may be matched against it. `is_inside` marks one in a substitution. `redirects` are its own
    redirections, without here-documents. `starts` says where each word of `command` begins in the text.
    """

    command: ParsedCommand
    words: tuple[Word, ...]
    judgement: Judgement
    folder: tuple[Word, ...] = ()
    folders: tuple[tuple[Word, ...], ...] = ((),)
    is_certain: bool = True
    is_inside: bool = False
    redirects: tuple[Redirect, ...] = ()
    starts: tuple[int, ...] = ()

    @cached_property
    def reached(self) -> tuple[EffectiveCommand, ...]:
        """What it surely runs: itself, and what stands behind wrappers."""
        return unfolded(self.words)

    @cached_property
    def programs(self) -> frozenset[str]:
        """The programs that it may run, by name."""
        return frozenset([base_name(one.words[0]) for one in self.reached])

    @cached_property
    def namings(self) -> tuple[Naming, ...]:
        """The ways in which an allow rule may name it; none where it is not certain."""
        return namings(self.command, self.words) if self.is_certain else ()

    @cached_property
    def shown(self) -> str:
        """Its text for a user, with what is set for it."""
        assigned = [f"{item.name}={item.value.raw}" for item in self.command.assignments]
        text = " ".join([*assigned, whole_text(self.command.words)]).strip()
        if text:
            return text
        return " ".join(f"{one.operator} {one.target.raw}" for one in self.redirects if one.target is not None)

    @property
    def runs_git(self) -> bool:
        """Whether git runs, itself or behind something that runs what follows it."""
        names = [word.value.rpartition("/")[2] for word in self.words]
        return "git" in (names if names and names[0] in _RUNNERS else names[:1])
