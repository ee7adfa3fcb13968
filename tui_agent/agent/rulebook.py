"""The rules and the mode of this moment: what the permission desk asks, and where a new rule goes."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from tui_agent.permissions.decide import decide
from tui_agent.permissions.modes import Mode
from tui_agent.permissions.rules import RuleSet
from tui_agent.permissions.save import save_rule
from tui_agent.permissions.surroundings import Surroundings
from tui_agent.permissions.verdict import Call, Scope, Verdict
from tui_agent.settings.load import Settings
from tui_agent.tools.workspace import Workspace

__all__ = ["Rulebook"]


class Rulebook:
    """One session's rules. `mode` may be set at any time; the next call is judged by it."""

    def __init__(
        self,
        *,
        settings: Settings,
        rules: RuleSet,
        workspace: Workspace,
        mode: Mode,
        free_reads: tuple[Path, ...] = (),
    ) -> None:
        self.rules = rules
        self.mode: Mode = mode
        self._workspace = workspace
        self._free_reads = tuple(str(folder) for folder in free_reads)
        self._settings = settings
        self._where: Surroundings | None = None

    @property
    def where(self) -> Surroundings:
        """The folders that count, and where the shell stands now."""
        shell_cwd = str(self._workspace.cwd)
        if self._where is None or self._where.shell_cwd != shell_cwd:
            self._where = Surroundings(
                cwd=str(self._workspace.root),
                project_root=str(self._settings.project_root),
                home=str(self._workspace.home),
                additional_dirs=tuple(str(folder) for folder in self._workspace.additional),
                is_trusted=self._settings.is_trusted,
                shell_cwd=shell_cwd,
                free_reads=self._free_reads,
            )
        return self._where

    def judge(self, call: Call) -> Verdict:
        """Decide a call by the rules and the mode of this moment."""
        return decide(call, rules=self.rules, mode=self.mode, where=self.where, hook=call.hook)

    def denies(self, path: str, operation: Literal["read", "edit"]) -> str | None:
        """Return why a rule forbids an operation on an absolute path, or None."""
        return self.rules.denies_path(path, operation, self.where)

    def permits_host(self, host: str) -> bool:
        """Whether a rule that allows names this host, so that even a private address may be fetched."""
        return self.rules.permits_host(host, is_trusted=self._settings.is_trusted)

    def guards_host(self, host: str) -> bool:
        """Whether a rule denies or asks about fetching from this host."""
        return self.rules.guards_host(host)

    def add(self, text: str, scope: Scope) -> None:
        """Let a rule count from now on, and keep it where `scope` says.

        Raises:
            ValueError: the rule means nothing, or the settings file it belongs into is damaged.
            OSError: that file cannot be written; the rule counts until the session ends.
        """
        self.rules = self.rules.with_session_rule(text)
        if scope != "session":
            save_rule(text, scope, start_dir=self._workspace.root)
