"""What the checks of a decision look at: a call and what it touches. What takes long is worked out once, when it is needed."""

from __future__ import annotations

from functools import cached_property
from typing import Final, Literal

from tui_agent.permissions.commands import CommandView, judge_commands
from tui_agent.permissions.modes import Mode
from tui_agent.permissions.path_context import PathContext
from tui_agent.permissions.rules import Operation, Rule, RuleSet
from tui_agent.permissions.shell.analysis import analyse
from tui_agent.permissions.shell.effective_command import reached
from tui_agent.permissions.shell.files import FileUse, files
from tui_agent.permissions.shell.match import reaches
from tui_agent.permissions.shell.parse import parse
from tui_agent.permissions.shell.pattern import CommandPattern
from tui_agent.permissions.verdict import PathNeed, ToolCall

__all__ = ["Evaluation"]

_NO_SANDBOX: Final = (
    "it is read-only, but there is no sandbox here to enforce that (`sandbox.readOnlyWithout` allows it)"
)
_LEAVES: Final = "it asks to run outside the sandbox"


class Evaluation:
    """One call, the rules and the mode it meets, and the folders it is judged by."""

    def __init__(self, call: ToolCall, rules: RuleSet, mode: Mode, where: PathContext) -> None:
        self.call = call
        self.rules = rules
        self.mode = mode
        self.where = where
        self.script = None if call.command is None else parse(call.command)
        self.analysis = None if call.command is None else analyse(call.command)

    # The command

    @cached_property
    def uses(self) -> FileUse | None:
        if self.script is None or self.analysis is None:
            return None
        return files(self.script, self.analysis, self.where, is_guarded=self.rules.guards("read"))

    @cached_property
    def view(self) -> CommandView | None:
        """What becomes of each part of the command; None where there is no command, or it is not understood."""
        if self.script is None or self.analysis is None or not self.script.is_understood:
            return None
        own = self.rules.for_tool("allow", self.call.tool, is_trusted=self.where.is_trusted)
        return judge_commands(
            self.script,
            self.analysis,
            allowing=own.by_command,
            whole=self.whole_rule,
            rules=self.rules,
            mode=self.mode,
            where=self.where,
            may_read=self.why_not_read,
            may_edit=_LEAVES if self.leaves else "",
            is_sandboxed=self.is_sandboxed,
            hides=self.hides_files,
            is_own_change=self.call.is_own_change,
        )

    @cached_property
    def whole_rule(self) -> Rule | None:
        own = self.rules.for_tool("allow", self.call.tool, is_trusted=self.where.is_trusted)
        return next((rule for rule in own.by_input if rule.is_about(self.call.input)), None)

    @property
    def is_reading(self) -> bool:
        """Whether the call changes nothing."""
        return self.call.is_read_only or (self.view is not None and self.view.is_reading)

    @property
    def leaves(self) -> bool:
        """Whether the call asks to run outside of any sandbox, and may ask."""
        return bool(self.call.input.get("dangerouslyDisableSandbox")) and self.where.sandbox.may_leave

    @cached_property
    def is_sandboxed(self) -> bool:
        """Whether the command would run in the sandbox of commands that may change the work."""
        terms = self.where.sandbox
        if self.script is None or not (terms.is_there and terms.is_enabled) or self.leaves:
            return False
        patterns = [CommandPattern.parse(body) for body in terms.excluded]
        found = reached(self.script)
        return not any(reaches(pattern, found) for pattern in patterns)

    @property
    def is_let_by_sandbox(self) -> bool:
        return self.is_sandboxed and self.where.sandbox.auto_allow and self.mode != "plan"

    @property
    def why_not_read(self) -> str:
        terms = self.where.sandbox
        if self.leaves:
            return _LEAVES
        if terms.cannot_hide and self.rules.has_denials("read"):
            return terms.cannot_hide
        return "" if terms.is_there or terms.read_only_without else _NO_SANDBOX

    @property
    def hides_files(self) -> bool:
        """Whether what only reads is held to it even where a rule or the mode allows it, as rules forbid to read some files.

        `grep -r` names no file of the folder that it searches; only the sandbox keeps those from it.
        """
        terms = self.where.sandbox
        return terms.is_there and not terms.is_enabled and not self.leaves and self.rules.has_denials("read")

    @property
    def hidden_from(self) -> Literal["nothing", "reading", "everything"]:
        """Which parts of the command run where files that rules keep from being read cannot be seen."""
        if not self.where.sandbox.is_there or self.leaves:
            return "nothing"
        if self.is_sandboxed:
            return "everything"
        is_held = self.view is not None and (self.view.is_reading or self.mode != "bypassPermissions")
        is_held = is_held and self.view is not None and not (self.view.sees_all and self.view.is_allowed)
        return "reading" if is_held else "nothing"

    # The paths

    @cached_property
    def touched(self) -> tuple[tuple[Operation, tuple[str, ...]], ...]:
        """The paths that the call changes, and those it reads, as far as anybody can tell."""
        if self.uses is None:
            return ("edit", self.call.writes), ("read", self.call.reads)
        writes = (*self.call.writes, *self.uses.writes)
        reads = (*self.call.reads, *self.uses.reads)
        return ("edit", tuple(dict.fromkeys(writes))), ("read", tuple(dict.fromkeys(reads)))

    def is_plan(self, path: str) -> bool:
        """Whether this is the plan, which may be written while nothing else may."""
        if self.mode != "plan" or not self.where.writable_in_plan:
            return False
        real = {self.where.resolve(one) for one in self.where.writable_in_plan}
        return path in self.where.writable_in_plan and self.where.resolve(path) in real

    @cached_property
    def only_read(self) -> tuple[str, ...]:
        return tuple(
            path for path in self.call.reads if path not in self.call.writes and not self.where.is_free_to_read(path)
        )

    @cached_property
    def missing_paths(self) -> tuple[PathNeed, ...]:
        """What the call touches that neither a rule nor the mode nor its place allows."""
        found: list[PathNeed] = []
        for path in self.call.writes:
            is_accepted = self.mode == "acceptEdits" and self.where.is_work(path)
            if not is_accepted and not self.face_rules(path, "edit"):
                found.append(PathNeed("edit", path, self.where.faces(path)))
        found.extend(
            PathNeed("read", path, self.where.faces(path))
            for path in self.only_read
            if not self.face_rules(path, "read")
        )
        return tuple(found)

    def face_rules(self, path: str, operation: Operation) -> list[Rule]:
        """Return the rules that allow a path and what it leads to, one for each, or nothing where one is missing."""
        found: list[Rule] = []
        for face in self.where.faces(path):
            rule = self.rules.allows_path(face, operation, self.where)
            if rule is None:
                return []
            found.append(rule)
        return found
