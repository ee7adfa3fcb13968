"""The decision on one tool call: one pure function, the same for the app, headless runs and `permissions explain`.

The checks come in one fixed order, the first that answers decides, and each leaves a step behind:

1. a hook's refusal, deny rules, ask rules;
2. what no rule can approve in advance: commands that are not understood, critical removals, protected places;
3. plan mode, which changes nothing; the tool's own opinion;
4. a hook's approval, allow rules, the mode;
5. reading in the working folders, which needs nobody; else the person.

Whatever is not understood asks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from tui_agent.hosts import host_of
from tui_agent.permissions.modes import Mode
from tui_agent.permissions.protected import protected_reason
from tui_agent.permissions.rules import Behavior, Operation, Rule, RuleSet
from tui_agent.permissions.shell.files import files
from tui_agent.permissions.shell.match import covering_rule, find_rule
from tui_agent.permissions.shell.parse import parse
from tui_agent.permissions.shell.removal import critical_removal
from tui_agent.permissions.specifiers import DomainPattern, ExactPattern, ParameterPattern
from tui_agent.permissions.suggest import suggestions
from tui_agent.permissions.surroundings import Surroundings
from tui_agent.permissions.verdict import Call, Step, ToolOpinion, Verdict

__all__ = ["decide"]

# Tools that only arrange the session's own affairs.
_HARMLESS: Final = frozenset({
    "TodoWrite", "TaskCreate", "TaskUpdate", "TaskList", "TaskGet", "TaskStop", "ToolSearch", "Think", "Agent",
    "EnterPlanMode", "AskUserQuestion", "StickerRequest",
})  # fmt: skip
# Tools that put a form to the person. The form is the permission, and there has to be somebody to fill it in.
_FORMS: Final = frozenset({"AskUserQuestion", "StickerRequest"})


def decide(call: Call, *, rules: RuleSet, mode: Mode, where: Surroundings, hook: ToolOpinion | None = None) -> Verdict:
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
    return _Decision(call, rules, mode, where, hook).run()


class _Decision:
    """One run of the checks; what several of them need is worked out once."""

    def __init__(self, call: Call, rules: RuleSet, mode: Mode, where: Surroundings, hook: ToolOpinion | None) -> None:
        self.call = call
        self.rules = rules
        self.mode = mode
        self.where = where
        self.hook = hook
        self.script = None if call.command is None else parse(call.command)
        self.uses = None if self.script is None else files(self.script, where)
        self.steps: list[Step] = []
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
            ("plan mode", self._plan_asks),
            ("the tool allows", self._tool_allows),
            ("hooks allow", self._hook_allows),
            ("allow rules", self._allowed),
            ("no permission needed", self._harmless),
        )
        for name, check in checks:
            verdict = check()
            if verdict is not None:
                self.steps.append(Step(name, verdict.behavior))
                return self._finished(verdict)
            self.steps.append(Step(name, "no match"))
        return self._finished(Verdict(behavior="ask", by="default", reason=self._why_ask()))

    def _finished(self, verdict: Verdict) -> Verdict:
        """Turn questions into refusals where nobody is to be asked, and add what every verdict carries."""
        offered = verdict.suggestions
        if verdict.behavior == "ask":
            if not offered and verdict.by == "default" and not self.call.is_destructive:
                offered = suggestions(self.call, self.where, self.script)
            if self.mode == "dontAsk":
                self.steps.append(Step("don't ask mode", "deny"))
                by = "mode" if verdict.by == "default" else verdict.by
                reason = f"{verdict.reason}, and nobody is to be asked"
                verdict = replace(verdict, behavior="deny", by=by, reason=reason)
        return replace(verdict, steps=tuple(self.steps), suggestions=offered, is_read_only=self.call.is_read_only)

    # Rules that forbid or ask

    def _denied(self) -> Verdict | None:
        return self._by_rules("deny")

    def _asked(self) -> Verdict | None:
        return self._by_rules("ask")

    def _by_rules(self, behavior: Behavior) -> Verdict | None:
        """Apply the deny or the ask rules to the tool, its input, every path it touches, and its command."""
        said = "denies" if behavior == "deny" else "asks about"
        own = [
            rule
            for rule in (self.rules.deny if behavior == "deny" else self.rules.ask)
            if not rule.is_inert and rule.is_for(self.call.tool)
        ]
        for rule in own:
            if self._is_about(rule):
                return _ruled(behavior, rule, f"`{rule.text}` {said} it")
        for operation, paths in self._touched():
            for path in paths:
                found = self.rules.path_rule(behavior, path, operation, self.where)
                if found is not None:
                    return _ruled(behavior, found, f"`{found.text}` {said} `{self.where.shown(path)}`")
        if self.script is not None:
            hit = find_rule(own, self.script)
            if hit is not None and hit.kind == "surely":
                return _ruled(behavior, hit.rule, f"`{hit.rule.text}` {said} `{hit.command}`")
            if hit is not None:
                self.doubt = f"whether `{hit.rule.text}` {said} it cannot be told before it runs"
        return None

    def _is_about(self, rule: Rule) -> bool:
        """Whether a rule on this tool matches by its name alone, or by the input."""
        match rule.specifier:
            case None:
                return True
            case ParameterPattern() | ExactPattern() as pattern:
                return pattern.matches(self.call.input)
            case DomainPattern() as pattern:
                url = self.call.input.get("url")
                return isinstance(url, str) and pattern.matches(url)
            case _:
                return False

    def _touched(self) -> tuple[tuple[Operation, tuple[str, ...]], ...]:
        if self.uses is None:
            return ("edit", self.call.writes), ("read", self.call.reads)
        writes = (*self.call.writes, *self.uses.redirected_writes, *self.uses.writes)
        reads = (*self.call.reads, *self.uses.redirected_reads, *self.uses.reads)
        return ("edit", tuple(dict.fromkeys(writes))), ("read", tuple(dict.fromkeys(reads)))

    # What no rule can approve in advance

    def _not_understood(self) -> Verdict | None:
        reason = self.doubt
        if self.script is not None and not self.script.is_understood:
            reason = self.script.problem
        elif not reason and self.uses is not None:
            if self.uses.has_unknown_read and self.rules.has_denials("read"):
                reason = "whether it reads a file that a rule denies cannot be told before it runs"
            elif self.uses.has_unknown_write and self.rules.has_denials("edit"):
                reason = "whether it changes a file that a rule denies cannot be told before it runs"
        return Verdict(behavior="ask", by="classifier", reason=reason) if reason else None

    def _removes_too_much(self) -> Verdict | None:
        reason = None if self.script is None else critical_removal(self.script, self.where)
        return Verdict(behavior="ask", by="classifier", reason=reason) if reason else None

    def _protected(self) -> Verdict | None:
        if self.mode == "bypassPermissions":
            return None
        for path in self._touched()[0][1]:
            reason = protected_reason(path, self.where)
            if reason is not None:
                return Verdict(behavior="ask", by="protected_path", reason=reason)
        return None

    # Modes

    def _plan_blocks(self) -> Verdict | None:
        if self.mode == "plan" and self.call.writes:
            return Verdict(
                behavior="deny", by="mode", reason="plan mode: nothing is changed before the plan is approved"
            )
        return None

    def _form_blocked(self) -> Verdict | None:
        if self.mode == "dontAsk" and self.call.tool in _FORMS:
            return Verdict(behavior="deny", by="mode", reason="it asks the person, and nobody is to be asked")
        return None

    def _plan_asks(self) -> Verdict | None:
        if self.mode == "plan" and self.call.command is not None and not self.call.is_read_only:
            return Verdict(behavior="ask", by="mode", reason="plan mode: the command may change something")
        return None

    def _bypassed(self) -> Verdict | None:
        if self.mode == "bypassPermissions":
            return Verdict(behavior="allow", by="mode", reason="bypass mode is on")
        return None

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
        reason = opinion.message or f"{self.call.tool} leaves this to you"
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
        return self._by_hook("ask", "a hook wants a person to decide")

    def _hook_allows(self) -> Verdict | None:
        return self._by_hook("allow", "a hook approved it")

    def _by_hook(self, behavior: Behavior, reason: str) -> Verdict | None:
        if self.hook is None or self.hook.behavior != behavior:
            return None
        return Verdict(behavior=behavior, by="hook", reason=self.hook.message or reason)

    # What is allowed

    def _allowed(self) -> Verdict | None:
        allowing = [
            rule
            for rule in self.rules.allow
            if not rule.is_inert and rule.is_for(self.call.tool) and self._counts(rule)
        ]
        whole = next((rule for rule in allowing if self._is_about(rule)), None)
        if self.script is not None:
            rule = whole if whole is not None else covering_rule(allowing, self.script)
            if rule is None or self._uncovered_redirection() is not None:
                return None
            return _ruled("allow", rule, f"`{rule.text}` allows it")
        if whole is not None:
            return _ruled("allow", whole, f"`{whole.text}` allows it")
        return self._paths_allowed()

    def _counts(self, rule: Rule) -> bool:
        """An untrusted folder's own files can only tighten things."""
        return self.where.is_trusted or rule.source.kind not in {"project", "local"}

    def _paths_allowed(self) -> Verdict | None:
        """Allow a call by the paths it touches: each of them, and what it leads to, by a rule, the mode or its place."""
        if not (self.call.writes or (self.call.is_read_only and self.call.reads)):
            return None
        reads = tuple(path for path in self.call.reads if path not in self.call.writes)
        named: Rule | None = None
        is_by_mode = False
        for path in self.call.writes:
            rules = self._edit_rules(path)
            if rules:
                named = named or rules[0]
            elif self._is_accepted_edit(path):
                is_by_mode = True
            else:
                return None
        for path in reads:
            if self.where.is_free_to_read(path):
                continue
            rules = self._face_rules(path, "read")
            if not rules:
                return None
            named = named or rules[0]
        if named is not None:
            return _ruled("allow", named, f"`{named.text}` allows it")
        if is_by_mode:
            return Verdict(behavior="allow", by="mode", reason="edits in the working folders are accepted")
        return None

    def _edit_rules(self, path: str) -> list[Rule]:
        return self._face_rules(path, "edit")

    def _face_rules(self, path: str, operation: Operation) -> list[Rule]:
        """Return the rules that allow a path and what it leads to, one for each, or nothing where one is missing."""
        found: list[Rule] = []
        for face in self.where.faces(path):
            rule = self.rules.allows_path(face, operation, self.where)
            if rule is None or not self._counts(rule):
                return []
            found.append(rule)
        return found

    def _is_accepted_edit(self, path: str) -> bool:
        return self.mode == "acceptEdits" and self.where.is_work(path)

    def _uncovered_redirection(self) -> str | None:
        """Say what a command reads or writes by redirection that nothing allows: its own rule does not cover files."""
        if self.script is None or self.uses is None:
            return None
        if self.uses.has_unknown_output:
            return "it writes a file that is not known before it runs"
        if self.uses.has_unknown_input:
            return "it reads a file that is not known before it runs"
        for path in self.uses.redirected_writes:
            if not self._edit_rules(path) and not self._is_accepted_edit(path):
                return f"it writes `{self.where.shown(path)}`"
        for path in self.uses.redirected_reads:
            if not self.where.is_free_to_read(path) and not self._face_rules(path, "read"):
                return f"it reads `{self.where.shown(path)}`, outside the working folders"
        return None

    def _harmless(self) -> Verdict | None:
        if self.call.tool in _HARMLESS:
            return Verdict(behavior="allow", by="default", reason=f"{self.call.tool} needs no permission")
        is_reading = self.call.is_read_only and self.call.command is None and not self.call.writes and self.call.reads
        if is_reading and all(self.where.is_free_to_read(path) for path in self.call.reads):
            return Verdict(behavior="allow", by="default", reason="reading in the working folders needs no permission")
        return None

    def _why_ask(self) -> str:
        if self.script is not None:
            uncovered = self._uncovered_redirection()
            if uncovered is not None:
                return uncovered
            if self.script.single is None:
                return "it is more than one simple command, and rules cover only those"
            return "no rule allows this command"
        for path in self.call.writes:
            place = "" if self.where.is_work(path) else ", outside the working folders"
            return f"it changes `{self.where.shown(path)}`{place}"
        for path in self.call.reads:
            if not self.where.is_free_to_read(path):
                return f"it reads `{self.where.shown(path)}`, outside the working folders"
        url = self.call.input.get("url")
        host = host_of(url) if self.call.tool == "WebFetch" and isinstance(url, str) else None
        return f"no rule allows fetching from {host}" if host else f"no rule allows {self.call.tool}"


def _ruled(behavior: Behavior, rule: Rule, reason: str) -> Verdict:
    return Verdict(behavior=behavior, by="rule", reason=reason, rule=rule.text, source=rule.source.name)
