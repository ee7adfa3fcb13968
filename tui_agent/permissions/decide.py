"""The decision on one tool call: one pure function, the same for the app, headless runs and `permissions explain`.

The checks come in one fixed order, the first that answers decides, and each leaves a step behind:

1. a hook's refusal, deny rules, ask rules;
2. what no rule can approve in advance: commands that are not understood, critical removals, protected places;
3. plan mode, which changes nothing; the tool's own opinion;
4. a hook's approval, allow rules, the mode, for each part of a command; the sandbox, where commands run in one;
5. reading in the working folders, which needs nobody; else the user.

Whatever is not understood asks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import Final

from tui_agent.permissions.command_effects import part_verdicts, with_effect
from tui_agent.permissions.evaluation import Evaluation
from tui_agent.permissions.implied_reads import is_searching, why_may_read_asked, why_may_read_denied
from tui_agent.permissions.modes import Mode
from tui_agent.permissions.open_verdict import open_verdict
from tui_agent.permissions.path_context import PathContext
from tui_agent.permissions.protected_paths import protected_reason
from tui_agent.permissions.readable_paths import readable
from tui_agent.permissions.rules import SHELL_TOOLS, Behavior, Rule, RuleSet
from tui_agent.permissions.secret_files import is_secret_file
from tui_agent.permissions.shell.dangers import is_careful
from tui_agent.permissions.shell.match import find_rule
from tui_agent.permissions.shell.removal import critical_removal
from tui_agent.permissions.suggest import offers_for
from tui_agent.permissions.verdict import (
    Confinement,
    DecisionStep,
    ToolCall,
    ToolOpinion,
    Verdict,
)

__all__ = ["decide"]

_BETWEEN_NAMES: Final = re.compile(r"[\s;|&()<>{}='\"`,]+")
# Tools that only arrange the session's own affairs.
_HARMLESS: Final = frozenset({
    "TodoWrite", "TaskCreate", "TaskUpdate", "TaskList", "TaskGet", "TaskStop", "ToolSearch", "Think", "Agent",
    "Architect", "SendMessage", "EnterPlanMode", "AskUserQuestion", "StickerRequest",
})  # fmt: skip
# Tools that put a form to the user. The form is the permission, and there has to be somebody to fill it in.
_FORMS: Final = frozenset({"AskUserQuestion", "StickerRequest"})
# What plan mode is left by. It always asks, of its own accord.
_IN_PLAN: Final = frozenset({"ExitPlanMode"})


def decide(
    call: ToolCall, *, rules: RuleSet, mode: Mode, where: PathContext, hook: ToolOpinion | None = None
) -> Verdict:
    """Return whether a call may run, must be asked about, or is refused, and why.

    Args:
        call: the call with its final input.
        rules: all rules in force.
        mode: the session's mode.
        where: the folders and trust it is judged by.
        hook: what the hooks that ran before said, if anything.

    Returns:
        The verdict; its steps tell each check that was made, in order.
    """
    return _Decision(call, rules, mode, where.for_one_decision(call.reals, call.files), hook).run()


class _Decision(Evaluation):
    """One run of the checks."""

    def __init__(
        self, call: ToolCall, rules: RuleSet, mode: Mode, where: PathContext, hook: ToolOpinion | None
    ) -> None:
        super().__init__(call, rules, mode, where)
        self.hook = hook
        self.steps: list[DecisionStep] = []
        self.doubt = ""  # why a rule that forbids or asks may or may not be about this command

    def run(self) -> Verdict:
        checks: tuple[tuple[str, Callable[[], Verdict | None]], ...] = (
            ("hooks refuse", self._hook_refuses),
            ("deny rules", self._denied),
            ("plan mode", self._plan_blocks),
            ("don't ask mode", self._form_blocked),
            ("the tool refuses", self._tool_refuses),
            ("ask rules", self._asked),
            ("syntax", self._not_understood),
            ("critical removal", self._removes_too_much),
            ("protected paths", self._protected),
            ("the tool asks", self._tool_asks),
            ("hooks ask", self._hook_asks),
            ("bypass mode", self._bypassed),
            ("plan mode", self._plan_settles),
            ("the tool allows", self._tool_allows),
            ("hooks allow", self._hook_allows),
            ("allow rules", self._allowed),
            ("commands", self._commands_allowed),
            ("sandbox", self._sandboxed),
            ("no permission needed", self._harmless),
        )
        for name, check in checks:
            verdict = check()
            if verdict is not None:
                self.steps.append(DecisionStep(name, verdict.behavior))
                return self._finished(verdict)
            self.steps.append(_no_match(name))
        return self._finished(open_verdict(self))

    def _finished(self, verdict: Verdict) -> Verdict:
        """Turn questions into refusals where nobody is to be asked, and add what every verdict carries."""
        offers = verdict.offers or ((verdict.suggestions,) if verdict.suggestions else ())
        if verdict.is_open and not self._is_careful:
            offers = offers_for(self.call, verdict.needs, self.where)
        verdict = with_effect(verdict, self)
        if verdict.behavior == "ask" and self.mode == "dontAsk":
            self.steps.append(DecisionStep("don't ask mode", "deny"))
            by = "mode" if verdict.is_open else verdict.by
            why = "no rule allows this command: " if verdict.is_open and verdict.effect else ""
            reason = f"{why}{verdict.reason}, and nobody can be asked"
            verdict = replace(verdict, behavior="deny", by=by, reason=reason, is_open=False)
        return replace(
            verdict,
            steps=tuple(self.steps),
            offers=offers,
            suggestions=offers[0] if len(offers) == 1 else tuple(one[0] for one in offers),
            is_read_only=self.is_reading,
            confinement=verdict.confinement or self._confinement(),
            readable=readable(self),
            is_searching=self.analysis is not None and any(map(is_searching, self.analysis.parts)),
            parts=part_verdicts(verdict, self),
        )

    @property
    def _is_careful(self) -> bool:
        """Whether it cannot be undone, or runs code that nobody has seen: then each call is asked about."""
        return self.call.is_destructive or (self.call.command is not None and is_careful(self.call.command))

    def _confinement(self) -> Confinement | None:
        return "workspace" if self.is_sandboxed else None

    # Rules that forbid or ask

    def _denied(self) -> Verdict | None:
        return self._by_rules("deny")

    def _asked(self) -> Verdict | None:
        return self._by_rules("ask")

    def _by_rules(self, behavior: Behavior) -> Verdict | None:
        """Apply the deny or the ask rules to the tool, its input, every path it touches, and its command."""
        said = "denies" if behavior == "deny" else "asks about"
        own = self.rules.for_tool(behavior, self.call.tool)
        for rule in own.by_input:
            if rule.is_about(self.call.input) and not (behavior == "ask" and self._is_skipped(rule)):
                return _ruled(behavior, rule, f"`{rule.text}` {said} it")
        for operation, paths in self.touched:
            for path in paths:
                found = self.rules.path_rule(behavior, path, operation, self.where)
                if found is not None:
                    return _ruled(behavior, found, f"`{found.text}` {said} `{self.where.shown(path)}`")
        if self.script is not None:
            hit = find_rule(own.by_command, self.script)
            if hit is not None and hit.kind == "surely":
                return _ruled(behavior, hit.rule, f"`{hit.rule.text}` {said} `{hit.command}`")
            if hit is not None:
                self.doubt = f"whether `{hit.rule.text}` {said} it is unknown before it runs"
        return None

    def _is_skipped(self, rule: Rule) -> bool:
        """Whether an ask rule for whatever command does not count, as the sandbox holds this one."""
        return rule.specifier is None and rule.tool in SHELL_TOOLS and self.is_let_by_sandbox

    # What no rule can approve in advance

    def _not_understood(self) -> Verdict | None:
        reason = self.doubt
        check = ""
        if self.script is not None and not self.script.is_understood:
            reason, check = self.script.problem, "syntax"
        elif not reason and self.uses is not None:
            if self.uses.has_unknown_read and self.rules.has_denials("read"):
                reason = "whether it reads a file that a rule denies cannot be told before it runs"
            elif self.uses.has_unknown_write and self.rules.has_denials("edit"):
                reason = "whether it changes a file that a rule denies cannot be told before it runs"
            elif self.rules.has_denials("read"):
                reason = why_may_read_denied(self.uses, self.rules, self.where, hidden_from=self.hidden_from)
        if not reason and self.uses is not None and self.rules.path_rules("ask", "read"):
            reason = why_may_read_asked(self.uses, self.rules, self.where)
        reason = reason or self._may_be_another()
        return Verdict(behavior="ask", by="classifier", reason=reason, check=check) if reason else None

    def _may_be_another(self) -> str:
        """Return why a rule may be about a file that the call touches under another name; empty where none is."""
        for operation, paths in self.touched:
            for path in paths if self.rules.guards(operation) else ():
                if self.where.may_be_another(path):
                    several = f"`{self.where.shown(path)}` has other names"
                    return f"{several}, and there are too many files to look whether a rule is about one of those"
        return ""

    def _removes_too_much(self) -> Verdict | None:
        reason = None if self.script is None else critical_removal(self.script, self.where)
        return Verdict(behavior="ask", by="classifier", reason=reason) if reason else None

    def _protected(self) -> Verdict | None:
        if self.mode == "bypassPermissions":
            return None
        for path in (*self.touched[0][1], *self._may_be_written()):
            if self.is_plan(path):
                continue
            reason = protected_reason(path, self.where)
            if reason is not None:
                return Verdict(behavior="ask", by="protected_path", reason=reason)
        return None

    def _may_be_written(self) -> Iterator[str]:
        """Yield what the text of a command names anywhere, where some file that it writes is unknown before it runs."""
        if self.uses is not None and self.uses.has_unknown_write and self.script is not None:
            for text in dict.fromkeys(_BETWEEN_NAMES.split(self.script.source)):
                if text:
                    yield self.where.absolute(text)

    # Modes

    def _plan_blocks(self) -> Verdict | None:
        """Before the plan is approved there is nothing but reading, and the plan itself may be written."""
        if self.mode != "plan" or self.call.tool in _HARMLESS or self.call.tool in _IN_PLAN:
            return None
        reason = ""
        if not all(map(self.is_plan, self.call.writes)):
            reason = "plan mode: nothing is changed before the plan is approved"
        elif self.call.command is not None and not self.is_reading:
            reason = (
                "plan mode: before the plan is approved only commands run that are known to read and do nothing else"
            )
        elif self.call.command is None and not self.call.writes and not self.is_reading:
            reason = f"plan mode: {self.call.tool} may change something; nothing may change until the plan is approved"
        return Verdict(behavior="deny", by="mode", reason=reason) if reason else None

    def _form_blocked(self) -> Verdict | None:
        if self.mode == "dontAsk" and self.call.tool in _FORMS:
            return Verdict(behavior="deny", by="mode", reason="it needs to ask, and nobody can be asked")
        return None

    def _plan_settles(self) -> Verdict | None:
        if self.mode == "plan" and self.call.writes:  # of the plan alone; all else was refused
            return Verdict(behavior="allow", by="mode", reason="plan mode: the plan itself may be written")
        return None

    def _bypassed(self) -> Verdict | None:
        if self.mode == "bypassPermissions":
            return Verdict(behavior="allow", by="mode", reason="bypass mode is on", confinement=self._bypassing())
        return None

    def _bypassing(self) -> Confinement | None:
        """Return how a command runs where nothing is asked: what only reads still sees none of the files that rules hide."""
        if self.view is None or not self.view.is_reading or not self.hides_files:
            return None
        return self.view.confinement if self.view.asks_daemon else "read_only"

    # The tool and hooks

    def _tool_refuses(self) -> Verdict | None:
        opinion = self.call.opinion
        if opinion is not None and opinion.behavior == "deny":
            return Verdict(behavior="deny", by="tool", reason=opinion.message or f"{self.call.tool} refuses this")
        return None

    def _tool_asks(self) -> Verdict | None:
        opinion = self.call.opinion
        if opinion is None or opinion.behavior != "ask" or self.mode == "bypassPermissions":
            return None
        reason = opinion.message or f"{self.call.tool} leaves the decision to you"
        return Verdict(behavior="ask", by="tool", reason=reason, suggestions=opinion.suggestions)

    def _tool_allows(self) -> Verdict | None:
        opinion = self.call.opinion
        if opinion is not None and opinion.behavior == "allow":
            return Verdict(
                behavior="allow", by="tool", reason=opinion.message or f"{self.call.tool} needs no permission for this"
            )
        return None

    def _hook_refuses(self) -> Verdict | None:
        return self._by_hook("deny", "a hook refused it")

    def _hook_asks(self) -> Verdict | None:
        return self._by_hook("ask", "a hook wants the user to decide")

    def _hook_allows(self) -> Verdict | None:
        return self._by_hook("allow", "a hook approved it")

    def _by_hook(self, behavior: Behavior, reason: str) -> Verdict | None:
        if self.hook is None or self.hook.behavior != behavior:
            return None
        return Verdict(behavior=behavior, by="hook", reason=self.hook.message or reason)

    # What is allowed

    def _allowed(self) -> Verdict | None:
        if self.script is not None:
            return None  # part by part, see below
        whole = self.whole_rule
        if whole is not None:
            return _ruled("allow", whole, f"`{whole.text}` allows it")
        return self._paths_allowed()

    def _commands_allowed(self) -> Verdict | None:
        """Allow a command of which each part is allowed: by a rule, as one that only reads, or by the mode."""
        view = self.view
        if view is None:
            return None
        self.steps.extend(
            DecisionStep(f"part: {part.command}", f"{part.behavior}: {part.reason}") for part in view.parts
        )
        if not view.is_allowed:
            return None
        if view.rule is not None:
            verdict = _ruled("allow", view.rule, f"`{view.rule.text}` allows it")
        elif view.is_by_mode:
            verdict = Verdict(behavior="allow", by="mode", reason="edits in the working folders are accepted")
        else:
            verdict = Verdict(behavior="allow", by="classifier", reason="it is read-only, in the working folders")
        return replace(verdict, confinement=view.confinement)

    def _sandboxed(self) -> Verdict | None:
        if not self.is_let_by_sandbox or self._names_secret_file or self._writes_to_several_names:
            return None
        return Verdict(behavior="allow", by="sandbox", reason="the sandbox holds it to the working folders")

    @property
    def _writes_to_several_names(self) -> bool:
        """Whether the command may write to a file that has other names: they may lie outside of the work."""
        return self.uses is not None and any(map(self.where.has_several_names, self.uses.writes))

    @property
    def _names_secret_file(self) -> bool:
        """Whether the command shows a file that is there to hold secrets, and no rule allows that."""
        needs = () if self.view is None else self.view.needs
        return any(
            path.operation == "read" and any(map(is_secret_file, path.faces)) for need in needs for path in need.paths
        )

    def _paths_allowed(self) -> Verdict | None:
        """Allow a call by the paths it touches: each of them, and what it leads to, by a rule, the mode or its place."""
        if not (self.call.writes or (self.call.is_read_only and self.call.reads)) or self.missing_paths:
            return None
        paths = [(path, "edit") for path in self.call.writes] + [(path, "read") for path in self.only_read]
        ruled = (rule for path, operation in paths for rule in self.face_rules(path, operation))  # type: ignore[arg-type]
        named = next(ruled, None)
        if named is not None:
            return _ruled("allow", named, f"`{named.text}` allows it")
        if self.call.writes:
            return Verdict(behavior="allow", by="mode", reason="edits in the working folders are accepted")
        return None  # free to read

    def _harmless(self) -> Verdict | None:
        if self.call.tool in _HARMLESS:
            return Verdict(behavior="allow", by="default", reason=f"{self.call.tool} needs no permission")
        is_reading = self.call.is_read_only and self.call.command is None and not self.call.writes and self.call.reads
        if is_reading and not self.missing_paths:
            return Verdict(behavior="allow", by="default", reason="reading in the working folders needs no permission")
        return None


@cache
def _no_match(check: str) -> DecisionStep:
    return DecisionStep(check, "no match")


def _ruled(behavior: Behavior, rule: Rule, reason: str) -> Verdict:
    return Verdict(behavior=behavior, by="rule", reason=reason, rule=rule.text, source=rule.source.name)
