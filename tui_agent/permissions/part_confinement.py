"""With which rights a command of several parts runs: each part with those that its own verdict gives it, or the whole asks.

In order of preference: all with the user's rights, where rules allow each part; all in the sandbox of reading, or in that of
accepted edits; else a shell with the user's rights which starts the parts without such leave in sandboxes of their own. The
last is only for texts in which the shell itself works out nothing (`shell.apart`).

What one part changes is unknown to those that run later: a folder may have become a link, git may have other settings. Only
sandboxes hold against that, as their mounts decide and not the text; what runs outside of them asks.

Where there is no sandbox, nothing of this is held. Accepted edits ask then: a folder that is swapped for a link while the
command runs would lead them out of the work. What may read all the same gets the environment that it would get in a sandbox.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from tui_agent.permissions.command_part import Judged
from tui_agent.permissions.path_context import SandboxTerms
from tui_agent.permissions.shell.analysis import Analysis, Part
from tui_agent.permissions.shell.effective_command import base_name
from tui_agent.permissions.shell.isolation import (
    RunOrder,
    expansions,
    has_loop,
    is_plain_builtin,
    is_plain_shell,
    runs_out_of_order,
    start_of_program,
)
from tui_agent.permissions.shell.parse import Redirect
from tui_agent.permissions.shell.programs.table import entry_for
from tui_agent.permissions.shell.statements import Series
from tui_agent.permissions.shell.wrappers import WRAPPERS, unwrapped
from tui_agent.permissions.side_effects import disturbs, makes_links, may_do_anything
from tui_agent.permissions.verdict import Confinement, Need, PerCommand, ReadOnlyWithSockets, SingleConfinement

__all__ = ["Arrangement", "ConfinementDoubt", "arrange"]

_NOT_HERE: Final = "no sandbox here can hold it to the working folders"
_NOT_HELD: Final = "beside commands that need your rights it cannot be held to reading"
_EVALUATES: Final = "it mixes commands that need your rights with shell expressions, which cannot be held to reading"


@dataclass(frozen=True, slots=True)
class ConfinementDoubt:
    """Why the command cannot run like that: which part (None: the text as a whole), in words, and what would help."""

    at: int | None
    reason: str
    need: Need


@dataclass(frozen=True, slots=True)
class Arrangement:
    """How the command runs, None for with the user's rights; or the doubts for which it asks."""

    confinement: Confinement | None = None
    doubts: tuple[ConfinementDoubt, ...] = ()


def arrange(
    analysis: Analysis,
    judged: Sequence[Judged],
    terms: SandboxTerms,
    *,
    is_whole: bool,
    is_sandboxed: bool,
    hides: bool,
    is_own_change: bool = False,
) -> Arrangement:
    """Return how a command that is understood runs, given what each of its parts may do.

    Args:
        analysis: the text; its parts are those of `judged`.
        judged: the parts. One that still lacks something counts as if it had been given it.
        terms: what sandbox there is.
        is_whole: whether a rule allows whatever command.
        is_sandboxed: whether commands run in the user's own sandbox, be they allowed by a rule or not.
        hides: whether rules keep files from being read, so that what can be held to reading is.
        is_own_change: see `ToolCall`.
    """
    if all(
        one.least == one.redirects == "reading" and not (one.has_rule or one.part.judgement.sockets) for one in judged
    ):
        return Arrangement("read_only")
    return _ConfinementPlanner(
        analysis,
        judged,
        terms,
        is_whole=is_whole,
        is_sandboxed=is_sandboxed,
        hides=hides,
        is_own_change=is_own_change,
    ).run()


