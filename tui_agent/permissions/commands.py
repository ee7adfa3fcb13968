"""Commands: each simple command of a text needs its own allowance, and so does each file that a redirection names.

A rule allows one, or that it is known to only read what may be read, or, where edits are accepted, that it does nothing but
change files of the work. What is still missing is told as `Need`s, from which the rules to offer are made.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tui_agent.permissions.modes import Mode
from tui_agent.permissions.protected import protected_reason
from tui_agent.permissions.rules import Operation, Rule, RuleSet
from tui_agent.permissions.shell.analysis import Analysis, Part
from tui_agent.permissions.shell.match import CommandRules, allowing_rule, namings
from tui_agent.permissions.shell.parse import Redirect, Script
from tui_agent.permissions.shell.places import Places, places, stands
from tui_agent.permissions.shell.reach import base_name, unfolded, whole_text
from tui_agent.permissions.shell.words import Word
from tui_agent.permissions.surroundings import Surroundings
from tui_agent.permissions.verdict import By, Naming, Need, PartVerdict, PathNeed

__all__ = ["CommandView", "judge_commands"]

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
class CommandView:
    """What became of each simple command, and what is missing.

    `is_reading` says that all of it is known to only read (wherever that is); `is_held` that all of it was let through for
    that, so that it can be held to it, and `asks_daemon` that it then has to reach other programs here. `rule` is the first
    rule that allowed something; `is_by_mode` that the mode did. `by`, `reason` and `check` tell of the first thing that is
    missing.
    """

    parts: tuple[PartVerdict, ...] = ()
    needs: tuple[Need, ...] = ()
    is_reading: bool = False
    is_held: bool = False
    asks_daemon: bool = False
    rule: Rule | None = None
    is_by_mode: bool = False
    by: By = "default"
    reason: str = ""
    check: str = ""

    @property
    def is_allowed(self) -> bool:
        """Whether nothing is missing."""
        return not self.needs


def judge_commands(
    script: Script,
    analysis: Analysis,
    *,
    allowing: CommandRules,
    whole: Rule | None,
    rules: RuleSet,
    mode: Mode,
    where: Surroundings,
    may_read: str,
) -> CommandView:
    """Judge each part of a command text that is understood.

    Args:
        script: the text as its tree has it.
        analysis: the text as its parts have it.
        allowing: the allow rules that count for the tool.
        whole: the one of them that allows whatever command.
        rules: all rules, for the paths.
        mode: the session's mode.
        where: the folders it is judged by.
        may_read: why what only reads is not let through for that; empty where it is.
    """
    has_text = any(redirect.target is None for redirect in script.redirects)
    judge = _PartJudge(allowing, whole, rules, mode, where, may_read, has_text=has_text)
    parts: list[PartVerdict] = []
    needs: list[Need] = []
    first: tuple[By, str, str] = ("default", "no rule allows this command", "")
    seen: list[Redirect] = []
    for part in analysis.parts:
        verdict, missing = judge.part(part, is_sure=analysis.is_understood)
        seen.extend(part.redirects)
        parts.append(verdict)
        if missing and not needs:
            first = verdict.by, verdict.reason, verdict.check
        needs.extend(missing)
    if not needs:
        first = "default", judge.finish(script, seen, needs), ""
    if not analysis.is_understood and whole is None:
        first = "classifier", analysis.reason, analysis.check
        needs = [Need(subject=analysis.source)]
    is_reading = (
        analysis.is_understood
        and all(part.judgement.kind == "read_only" for part in analysis.parts)
        and not any(redirect.is_output and not _is_standard(redirect) for redirect in (*seen, *script.redirects))
    )
    by, reason, check = first
    return CommandView(
        parts=tuple(parts),
        needs=tuple(dict.fromkeys(needs)),
        is_reading=is_reading,
        is_held=is_reading and not needs and all(part.by == "classifier" for part in parts),
        asks_daemon=any(part.judgement.asks_daemon for part in analysis.parts),
        rule=judge.rule,
        is_by_mode=judge.is_by_mode,
        by=by,
        reason=reason,
        check=check,
    )


class _PartJudge:
    """What judging the parts of one text has in common."""

    def __init__(
        self,
        allowing: CommandRules,
        whole: Rule | None,
        rules: RuleSet,
        mode: Mode,
        where: Surroundings,
        may_read: str,
        *,
        has_text: bool,
    ) -> None:
        self.allowing = allowing
        self.whole = whole
        self.rules = rules
        self.mode = mode
        self.where = where
        self.may_read = may_read
        self.has_text = has_text
        self.rule: Rule | None = None
        self.is_by_mode = False

    def part(self, part: Part, *, is_sure: bool) -> tuple[PartVerdict, list[Need]]:
        """Return what one simple command gets, and what it lacks."""
        shown = _shown(part)
        folders = stands(part.folders, self.where)
        needs: list[Need] = []
        by: By
        ways = namings(part.command, part.words) if part.is_certain and is_sure else ()
        if self._takes_text(part):
            ways = ()  # what it runs stands on its standard input and not in its name
        rule = self.whole or allowing_rule(self.allowing, ways)
        check = part.judgement.check
        if rule is not None:
            by, reason, check = "rule", f"`{rule.text}` allows it", ""
            self.rule = self.rule or rule
        elif not is_sure:
            by, reason = "default", "it is not understood"
            needs.append(Need(subject=shown))
        elif part.judgement.kind == "read_only":
            by, reason, missing = self._reading(part, folders, ways, shown)
            needs.extend(missing)
        elif part.judgement.kind == "edit" and self.mode == "acceptEdits":
            by, reason = "mode", self._why_not_accepted(part, folders)
            if reason:
                needs.append(Need(subject=shown, commands=ways))
            else:
                reason = "edits in the working folders are accepted"
                self.is_by_mode = True
        else:
            by, reason = _asked(check, part.judgement.reason)
            needs.append(Need(subject=shown, commands=ways))
        for redirect in part.redirects:
            why, missing = self._redirect(redirect, folders)
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
        return verdict, needs

    def finish(self, script: Script, seen: Sequence[Redirect], needs: list[Need]) -> str:
        """Judge redirections that belong to no part, wherever they may be carried out; return why they ask."""
        reason = ""
        known = {(one.operator, one.target and one.target.raw) for one in seen}
        for redirect in script.redirects:
            target = redirect.target
            if target is not None and not target.raw.startswith("<(") and (redirect.operator, target.raw) not in known:
                why, missing = self._redirect(redirect, Places((self.where.cwd,), is_certain=False))
                reason = reason or why
                needs.extend(missing)
        return reason

    # Reading

    def _reading(self, part: Part, folders: Places, ways: tuple[Naming, ...], shown: str) -> tuple[By, str, list[Need]]:
        """Judge a command that is known to only read: by what it reads, and where it runs."""
        if self.may_read:
            return "classifier", self.may_read, [Need(subject=shown, commands=ways, is_reading=True)]
        if (moved := self._elsewhere(folders)) and "git" in _programs(part):
            reason = f"git in `{self.where.shown(moved)}` runs what that folder's own settings say"
            return "classifier", reason, [Need(subject=shown, commands=ways)]
        sent = _sent_elsewhere(part)
        if sent > 1:  # each counts from where the one before it leads
            return "classifier", "where git is sent is told in several steps", [Need(subject=shown, commands=ways)]
        outside: list[str] = []
        for word in dict.fromkeys(part.judgement.reads):
            found = places(word, folders, self.where)
            if not found.is_certain:
                reason = f"what it reads at `{word.raw}` is not known before it runs"
                return "classifier", reason, [Need(subject=shown, commands=ways, is_reading=True)]
            outside.extend(path for path in found.paths if not self._may_read_path(path))
            if sent and (own := next(filter(self._is_in_other_repository, found.paths), "")):
                reason = f"a repository at `{self.where.shown(own)}` may have programs run by its own settings"
                return "classifier", reason, [Need(subject=shown, commands=ways)]
        if outside:
            reason = f"it reads `{self.where.shown(outside[0])}`, outside the working folders"
            paths = self._path_needs("read", outside)
            missing = Need(subject=shown, commands=ways, paths=paths, is_reading=True)
            return "default", reason, [missing]
        return "classifier", "it only reads, in the working folders", []

    def _elsewhere(self, folders: Places) -> str:
        """Return a folder other than the session's own that the command may run in, or nothing."""
        here = {self.where.shell_cwd or self.where.cwd, self.where.cwd, self.where.project_root}
        if not folders.is_certain:
            return "a folder that is not known"
        return next((folder for folder in folders.paths if folder not in here), "")

    def _is_in_other_repository(self, path: str) -> bool:
        """Whether a folder, or one between it and the session's own, is a repository of its own, be it bare."""
        here = {os.path.realpath(one) for one in (self.where.cwd, self.where.project_root)}
        folder = Path(os.path.realpath(path))
        while str(folder) not in here and folder != folder.parent:
            if any(os.path.lexists(folder / name) for name in (".git", "HEAD", ".hg")):
                return True
            folder = folder.parent
        return False

    def _may_read_path(self, path: str) -> bool:
        if path in _FREE_INPUTS or self.where.is_free_to_read(path):
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

    # Changing

    def _why_not_accepted(self, part: Part, folders: Places) -> str:
        """Return why a command that only changes files is not accepted as one that changes the work; empty where it is."""
        sources: list[str] = []
        targets: list[str] = []
        for words, paths in ((part.judgement.reads, sources), (part.judgement.writes, targets)):
            for word in dict.fromkeys(words):
                found = places(word, folders, self.where)
                if not found.is_certain:
                    return f"what `{word.raw}` is, is not known before it runs"
                paths.extend(found.paths)
        # In a folder the copy bears the name of what it is a copy of, and a link of that name would be followed.
        inner = [
            os.path.join(target, os.path.basename(source))  # noqa: PTH118, PTH119 - of texts
            for target in targets
            for source in sources
        ]
        for path in sources:
            if not self._may_read_path(path):
                return f"it reads `{self.where.shown(path)}`, outside the working folders"
        for path in (*targets, *inner):
            if not self._is_work(path):
                return f"it changes `{self.where.shown(path)}`, which is not of the work or leads out of it"
        return "" if targets else "what it changes is not known before it runs"

    def _is_work(self, path: str) -> bool:
        return self.where.is_work(path) and protected_reason(path, self.where) is None

    # Redirections

    def _redirect(self, redirect: Redirect, folders: Places) -> tuple[str, list[Need]]:
        """Return what a redirection lacks, and why in words: the command's own rule does not cover the file it names."""
        target = redirect.target
        if target is None or redirect.is_free or _is_standard(redirect):
            return "", []
        subject = f"{redirect.operator} {target.raw}"
        if not redirect.is_output:
            found = places(target, folders, self.where)
            if not found.is_certain or _is_device(target):
                return "it reads a file that is not known before it runs", [Need(subject=subject)]
            outside = [path for path in found.paths if not self._may_read_path(path)]
            if not outside:
                return "", []
            reason = f"it reads `{self.where.shown(outside[0])}`, outside the working folders"
            return reason, [Need(subject=subject, paths=self._path_needs("read", outside))]
        # Where bash itself would put something in, a person looks at it.
        if not target.is_known or not target.value or target.raw.startswith("~") or _is_device(target):
            return "it writes a file that is not known before it runs", [Need(subject=subject)]
        found = places(target, folders, self.where)
        if not found.is_certain:
            return "it writes a file that is not known before it runs", [Need(subject=subject)]
        missing = [path for path in found.paths if not self._may_write_path(path)]
        if not missing:
            return "", []
        reason = f"it writes `{self.where.shown(missing[0])}`"
        return reason, [Need(subject=subject, paths=self._path_needs("edit", missing))]

    def _may_write_path(self, path: str) -> bool:
        if self._has_rules(path, "edit"):
            return True
        if self.mode == "acceptEdits" and self.where.is_work(path):
            self.is_by_mode = True
            return True
        return False

    def _takes_text(self, part: Part) -> bool:
        """Whether a text in the command may be handed to a program that would run it."""
        if not self.has_text:
            return False
        return any(name in _READS_PROGRAMS or name.startswith(("python", "pypy")) for name in _programs(part))


