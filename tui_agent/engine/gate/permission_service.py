"""What a user can see and change of the permissions of a running session: for the `/permissions` screen and the dialogs."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from tui_agent.engine.gate.permission_broker import PermissionBroker
from tui_agent.engine.gate.permission_log import AskedCall
from tui_agent.engine.gate.rulebook import Rulebook
from tui_agent.execution.available_tools import AvailableTools
from tui_agent.execution.permission import describe, to_opinion
from tui_agent.execution.resolution import find_tool, resolve_use
from tui_agent.permissions.call_facts import call_from_input
from tui_agent.permissions.missing_rules import covers
from tui_agent.permissions.path_context import PathContext
from tui_agent.permissions.rules import Behavior, rule_problem
from tui_agent.permissions.verdict import Scope, ToolCall, Verdict
from tui_agent.queries import Denial, RuleRow
from tui_agent.settings.load import Settings
from tui_agent.tools.base import ToolContext, ToolError, Valid
from tui_agent.tools.resolved_path import ResolvedPaths

__all__ = ["AskedCall", "PermissionService", "Preview", "call_to_try"]


@dataclass(frozen=True, slots=True)
class Preview:
    """What rules would have done to the calls of this session: those they would have covered, of how many that were asked.

    `problem` is why they could not be used, or empty.
    """

    covered: tuple[AskedCall, ...]
    asked: int
    problem: str = ""


class PermissionService:
    """One session's rules, refusals and trials. All of it is quick; what changes a rule settles the questions it answers."""

    def __init__(
        self, rulebook: Rulebook, broker: PermissionBroker, pool: AvailableTools, context: ToolContext
    ) -> None:
        self._rulebook = rulebook
        self._broker = broker
        self._pool = pool
        self._context = context

    # --- seeing ------------------------------------------------------------------------------------------------------

    def rules(self) -> tuple[RuleRow, ...]:
        """Return every rule by its source, strongest source first, those that do nothing included."""
        return self._rulebook.rows()

    def folders(self) -> tuple[str, ...]:
        """Return the working folders: where the session was started, then the added ones."""
        return self._rulebook.where.folders

    def recent_denials(self) -> tuple[Denial, ...]:
        """Return what was refused in this session, newest last; only the last some hundred are kept."""
        return self._broker.log.denials

    def preview_rules(self, rules: Sequence[str], behavior: Behavior = "allow") -> Preview:
        """Return which calls that were asked about in this session these rules would have covered, all of them together.

        For an allowing list those that would not have been asked; for the others those the rules are about.
        """
        problem = next(filter(None, (rule_problem(rule, behavior) for rule in rules)), "")
        found = self._rulebook.preview(rules, behavior)
        where = self._rulebook.where
        asked = self._broker.log.asked
        covered = (
            () if problem else tuple(one for one in asked if covers(found, behavior, one.call, one.verdict, where))
        )
        return Preview(covered, len(asked), problem)

    def rule_problem(self, rule: str, behavior: Behavior = "allow") -> str:
        """Return why a rule could not be used or would never match; empty where it is good."""
        return rule_problem(rule, behavior)

    def file_of(self, scope: Literal["local", "project", "user"]) -> Path:
        """Return the settings file that a rule of this scope is saved in; it may not exist yet."""
        return self._rulebook.file_of(scope)

    async def explain_call(self, tool: str, input: dict[str, Any]) -> Verdict:
        """Return what a call would get now, step by step. Nothing is run, nobody asked, and it counts as no call."""
        call = await call_to_try(
            self._pool, tool, input, replace(self._context, paths=ResolvedPaths()), self._rulebook.where
        )
        return self._rulebook.judge(call)

    # --- changing ----------------------------------------------------------------------------------------------------

    def add_rule(self, text: str, behavior: Behavior = "allow", scope: Scope = "session") -> None:
        """Let a rule count from now on and keep it where `scope` says.

        Raises:
            ValueError: the rule means nothing, or the settings file it belongs into is damaged; the text says which.
            OSError: that file cannot be written; the rule counts until the session ends.
        """
        try:
            self._rulebook.add(text, scope, behavior)
        finally:
            self._broker.reconsider()

    def remove_rule(self, text: str, source: str, behavior: Behavior) -> None:
        """Take a rule away, from this session and from the file it stands in. `source` is as in its `RuleRow`.

        Raises:
            ValueError: it is gone already, is not one's own to remove, or its file is damaged.
            OSError: its file cannot be written; nothing is removed.
        """
        self._rulebook.remove(text, source, behavior)
        self._broker.reconsider()

    def replace(self, settings: Settings) -> None:
        """Take settings that were read anew; what the command line gave and what holds for the session stays."""
        self._rulebook.replace(settings)
        self._broker.reconsider()


async def call_to_try(
    pool: AvailableTools, name: str, input: dict[str, Any], ctx: ToolContext, where: PathContext
) -> ToolCall:
    """Return a call as its tool describes it; where there is no such tool, or the input is not whole, as its fields do.

    A question is often about a path or a command alone, and a rule may name a tool that only some sessions have.
    """
    use = resolve_use(find_tool(pool, name), input)
    if use.tool is None or use.input is None:
        return call_from_input(use.name, input, where)
    opinion = to_opinion(await use.tool.check_permissions(use.input, ctx))
    call = describe(use.tool, use.input, use.raw, ctx, opinion)
    if call.command is None:
        return call
    # In a session the change is shown instead of the command, where the tool can tell what that will change.
    with contextlib.suppress(ToolError):
        found = await use.tool.validate(use.input, ctx)
        shown = await use.tool.propose(use.input, found.plan, ctx) if isinstance(found, Valid) else ()
        call = replace(call, is_own_change=bool(shown))
    return call
