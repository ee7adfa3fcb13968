"""What a verdict tells of a command: what it does that matters most, and what each part of it would get."""

from __future__ import annotations

from dataclasses import replace

from tui_agent.permissions.evaluation import Evaluation
from tui_agent.permissions.shell.analysis import Part
from tui_agent.permissions.shell.dangers import Danger, danger_of, unseen_of, worst_of
from tui_agent.permissions.shell.effective_command import unfolded
from tui_agent.permissions.shell.match import reaches
from tui_agent.permissions.shell.pattern import CommandPattern
from tui_agent.permissions.verdict import PartVerdict, Verdict

__all__ = ["part_verdicts", "with_effect"]


def with_effect(verdict: Verdict, evaluation: Evaluation) -> Verdict:
    """Say what the command does that matters most, where a user is asked about it; what a rule allows is not named."""
    if verdict.behavior != "ask" or evaluation.call.command is None:
        return verdict
    named = _worst_asked(evaluation)
    found = named or danger_of(evaluation.call.command)
    if found is None or not (named or found.is_careful):
        return verdict
    reason = verdict.reason
    # Why no rule would help says more than what any program of the kind may do.
    is_helpless = not any(need.commands or need.paths for need in verdict.needs)
    if verdict.is_open and named is not None and (named.is_careful or not is_helpless):
        reason = named.reason
    elif found.is_careful and found.shown.partition(" ")[0] not in reason:
        reason = f"{reason}; {found.reason}"
    return replace(verdict, reason=reason, effect=found.effect, part=found.part)


def _worst_asked(evaluation: Evaluation) -> Danger | None:
    """Return the worst thing that those parts of the command do which nothing allows."""
    if evaluation.view is None or evaluation.analysis is None or not evaluation.analysis.is_understood:
        return danger_of(evaluation.call.command or "")
    asked = (
        part
        for one, part in zip(evaluation.view.parts, evaluation.analysis.parts, strict=True)
        if one.behavior != "allow"
    )
    commands = [one for part in asked for one in unfolded(part.command.words)]
    found = (unseen_of(evaluation.analysis.source), worst_of(commands))
    return min(filter(None, found), key=lambda one: one.weight, default=None)


def part_verdicts(verdict: Verdict, evaluation: Evaluation) -> tuple[PartVerdict, ...]:
    """Return what each part of the command would get, the one that a rule forbids or asks about as that rule says."""
    if evaluation.view is None or evaluation.analysis is None:
        return ()
    parts = tuple(map(_with_part_effect, evaluation.view.parts, evaluation.analysis.parts))
    if verdict.by != "rule" or verdict.behavior == "allow" or verdict.rule is None:
        return parts
    rules = (
        evaluation.rules.deny if verdict.behavior == "deny" or evaluation.mode == "dontAsk" else evaluation.rules.ask
    )
    patterns = [
        rule.specifier
        for rule in (*rules, *evaluation.rules.ask)
        if rule.text == verdict.rule and isinstance(rule.specifier, CommandPattern)
    ]
    if not patterns:
        return parts
    return tuple(
        replace(one, behavior=verdict.behavior, by="rule", reason=verdict.reason, rule=verdict.rule, check="")
        if reaches(patterns[0], unfolded(part.command.words))
        else one
        for one, part in zip(parts, evaluation.analysis.parts, strict=True)
    )


def _with_part_effect(verdict: PartVerdict, part: Part) -> PartVerdict:
    """Say what a part of a command does that matters most, as the reason where it asks for no better one."""
    found = worst_of(unfolded(part.command.words))
    if found is None:
        return verdict
    is_told = verdict.behavior == "ask" and verdict.by in {"default", "classifier"}
    reason = found.says if is_told else verdict.reason
    return replace(verdict, reason=reason, effect=found.effect, is_careful=found.is_careful)
