"""Decisions on commands, for tests that are about what is decided and not about how the call is described."""

from __future__ import annotations

from typing import Any

from tui_agent.permissions.call_facts import call_from_input
from tui_agent.permissions.decide import decide
from tui_agent.permissions.modes import Mode
from tui_agent.permissions.path_context import PathContext
from tui_agent.permissions.rules import RuleSet
from tui_agent.permissions.verdict import Verdict

WHERE = PathContext(cwd="/w", project_root="/w", home="/h", resolve=lambda path: path)


def judged(
    command: str, mode: Mode = "default", where: PathContext = WHERE, extra: dict[str, Any] | None = None, **lists: Any
) -> Verdict:
    call = call_from_input("Bash", {"command": command, **(extra or {})}, where)
    return decide(call, rules=RuleSet.from_lists(**lists), mode=mode, where=where)
