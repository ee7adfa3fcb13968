"""Commands: each simple command of a text needs its own allowance, and so does each file that a redirection names.

A rule allows one, or that it is known to only read what may be read, or, where edits are accepted, that it does nothing but
change files of the work. What is still missing is told as `Need`s, from which the rules to offer are made.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from tui_agent.permissions.changed_programs import changed_before_run
from tui_agent.permissions.command_part import PartJudge, is_standard
from tui_agent.permissions.modes import Mode
from tui_agent.permissions.part_confinement import arrange
from tui_agent.permissions.path_context import PathContext
from tui_agent.permissions.rules import Rule, RuleSet
from tui_agent.permissions.shell.analysis import Analysis, Part
from tui_agent.permissions.shell.isolation import start_of_program
from tui_agent.permissions.shell.match import CommandRules
from tui_agent.permissions.shell.parse import ParsedScript
from tui_agent.permissions.verdict import By, Confinement, Need, PartVerdict, PerCommand

__all__ = ["CommandView", "judge_commands"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandView:
    """What became of each simple command, and what is missing.

    `is_reading` says that all of it is known to only read (wherever that is), and `asks_daemon` that it then has to reach
    other programs here; `is_held` that all of it was let through for reading. `confinement` is how it runs if nothing is
    missing; `sees_all` that a part which reads what it does not name is then held to nothing, as the user's rules open more to
    it. `rule` is the first rule that allowed something; `is_by_mode` that the mode did. `by`, `reason` and `check` tell of
    the first thing that is missing.
    """

    parts: tuple[PartVerdict, ...] = ()
    needs: tuple[Need, ...] = ()
    is_reading: bool = False
    is_held: bool = False
    asks_daemon: bool = False
    confinement: Confinement | None = None
    sees_all: bool = False
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
    script: ParsedScript,
    analysis: Analysis,
    *,
    allowing: CommandRules,
    whole: Rule | None,
    rules: RuleSet,
    mode: Mode,
    where: PathContext,
    may_read: str,
    may_edit: str,
    is_sandboxed: bool,
    hides: bool,
    is_own_change: bool = False,
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
        may_edit: the same for accepted edits.
        is_sandboxed: whether commands run in the user's own sandbox, be they allowed by a rule or not.
        hides: whether rules keep files from being read, so that what can be held to reading is.
        is_own_change: see `ToolCall`.
    """
    has_text = any(redirect.target is None for redirect in script.redirects)
    judge = PartJudge(allowing, whole, rules, mode, where, may_read=may_read, may_edit=may_edit, has_text=has_text)
    judged = [judge.part(part, is_sure=analysis.is_understood) for part in analysis.parts]
    parts = [one.verdict for one in judged]
    needs = [need for one in judged for need in one.needs]
    # As they were judged, with variables put in, and as they are written.
    seen = [one for part in analysis.parts for one in (*part.redirects, *part.command.redirects)]
    by: By
    by, reason, check = next(
        ((one.by, one.reason, one.check) for one in parts if one.behavior != "allow"),
        ("default", "no rule allows this command", ""),
    )
    if not needs:
        by, reason, check = "default", judge.finish(script, seen, needs), ""
    if not analysis.source.strip():
        reason = "it is empty"
        needs.append(Need(subject=analysis.source))
    confinement: Confinement | None = None
    if not analysis.is_understood and whole is None:
        by, reason, check = "classifier", analysis.reason, analysis.check
        needs = [Need(subject=analysis.source)]
    elif analysis.is_understood:
        arranged = arrange(
            analysis,
            judged,
            where.sandbox,
            is_whole=whole is not None,
            is_sandboxed=is_sandboxed,
            hides=hides,
            is_own_change=is_own_change,
        )
        confinement = arranged.confinement
        if arranged.doubts and not needs:
            by, reason, check = "classifier", arranged.doubts[0].reason, ""
        for doubt in arranged.doubts:
            needs.append(doubt.need)
            if doubt.at is not None:
                parts[doubt.at] = _doubted(parts[doubt.at], doubt.reason)
        if whole is None:
            for at, why, need in changed_before_run(analysis, judged, where):
                by, reason, check = (by, reason, check) if needs else ("classifier", why, "")
                needs.append(need)
                parts[at] = _doubted(parts[at], why)
    is_reading = (
        analysis.is_understood
        and all(part.judgement.kind == "read_only" for part in analysis.parts)
        and not any(redirect.is_output and not is_standard(redirect) for redirect in (*seen, *script.redirects))
    )
    return CommandView(
        parts=tuple(parts),
        needs=tuple(dict.fromkeys(needs)),
        is_reading=is_reading,
        is_held=is_reading and not needs and all(part.by == "classifier" for part in parts),
        asks_daemon=any(part.judgement.sockets for part in analysis.parts),
        confinement=confinement,
        sees_all=any(_looks_about(one) and not _is_held(one, confinement) for one in analysis.parts),
        rule=judge.rule,
        is_by_mode=judge.is_by_mode,
        by=by,
        reason=reason,
        check=check,
    )


def _looks_about(part: Part) -> bool:
    """Whether a part that only reads may read files that it does not name."""
    return part.judgement.kind == "read_only" and bool(part.judgement.loose or part.runs_git)


def _is_held(part: Part, confinement: Confinement | None) -> bool:
    """Whether a part runs in a sandbox."""
    if not isinstance(confinement, PerCommand):
        return confinement is not None
    return start_of_program(part) in {start for start, _how in confinement.confined}


def _doubted(part: PartVerdict, reason: str) -> PartVerdict:
    """Return the verdict on a part that would be allowed by itself, but not beside the others."""
    if part.behavior != "allow":
        return part
    return replace(part, behavior="ask", by="classifier", reason=reason, check="", rule=None)
