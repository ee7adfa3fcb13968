"""The rules and the mode of this moment: what the permission broker asks, and where a new rule goes.

Rules come from three places: what the command line gave, the settings, and what was added since. The first and the last stay
when settings are read anew.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Literal

from tui_agent.engine.gate.permission_mode import PermissionMode
from tui_agent.engine.gate.sandbox_status import sandbox_terms
from tui_agent.permissions.dead_rules import dead_rules
from tui_agent.permissions.decide import decide
from tui_agent.permissions.hard_links import RuledHardLinks
from tui_agent.permissions.linked_rules import LinkedRules
from tui_agent.permissions.modes import Mode
from tui_agent.permissions.path_context import PathContext, names_fold
from tui_agent.permissions.rules import Behavior, Rule, RuleError, RuleSet, RuleSource, parse_rule
from tui_agent.permissions.save import remove_rule, rule_file, save_rule
from tui_agent.permissions.secret_files import is_secret_file
from tui_agent.permissions.verdict import DecisionStep, Scope, ToolCall, Verdict
from tui_agent.queries import RuleRow
from tui_agent.settings.load import Settings
from tui_agent.tools.workspace import Workspace

__all__ = ["Rulebook"]


class Rulebook:
    """One session's rules. The next call is judged by the `mode` of that moment.

    `given` are the rules of the command line. `free_reads` and `writable_in_plan` are as in `PathContext`.
    """

    def __init__(
        self,
        *,
        settings: Settings,
        given: RuleSet,
        workspace: Workspace,
        mode: PermissionMode,
        free_reads: tuple[Path, ...] = (),
        writable_in_plan: tuple[Path, ...] = (),
    ) -> None:
        self._mode = mode
        self._workspace = workspace
        self._free_reads = tuple(map(str, free_reads))
        self._writable_in_plan = tuple(map(str, writable_in_plan))
        self._settings = settings
        self._given = given
        self._added: tuple[Rule, ...] = ()
        self._granted: dict[str, tuple[Rule, ...]] = {}  # until the turn ends, by what they come with
        self._rules: RuleSet | None = None
        self._where: PathContext | None = None
        self._cannot_hide = ""
        self._ruled = RuledHardLinks()
        self._led_to: dict[str, str] = {}  # where the working folders were when they became that
        self._note_folders()
        self._links = LinkedRules()
        self._linked: RuleSet | None = None

    @property
    def mode(self) -> Mode:
        """The permission mode in force."""
        return self._mode.now

    @property
    def rules(self) -> RuleSet:
        """All rules in force; those on links count for what these led to when a call was last decided."""
        if self._linked is None:
            self._linked = self._links.of(self._as_written, self.where)
        return self._linked

    @property
    def _as_written(self) -> RuleSet:
        if self._rules is None:
            added = RuleSet.of(self._added)
            granted = RuleSet.of(tuple(rule for rules in self._granted.values() for rule in rules))
            own = RuleSet.merged(added, self._given, granted)
            if self._is_policys_alone:  # what forbids or asks may stay: it only takes away
                own = replace(own, allow=())
            self._rules = RuleSet.merged(own, RuleSet.from_entries(self._settings.rules))
        return self._rules

    def _rules_now(self) -> RuleSet:
        """Return all rules in force, with where their links lead now."""
        self._linked = None
        return self.rules

    @property
    def where(self) -> PathContext:
        """The folders that count, and where the shell stands now."""
        shell_cwd = str(self._workspace.cwd)
        if self._where is None or self._where.shell_cwd != shell_cwd:
            where = PathContext(
                cwd=str(self._workspace.root),
                project_root=str(self._settings.project_root),
                home=str(self._workspace.home),
                additional_dirs=tuple(str(folder) for folder in self._workspace.additional),
                is_trusted=self._settings.is_trusted,
                shell_cwd=shell_cwd,
                free_reads=(*self._free_reads, *self._writable_in_plan),
                writable_in_plan=self._writable_in_plan,
                sandbox=replace(sandbox_terms(self._settings.values.sandbox), cannot_hide=self._cannot_hide),
                is_case_blind=names_fold(str(self._workspace.root)),
            )
            self._ruled.forget()
            self._where = replace(where, other_names=lambda file: self._ruled.of(file, self.rules, where))
        return self._where

    def folders_changed(self) -> None:
        """The working folders are others now."""
        self._cannot_hide = ""
        self._where = None
        self._note_folders()

    def cannot_hide(self, reason: str) -> None:
        """Have commands asked about from now on that only read: the sandbox cannot hide all that rules forbid to read."""
        self._cannot_hide = reason
        self._where = None

    @property
    def _is_policys_alone(self) -> bool:
        return self._settings.values.allow_managed_permission_rules_only

    def where_in(self, workspace: Workspace) -> PathContext:
        """Return `where` for work that has folders and a shell of its own."""
        return replace(
            self.where,
            cwd=str(workspace.root),
            additional_dirs=tuple(map(str, workspace.additional)),
            shell_cwd=str(workspace.cwd),
        )

    def judge(self, call: ToolCall, *, mode: Mode | None = None, where: PathContext | None = None) -> Verdict:
        """Decide a call by the rules and the mode of this moment, or by another mode or in another place (`where_in`)."""
        place = where or self.where
        verdict = decide(call, rules=self._rules_now(), mode=mode or self._mode.now, where=place, hook=call.hook)
        if moved := self._moved_folder():
            self._where = None  # what it knows of the folders is of that other place
            verdict = self._asked_about(moved, verdict, mode or self._mode.now)
        # Where only the policy's rules count, none of one's own is offered.
        return replace(verdict, offers=(), suggestions=()) if verdict.offers and self._is_policys_alone else verdict

    def _note_folders(self) -> None:
        folders = map(str, (self._workspace.root, *self._workspace.additional))
        self._led_to = {folder: self._led_to.get(folder) or os.path.realpath(folder) for folder in folders}

    def _moved_folder(self) -> str:
        """Return a working folder that is somewhere else than at first, as it or one above became a link; empty for none."""
        return next((folder for folder, real in self._led_to.items() if os.path.realpath(folder) != real), "")

    @staticmethod
    def _asked_about(folder: str, verdict: Verdict, mode: Mode) -> Verdict:
        if verdict.behavior != "allow" or mode == "bypassPermissions":
            return verdict
        reason = f"the working folder `{folder}` is a link to another place now"
        step = DecisionStep("working folders", "ask")
        asked = replace(verdict, behavior="ask", by="classifier", reason=reason, rule=None, source=None, check="")
        asked = replace(asked, steps=(*verdict.steps, step), offers=(), suggestions=(), parts=())
        return (
            replace(asked, behavior="deny", reason=f"{reason}, and nobody can be asked") if mode == "dontAsk" else asked
        )

    def denies(self, path: str, operation: Literal["read", "edit"], workspace: Workspace | None = None) -> str | None:
        """Return why a rule forbids an operation on an absolute path, or None; in another workspace if one is given."""
        return self.rules.denies_path(path, operation, self.where if workspace is None else self.where_in(workspace))

    def is_doubtful(self, path: str) -> bool:
        """Whether it cannot be told if a rule denies reading a file under another of its names."""
        return self.rules.has_denials("read") and self.where.may_be_another(path)

    def is_withheld(self, path: str) -> bool:
        """Whether a file is there to hold secrets and no rule allows reading it, so that only who names it may be shown it."""
        if self._mode.now == "bypassPermissions":
            return False
        faces = self.where.faces(path)
        return any(map(is_secret_file, faces)) and any(
            self.rules.allows_path(face, "read", self.where) is None for face in faces
        )

    def denies_agent(self, type: str) -> bool:
        """Whether a rule forbids to start agents of this type."""
        rules = self.rules.for_tool("deny", "Agent").by_input
        return any(rule.is_about({"subagent_type": type}) for rule in rules)

    def permits_host(self, host: str) -> bool:
        """Whether a rule that allows names this host, so that even a private address may be fetched."""
        return self.rules.permits_host(host, is_trusted=self._settings.is_trusted)

    def guards_host(self, host: str) -> bool:
        """Whether a rule denies or asks about fetching from this host."""
        return self.rules.guards_host(host)

    # --- changing the rules ------------------------------------------------------------------------------------------

    def replace(self, settings: Settings) -> None:
        """Take settings that were read anew; what the command line gave and what holds for the session stays.

        A rule that was saved to a file meanwhile is the file's from now on.
        """
        self._settings = settings
        self._added = tuple(rule for rule in self._added if rule.source.kind == "session")
        self._changed()

    def add(self, text: str, scope: Scope, behavior: Behavior = "allow") -> None:
        """Let a rule count from now on, and keep it where `scope` says.

        Raises:
            ValueError: the rule means nothing, the settings file it belongs into is damaged, or an administrator's policy
                leaves no room for rules of one's own.
            OSError: that file cannot be written; the rule counts until the session ends.
        """
        rule = parse_rule(text, behavior)
        if rule.is_inert:
            raise RuleError(rule.warning)
        if self._is_policys_alone:
            raise RuleError("the policy of this machine allows no rules but its own")
        if scope == "session":
            self._take(rule)
            return
        start = self._workspace.root
        try:
            file = save_rule(text, scope, start_dir=start, behavior=behavior)
        except OSError:
            self._take(rule)
            raise
        base = {"local": start, "project": self._settings.project_root, "user": file.parent}[scope]
        # A project that is not trusted allows nothing by its file; what the user has said here and now counts.
        is_heard = self._settings.is_trusted or scope != "project" or behavior != "allow"
        self._take(parse_rule(text, behavior, RuleSource(scope, str(file), str(base))) if is_heard else rule)

    def grant(self, key: str, rules: Sequence[Rule]) -> None:
        """Let rules count until the turn ends, or until `withdraw`; `key` names what they come with."""
        if rules:
            self._granted[key] = tuple(rules)
            self._changed()

    def withdraw(self, key: str | None = None) -> None:
        """Let rules that were granted count no longer; None: any of them."""
        before = len(self._granted)
        if key is None:
            self._granted.clear()
        else:
            self._granted.pop(key, None)
        if len(self._granted) != before:
            self._changed()

    def remove(self, text: str, source: str, behavior: Behavior) -> None:
        """Take a rule away, from this session and from the file it stands in. `source` is as in its `RuleRow`.

        Raises:
            ValueError: there is no such rule there, it is not one's own to remove, or its file is damaged.
            OSError: its file cannot be written; nothing is removed.
        """
        row = next(
            (row for row in self.rows() if (row.text, row.source, row.behavior) == (text, source, behavior)), None
        )
        if row is None:
            raise RuleError(f"there is no rule `{text}` in {source}")
        if not row.is_removable:
            raise RuleError(f"`{text}` is from {source} and can only be changed there")
        if row.kind != "session":
            remove_rule(text, behavior, Path(source))
            entries = (
                entry
                for entry in self._settings.rules
                if (entry.text.strip(), entry.file, entry.behavior) != (text, source, behavior)
            )
            self._settings = replace(self._settings, rules=tuple(entries))
        self._added = tuple(
            rule for rule in self._added if (rule.text, rule.source.name, rule.behavior) != (text, source, behavior)
        )
        self._changed()

    def rows(self) -> tuple[RuleRow, ...]:
        """Return every rule there is, those that do nothing included: strongest source first, in the order of the files."""
        held = (*RuleSet.of(self._added).all, *self._given.all)
        rows = [_row(rule, is_removable=rule.source.kind != "cli") for rule in held]
        rows += [_row(rule, is_removable=False) for rules in self._granted.values() for rule in rules]
        for entry in self._settings.rules:
            source = RuleSource(entry.kind, entry.file, str(entry.base))
            is_own = entry.kind in ("local", "project", "user") and entry.file == str(self.file_of(entry.kind))
            try:
                rule = parse_rule(entry.text, entry.behavior, source, entry.line)
            except RuleError as error:
                rows.append(
                    RuleRow(
                        text=entry.text.strip(),
                        behavior=entry.behavior,
                        kind=entry.kind,
                        source=entry.file,
                        line=entry.line,
                        problem=str(error),
                        is_removable=is_own,
                    )
                )
                continue
            row = _row(rule, is_removable=is_own)
            rows.append(replace(row, problem=entry.reason) if entry.is_held_back else row)
        return tuple(dict.fromkeys(replace(row, problem=row.problem or self._dead.get(_key(row), "")) for row in rows))

    @cached_property
    def _dead(self) -> dict[tuple[Behavior | None, str, str, int], str]:
        """Why rules do nothing, by their list, text, source and line."""
        return {
            (one.behavior, one.rule, one.source, one.line): one.text for one in dead_rules(self._as_written, self.where)
        }

    @property
    def in_force(self) -> frozenset[tuple[Behavior, str]]:
        """The rules that count, as behavior and text."""
        return frozenset((rule.behavior, rule.text) for rule in self.rules.all if not rule.is_inert)

    def file_of(self, scope: Literal["local", "project", "user"]) -> Path:
        """Return the settings file that a rule of this scope is saved in; it may not exist yet."""
        return rule_file(scope, start_dir=self._workspace.root)

    def preview(self, rules: Sequence[str], behavior: Behavior = "allow") -> RuleSet:
        """Return these rules alone, compiled as if they were of this session; those that mean nothing are left out."""
        lists: dict[Behavior, Sequence[str]] = {"allow": (), "ask": (), "deny": (), behavior: rules}
        return RuleSet.from_lists(allow=lists["allow"], ask=lists["ask"], deny=lists["deny"])

    def _take(self, rule: Rule) -> None:
        self._added = tuple(dict.fromkeys((*self._added, rule)))
        self._changed()

    def _changed(self) -> None:
        self._rules = self._linked = None
        self.__dict__.pop("_dead", None)
        self._where = None


def _key(row: RuleRow) -> tuple[Behavior | None, str, str, int]:
    return row.behavior, row.text, row.source, row.line


def _row(rule: Rule, *, is_removable: bool) -> RuleRow:
    return RuleRow(
        text=rule.text,
        behavior=rule.behavior,
        kind=rule.source.kind,
        source=rule.source.name,
        line=rule.line,
        problem=rule.warning,
        is_removable=is_removable,
    )