class _ConfinementPlanner:
    def __init__(
        self,
        analysis: Analysis,
        judged: Sequence[Judged],
        terms: SandboxTerms,
        *,
        is_whole: bool,
        is_sandboxed: bool,
        hides: bool,
        is_own_change: bool,
    ) -> None:
        self.analysis = analysis
        self.judged = judged
        self.terms = terms
        self.is_whole = is_whole
        self.is_sandboxed = is_sandboxed
        self.hides = hides
        self.is_own_change = is_own_change

    @cached_property
    def _order(self) -> RunOrder | None:
        return None if self.analysis.script is None else RunOrder(self.analysis.script)

    def run(self) -> Arrangement:
        """Return the first arrangement that leaves no doubt; if none does, the last with its doubts."""
        found = Arrangement()
        for one in self._ways():
            found = one
            if not one.doubts:
                break
        return found

    def _ways(self) -> Iterator[Arrangement]:
        least = {one.least for one in self.judged}
        redirects = {one.redirects for one in self.judged}
        is_free = all(one.has_rule or one.verdict.behavior != "allow" for one in self.judged)
        sockets = [one for one in self.judged if one.part.judgement.sockets]
        is_reading = least <= {"reading"} and redirects <= {"reading"} and not sockets
        if any(map(_looks_by_git, self.judged)) and not self.is_sandboxed:
            yield Arrangement("read_only") if is_reading else self._by_command()
        if is_free and not (self.hides and "reading" in least):
            yield Arrangement(None, (*self._doubts_about_shell(), *self._doubts_outside()))
        if is_reading:
            yield Arrangement("read_only")
            return
        if "free" not in least | redirects and not sockets:
            yield self._as_edits()
        if self.is_sandboxed and not sockets:
            yield Arrangement(None)  # the user's own sandbox is round all of it
            return
        if len(self.judged) == 1 and sockets and least == {"reading"} and redirects <= {"reading"}:
            yield self._as_client(self.judged[0])
            if is_free:
                yield Arrangement(None)
            return
        if is_free and self.hides:
            yield self._by_command()
            yield Arrangement(None, self._doubts_outside())
            return
        yield self._by_command()

    # All alike

    def _as_edits(self) -> Arrangement:
        """Accepted edits, and what reads beside them."""
        if self.terms.is_there and self.terms.holds_inside:
            return Arrangement("edits")
        if self.is_own_change and len(self.judged) == 1:
            return Arrangement("edits" if self.terms.is_there else None)
        steps = [
            one for one in self.judged if one.part.command.words[:1] != () and one.part.command.words[0].raw != "cd"
        ]
        steps = steps or list(self.judged)
        is_single = len(steps) == 1 and self.analysis.script is not None and not has_loop(self.analysis.script)
        is_literal = all(word.is_known for one in self.judged for word in one.part.words)
        is_plain = is_single and is_literal and not any(one.part.is_inside for one in self.judged)
        if is_plain and self.terms.is_there:
            return Arrangement("edits")
        why = "changes in several steps are only let through in a sandbox that protects single files, which is not here"
        if not self.terms.is_there:
            why = _NOT_HERE
        elif is_single:
            why = "which files it changes is not spelled out, and no sandbox here holds it to the working folders"
        return Arrangement(None, tuple(self._doubt(at, why) for at, one in enumerate(self.judged) if one in steps))

    def _as_client(self, one: Judged) -> Arrangement:
        confinement = self._asking(one.part)
        if confinement is None:
            return Arrangement(None, (self._doubt(0, self._why_no_sockets(one.part)),))
        if self.analysis.script is None or not is_plain_shell(self.analysis.script):
            return Arrangement(None, (self._doubt(0, "the shell would evaluate expressions beside a daemon's socket"),))
        return Arrangement(confinement)

    # Each by itself

    def _by_command(self) -> Arrangement:
        doubts = [*self._doubts_about_shell(), *self._doubts_outside()]
        held = [at for at, one in enumerate(self.judged) if self._is_held(one)]
        confined: list[tuple[int, SingleConfinement]] = []
        for at in held:
            one = self.judged[at]
            start = start_of_program(one.part)
            if start < 0:
                if not (one.has_rule or (one.least == "reading" and is_plain_builtin(one.part))):
                    doubts.append(self._doubt(at, _NOT_HELD))
            elif not self.terms.is_there:
                doubts.extend(self._doubt_without(at))
                if one.least == "reading":
                    confined.append((start, "read_only"))
            elif (how := self._single(one)) is not None:
                confined.append((start, how))
            elif not one.has_rule:
                doubts.append(self._doubt(at, self._why_not(one)))
        if len({start for start, _how in confined}) != len(confined):
            doubts.append(
                ConfinementDoubt(None, "where its commands begin is not clear", Need(subject=self.analysis.source))
            )
        per_command = PerCommand(self.analysis.source, tuple(sorted(confined, key=_start))) if confined else None
        return Arrangement(per_command, tuple(doubts))

    def _is_held(self, one: Judged) -> bool:
        """Whether a part was let through for less than the user's rights."""
        if one.verdict.behavior != "allow" or one.least == "free":
            return False
        return not one.has_rule or (self.hides and one.least == "reading") or _looks_by_git(one)

    def _single(self, one: Judged) -> SingleConfinement | None:
        if one.least == "edits":
            return "edits" if self.terms.holds_inside else None
        return self._asking(one.part) if one.part.judgement.sockets else "read_only"

    def _why_not(self, one: Judged) -> str:
        if one.part.judgement.sockets:
            return self._why_no_sockets(one.part)
        return "beside other commands the sandbox that is here cannot hold it to the working folders"

    def _asking(self, part: Part) -> ReadOnlyWithSockets | None:
        """Return how a client of a program of this machine runs; None where something else would get its sockets, too."""
        words = part.words
        while words and words[0].value in WRAPPERS:
            words = unwrapped(words) or ()
        entry = entry_for(base_name(words[0])) if words else None
        is_client = entry is not None and entry.sockets == part.judgement.sockets
        has_sockets = self.terms.holds_sockets or not self.terms.is_there
        return (
            ReadOnlyWithSockets(part.judgement.sockets)
            if is_client and has_sockets and start_of_program(part) >= 0
            else None
        )

    def _why_no_sockets(self, part: Part) -> str:
        name = base_name(part.words[0]) if part.words else ""
        if self.terms.is_there and not self.terms.holds_sockets:
            return f"`{name}` asks a daemon, and the sandbox here cannot open just that one's socket"
        return f"`{name}` would share the socket of a daemon with other programs"

    def _doubt_without(self, at: int) -> Iterator[ConfinementDoubt]:
        """Yield what speaks against reading, or an edit, with the user's rights beside other commands."""
        one = self.judged[at]
        if one.least == "edits":
            yield self._doubt(at, _NOT_HERE)
        elif (one.part.judgement.reads or one.part.programs & {"git", "hg", "xargs"}) and self._is_disturbed(at):
            yield self._doubt(at, "what it reads may have been changed by then")

    def _doubts_about_shell(self) -> Iterator[ConfinementDoubt]:
        """Yield what the shell itself would evaluate with the user's rights, though no rule is about it."""
        script = self.analysis.script
        if not self.is_whole and (script is None or not is_plain_shell(script)):
            yield ConfinementDoubt(None, _EVALUATES, Need(subject=self.analysis.source))

    # What earlier parts change

    def _doubts_outside(self) -> tuple[ConfinementDoubt, ...]:
        """Return what the shell, and programs with the user's rights, may be led to by what an earlier part has changed."""
        found: list[ConfinementDoubt] = []
        for at, one in enumerate(self.judged):
            if one.redirects == "edits" and not (self.terms.is_there or (one.has_rule and may_do_anything(one))):
                found.append(ConfinementDoubt(at, _NOT_HERE, Need(subject=one.verdict.command)))
            for redirect in one.part.redirects:
                if not redirect.is_free and redirect.target is not None and self._is_led_astray(at, redirect):
                    subject = f"{redirect.operator} {redirect.target.raw}"
                    reason = f"`{subject}` may lead elsewhere by then"
                    found.append(ConfinementDoubt(at, reason, Need(subject=subject)))
                    break
            if self.is_whole or (one.least != "free" and not one.has_rule):
                continue
            need = Need(subject=one.verdict.command)
            loads_settings = _is_git(one) or one.part.judgement.kind == "unknown"
            if any(one.part.folders) and loads_settings and self._is_disturbed(at):
                found.append(ConfinementDoubt(at, "the folder it runs in may have been changed by then", need))
            elif _is_git(one) and self._is_disturbed(at, by_git=False):
                found.append(ConfinementDoubt(at, "git's settings may have changed by then", need))
        if not self.is_whole and self.analysis.script is not None:
            found.extend(self._doubts_about_names(self.analysis.script))
        return tuple(found)

    def _is_led_astray(self, at: int, redirect: Redirect) -> bool:
        """Whether a file that the shell opens for a part may by then be another than was judged."""
        one = self.judged[at]
        if self._is_disturbed(at):
            return True
        # Whoever may do anything by itself needs no redirection for what it writes.
        if self.is_whole or (redirect.is_output and one.has_rule and may_do_anything(one)):
            return False
        # What comes first of all in a pipeline is opened as it begins.
        script = self.analysis.script
        is_first = at == 0 and script is not None and not runs_out_of_order(script)
        return not is_first and any(may_do_anything(self.judged[other]) for other in self._before(at))

    def _doubts_about_names(self, script: Series) -> Iterator[ConfinementDoubt]:
        """Yield the patterns of names that the shell would look up in folders which may lie elsewhere by then."""
        owners = {one.part.starts[0]: at for at, one in enumerate(self.judged) if one.part.starts}
        for start, word in expansions(script):
            at = owners.get(start)
            if at is not None and self.judged[at].has_rule:
                continue
            if at is not None:
                # Other programs than the shell's own are confined, and names are all that they may tell.
                is_own = start_of_program(self.judged[at].part) < 0
                earlier = [self.judged[other] for other in self._before(at)]
                moving = [one for one in earlier if makes_links(one) or (is_own and may_do_anything(one))]
                folders = {self.judged[at].part.folders}
            else:
                moving = [one for one in self.judged if makes_links(one) and min(one.part.starts, default=-1) < start]
                folders = {one.part.folders for one in self.judged}
            # The folder that the shell is in stays the same one, whatever becomes of its name.
            is_elsewhere = any(folders != {one.part.folders} for one in moving)
            if moving and ("/" in word.raw or "$" in word.raw or is_elsewhere):
                reason = f"`{word.raw}` may lead elsewhere by then"
                yield ConfinementDoubt(at, reason, Need(subject=word.raw))

    def _is_disturbed(self, at: int, *, by_git: bool = True) -> bool:
        """Whether another part that may have run before, or runs at the same time, moves files, folders or links about."""
        return any(disturbs(self.judged[other], by_git=by_git) for other in self._before(at))

    def _before(self, at: int) -> Iterator[int]:
        """Yield the other parts that may have run before one, or run at the same time."""
        order, part = self._order, self.judged[at].part
        if order is not None:
            for other, one in enumerate(self.judged):
                if other != at and order.may_run_before(one.part, part, is_earlier=other < at):
                    yield other

    @staticmethod
    def _doubt_need(one: Judged) -> Need:
        return Need(subject=one.verdict.command, commands=() if one.has_rule else one.ways)

    def _doubt(self, at: int, reason: str) -> ConfinementDoubt:
        return ConfinementDoubt(at, reason, self._doubt_need(self.judged[at]))


def _start(one: tuple[int, SingleConfinement]) -> int:
    return one[0]


def _looks_by_git(one: Judged) -> bool:
    """Whether git only reads, though a rule covers it: it needs nothing of what a repository would have it run for that."""
    return one.has_rule and one.least == "reading" and one.part.runs_git


def _is_git(one: Judged) -> bool:
    return not one.part.programs.isdisjoint({"git", "hg"})
