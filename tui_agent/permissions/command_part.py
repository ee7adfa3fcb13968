"""One simple command of a text: which rule, mode or knowledge of the program lets it through, and what it still lacks."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from tui_agent.git_dangers import program_here
from tui_agent.permissions.accepted_edits import AcceptedEdits
from tui_agent.permissions.implied_reads import git_secrets, why_strays
from tui_agent.permissions.modes import Mode
from tui_agent.permissions.path_context import PathContext
from tui_agent.permissions.program_files import why_namesake
from tui_agent.permissions.repositories import Repositories, sent_elsewhere
from tui_agent.permissions.rules import Operation, Rule, RuleSet
from tui_agent.permissions.secret_files import tells_names_alone
from tui_agent.permissions.shell.analysis import Part
from tui_agent.permissions.shell.files import path_words
from tui_agent.permissions.shell.hidden_powers import hidden_power
from tui_agent.permissions.shell.match import CommandRules, allowing_rule
from tui_agent.permissions.shell.parse import ParsedScript, Redirect
from tui_agent.permissions.shell.path_expansion import Places, places, stands
from tui_agent.permissions.shell.words import Word
from tui_agent.permissions.toolchains import why_chosen_here
from tui_agent.permissions.verdict import By, Naming, Need, PartVerdict, PathNeed

__all__ = ["Judged", "PartJudge", "Rights", "is_standard"]

Rights = Literal["reading", "edits", "free"]
"""What a command is given: to read; to change the work, as far as edits are accepted; or what the user may do."""

_FREE_OUTPUTS: Final = frozenset({"/dev/stdout", "/dev/stderr"})
_FREE_INPUTS: Final = frozenset({"/dev/null", "/dev/stdin"})
# What these are given on their standard input is a program.
_READS_PROGRAMS: Final = frozenset({
    "sh", "bash", "dash", "zsh", "ksh", "fish", "python", "python3", "node", "deno", "bun", "perl", "ruby", "php", "lua",
    "Rscript", "psql", "mysql", "sqlite3", "ssh", "xargs", "parallel", "at", "batch", "crontab", "make", "bc", "dc", "ed", "ex",
    "awk", "gawk", "jshell", "ghci", "irb", "scala", "tclsh", "osascript", "docker", "kubectl", "su", "sudo", "doas", "env",
})  # fmt: skip
# Checks that say no more than that a command is not known to only read.
_UNKNOWN: Final = frozenset({"", "unknown-program", "subcommand"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What became of one command.

    `least` is the least that it could be given, if it is let through: without the rules where it can do without. `has_rule`
    says that a rule allows it, so that it may have the user's rights. `redirects` is what its redirections need, which the
    shell carries out. `is_harmless_edit` says of a change that no link and no program's settings come of it.
    """

    part: Part
    verdict: PartVerdict
    ways: tuple[Naming, ...]
    needs: tuple[Need, ...]
    folders: Places
    least: Rights
    has_rule: bool
    redirects: Rights
    is_harmless_edit: bool = False