def _asked(check: str, reason: str) -> tuple[By, str]:
    if check in _UNKNOWN:
        return "default", "no rule allows this command"
    return "classifier", reason


def _programs(part: Part) -> frozenset[str]:
    """Return the programs that a command may run, itself and what stands behind wrappers."""
    return frozenset(base_name(one.words[0]) for one in unfolded(part.words))


def _sent_elsewhere(part: Part) -> int:
    """Count the options before its subcommand by which git or Mercurial looks in another folder."""
    sending = ("-C", "-R", "--cwd", "--repository")
    if not {"git", "hg"} & _programs(part):
        return 0
    values = [word.value for word in part.words]
    found, at = (
        0,
        next((index for index, value in enumerate(values) if value.rpartition("/")[2] in {"git", "hg"}), 0) + 1,
    )
    while at < len(values) and values[at].startswith("-"):
        is_sent = values[at].startswith(sending)
        found += is_sent
        at += 2 if values[at] in {*sending, "-c"} else 1
    return found


def _shown(part: Part) -> str:
    assigned = [f"{item.name}={item.value.raw}" for item in part.command.assignments]
    text = " ".join([*assigned, whole_text(part.command.words)]).strip()
    if text:
        return text
    return " ".join(f"{one.operator} {one.target.raw}" for one in part.redirects if one.target is not None)


def _is_device(target: Word) -> bool:
    """Whether bash opens a network connection instead of a file."""
    return target.value.startswith(("/dev/tcp/", "/dev/udp/"))


def _is_standard(redirect: Redirect) -> bool:
    return redirect.target is not None and redirect.target.is_known and redirect.target.value in _FREE_OUTPUTS