class PartJudge:
    """Judges the parts of one text. `rule` is the first rule that allowed something; `is_by_mode` that the mode did."""

    def __init__(
        self,
        allowing: CommandRules,
        whole: Rule | None,
        rules: RuleSet,
        mode: Mode,
        where: PathContext,
        *,
        may_read: str,
        may_edit: str,
        has_text: bool,
    ) -> None:
        self.allowing = allowing
        self.whole = whole
        self.rules = rules
        self.mode = mode
        self.where = where
        self.may_read = may_read
        self.may_edit = may_edit
        self.has_text = has_text
        self.repositories = Repositories(where)
        self.edits = AcceptedEdits(where, self._may_read_path)
        self.rule: Rule | None = None
        self.is_by_mode = False

    def part(self, part: Part, *, is_sure: bool) -> Judged:
        """Return what one simple command gets, and what it lacks."""
        shown = part.shown
        folders = stands(part.folders, self.where)
        ways = part.namings if is_sure else ()
        if self._takes_text(part):
            ways = ()  # what it runs stands on its standard input and not in its name
        ways = self._with_power(part, ways, folders)
        rule, strays = self.whole or allowing_rule(self.allowing, ways), ""
        if rule is not None:
            strays = self._why_denied(part, folders) or ("" if self.whole else self._strays(part, folders))
            rule, ways = (None, ()) if strays else (rule, ways)
        check, needs = part.judgement.check, []
        least: Rights = "free"
        by: By
        if rule is not None:
            self.rule = self.rule or rule
            least = self._least_without(part, folders) if is_sure else "free"
            by, reason, check = "rule", f"`{rule.text}` allows it", ""
        elif not is_sure:
            by, reason = "default", "it is not understood"
            needs.append(Need(subject=shown))
        elif part.judgement.kind == "read_only":
            by, reason, needs = self._reading(part, folders, ways, shown)
            least = "free" if needs else "reading"
        elif part.judgement.kind == "edit" and self.mode == "acceptEdits":
            by, reason = "mode", self.may_edit or self.edits.why_not_accepted(part, folders)
            if reason:
                needs.append(Need(subject=shown, commands=ways))
            else:
                reason, least = "edits in the working folders are accepted", "edits"
                self.is_by_mode = True
        else:
            by, reason = _asked(check, part.judgement.reason)
            if uncovered := self._why_uncovered(ways):
                by, reason, check = "classifier", uncovered, ""
            needs.append(Need(subject=shown, commands=ways))
        if needs and (strays := strays or self._strays(part, folders) if is_sure else ""):
            # No rule on the command would help.
            ways, needs = (), [replace(need, commands=()) for need in needs]
            by, reason = ("classifier", strays) if part.judgement.kind == "unknown" else (by, reason)
        redirects: Rights = "reading"
        for redirect in part.redirects:
            why, missing, right = self._redirect(redirect, folders)
            redirects = max(redirects, right, key=_ORDER.index)
            if missing:
                by, reason, check = ("default", why, "") if not needs else (by, reason, check)
                needs.extend(missing)
        verdict = PartVerdict(
            command=shown,
            behavior="ask" if needs else "allow",
            by=by,
            reason=reason,
            check=check,
            rule=rule.text if rule is not None else None,
        )
        return Judged(
            part=part,
            verdict=verdict,
            ways=ways,
            needs=tuple(needs),
            folders=folders,
            least=least,
            has_rule=rule is not None,
            redirects=redirects,
            is_harmless_edit=part.judgement.kind == "edit" and self.edits.makes_no_links(part, folders),
        )

    def finish(self, script: ParsedScript, seen: Sequence[Redirect], needs: list[Need]) -> str:
        """Judge redirections that belong to no part, wherever they may be carried out; return why they ask."""
        reason = ""
        if not script.redirects:
            return reason
        known = {(one.operator, one.target and one.target.raw) for one in seen}
        for redirect in script.redirects:
            target = redirect.target
            if target is not None and not target.raw.startswith("<(") and (redirect.operator, target.raw) not in known:
                why, missing, _right = self._redirect(redirect, Places((self.where.cwd,), is_certain=False))
                reason = reason or why
                needs.extend(missing)
        return reason

    # What a rule covers

    def _with_power(self, part: Part, ways: tuple[Naming, ...], folders: Places) -> tuple[Naming, ...]:
        """Return the ways to name a command with what a rule has to name besides: see `hidden_powers`."""
        if self.whole is not None or not ways:
            return ways
        powers = (hidden_power(one.words, lambda word: self._is_elsewhere(word, folders)) for one in part.reached)
        power = next(filter(None, powers), "")
        return tuple(replace(way, power=power) for way in ways) if power else ways

    def _why_uncovered(self, ways: tuple[Naming, ...]) -> str:
        """Return why a rule does not cover a command that it would cover without what it does besides; empty for no rule."""
        power = ways[0].power if ways else ""
        rule = allowing_rule(self.allowing, [replace(way, power="") for way in ways]) if power else None
        return "" if rule is None else f"`{rule.text}` does not name `{power}`, which reaches further"

    def _is_elsewhere(self, word: Word, folders: Places) -> bool:
        """Whether a file that is written lies outside of what no rule is needed for, or may."""
        found = places(word, folders, self.where)
        if not found.is_certain:
            return True
        return not all(
            path in _FREE_OUTPUTS or path == os.devnull or self.where.is_work(path) or self._has_rules(path, "edit")
            for path in found.paths
        )

    def _strays(self, part: Part, folders: Places) -> str:
        """Return why a rule that names a program does not cover it where it runs; empty where it does.

        Most programs load settings, or code, from where they stand. The user's rule is about the project's own.
        """
        names = part.programs
        is_repository = not names.isdisjoint({"git", "hg"})
        if part.judgement.kind != "unknown" and not is_repository:
            return ""
        if not folders.is_certain:
            return "the folder it runs in is unknown before it runs"
        if outside := next((one for one in folders.paths if not self.repositories.is_project(one)), ""):
            return f"it runs in `{self.where.shown(outside)}`, outside the project"
        if reason := why_namesake(part, folders, self.where):
            return reason
        if "git" in names and (reason := self.repositories.why_unreadable(folders)):
            return f"git would read what it did not write: {reason}"
        is_foreign = "git" in names and not self.where.is_trusted
        if is_foreign and (reason := next(filter(None, map(program_here, folders.paths)), "")):
            return f"you don't trust this folder, and git would run what its repository says: {reason}"
        for path in self.repositories.read_by_link(part, folders):
            if not self._may_read_path(path):
                return self.where.why_not_free(path)
        return self.repositories.why_other(part, folders)  # `npm`, `gh` and others run git, too

    def _why_denied(self, part: Part, folders: Places) -> str:
        """Return why no rule covers a program that is given a file which a rule denies; empty where it is given none."""
        if part.judgement.kind != "unknown" or not self.rules.has_denials("read"):
            return ""
        for word in part.words[1:]:
            for inner in path_words(word):
                for path in places(inner, folders, self.where).paths if inner.value else ():
                    denied = self.rules.denies_path(path, "read", self.where)
                    if denied is not None and os.path.lexists(path):
                        return f"it is given `{self.where.shown(path)}`: {denied}"
        return ""

    def _least_without(self, part: Part, folders: Places) -> Rights:
        """Return what a command that a rule allows could be given if there were none."""
        if part.judgement.kind == "read_only" and not self._reading(part, folders, (), "")[2]:
            return "reading"
        is_edit = part.judgement.kind == "edit" and self.mode == "acceptEdits" and not self.may_edit
        return "edits" if is_edit and not self.edits.why_not_accepted(part, folders) else "free"

    # Reading

    def _reading(self, part: Part, folders: Places, ways: tuple[Naming, ...], shown: str) -> tuple[By, str, list[Need]]:
        """Judge a command that is known to only read: by what it reads, and where it runs."""
        if self.may_read:
            return "classifier", self.may_read, [Need(subject=shown, commands=ways, is_reading=True)]
        if "git" in part.programs and (moved := self.repositories.elsewhere(folders)):
            reason = f"git in `{self.where.shown(moved)}` runs what that folder's own settings say"
            return "classifier", reason, [Need(subject=shown, commands=ways)]
        if "git" in part.programs and (reason := self.repositories.why_unreadable(folders)):
            return "classifier", f"git would read what it did not write: {reason}", [Need(subject=shown)]
        if chosen := why_chosen_here(part.programs, folders.paths, self.where.home):
            return "classifier", chosen, [Need(subject=shown, commands=ways)]
        sent = sent_elsewhere(part)
        if len(sent) > 1:  # each counts from where the one before it leads
            return "classifier", "where git is sent is told in several steps", [Need(subject=shown, commands=ways)]
        outside: list[str] = []
        tells_names = tells_names_alone(part.programs, [word.value for word in part.words])
        for word in dict.fromkeys(part.judgement.reads):
            found = places(word, folders, self.where)
            if not found.is_certain:
                reason = f"what it reads at `{word.raw}` is unknown before it runs"
                return "classifier", reason, [Need(subject=shown, commands=ways, is_reading=True)]
            if not tells_names and (pipe := next(filter(_is_pipe, found.paths), "")):
                reason = f"`{self.where.shown(pipe)}` is a pipe, and may keep it waiting"
                return "classifier", reason, [Need(subject=shown, commands=ways, is_reading=True)]
            outside.extend(path for path in found.paths if not self._may_read_path(path, part))
            if sent and (own := next(filter(self.repositories.is_other, found.paths), "")):
                reason = f"a repository at `{self.where.shown(own)}` may have programs run by its own settings"
                return "classifier", reason, [Need(subject=shown, commands=ways)]
        if "git" in part.programs:
            outside.extend(path for path in git_secrets(part, folders, self.where) if not self._may_read_path(path))
        if outside:
            reason = self.where.why_not_free(outside[0])
            paths = self._path_needs("read", outside)
            missing = Need(subject=shown, commands=ways, paths=paths, is_reading=True)
            return "default", reason, [missing]
        if not self.where.sandbox.is_there and (reason := self._why_not_unheld(part, folders)):
            return "classifier", reason, [Need(subject=shown, commands=ways, is_reading=True)]
        return "classifier", "it is read-only, in the working folders", []

    def _why_not_unheld(self, part: Part, folders: Places) -> str:
        """Return why a command that only reads what it may read is not let through where nothing holds it to that."""
        if part.judgement.leaves:
            return f"`{part.words[0].raw}` keeps a cache, a log or settings, and there is no sandbox to prevent it"
        return why_strays(part, folders, self.where)

    def _may_read_path(self, path: str, part: Part | None = None) -> bool:
        if path in _FREE_INPUTS or self.where.is_free_to_read(path):
            return True
        tells_names = part is not None and tells_names_alone(part.programs, [word.value for word in part.words])
        if tells_names and self.where.is_work(path):
            return True
        return self._has_rules(path, "read")

    def _has_rules(self, path: str, operation: Operation) -> bool:
        found = [self.rules.allows_path(face, operation, self.where) for face in self.where.faces(path)]
        if None in found:
            return False
        self.rule = self.rule or found[0]
        return True

    def _path_needs(self, operation: Operation, paths: Sequence[str]) -> tuple[PathNeed, ...]:
        return tuple(PathNeed(operation, path, self.where.faces(path)) for path in dict.fromkeys(paths))

    # Redirections

    def _redirect(self, redirect: Redirect, folders: Places) -> tuple[str, list[Need], Rights]:
        """Return what a redirection lacks and why in words, and what it needs where it lacks nothing.

        The command's own rule does not cover the file that it names.
        """
        target = redirect.target
        if target is None or redirect.is_free or is_standard(redirect):
            return "", [], "reading"
        subject = f"{redirect.operator} {target.raw}"
        if not redirect.is_output:
            found = places(target, folders, self.where)
            if not found.is_certain or _is_device(target):
                return "it reads a file that is unknown before it runs", [Need(subject=subject)], "reading"
            if any(map(_is_pipe, found.paths)):
                return "it reads a pipe, and may be kept waiting", [Need(subject=subject)], "reading"
            outside = [path for path in found.paths if not self._may_read_path(path)]
            if not outside:
                return "", [], "reading"
            reason = self.where.why_not_free(outside[0])
            return reason, [Need(subject=subject, paths=self._path_needs("read", outside))], "reading"
        # Where bash itself would put something in, a user looks at it.
        unknown = "it writes a file that is unknown before it runs"
        if not target.is_known or not target.value or target.raw.startswith("~") or _is_device(target):
            return unknown, [Need(subject=subject)], "free"
        found = places(target, folders, self.where)
        if not found.is_certain:
            return unknown, [Need(subject=subject)], "free"
        missing = [path for path in found.paths if not self._has_rules(path, "edit")]
        is_accepting = self.mode == "acceptEdits" and not self.may_edit
        # Where no sandbox would hold it, what a rule allows does not lean on the mode.
        is_accepting = is_accepting and (bool(missing) or self.where.sandbox.is_there)
        shared = next(filter(self.where.has_several_names, found.paths), "") if is_accepting and missing else ""
        if shared:
            return self.edits.changes_others(shared), [Need(subject=subject)], "free"
        if is_accepting and all(self.where.is_work(path) for path in found.paths):
            self.is_by_mode = self.is_by_mode or bool(missing)
            return "", [], "edits"
        if not missing:
            return "", [], "free"
        reason = f"it writes `{self.where.shown(missing[0])}`"
        return reason, [Need(subject=subject, paths=self._path_needs("edit", missing))], "free"

    def _takes_text(self, part: Part) -> bool:
        """Whether a text in the command may be handed to a program that would run it."""
        if not self.has_text:
            return False
        return any(name in _READS_PROGRAMS or name.startswith(("python", "pypy")) for name in part.programs)


_ORDER: Final[tuple[Rights, ...]] = ("reading", "edits", "free")


def is_standard(redirect: Redirect) -> bool:
    """Whether a redirection leads to where the output goes anyway."""
    return redirect.target is not None and redirect.target.is_known and redirect.target.value in _FREE_OUTPUTS


def _asked(check: str, reason: str) -> tuple[By, str]:
    if check in _UNKNOWN:
        return "default", "no rule allows this command"
    return "classifier", reason


def _is_pipe(path: str) -> bool:
    """Whether a file is a pipe with a name, by which a repository could have a command wait for ever."""
    try:
        return stat.S_ISFIFO(os.stat(path).st_mode) and not path.startswith("/dev/")  # noqa: PTH116 - text
    except (OSError, ValueError):
        return False


def _is_device(target: Word) -> bool:
    """Whether bash opens a network connection instead of a file."""
    return target.value.startswith(("/dev/tcp/", "/dev/udp/"))
